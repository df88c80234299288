#include "checkers/verdict.h"

namespace hilsa {

std::string_view name_of(Validity validity) {
  switch (validity) {
    case Validity::valid:
      return "valid";
    case Validity::invalid:
      return "invalid";
    case Validity::unknown:
      break;
  }
  return "unknown";
}

}  // namespace hilsa
