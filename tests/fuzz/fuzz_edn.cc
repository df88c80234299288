// Jepsen's histories in EDN, behind a comment.
#include "tests/fuzz/fuzz_reading.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  hilsa::fuzz_reading(";\n", bytes, size);
  return 0;
}
