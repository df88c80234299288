// Our own format, behind a header, two statements and an attempt.
#include "tests/fuzz/fuzz_reading.h"

constexpr std::string_view kStart =
    R"({"hilsa":"history","format":1,"tables":[{"name":"p","key":"id","columns":["id","n"]}]}
{"statement":1,"sql":"S"}
{"statement":2,"sql":"U"}
{"attempt":1,"client":1,"begin":1,"end":2,"outcome":"committed","ops":[]}
)";

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  hilsa::fuzz_reading(kStart, bytes, size);
  return 0;
}
