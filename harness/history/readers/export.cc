#include "harness/history/readers/export.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/history/readers/edn_tokens.h"
#include "harness/history/readers/malformed.h"

namespace hilsa {
namespace {

constexpr Nanoseconds kNeverEnded = std::numeric_limits<Nanoseconds>::max();

// As one micro-operation reads it: a list or one value, each as text in EDN.
struct Micro {
  enum class Kind { read, append, write } kind = Kind::read;
  ObjectIndex object = kNone;
  std::string value;
};

std::string edn_string(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

// Whether the text, as it stands, is one EDN form that is read back as this text.
bool is_edn_form(std::string_view text) {
  const std::string ended = std::string(text) + ' ';
  EdnTokens tokens(ended);
  try {
    const EdnToken first = tokens.next();
    if (first.begin != ended.data()) return false;
    if (first.is(EdnToken::Kind::integer) || first.is(EdnToken::Kind::nil) ||
        first.is(EdnToken::Kind::tag) || first.is(EdnToken::Kind::discard)) {
      return false;
    }
    return tokens.skip_form(first) && tokens.position() == ended.data() + text.size();
  } catch (const Malformed&) {
    return false;
  }
}

std::string edn_of(const ScalarPool& scalars, Scalar scalar) {
  if (scalar.is_null()) return "nil";
  if (scalar.kind() != Scalar::Kind::text) return std::to_string(scalars.integer_of(scalar));
  const std::string_view text = scalars.text_of(scalar);
  return is_edn_form(text) ? std::string(text) : edn_string(text);
}

// An element of a text: a whole number, or else a string.
std::string element_of(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  return is_number && std::to_string(number) == text ? std::string(text) : edn_string(text);
}

template <typename Take>
void for_each_element(std::string_view text, const Take& take) {
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    take(element_of(text.substr(0, comma)));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
}

// The operations of a transaction as micro-operations, whatever the history's form.
class MicroOperations {
 public:
  explicit MicroOperations(const History& history) : history_(history) {
    if (history.form == Form::stamped) check_stamped();
  }

  std::vector<Micro> of(TxnIndex txn) const {
    std::vector<Micro> micros;
    for (OpIndex op = history_.first_op(txn); op < history_.end_op(txn); ++op) {
      if (history_.form == Form::stamped) {
        add_stamped(op, micros);
      } else {
        micros.push_back(as_it_is(op));
      }
    }
    return micros;
  }

  std::string key_of(ObjectIndex object) const {
    if (tables_ > 1) return edn_string(history_.object_name(object));
    return edn_of(history_.scalars, history_.object_key[object]);
  }

 private:
  void check_stamped() {
    const std::string& workload = history_.header.workload;
    is_append_ = workload == "append";
    if (!is_append_ && workload != "register") {
      throw NotExportable("a history of the workload '" + workload +
                          "' has no form that Elle knows; those of append and register have one");
    }
    tables_ = history_.header.tables.size();
    for (const RecordedTable& table : history_.header.tables) {
      const auto others =
          std::count_if(table.columns.begin(), table.columns.end(),
                        [&](const std::string& column) { return column != table.key; });
      if (others == 1) continue;
      throw NotExportable("the table '" + table.name + "' has " + std::to_string(others) +
                          " columns besides its key; a list or a register is one");
    }
    for (TxnIndex txn = 0; txn < history_.transactions(); ++txn) check_stamped(txn);
  }

  void check_stamped(TxnIndex txn) const {
    if (!history_.txn_flags[txn].one_transaction) {
      throw NotExportable(history_.txn_name(txn) + " is not one database transaction");
    }
    for (OpIndex op = history_.first_op(txn); op < history_.end_op(txn); ++op) {
      const Op kind = history_.op_kind[op];
      if (kind == Op::erase) throw NotExportable(history_.txn_name(txn) + " deletes a row");
      if (kind != Op::write) continue;
      const ChangeKind wanted = is_append_ ? ChangeKind::append : ChangeKind::set;
      const auto cells = history_.cells_of(op);
      if (cells.size() == 1 && cells.front().change == wanted) continue;
      throw NotExportable(history_.txn_name(txn) + " has a write that is no " +
                          (is_append_ ? "append" : "plain value"));
    }
  }

  Micro as_it_is(OpIndex op) const {
    const ObjectIndex object = history_.op_object[op];
    const std::int64_t number = history_.op_number[op];
    switch (history_.op_kind[op]) {
      case Op::append:
        return {Micro::Kind::append, object, edn_of(history_.scalars, Scalar::from_bits(number))};
      case Op::write_register:
        return {Micro::Kind::write, object, edn_of(history_.scalars, Scalar::from_bits(number))};
      case Op::read_list:
        return {Micro::Kind::read, object, list_of(object, number)};
      default:
        return {Micro::Kind::read, object, edn_of(history_.scalars, Scalar::from_bits(number))};
    }
  }

  std::string list_of(ObjectIndex object, std::int64_t number) const {
    const std::vector<Scalar>& list =
        number < 0 ? history_.deviant_lists[static_cast<std::size_t>(-1 - number)]
                   : history_.longest_list[object];
    const std::size_t size = number < 0 ? list.size() : static_cast<std::size_t>(number);
    std::string text = "[";
    for (std::size_t i = 0; i < size; ++i) {
      if (i > 0) text += ' ';
      text += edn_of(history_.scalars, list[i]);
    }
    return text + "]";
  }

  // The value of the one column that is not the key; none: the operation does not say.
  std::optional<Scalar> value_of(OpIndex op) const {
    const RecordedTable& table =
        history_.header.tables[history_.object_table[history_.op_object[op]]];
    for (const Cell& cell : history_.cells_of(op)) {
      if (table.columns[cell.column] != table.key) return cell.value;
    }
    return std::nullopt;
  }

  void add_stamped(OpIndex op, std::vector<Micro>& micros) const {
    const Op kind = history_.op_kind[op];
    if (kind == Op::predicate_read) return;
    const ObjectIndex object = history_.op_object[op];
    const bool is_read = kind == Op::read || kind == Op::seen_row;
    std::optional<Scalar> value = value_of(op);
    // Without a value, an update has looked at its row's version, no more.
    const bool missing = is_read && history_.op_number[op] == kUnborn;
    if (!value && !missing) return;
    if (missing) value = Scalar();
    const ScalarPool& scalars = history_.scalars;
    if (!is_append_) {
      if (kind == Op::insert && value->is_null()) return;
      micros.push_back(
          {is_read ? Micro::Kind::read : Micro::Kind::write, object, edn_of(scalars, *value)});
      return;
    }
    const Value plain = scalars.value_of(*value);
    std::string text = value->is_null() ? std::string() : scalars.to_text(*value);
    if (const auto* string = std::get_if<std::string>(&plain)) text = *string;
    if (is_read) {
      std::string list;
      for_each_element(
          text, [&](const std::string& element) { list += (list.empty() ? "" : " ") + element; });
      micros.push_back({Micro::Kind::read, object, "[" + list + "]"});
    } else {
      for_each_element(text, [&](std::string element) {
        micros.push_back({Micro::Kind::append, object, std::move(element)});
      });
    }
  }

  const History& history_;
  bool is_append_ = false;
  std::size_t tables_ = 1;
};

struct Event {
  Nanoseconds time = 0;
  TxnIndex txn = 0;
  bool completes = false;
};

class EdnWriter {
 public:
  EdnWriter(const History& history, std::ostream& out)
      : history_(history), micro_operations_(history), out_(out) {
    for (TxnIndex txn = 0; txn < history.transactions(); ++txn) {
      const std::int32_t client = history.txn_client[txn];
      if (client < 0) {
        throw NotExportable("the history does not say which client ran " + history.txn_name(txn));
      }
      processes_ = std::max(processes_, std::int64_t{client} + 1);
    }
  }

  void write() {
    if (!history_.has_times()) {
      out_ << "; when these ran is not known: each is written as if it ran alone\n";
      for (TxnIndex txn = 0; txn < history_.transactions(); ++txn) {
        put({0, txn, false});
        put({0, txn, true});
      }
      return;
    }
    for (const Event& event : in_order()) {
      if (!event.completes) complete_what_is_open(history_.txn_client[event.txn]);
      put(event);
    }
  }

 private:
  // At one time, what begins there overlaps with what ends there.
  std::vector<Event> in_order() const {
    std::vector<Event> events;
    events.reserve(2 * history_.transactions());
    for (TxnIndex txn = 0; txn < history_.transactions(); ++txn) {
      if (history_.txn_begin[txn] != 0 || history_.form == Form::stamped) {
        events.push_back({history_.txn_begin[txn], txn, false});
      }
      events.push_back({history_.txn_end[txn], txn, true});
    }
    std::stable_sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
      return std::pair(a.time, a.completes) < std::pair(b.time, b.completes);
    });
    return events;
  }

  // One client does one thing after the other, even if they meet at one time.
  void complete_what_is_open(std::int32_t client) {
    const auto open = open_.find(client);
    if (open != open_.end()) put({history_.txn_end[open->second], open->second, true});
  }

  void put(const Event& event) {
    if (event.txn >= completed_.size()) completed_.resize(history_.transactions());
    if (completed_[event.txn]) return;
    const std::vector<Micro> micros = micro_operations_.of(event.txn);
    const std::int32_t client = history_.txn_client[event.txn];
    // The tool's own setting up, where it writes nothing that counts.
    if (micros.empty() && client == 0) return;
    if (event.completes) {
      completed_[event.txn] = true;
      open_.erase(client);
    } else {
      open_[client] = event.txn;
    }
    put_event(event, client, micros);
  }

  void put_event(const Event& event, std::int32_t client, const std::vector<Micro>& micros) {
    const AttemptOutcome outcome = history_.txn_flags[event.txn].outcome;
    std::int64_t& process = process_of_.try_emplace(client, client).first->second;
    const bool is_ok = event.completes && outcome == AttemptOutcome::committed;
    out_ << "{:index " << index_++ << ", :type :" << type_of(event) << ", :process " << process
         << ", :f :txn, :value [";
    for (std::size_t i = 0; i < micros.size(); ++i) {
      constexpr std::string_view kNames[] = {":r", ":append", ":w"};
      const bool is_read = micros[i].kind == Micro::Kind::read;
      out_ << (i > 0 ? " [" : "[") << kNames[static_cast<std::size_t>(micros[i].kind)] << ' '
           << micro_operations_.key_of(micros[i].object) << ' '
           << (is_read && !is_ok ? "nil" : micros[i].value) << ']';
    }
    out_ << ']';
    if (history_.has_times() && event.time != kNeverEnded) out_ << ", :time " << event.time;
    out_ << ", :attempt " << history_.txn_id[event.txn] << "}\n";
    if (event.completes && outcome == AttemptOutcome::unknown) process += processes_;
  }

  std::string_view type_of(const Event& event) const {
    if (!event.completes) return "invoke";
    switch (history_.txn_flags[event.txn].outcome) {
      case AttemptOutcome::committed:
        return "ok";
      case AttemptOutcome::aborted:
        return "fail";
      case AttemptOutcome::unknown:
        break;
    }
    return "info";
  }

  const History& history_;
  const MicroOperations micro_operations_;
  std::ostream& out_;
  std::int64_t index_ = 0;
  std::int64_t processes_ = 1;
  std::unordered_map<std::int32_t, std::int64_t> process_of_;  // by client
  std::unordered_map<std::int32_t, TxnIndex> open_;            // by client
  std::vector<bool> completed_;
};

}  // namespace

void export_edn(const History& history, std::ostream& out) { EdnWriter(history, out).write(); }

}  // namespace hilsa
