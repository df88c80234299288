// How much tests do, as fast as they are built to be.
#pragma once

#include <cstdint>

namespace hilsa::tests {

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

// `usual` without sanitizers, which make it slow and have nothing to find in the ten-thousandth run
// that they did not find in the first ones.
constexpr std::uint64_t seeds_to_try(std::uint64_t usual) {
  return kSanitized ? usual / 10 : usual;
}

}  // namespace hilsa::tests
