#include "harness/history/attempt.h"

#include <array>

namespace hilsa {

std::string_view name_of(AttemptOutcome outcome) {
  constexpr std::array<std::string_view, 3> kNames = {"committed", "aborted", "unknown"};
  return kNames[static_cast<std::size_t>(outcome)];
}

std::string_view name_of(TaskEnd end) {
  constexpr std::array<std::string_view, kTaskEndCount> kNames = {"done", "refused", "gave_up",
                                                                  "failed", "unknown"};
  return kNames[static_cast<std::size_t>(end)];
}

}  // namespace hilsa
