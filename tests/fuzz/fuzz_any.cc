// Whatever it is: what files are recognised by, zstd.
#include "tests/fuzz/fuzz_reading.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  hilsa::fuzz_reading("", bytes, size);
  return 0;
}
