#include "tests/checkers/tiny_history.h"

#include <array>
#include <charconv>
#include <stdexcept>
#include <utility>
#include <vector>

#include "harness/history/history_builder.h"

namespace hilsa {
namespace {

// The longer ones first, as they begin like others.
constexpr std::array kComparators = {Comparator::at_most,   Comparator::at_least,
                                     Comparator::not_equal, Comparator::less,
                                     Comparator::greater,   Comparator::equal};
constexpr std::array<std::pair<std::string_view, ChangeKind>, 4> kChanges = {
    {{"+=", ChangeKind::add},
     {"-=", ChangeKind::subtract},
     {",=", ChangeKind::append},
     {"=", ChangeKind::set}}};

[[noreturn]] void refuse(std::string_view word) {
  throw std::invalid_argument("not a part of a tiny history: '" + std::string(word) + "'");
}

std::int64_t number(std::string_view word) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size()) refuse(word);
  return value;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t at = std::min(text.find(separator), text.size());
    if (!trimmed(text.substr(0, at)).empty()) parts.push_back(trimmed(text.substr(0, at)));
    text.remove_prefix(std::min(at + 1, text.size()));
  }
  return parts;
}

class Parser {
 public:
  History parse(std::string_view text) {
    for (const std::string_view line : split(text, '\n')) transaction(line);
    History history = builder_.finish();
    history.times_are_places = true;
    return history;
  }

 private:
  struct Row {
    std::uint32_t table;
    ObjectIndex object;
    Version version;
    HistoryBuilder::Stamp stamp;
  };

  void transaction(std::string_view line) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) refuse(line);
    HistoryBuilder::Txn txn;
    for (const std::string_view word : split(line.substr(0, colon), ' ')) {
      const std::size_t dots = word.find("..");
      if (word == "aborted") {
        txn.flags.outcome = AttemptOutcome::aborted;
      } else if (word == "unknown") {
        txn.flags.outcome = AttemptOutcome::unknown;
      } else if (word[0] == 'T') {
        txn.id = number(word.substr(1));
      } else if (word[0] == 'c') {
        txn.client = static_cast<std::int32_t>(number(word.substr(1)));
      } else if (dots != std::string_view::npos) {
        txn.begin = number(word.substr(0, dots));
        txn.end = number(word.substr(dots + 2));
      } else {
        refuse(word);
      }
    }
    builder_.begin_txn(txn);
    for (const std::string_view part : split(line.substr(colon + 1), ';')) {
      operation(split(part, ' '));
    }
    builder_.end_txn();
  }

  void operation(const std::vector<std::string_view>& words) {
    if (words.size() < 2) refuse(words[0]);
    if (words[0] == "where") {
      predicate_read(words);
      return;
    }
    constexpr std::array<std::pair<std::string_view, Op>, 4> kOps = {
        {{"read", Op::read}, {"write", Op::write}, {"insert", Op::insert}, {"erase", Op::erase}}};
    for (const auto& [name, op] : kOps) {
      if (words[0] != name) continue;
      const Row read = row(words[1]);
      for (std::size_t at = 2; at < words.size(); ++at) change(read.table, words[at]);
      builder_.add(op, read.object, read.version, read.stamp);
      return;
    }
    refuse(words[0]);
  }

  void predicate_read(const std::vector<std::string_view>& words) {
    BoundPredicate predicate{.table = builder_.table(words[1], "id", {})};
    std::size_t at = 2;
    while (at < words.size() && words[at] != "->") {
      predicate.comparisons.push_back(comparison(predicate.table, words[at++]));
    }
    const std::uint32_t table = predicate.table;
    builder_.add(Op::predicate_read, table, builder_.predicate(std::move(predicate)), {});
    while (++at < words.size()) {
      const Row seen = row(words[at]);
      builder_.add(Op::seen_row, seen.object, seen.version, seen.stamp);
    }
  }

  Row row(std::string_view word) {
    const std::size_t slash = word.find('/');
    const std::size_t dot = word.find('.');
    const std::size_t at = std::min(word.find('@'), word.size());
    if (slash == std::string_view::npos || dot == std::string_view::npos || dot < slash) {
      refuse(word);
    }
    Row row{};
    row.table = builder_.table(word.substr(0, slash), "id", {});
    row.object = builder_.object(
        row.table, builder_.scalars().integer(number(word.substr(slash + 1, dot - slash - 1))));
    row.version = number(word.substr(dot + 1, at - dot - 1));
    if (at < word.size()) row.stamp.writer = number(word.substr(at + 1));
    return row;
  }

  void change(std::uint32_t table, std::string_view word) {
    for (const auto& [symbol, kind] : kChanges) {
      const std::size_t at = word.find(symbol);
      if (at == std::string_view::npos) continue;
      builder_.add_cell(builder_.column(table, word.substr(0, at)), kind,
                        value(word.substr(at + symbol.size())));
      return;
    }
    refuse(word);
  }

  BoundComparison comparison(std::uint32_t table, std::string_view word) {
    for (const Comparator comparator : kComparators) {
      const std::size_t at = word.find(symbol_of(comparator));
      if (at == std::string_view::npos) continue;
      return {builder_.column(table, word.substr(0, at)), comparator,
              value(word.substr(at + symbol_of(comparator).size()))};
    }
    refuse(word);
  }

  Scalar value(std::string_view word) {
    if (word == "NULL") return {};
    if (word.size() >= 2 && word.front() == '\'' && word.back() == '\'') {
      return builder_.scalars().text(word.substr(1, word.size() - 2));
    }
    return builder_.scalars().integer(number(word));
  }

  HistoryBuilder builder_;
};

std::string row_text(const History& history, OpIndex op) {
  std::string text =
      history.object_name(history.op_object[op]) + "." + std::to_string(history.op_number[op]);
  if (history.op_writer[op] != 0) text += "@" + std::to_string(history.op_writer[op]);
  return text;
}

std::string cells_text(const History& history, OpIndex op) {
  std::string text;
  const RecordedTable& table = history.header.tables[history.object_table[history.op_object[op]]];
  for (const Cell& cell : history.cells_of(op)) {
    text += " " + table.columns[cell.column];
    for (const auto& [symbol, kind] : kChanges) {
      if (kind == cell.change) text += symbol;
    }
    text += history.scalars.to_text(cell.value);
  }
  return text;
}

std::string operation_text(const History& history, OpIndex op) {
  switch (history.op_kind[op]) {
    case Op::read:
      return "read " + row_text(history, op);
    case Op::write:
      return "write " + row_text(history, op) + cells_text(history, op);
    case Op::insert:
      return "insert " + row_text(history, op) + cells_text(history, op);
    case Op::erase:
      return "erase " + row_text(history, op);
    case Op::seen_row:
      return row_text(history, op);
    default:
      break;
  }
  const auto number = static_cast<std::size_t>(history.op_number[op]);
  const BoundPredicate& predicate = history.predicates[number];
  const RecordedTable& table = history.header.tables[predicate.table];
  std::string text = "where " + table.name;
  for (const BoundComparison& comparison : predicate.comparisons) {
    text += " " + table.columns[comparison.column];
    text += symbol_of(comparison.comparator);
    text += history.scalars.to_text(comparison.value);
  }
  return text + " ->";
}

std::string transaction_text(const History& history, TxnIndex txn) {
  std::string text = history.txn_name(txn);
  if (history.txn_client[txn] >= 0) text += " c" + std::to_string(history.txn_client[txn]);
  if (history.has_times()) {
    text +=
        " " + std::to_string(history.txn_begin[txn]) + ".." + std::to_string(history.txn_end[txn]);
  }
  const AttemptOutcome outcome = history.txn_flags[txn].outcome;
  if (outcome == AttemptOutcome::aborted) text += " aborted";
  if (outcome == AttemptOutcome::unknown) text += " unknown";
  text += ":";
  for (OpIndex op = history.first_op(txn); op < history.end_op(txn); ++op) {
    const bool goes_on = op == history.first_op(txn) || history.op_kind[op] == Op::seen_row;
    text += goes_on ? " " : "; ";
    text += operation_text(history, op);
  }
  return text + "\n";
}

}  // namespace

History parse_tiny_history(std::string_view text) { return Parser().parse(text); }

std::string to_tiny_text(const History& history) {
  std::string text;
  for (TxnIndex txn = 0; txn < history.transactions(); ++txn)
    text += transaction_text(history, txn);
  return text;
}

}  // namespace hilsa
