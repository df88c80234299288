#include "tests/harness/history/readers/story.h"

#include <limits>
#include <span>

namespace hilsa {
namespace {

class Storyteller {
 public:
  explicit Storyteller(const History& history) : history_(history) {}

  std::string line_of(TxnIndex txn) const {
    std::string line = history_.txn_name(txn) + " of " + std::to_string(history_.txn_client[txn]) +
                       ", " + std::string(name_of(history_.txn_flags[txn].outcome));
    if (!history_.txn_flags[txn].one_transaction) line += " in statements";
    if (history_.has_times()) {
      const Nanoseconds end = history_.txn_end[txn];
      const bool ended = end != std::numeric_limits<Nanoseconds>::max();
      line += ", " + std::to_string(history_.txn_begin[txn]) + "-" +
              (ended ? std::to_string(end) : std::string());
    }
    line += ":";
    for (OpIndex op = history_.first_op(txn); op < history_.end_op(txn); ++op) {
      line += " " + word_of(op);
    }
    return line;
  }

 private:
  std::string text_of(Scalar scalar) const {
    return scalar.kind() == Scalar::Kind::text ? std::string(history_.scalars.text_of(scalar))
                                               : history_.scalars.to_text(scalar);
  }

  std::string list_of(std::span<const Scalar> list) const {
    std::string text;
    for (const Scalar element : list) text += (text.empty() ? "" : " ") + text_of(element);
    return "[" + text + "]";
  }

  std::string word_of(OpIndex op) const {
    const std::int64_t number = history_.op_number[op];
    const ObjectIndex object = history_.op_object[op];
    switch (history_.op_kind[op]) {
      case Op::append:
        return "append(" + history_.object_name(object) + "," + text_of(Scalar::from_bits(number)) +
               ")";
      case Op::write_register:
        return "w(" + history_.object_name(object) + "," + text_of(Scalar::from_bits(number)) + ")";
      case Op::read_register:
        return "r(" + history_.object_name(object) + "," + text_of(Scalar::from_bits(number)) + ")";
      case Op::read_list: {
        const auto list =
            number < 0
                ? std::span(history_.deviant_lists[static_cast<std::size_t>(-1 - number)])
                : std::span(history_.longest_list[object]).first(static_cast<std::size_t>(number));
        return "r(" + history_.object_name(object) + "," + list_of(list) + ")";
      }
      default:
        return stamped_word_of(op);
    }
  }

  std::string stamped_word_of(OpIndex op) const {
    constexpr std::string_view kCodes[] = {"r", "w", "i", "d", "p", "seen"};
    const Op kind = history_.op_kind[op];
    std::string word(kCodes[static_cast<std::size_t>(kind)]);
    word += "(";
    if (kind == Op::predicate_read) {
      word += predicate_of(op);
    } else {
      word += history_.object_name(history_.op_object[op]) + " v" +
              std::to_string(history_.op_number[op]);
    }
    if (history_.op_writer[op] != 0) word += " by " + std::to_string(history_.op_writer[op]);
    const auto& table =
        history_.header
            .tables[kind == Op::predicate_read ? history_.op_object[op]
                                               : history_.object_table[history_.op_object[op]]];
    for (const Cell& cell : history_.cells_of(op)) {
      constexpr std::string_view kSigns[] = {"=", "+=", "-=", "..="};
      word += "; " + table.columns[cell.column] +
              std::string(kSigns[static_cast<std::size_t>(cell.change)]) + text_of(cell.value);
    }
    return word + ")";
  }

  std::string predicate_of(OpIndex op) const {
    const BoundPredicate& predicate =
        history_.predicates[static_cast<std::size_t>(history_.op_number[op])];
    const RecordedTable& table = history_.header.tables[predicate.table];
    std::string text = table.name;
    for (const BoundComparison& comparison : predicate.comparisons) {
      text += " " + table.columns[comparison.column] +
              std::string(symbol_of(comparison.comparator)) + text_of(comparison.value);
    }
    return text;
  }

  const History& history_;
};

}  // namespace

std::vector<std::string> story_of(const History& history) {
  const Storyteller storyteller(history);
  std::vector<std::string> story;
  for (TxnIndex txn = 0; txn < history.transactions(); ++txn) {
    story.push_back(storyteller.line_of(txn));
  }
  return story;
}

std::vector<std::string> story_of(std::string_view text, const ReadOptions& options) {
  try {
    return story_of(read_history_text("h", text, options));
  } catch (const HistoryUnreadable& error) {
    return {error.what()};
  }
}

std::string error_of(std::string_view text, const ReadOptions& options) {
  try {
    read_history_text("h", text, options);
    return {};
  } catch (const HistoryUnreadable& error) {
    return error.what();
  }
}

}  // namespace hilsa
