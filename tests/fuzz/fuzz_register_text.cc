// The text form of research checkers, behind a first line.
#include "tests/fuzz/fuzz_reading.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  hilsa::fuzz_reading("r(1,0,1,1)\n", bytes, size);
  return 0;
}
