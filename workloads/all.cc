// The list of workloads: one row each.
#include <array>

#include "workloads/oversell.h"

namespace hilsa {

std::span<const Workload* const> all_workloads() {
  static const std::array kAll = {&oversell()};
  return kAll;
}

}  // namespace hilsa
