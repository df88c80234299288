// The list of workloads: one row each.
#include <array>

#include "workloads/append.h"
#include "workloads/capacity.h"
#include "workloads/carts.h"
#include "workloads/doctors.h"
#include "workloads/gateway.h"
#include "workloads/holds.h"
#include "workloads/idempotency.h"
#include "workloads/jobs.h"
#include "workloads/oversell.h"
#include "workloads/register.h"
#include "workloads/report.h"
#include "workloads/reservation.h"
#include "workloads/rows.h"
#include "workloads/seats.h"
#include "workloads/transfer.h"
#include "workloads/wallet.h"

namespace hilsa {

std::span<const Workload* const> all_workloads() {
  static const std::array kAll = {
      &oversell(),
      &wallet(),
      &doctors(),
      &seats(),
      &holds(),
      &capacity(),
      &report(),
      &transfer(),
      &carts(),
      &idempotency(),
      &reservation(),
      &jobs(),
      &gateway(),
      // These hunt anomalies in a database itself.
      &rows_workload(),
      &append_workload(),
      &register_workload(),
  };
  return kAll;
}

}  // namespace hilsa
