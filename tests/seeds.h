// How many seeds a random test tries.
#pragma once

#include <cstdint>

namespace hilsa::tests {

// `usual` without sanitizers, which make it slow and have nothing to find in the ten-thousandth run
// that they did not find in the first ones.
constexpr std::uint64_t seeds_to_try(std::uint64_t usual) {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  return usual / 10;
#else
  return usual;
#endif
}

}  // namespace hilsa::tests
