// Whether a recorded history agrees with itself, told independently of reader and checker: every
// version has one writer, every read agrees with what its writer recorded, and the final state is
// what the writes add up to. Isolation between transactions is not looked at, except that nothing
// is read of attempts that were rolled back.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace hilsa::tests {

struct Soundness {
  std::vector<std::string> contradictions;        // in words; empty: it is sound
  std::map<std::string, std::int64_t> committed;  // operations of committed attempts, by code
  std::int64_t attempts = 0;                      // committed
  std::int64_t aborted = 0;
  std::int64_t met = 0;            // reads of what another client's attempt had written
  std::int64_t rows_by_value = 0;  // rows that updates and deletions found by their values
};

Soundness soundness_of(const std::filesystem::path& history_file);

}  // namespace hilsa::tests
