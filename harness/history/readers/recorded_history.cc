// Our own format, docs/history-format.md, line by line.
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>

#include "harness/history/readers/format_reader.h"
#include "harness/history/readers/json_values.h"
#include "harness/history/readers/order_by_end.h"
#include "harness/history/readers/recorded_operations.h"

namespace hilsa {
namespace {

constexpr std::int64_t kInt32Max = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kInt64Max = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kInt64Min = std::numeric_limits<std::int64_t>::min();

// Which numbers were there. A bit each, in runs of 512.
class SeenNumbers {
 public:
  // False: it was there before.
  bool insert(std::int64_t number) {
    const std::int64_t run = number / 512;
    if (current_ == nullptr || run != current_run_) {
      current_ = &runs_[run];
      current_run_ = run;
    }
    const auto bit = static_cast<std::size_t>(number % 512);
    std::uint64_t& word = (*current_)[bit / 64];
    const std::uint64_t mask = std::uint64_t{1} << (bit % 64);
    const bool is_new = (word & mask) == 0;
    word |= mask;
    return is_new;
  }

 private:
  using Run = std::array<std::uint64_t, 8>;
  std::unordered_map<std::int64_t, Run> runs_;
  Run* current_ = nullptr;
  std::int64_t current_run_ = 0;
};

template <typename Enum>
Enum named(std::string_view name, std::string_view what, std::size_t count) {
  std::string names;
  for (std::size_t i = 0; i < count; ++i) {
    const auto candidate = static_cast<Enum>(i);
    if (name_of(candidate) == name) return candidate;
    if (i > 0) names += i + 1 == count ? " or " : ", ";
    names += name_of(candidate);
  }
  throw Malformed{"the " + std::string(what) + " " + quoted(name), names};
}

class RecordedReader : public FormatReader {
 public:
  RecordedReader() : FormatReader(Form::stamped), operations_(builder_) {}

  void read(TextWindow& text) override;
  History finish() override;

 private:
  enum class LineKind { header, statement, attempt, final, end, unknown };
  // What an attempt's fields may come as, before they are judged together.
  struct AttemptFields {
    HistoryBuilder::Txn txn;
    History::TaskNumber task;
    bool has_id = false;
    bool has_outcome = false;
    bool has_operations = false;
    bool has_begin = false;
    bool has_end = false;
    std::string reply;
    std::optional<ErrorKind> error;
    Failure failed;
  };

  static LineKind kind_of(json::object& object);
  void read_line(std::string_view line);
  void read_header(json::object& object);
  void read_header_field(std::string_view name, json::value value, HistoryHeader& header);
  void read_table(json::value value);
  void read_statement(json::object& object);
  void read_attempt(json::object& object);
  void read_attempt_field(std::string_view name, json::value value, AttemptFields& attempt);
  void add_attempt(const AttemptFields& attempt);
  void read_final(json::object& object);
  void read_end(json::object& object);

  json::parser parser_;
  RecordedOperations operations_;
  SeenNumbers seen_attempts_;
  int files_ = 0;
  bool is_complete_ = true;  // all files so far have their end
  bool is_in_order_ = true;  // attempts were in the order of their ends
  // Of the file at hand:
  bool has_header_ = false;
  bool has_end_ = false;
  std::int64_t attempts_ = 0;
  Nanoseconds last_end_ = kInt64Min;
  std::int32_t client_offset_ = 0;
  std::int32_t clients_max_ = 0;
};

void RecordedReader::read(TextWindow& text) {
  ++files_;
  operations_.start_file();
  has_header_ = has_end_ = false;
  attempts_ = 0;
  last_end_ = kInt64Min;
  client_offset_ = clients_max_;
  while (const auto line = text.next_line()) {
    if (line->text.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    if (!line->has_end && bracketed_size(line->text) == std::string_view::npos) break;
    try {
      read_line(line->text);
    } catch (const simdjson::simdjson_error& error) {
      throw malformed_json(error, line->text.data());
    }
  }
  if (!has_header_) throw Malformed{"a header that breaks off", "a whole line"};
  if (has_end_) return;
  is_complete_ = false;
  note_cut_short(text);
}

// A final state that may not be all of it says nothing. Other programs than ours may have written
// the attempts in another order.
History RecordedReader::finish() {
  History history = builder_.finish();
  if (!is_in_order_ && history.has_times()) order_by_end(history);
  if (!is_complete_) {
    history.final_rows.clear();
    history.has_final_state = false;
  }
  return history;
}

RecordedReader::LineKind RecordedReader::kind_of(json::object& object) {
  static constexpr std::array<std::string_view, 5> kNames = {"hilsa", "statement", "attempt",
                                                             "final", "end"};
  // An attempt has a field `end` as well; what it is, other fields say first.
  LineKind kind = LineKind::unknown;
  for (auto field : object) {
    const auto key = field.key().value();
    for (std::size_t i = 0; i < kNames.size(); ++i) {
      if (!(key == kNames[i])) continue;
      const auto found = static_cast<LineKind>(i);
      if (found != LineKind::end) {
        object.reset();
        return found;
      }
      kind = found;
    }
  }
  object.reset();
  return kind;
}

void RecordedReader::read_line(std::string_view line) {
  json::document document = parser_.iterate(padded(line, TextWindow::kPadding));
  json::object object = document.get_object();
  const LineKind kind = kind_of(object);
  if (has_header_ == (kind == LineKind::header)) {
    throw Malformed{has_header_ ? "a second header" : "no header",
                    has_header_ ? "one, in the first line" : "it in the first line"};
  }
  if (has_end_) throw Malformed{"a line behind the end line", "nothing"};
  switch (kind) {
    case LineKind::header:
      read_header(object);
      break;
    case LineKind::statement:
      read_statement(object);
      break;
    case LineKind::attempt:
      read_attempt(object);
      break;
    case LineKind::final:
      read_final(object);
      break;
    case LineKind::end:
      read_end(object);
      break;
    case LineKind::unknown:
      throw Malformed{"a line of no known kind", "a statement, an attempt, a final or an end"};
  }
  if (document.current_location().error() != simdjson::OUT_OF_BOUNDS) {
    throw Malformed{"something behind the line's value", "one JSON value a line"};
  }
}

void RecordedReader::read_header(json::object& object) {
  HistoryHeader header;
  for (auto field : object) {
    const std::string_view name = field.unescaped_key();
    read_header_field(name, field.value(), header);
  }
  has_header_ = true;
  // The first file's header stands for all; tables are everybody's.
  HistoryHeader& ours = builder_.header();
  header.clients += ours.clients;
  if (files_ == 1) {
    header.tables = std::move(ours.tables);
    ours = std::move(header);
  } else {
    ours.clients = header.clients;
  }
}

void RecordedReader::read_header_field(std::string_view name, json::value value,
                                       HistoryHeader& header) {
  const std::array<std::pair<std::string_view, std::string*>, 7> texts = {
      {{"workload", &header.workload},
       {"strategy", &header.strategy},
       {"isolation", &header.isolation},
       {"product", &header.product},
       {"version", &header.version},
       {"url", &header.url},
       {"started_at", &header.started_at}}};
  for (const auto& [text_name, text] : texts) {
    if (name != text_name) continue;
    *text = std::string_view(value.get_string());
    return;
  }
  if (name == "hilsa") {
    const std::string_view what = value.get_string();
    if (what != "history") throw Malformed{"a file of kind " + quoted(what), "'history'"};
  } else if (name == "format") {
    const std::int64_t format = value.get_int64();
    if (format != kHistoryFormat) {
      throw Malformed{"format " + std::to_string(format),
                      "format " + std::to_string(kHistoryFormat) + ", the only one known here"};
    }
  } else if (name == "clients") {
    header.clients = static_cast<int>(number_in(value, "number of clients", 0, kInt32Max / 4));
  } else if (name == "seed") {
    header.seed = value.get_uint64();
  } else if (name == "tables") {
    for (auto table : value.get_array()) read_table(table.value());
  } else {
    check_unused(value);
  }
}

void RecordedReader::read_table(json::value value) {
  std::string name;
  std::string key;
  std::vector<std::string> columns;
  for (auto field : value.get_object()) {
    const std::string_view field_name = field.unescaped_key();
    if (field_name == "name") {
      name = std::string_view(field.value().get_string());
    } else if (field_name == "key") {
      key = std::string_view(field.value().get_string());
    } else if (field_name == "columns") {
      for (auto column : field.value().get_array()) {
        columns.emplace_back(std::string_view(column.get_string()));
      }
    } else {
      check_unused(field.value());
    }
  }
  operations_.add_table(name, key, columns);
}

void RecordedReader::read_statement(json::object& object) {
  std::int64_t id = -1;
  std::string sql;
  for (auto field : object) {
    const std::string_view name = field.unescaped_key();
    if (name == "statement") {
      id = number_in(field.value(), "statement id", 0, kInt32Max);
    } else if (name == "sql") {
      sql = std::string_view(field.value().get_string());
    } else {
      check_unused(field.value());
    }
  }
  operations_.add_statement(id, sql);
}

void RecordedReader::read_attempt(json::object& object) {
  AttemptFields attempt;
  for (auto field : object) {
    const std::string_view name = field.unescaped_key();
    read_attempt_field(name, field.value(), attempt);
  }
  add_attempt(attempt);
}

void RecordedReader::read_attempt_field(std::string_view name, json::value value,
                                        AttemptFields& attempt) {
  if (name == "attempt") {
    attempt.txn.id = number_in(value, "attempt id", 1, kInt64Max);
    attempt.has_id = true;
  } else if (name == "client") {
    attempt.txn.client = static_cast<std::int32_t>(number_in(value, "client", 0, kInt32Max / 4));
  } else if (name == "trial") {
    attempt.task.trial = static_cast<std::int32_t>(number_in(value, "trial", 0, kInt32Max));
  } else if (name == "task") {
    attempt.task.task = static_cast<std::int32_t>(number_in(value, "task", 0, kInt32Max));
  } else if (name == "try") {
    attempt.task.try_number = static_cast<std::int32_t>(number_in(value, "try", 1, kInt32Max));
  } else if (name == "scope") {
    const std::string_view scope = value.get_string();
    attempt.txn.flags.one_transaction = scope == "transaction";
    if (scope != "transaction" && scope != "statement") {
      throw Malformed{"the scope " + quoted(scope), "transaction or statement"};
    }
  } else if (name == "begin") {
    attempt.txn.begin = number_in(value, "begin", kInt64Min, kInt64Max);
    attempt.has_begin = true;
  } else if (name == "end") {
    attempt.txn.end = number_in(value, "end", kInt64Min, kInt64Max);
    attempt.has_end = true;
  } else if (name == "outcome") {
    attempt.txn.flags.outcome = named<AttemptOutcome>(value.get_string(), "outcome", 3);
    attempt.has_outcome = true;
  } else if (name == "reply") {
    if (attempt.reply.empty()) attempt.reply = std::string_view(value.get_string());
  } else if (name == "error") {
    const Error error = read_error(value);
    attempt.reply = to_text(error);
    attempt.error = error.kind;
  } else if (name == "failed") {
    attempt.failed = operations_.read_failed(value);
  } else if (name == "session") {
    attempt.txn.session = number_in(value, "session", 0, kInt64Max);
  } else if (name == "ops") {
    if (attempt.has_operations) throw Malformed{"operations a second time", "one list of them"};
    operations_.read(value.get_array());
    attempt.has_operations = true;
  } else {
    check_unused(value);
  }
}

void RecordedReader::add_attempt(const AttemptFields& attempt) {
  if (!attempt.has_id || !attempt.has_outcome || !attempt.has_operations) {
    throw Malformed{"an attempt without " + std::string(!attempt.has_id        ? "an id"
                                                        : !attempt.has_outcome ? "an outcome"
                                                                               : "operations"),
                    "attempt, outcome and ops"};
  }
  const HistoryBuilder::Txn& fields = attempt.txn;
  if (attempt.has_begin != attempt.has_end || fields.begin > fields.end) {
    throw Malformed{"an attempt that ends before it begins", "begin and end, in this order"};
  }
  if (!seen_attempts_.insert(fields.id)) {
    throw Malformed{"attempt " + std::to_string(fields.id) + " a second time",
                    "each id once, in all files"};
  }
  HistoryBuilder::Txn txn = fields;
  if (txn.client > 0) txn.client += client_offset_;
  clients_max_ = std::max(clients_max_, txn.client);
  is_in_order_ = is_in_order_ && txn.end >= last_end_;
  last_end_ = txn.end;
  txn.task = attempt.task;
  txn.reply = attempt.reply;
  if (attempt.error) {
    txn.failure = attempt.failed;
    txn.failure->kind = *attempt.error;
  }
  builder_.begin_txn(txn);
  builder_.end_txn();
  ++attempts_;
}

void RecordedReader::read_final(json::object& object) {
  std::int64_t table = -1;
  bool has_rows = false;
  for (auto field : object) {
    const std::string_view name = field.unescaped_key();
    if (name == "final") {
      table = number_in(field.value(), "table", 0, kInt32Max);
    } else if (name == "rows" && table >= 0) {
      operations_.read_final_rows(table, field.value().get_array());
      has_rows = true;
    } else {
      check_unused(field.value());
    }
  }
  if (!has_rows) throw Malformed{"a final state without rows", "final, then rows"};
}

void RecordedReader::read_end(json::object& object) {
  std::int64_t attempts = -1;
  std::int64_t operations = -1;
  bool interrupted = false;
  for (auto field : object) {
    const std::string_view name = field.unescaped_key();
    if (name != "end") {
      check_unused(field.value());
      continue;
    }
    for (auto count : field.value().get_object()) {
      const std::string_view count_name = count.unescaped_key();
      if (count_name == "attempts") {
        attempts = count.value().get_int64();
      } else if (count_name == "operations") {
        operations = count.value().get_int64();
      } else if (count_name == "interrupted") {
        interrupted = count.value().get_bool();
      } else {
        check_unused(count.value());
      }
    }
  }
  if (attempts != attempts_ || operations != operations_.count()) {
    throw Malformed{std::to_string(attempts_) + " attempts with " +
                        std::to_string(operations_.count()) + " operations",
                    std::to_string(attempts) + " with " + std::to_string(operations) +
                        ", as the end line counts them"};
  }
  if (interrupted) builder_.note_interrupted();
  has_end_ = true;
}

}  // namespace

std::unique_ptr<FormatReader> recorded_reader() { return std::make_unique<RecordedReader>(); }

}  // namespace hilsa
