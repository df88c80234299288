// The list of workloads: one row each.
#include <array>

#include "workloads/append.h"
#include "workloads/oversell.h"
#include "workloads/register.h"
#include "workloads/rows.h"

namespace hilsa {

std::span<const Workload* const> all_workloads() {
  static const std::array kAll = {&oversell(), &rows_workload(), &append_workload(),
                                  &register_workload()};
  return kAll;
}

}  // namespace hilsa
