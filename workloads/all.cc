// The list of workloads: one row each.
#include <array>

#include "workloads/append.h"
#include "workloads/carts.h"
#include "workloads/doctors.h"
#include "workloads/gateway.h"
#include "workloads/oversell.h"
#include "workloads/register.h"
#include "workloads/report.h"
#include "workloads/rows.h"
#include "workloads/transfer.h"
#include "workloads/wallet.h"

namespace hilsa {

std::span<const Workload* const> all_workloads() {
  static const std::array kAll = {
      &oversell(),
      &wallet(),
      &doctors(),
      &report(),
      &gateway(),
      &transfer(),
      &carts(),
      // These hunt anomalies in a database itself.
      &rows_workload(),
      &append_workload(),
      &register_workload(),
  };
  return kAll;
}

}  // namespace hilsa
