// Which anomalies rule out which levels (DESIGN §5's table, as data).
#pragma once

#include <array>

#include "checkers/verdict.h"

namespace hilsa {

// The weakest level that an anomaly rules out, and with it all above. Cycles also rule out
// repeatable read when they are of rows alone; that is decided on the graph.
Level ruled_out_by(AnomalyClass anomaly);

// Anomalies that single operations show.
inline constexpr std::array kFindingClasses = {AnomalyClass::internal,
                                               AnomalyClass::lost_write,
                                               AnomalyClass::duplicate_write,
                                               AnomalyClass::garbage_read,
                                               AnomalyClass::incompatible_order,
                                               AnomalyClass::g1a,
                                               AnomalyClass::g1b,
                                               AnomalyClass::otv,
                                               AnomalyClass::fractured_read,
                                               AnomalyClass::non_repeatable_read,
                                               AnomalyClass::pmp,
                                               AnomalyClass::p4,
                                               AnomalyClass::dirty_update};

// Cycles of each class, and the level that has none of them.
struct CycleClass {
  AnomalyClass anomaly;
  Level level;
};
inline constexpr std::array kCycleClasses = {
    CycleClass{AnomalyClass::g0, Level::read_committed},
    CycleClass{AnomalyClass::g1c, Level::read_committed},
    CycleClass{AnomalyClass::g_single, Level::consistent_view},
    CycleClass{AnomalyClass::g_nonadjacent, Level::snapshot_isolation},
    CycleClass{AnomalyClass::g2_item, Level::repeatable_read},
    CycleClass{AnomalyClass::g2, Level::serializable}};

// Class of an anomaly that only a search has shown, by the level that fails.
AnomalyClass class_of_failed(Level level);

}  // namespace hilsa
