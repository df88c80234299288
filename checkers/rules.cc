#include "checkers/rules.h"

namespace hilsa {

Level ruled_out_by(AnomalyClass anomaly) {
  switch (anomaly) {
    case AnomalyClass::lost_write:
    case AnomalyClass::duplicate_write:
    case AnomalyClass::garbage_read:
    case AnomalyClass::incompatible_order:
    case AnomalyClass::g0:
      return Level::read_uncommitted;
    case AnomalyClass::internal:
    case AnomalyClass::dirty_update:
    case AnomalyClass::g1a:
    case AnomalyClass::g1b:
    case AnomalyClass::g1c:
      return Level::read_committed;
    case AnomalyClass::otv:
      return Level::monotonic_atomic_view;
    case AnomalyClass::fractured_read:
    case AnomalyClass::non_repeatable_read:
    case AnomalyClass::pmp:
      return Level::read_atomic;
    case AnomalyClass::p4:
    case AnomalyClass::g_single:
      return Level::consistent_view;
    case AnomalyClass::g_nonadjacent:
      return Level::snapshot_isolation;
    case AnomalyClass::g2_item:
      return Level::repeatable_read;
    case AnomalyClass::g2:
      break;
  }
  return Level::serializable;
}

AnomalyClass class_of_failed(Level level) {
  switch (level) {
    case Level::serializable:
      return AnomalyClass::g2;
    case Level::repeatable_read:
      return AnomalyClass::g2_item;
    case Level::snapshot_isolation:
      return AnomalyClass::g_nonadjacent;
    case Level::consistent_view:
      return AnomalyClass::g_single;
    default:
      break;
  }
  return AnomalyClass::g1c;
}

}  // namespace hilsa
