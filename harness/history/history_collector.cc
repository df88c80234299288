#include "harness/history/history_collector.h"

#include <utility>

namespace hilsa {

HistoryCollector::HistoryCollector(HistoryHeader header, std::int64_t attempts_max)
    : attempts_max_(attempts_max) {
  const std::vector<RecordedTable> tables = std::exchange(header.tables, {});
  builder_.header() = std::move(header);
  builder_.use_tables(tables);
}

void HistoryCollector::write(const Attempt& attempt) {
  ++attempts_;
  if (attempts_ == attempts_max_ + 1) builder_ = HistoryBuilder();  // gives the memory back
  if (!is_overfull()) builder_.add(attempt);
}

void HistoryCollector::write_final(int table, std::span<const SeenRow> rows) {
  if (is_overfull()) return;
  for (const SeenRow& row : rows) {
    // The builder numbers tables as the header does, which names each once.
    builder_.add_final_row(static_cast<std::uint32_t>(table), builder_.scalars().integer(row.key),
                           row.version, row.writer);
  }
}

void HistoryCollector::write_end(bool interrupted) {
  ended_ = true;
  builder_.note_final_state();
  if (interrupted) builder_.note_interrupted();
}

History HistoryCollector::take() {
  History history = builder_.finish();
  if (ended_) return history;
  // The final state could not be read to its end: rows that are missing from it prove nothing.
  history.cut_short = true;
  history.has_final_state = false;
  history.final_rows.clear();
  return history;
}

}  // namespace hilsa
