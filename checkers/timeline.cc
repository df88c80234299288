#include "checkers/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "checkers/application_sql.h"
#include "checkers/phrases.h"
#include "checkers/printable.h"

namespace hilsa {
namespace {

// A transaction with more operations than this is shown in extracts.
constexpr std::size_t kOperationsMax = 24;
// And with more transactions than this, all of them are.
constexpr std::size_t kTransactionsMax = 12;
constexpr int kRowsShown = 4;
constexpr std::size_t kGap = 2;

using Kind = TimelineEntry::Kind;

std::string version_text(std::int64_t version) {
  return version == kVersionUnknown ? "version not learned" : fmt::format("version {}", version);
}

class Timeline {
 public:
  Timeline(const History& history, const Phrases& phrases, std::span<const OpIndex> shown)
      : history_(history), phrases_(phrases), shown_(shown) {}

  void add(TxnIndex txn);
  std::vector<TimelineEntry> take();

 private:
  bool has_times() const { return history_.has_times() || !history_.op_begin.empty(); }
  bool timed(OpIndex op) const {
    return !history_.op_end.empty() && (history_.op_begin[op] != 0 || history_.op_end[op] != 0);
  }
  bool is_one_statement(OpIndex first, OpIndex second) const;
  void add_statement(TxnIndex txn, OpIndex begin, OpIndex end);
  void add_begin(TxnIndex txn);
  void add_failed(TxnIndex txn);
  void add_end(TxnIndex txn);
  std::string what(OpIndex op) const;
  std::string result(OpIndex op) const;
  std::string row_result(OpIndex op) const;
  std::string row_result(OpIndex op, const std::string& name) const;
  std::string query_result(OpIndex op) const;
  std::string client(TxnIndex txn) const;
  std::string ending(TxnIndex txn) const;

  const History& history_;
  const Phrases& phrases_;
  std::span<const OpIndex> shown_;
  std::vector<TimelineEntry> lines_;
};

bool Timeline::is_one_statement(OpIndex first, OpIndex second) const {
  if (history_.op_kind[second] == Op::seen_row) return true;
  if (history_.op_statement.empty() || history_.op_statement[first] == kNone) return false;
  return history_.op_statement[first] == history_.op_statement[second] &&
         history_.op_begin[first] == history_.op_begin[second] &&
         history_.op_end[first] == history_.op_end[second] && timed(first);
}

std::string Timeline::client(TxnIndex txn) const {
  const std::int32_t number = history_.txn_client[txn];
  if (number == 0 && history_.form == Form::stamped) return "set-up";
  return number < 0 ? "" : fmt::format("client {}", number);
}

std::string Timeline::ending(TxnIndex txn) const {
  const TxnFlags flags = history_.txn_flags[txn];
  std::string text = "committed";
  if (flags.outcome == AttemptOutcome::aborted) text = "rolled back";
  if (flags.outcome == AttemptOutcome::unknown) text = "COMMIT was never answered";
  if (!flags.one_transaction && flags.outcome == AttemptOutcome::committed) text = "ended";
  const std::string_view said = history_.reply_of(txn);
  return said.empty() ? text : text + ": " + elided(printable(said), 80);
}

void Timeline::add_begin(TxnIndex txn) {
  std::string text = history_.txn_flags[txn].one_transaction ? "begins" : "begins, no transaction";
  const std::string who = client(txn);
  if (!who.empty()) text += " (" + who + ")";
  TimelineEntry line{.kind = Kind::begin, .txn = txn, .what = std::move(text)};
  if (history_.has_times()) line.at = history_.txn_begin[txn];
  lines_.push_back(std::move(line));
}

// The statement whose error ended it; nothing if that is not known.
void Timeline::add_failed(TxnIndex txn) {
  const Failure* const failure = history_.failure_of(txn);
  if (failure == nullptr || failure->statement == kNone || !failure->has_times()) return;
  lines_.push_back({.kind = Kind::failed_statement,
                    .at = failure->begin,
                    .took = failure->end - failure->begin,
                    .txn = txn,
                    .what = printable(application_sql(history_.statements[failure->statement])),
                    .result = std::string(name_of(failure->kind))});
}

void Timeline::add_end(TxnIndex txn) {
  TimelineEntry line{.kind = Kind::end, .txn = txn, .what = "ends", .result = ending(txn)};
  if (history_.has_times()) line.at = history_.txn_end[txn];
  lines_.push_back(std::move(line));
}

std::string Timeline::what(OpIndex op) const {
  if (history_.form != Form::stamped) return phrases_.micro_operation(op);
  const bool has_sql = !history_.op_statement.empty() && history_.op_statement[op] != kNone;
  if (has_sql) return printable(application_sql(history_.statements[history_.op_statement[op]]));
  switch (history_.op_kind[op]) {
    case Op::write:
      return "write";
    case Op::insert:
      return "insert";
    case Op::erase:
      return "delete";
    case Op::predicate_read:
      return "read " + phrases_.predicate(op);
    default:
      return "read";
  }
}

std::string Timeline::row_result(OpIndex op) const {
  return row_result(op, phrases_.object(history_.op_object[op]) + " ");
}

// `name`: empty, or the row's with a blank behind it.
std::string Timeline::row_result(OpIndex op, const std::string& name) const {
  const std::int64_t number = history_.op_number[op];
  if (history_.op_kind[op] == Op::read && number == kUnborn) {
    return "no " + phrases_.object(history_.op_object[op]);
  }
  std::string text = name + version_text(number);
  const bool read = is_read(history_.op_kind[op]);
  if (read && !history_.op_writer.empty() && history_.op_writer[op] != 0) {
    text += fmt::format(" by T{}", history_.op_writer[op]);
  }
  if (history_.op_kind[op] == Op::erase) text += ", deleted";
  const std::string values = phrases_.values(op);
  return values.empty() ? text : text + ": " + values;
}

std::string Timeline::query_result(OpIndex op) const {
  const std::int64_t rows = phrases_.rows_seen(op);
  if (rows == 0) return "no row";
  std::string text = rows == 1 ? "1 row: " : fmt::format("{} rows: ", rows);
  for (int i = 0; i < rows && i < kRowsShown; ++i) {
    text += (i == 0 ? "" : "; ") + row_result(op + 1 + static_cast<OpIndex>(i));
  }
  return rows > kRowsShown ? text + fmt::format("; … {} more", rows - kRowsShown) : text;
}

std::string Timeline::result(OpIndex op) const {
  if (history_.form != Form::stamped) return "";
  return history_.op_kind[op] == Op::predicate_read ? query_result(op) : row_result(op);
}

// The operations [begin, end) are one statement's.
void Timeline::add_statement(TxnIndex txn, OpIndex begin, OpIndex end) {
  TimelineEntry line{.txn = txn, .what = what(begin)};
  if (timed(begin)) {
    line.at = history_.op_begin[begin];
    line.took = history_.op_end[begin] - history_.op_begin[begin];
  }
  for (OpIndex op = begin; op < end; ++op) {
    if (history_.op_kind[op] == Op::seen_row) continue;
    // What it read → what it made of that.
    const bool made =
        op > begin && is_write(history_.op_kind[op]) && is_read(history_.op_kind[op - 1]);
    if (!line.result.empty()) line.result += made ? " → " : "; ";
    const bool same_row =
        made && op == begin + 1 && object_of(history_, op) == object_of(history_, begin);
    line.result += same_row ? row_result(op, "") : result(op);
  }
  lines_.push_back(std::move(line));
}

void Timeline::add(TxnIndex txn) {
  add_begin(txn);
  std::size_t left_out = 0;
  for (OpIndex op = history_.first_op(txn); op < history_.end_op(txn);) {
    OpIndex end = op + 1;
    while (end < history_.end_op(txn) && is_one_statement(op, end)) ++end;
    const auto first = std::lower_bound(shown_.begin(), shown_.end(), op);
    if (first != shown_.end() && *first < end) {
      add_statement(txn, op, end);
    } else {
      ++left_out;
    }
    op = end;
  }
  if (left_out > 0) {
    lines_.push_back({.kind = Kind::left_out,
                      .txn = txn,
                      .what = fmt::format("… {} more statements", left_out)});
  }
  add_failed(txn);
  add_end(txn);
}

std::string milliseconds(std::optional<Nanoseconds> value) {
  return value ? fmt::format("{:.3f}", static_cast<double>(*value) / 1e6) : "";
}

// Lines without a time of their own keep to the one before them.
void sort_by_time(std::vector<TimelineEntry>& lines) {
  std::optional<Nanoseconds> last;
  std::vector<std::pair<Nanoseconds, std::size_t>> order;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].at) last = lines[i].at;
    order.emplace_back(last.value_or(0), i);
  }
  std::sort(order.begin(), order.end());
  std::vector<TimelineEntry> sorted;
  for (const auto& [at, place] : order) sorted.push_back(std::move(lines[place]));
  lines = std::move(sorted);
}

struct Widths {
  std::size_t ms = 0, took = 0, who = 0, what = 0, result = 0;

  void fit(std::size_t width_max) {
    std::size_t used = who + kGap;
    if (ms > 0) used += ms + kGap;
    if (took > 0) used += took + kGap;
    const std::size_t room = width_max - used - (result > 0 ? kGap : 0);
    if (what + result <= room) return;
    // Half each, but what the one does not need is the other's.
    const std::size_t half = room / 2;
    if (what <= half) {
      result = room - what;
    } else if (result <= half) {
      what = room - result;
    } else {
      what = half;
      result = room - half;
    }
  }
};

void pad_to(std::string& line, std::size_t width) {
  const std::size_t now = width_of(line);
  if (now < width) line.append(width - now, ' ');
}

class Layout {
 public:
  explicit Layout(const Widths& widths) : widths_(widths) {}

  void add(const std::string& ms, const std::string& took, const std::string& who,
           const std::string& what, const std::string& result) {
    const auto whats = wrapped(what, widths_.what, 2);
    const auto results =
        widths_.result == 0 ? std::vector<std::string>{""} : wrapped(result, widths_.result, 2);
    for (std::size_t i = 0; i < std::max(whats.size(), results.size()); ++i) {
      std::string line;
      const auto right = [&line](const std::string& cell, std::size_t width) {
        if (width > 0) line += fmt::format("{:>{}}  ", cell, width);
      };
      right(i == 0 ? ms : "", widths_.ms);
      right(i == 0 ? took : "", widths_.took);
      line += fmt::format("{:<{}}  ", i == 0 ? who : "", widths_.who);
      const std::size_t before = width_of(line);
      if (i < whats.size()) line += whats[i];
      if (i < results.size() && !results[i].empty()) {
        pad_to(line, before + widths_.what + kGap);
        line += results[i];
      }
      line.erase(line.find_last_not_of(' ') + 1);
      lines.push_back(std::move(line));
    }
  }
  std::vector<std::string> lines;

 private:
  Widths widths_;
};

std::vector<TimelineEntry> Timeline::take() {
  if (has_times()) sort_by_time(lines_);
  std::optional<Nanoseconds> first;
  for (const TimelineEntry& line : lines_) {
    if (line.at && (!first || *line.at < *first)) first = line.at;
  }
  const bool measured = has_durations(history_) || !history_.op_begin.empty();
  for (TimelineEntry& line : lines_) {
    if (line.at) line.at = *line.at - *first;
    if (!measured) line.at.reset();
  }
  return std::move(lines_);
}

std::vector<std::string> lines_of(const std::vector<TimelineEntry>& entries, const Phrases& phrases,
                                  std::size_t width_max) {
  Widths widths{.who = 3};
  const auto fit = [](std::size_t& width, const std::optional<Nanoseconds>& time) {
    constexpr std::size_t kNarrowest = 5;
    if (time) width = std::max({width, kNarrowest, milliseconds(time).size()});
  };
  for (const TimelineEntry& line : entries) {
    fit(widths.ms, line.at);
    fit(widths.took, line.took);
    widths.who = std::max(widths.who, width_of(phrases.txn(line.txn)));
    widths.what = std::max(widths.what, width_of(line.what));
    widths.result = std::max(widths.result, width_of(line.result));
  }
  widths.fit(width_max);
  Layout layout(widths);
  layout.add("ms", "took", "who", "what", widths.result > 0 ? "result" : "");
  for (const TimelineEntry& line : entries) {
    layout.add(milliseconds(line.at), milliseconds(line.took), phrases.txn(line.txn), line.what,
               line.result);
  }
  return std::move(layout.lines);
}

}  // namespace

std::vector<OpIndex> operations_to_show(const History& history,
                                        std::span<const TxnIndex> transactions,
                                        std::span<const OpIndex> important) {
  const std::set<OpIndex> named(important.begin(), important.end());
  std::set<ObjectIndex> objects;
  for (const OpIndex op : named) {
    if (is_known(history, op)) objects.insert(object_of(history, op));
  }
  objects.erase(kNone);
  std::vector<OpIndex> shown;
  for (const TxnIndex txn : transactions) {
    const OpIndex first = history.first_op(txn);
    const OpIndex end = history.end_op(txn);
    std::size_t room = transactions.size() > kTransactionsMax ? 0 : kOperationsMax;
    const bool whole = end - first <= room;
    for (OpIndex op = first; op < end; ++op) {
      const bool related = whole || (room > 0 && objects.count(object_of(history, op)) != 0);
      if (!related && named.count(op) == 0) continue;
      shown.push_back(op);
      if (room > 0) --room;
    }
  }
  std::sort(shown.begin(), shown.end());
  return shown;
}

std::vector<TimelineEntry> timeline_entries(const History& history, const Phrases& phrases,
                                            std::span<const TxnIndex> transactions,
                                            std::span<const OpIndex> shown) {
  Timeline timeline(history, phrases, shown);
  for (const TxnIndex txn : transactions) timeline.add(txn);
  return timeline.take();
}

std::vector<std::string> timeline(const History& history, const Phrases& phrases,
                                  std::span<const TxnIndex> transactions,
                                  std::span<const OpIndex> shown, std::size_t width_max) {
  return lines_of(timeline_entries(history, phrases, transactions, shown), phrases, width_max);
}

}  // namespace hilsa
