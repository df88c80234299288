// Keeps a run's history in memory, for a checker to look at when the run is over: some 60 bytes an
// operation, and 60 an attempt.
#pragma once

#include <cstdint>

#include "harness/history/history.h"
#include "harness/history/history_builder.h"
#include "harness/history/history_sink.h"

namespace hilsa {

class HistoryCollector : public HistorySink {
 public:
  // Of more attempts than `attempts_max` nothing is kept: half a history proves little, and fills
  // the memory.
  HistoryCollector(HistoryHeader header, std::int64_t attempts_max);

  void write(const Attempt& attempt) override;
  void write_final(int table, std::span<const SeenRow> rows) override;
  void write_end(bool interrupted) override;

  // How many attempts came, kept or not.
  std::int64_t attempts() const { return attempts_; }
  bool is_overfull() const { return attempts_ > attempts_max_; }
  // What was collected; afterwards the collector is of no further use.
  History take();

 private:
  HistoryBuilder builder_;
  std::int64_t attempts_max_;
  std::int64_t attempts_ = 0;
  bool ended_ = false;
};

}  // namespace hilsa
