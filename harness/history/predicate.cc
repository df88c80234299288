#include "harness/history/predicate.h"

#include <array>

namespace hilsa {

std::string_view symbol_of(Comparator comparator) {
  constexpr std::array<std::string_view, 6> kSymbols = {"=", "<>", "<", "<=", ">", ">="};
  return kSymbols[static_cast<std::size_t>(comparator)];
}

}  // namespace hilsa
