// The list of workloads: one row each.
#include <array>

#include "workloads/append.h"
#include "workloads/doctors.h"
#include "workloads/jobs.h"
#include "workloads/oversell.h"
#include "workloads/register.h"
#include "workloads/reservation.h"
#include "workloads/rows.h"
#include "workloads/wallet.h"

namespace hilsa {

std::span<const Workload* const> all_workloads() {
  static const std::array kAll = {
      &oversell(),
      &wallet(),
      &doctors(),
      &reservation(),
      &jobs(),
      // These hunt anomalies in a database itself.
      &rows_workload(),
      &append_workload(),
      &register_workload(),
  };
  return kAll;
}

}  // namespace hilsa
