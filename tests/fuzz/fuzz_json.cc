// Jepsen's histories in JSON, behind an event that does not count.
#include "tests/fuzz/fuzz_reading.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  hilsa::fuzz_reading("{\"type\":\"info\",\"process\":\"nemesis\"}\n", bytes, size);
  return 0;
}
