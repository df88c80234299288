// Writes a list-append history to standard output, for measurements.
//
//   make_list_append TRANSACTIONS [edn|json] [SEED [STALE_FROM STALE_TRANSACTIONS]]
#include <cstdlib>
#include <iostream>
#include <string_view>

#include "tests/benchmarks/list_append_history.h"

int main(int argc, char** argv) {
  hilsa::ListAppendOptions options;
  const auto number = [&](int place, std::int64_t otherwise) {
    return argc > place ? std::strtoll(argv[place], nullptr, 10) : otherwise;
  };
  options.transactions = number(1, 0);
  if (options.transactions <= 0) {
    std::cerr << "usage: make_list_append TRANSACTIONS [edn|json] [SEED [STALE_FROM "
                 "STALE_TRANSACTIONS]]\n";
    return 2;
  }
  if (argc > 2 && std::string_view(argv[2]) == "json") {
    options.format = hilsa::ListAppendOptions::Format::json;
  }
  options.seed = static_cast<std::uint64_t>(number(3, 1));
  options.stale_from = number(4, 0);
  options.stale_transactions = number(5, 0);
  return hilsa::write_list_append_history(options, stdout) ? 0 : 1;
}
