#include "checkers/story.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "checkers/printable.h"

namespace hilsa {
namespace {

constexpr std::array<std::string_view, kAnomalyClassCount> kMeanings = {
    "a transaction does not see what it did itself",
    "a write that was acknowledged is not there",
    "two writes made one and the same thing",
    "something was read that nobody wrote",
    "two reads saw one list in two orders",
    "transactions wrote over each other by turns",
    "a transaction read what another one wrote that was then rolled back",
    "a transaction read what its writer had not finished with",
    "each of the transactions depends on what the others did",
    "a transaction saw a part of what another one did, and later less of it",
    "a transaction saw a part of what another one did, but not the rest",
    "one transaction read the same twice and saw two states",
    "one transaction's queries saw different states",
    "a transaction wrote over a change that it had not seen",
    "a transaction saw the state partly before and partly after another one",
    "transactions saw the changes of others in different orders",
    "transactions decided on what the others were about to change",
    "a query missed what would have changed its result",
    "a write that stayed was made on top of one that was rolled back",
};

bool is_anti(EdgeKind kind) { return kind == EdgeKind::rw || kind == EdgeKind::predicate_rw; }

// Who takes part in a story without a cycle.
struct Roles {
  TxnIndex reader = kNone;  // whose reads are at fault
  TxnIndex writer = kNone;  // the other one
  OpIndex read = kNone;
  OpIndex own_write = kNone;    // the reader's
  OpIndex other_write = kNone;  // the other one's
};

class Teller {
 public:
  Teller(const History& history, const Phrases& phrases, const Anomaly& anomaly,
         const Evidence& evidence)
      : history_(history), phrases_(phrases), anomaly_(anomaly), evidence_(evidence) {}

  std::vector<std::string> tell() {
    cycle_ = in_telling_order(evidence_.cycle);
    if (!cycle_.empty()) {
      say_remarks();  // why what is inferred must be so
      tell_cycle();
    } else {
      tell_operations();
    }
    return std::move(lines_);
  }

 private:
  void say(std::string line) {
    if (!line.empty()) lines_.push_back(std::move(line));
  }

  void say_remarks() {
    for (const std::string& remark : evidence_.remarks) say(printable(remark));
  }

  void tell_cycle() {
    if (anomaly_.anomaly == AnomalyClass::p4 && tell_lost_update()) return;
    // Of a very long one the middle is left out.
    constexpr std::size_t kEdgesMax = 24;
    for (std::size_t i = 0; i < cycle_.size(); ++i) {
      if (cycle_.size() > kEdgesMax && i == kEdgesMax / 2) {
        const std::size_t left_out = cycle_.size() - kEdgesMax + 1;
        say(fmt::format("… {} more such steps …", left_out));
        i += left_out;
      }
      say(step(cycle_[i]));
    }
    if (std::all_of(cycle_.begin(), cycle_.end(), [](const auto& e) { return is_anti(e.kind); })) {
      say(anomaly_.anomaly == AnomalyClass::g2
              ? "each missed what the other then wrote, and decided without it"
              : "each decided on what the other was about to change");
    }
    say(circle());
  }

  std::string step(const EvidenceEdge& edge) const {
    return fmt::format("{}: {} before {} ({}{})", phrases_.sentence(edge), phrases_.txn(edge.from),
                       phrases_.txn(edge.to), name_of(edge.kind),
                       edge.inferred ? ", the only order possible" : "");
  }

  // A read, somebody else's write, and then one's own on top of it. False: it is told as any cycle.
  bool tell_lost_update() {
    const bool simple =
        cycle_.size() == 2 && cycle_[0].kind == EdgeKind::rw && cycle_[1].kind == EdgeKind::ww;
    if (!simple) return false;
    const EvidenceEdge& rw = cycle_[0];
    say(phrases_.sentence(rw));
    say(lost_update({rw.from, rw.to, rw.from_op, cycle_[1].to_op, rw.to_op}));
    return true;
  }

  std::string circle() const {
    const std::size_t size = cycle_.size();
    const std::string first = phrases_.txn(cycle_[0].from);
    if (size <= 2) {
      return fmt::format("so {} comes both after and before {}: no order of the two explains this",
                         phrases_.txn(cycle_[0].to), first);
    }
    constexpr std::size_t kNamedMax = 6;
    if (size > kNamedMax) {
      return fmt::format(
          "so each of these {} comes before the next, and the last before {}: no order of them "
          "explains this",
          size, first);
    }
    std::string names = "so " + first;
    for (std::size_t i = 0; i < size; ++i) {
      names += i == 0 ? " comes before " : ", that before ";
      names += phrases_.txn(cycle_[i].to);
    }
    return names + " again: no order of them explains this";
  }

  Roles roles_in_operations() const {
    Roles roles;
    for (const OpIndex op : evidence_.operations) {
      if (!is_known(history_, op) || !is_read(history_.op_kind[op])) continue;
      roles.read = op;
      roles.reader = history_.txn_of(op);
      break;
    }
    for (const OpIndex op : evidence_.operations) {
      if (!is_known(history_, op) || is_read(history_.op_kind[op])) continue;
      const TxnIndex txn = history_.txn_of(op);
      if (txn == roles.reader) {
        roles.own_write = op;
      } else if (roles.other_write == kNone) {
        roles.other_write = op;
        roles.writer = txn;
      }
    }
    if (roles.writer == kNone) {
      for (const TxnIndex txn : evidence_.transactions) {
        if (txn != roles.reader && roles.writer == kNone) roles.writer = txn;
      }
    }
    return roles;
  }

  std::string lost_update(const Roles& roles) const {
    if (roles.reader == kNone || roles.writer == kNone) return "an update is lost";
    std::string text = phrases_.txn(roles.reader) + " ";
    const bool known = is_known(history_, roles.own_write) && is_known(history_, roles.other_write);
    text += known ? "then " + phrases_.then_did(roles.own_write) : "wrote over it";
    text += " without having seen ";
    text += known && history_.form == Form::stamped && history_.op_number[roles.other_write] > 0
                ? fmt::format("version {}", history_.op_number[roles.other_write])
                : "that";
    return text + ": " + phrases_.txn(roles.writer) + "'s update is lost";
  }

  void tell_operations() {
    const Roles roles = roles_in_operations();
    OpIndex before = kNone;
    for (const OpIndex op : evidence_.operations) {
      // The last write of a lost update is told with its consequence.
      const bool is_consequence = anomaly_.anomaly == AnomalyClass::p4 && op == roles.own_write;
      if (!is_known(history_, op) || is_consequence) continue;
      say(operation(op, before));
      before = op;
    }
    say_remarks();
    say(conclusion(roles));
  }

  // Whether the history says that it came after the one before.
  bool follows(OpIndex op, OpIndex before) const {
    if (before == kNone) return false;
    if (history_.txn_of(op) == history_.txn_of(before)) return op > before;
    const bool timed = !history_.op_end.empty() && history_.op_end[before] != 0;
    return timed && history_.op_begin[op] >= history_.op_end[before];
  }

  // The object need not be named again where the one before was about the same.
  std::string operation(OpIndex op, OpIndex before) const {
    const TxnIndex txn = history_.txn_of(op);
    const bool same_object = before != kNone && history_.form == Form::stamped &&
                             is_write(history_.op_kind[op]) &&
                             object_of(history_, op) == object_of(history_, before);
    std::string text = phrases_.txn(txn) + (follows(op, before) ? " then " : " ");
    text += same_object ? phrases_.then_did(op) : phrases_.did(op);
    switch (history_.txn_flags[txn].outcome) {
      case AttemptOutcome::aborted:
        return text + ", and was rolled back";
      case AttemptOutcome::unknown:
        return text + "; its COMMIT was never answered";
      case AttemptOutcome::committed:
        break;
    }
    return text;
  }

  std::string conclusion(const Roles& roles) const;
  std::string final_state() const;

  const History& history_;
  const Phrases& phrases_;
  const Anomaly& anomaly_;
  const Evidence& evidence_;
  std::vector<EvidenceEdge> cycle_;
  std::vector<std::string> lines_;
};

std::string Teller::final_state() const {
  if (!history_.has_final_state || evidence_.operations.empty()) return "";
  const OpIndex op = evidence_.operations[0];
  if (!is_known(history_, op)) return "";
  const ObjectIndex object = object_of(history_, op);
  for (const FinalRow& row : history_.final_rows) {
    if (row.object != object) continue;
    return fmt::format("in the end {} stood at version {}", phrases_.object(object), row.version);
  }
  return object == kNone ? "" : "in the end there was no " + phrases_.object(object);
}

std::string Teller::conclusion(const Roles& roles) const {
  const std::string reader = roles.reader == kNone ? "it" : phrases_.txn(roles.reader);
  const std::string writer = roles.writer == kNone ? "another" : phrases_.txn(roles.writer);
  // Where the checker adds what the operations do not show, that says it all.
  const bool is_said = !evidence_.remarks.empty();
  switch (anomaly_.anomaly) {
    case AnomalyClass::internal:
      if (is_said) return "";
      return fmt::format("{} had to see its own writes, and what it had read before", reader);
    case AnomalyClass::lost_write: {
      const std::string end = is_said ? "" : final_state();
      return (end.empty() ? "" : end + ": ") + "an acknowledged write is lost";
    }
    case AnomalyClass::duplicate_write:
      return "it can have been made only once: one of the writes is lost, or the file repeats it";
    case AnomalyClass::garbage_read:
      return is_said ? "" : "nobody ever wrote that";
    case AnomalyClass::incompatible_order:
      return "neither is a beginning of the other, so no order of the appends explains both";
    case AnomalyClass::g1a:
      return fmt::format("what {} saw never happened", reader);
    case AnomalyClass::g1b:
      return fmt::format("{} saw a state that {} never left behind", reader, writer);
    case AnomalyClass::otv:
      return fmt::format("so {} saw what {} did, and then missed a part of it", reader, writer);
    case AnomalyClass::fractured_read:
      return fmt::format("so {} saw one part of what {} did without the other", reader, writer);
    case AnomalyClass::non_repeatable_read:
      return fmt::format("so what {} had read changed under its hands", reader);
    case AnomalyClass::pmp:
      return fmt::format("no single state explains all that {} was told", reader);
    case AnomalyClass::p4:
      return lost_update(roles);
    case AnomalyClass::dirty_update:
      return "what stayed is built on what was rolled back";
    default:
      break;
  }
  return evidence_.operations.empty() ? "" : "no order of the transactions explains this";
}

}  // namespace

std::string_view meaning_of(AnomalyClass anomaly, Needs needs) {
  if (anomaly == AnomalyClass::g_single && needs == Needs::session) {
    return "a client did not see what it had done or seen before";
  }
  if (anomaly == AnomalyClass::g_single && needs == Needs::realtime) {
    return "a transaction did not see what had been done before it began";
  }
  return kMeanings[static_cast<std::size_t>(anomaly)];
}

std::vector<EvidenceEdge> in_telling_order(const std::vector<EvidenceEdge>& cycle) {
  std::vector<EvidenceEdge> told = cycle;
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    const EvidenceEdge& before = cycle[(i + cycle.size() - 1) % cycle.size()];
    if (!is_anti(cycle[i].kind) || is_anti(before.kind)) continue;
    std::rotate(told.begin(), told.begin() + static_cast<std::ptrdiff_t>(i), told.end());
    break;
  }
  return told;
}

std::vector<std::string> tell(const History& history, const Phrases& phrases,
                              const Anomaly& anomaly, const Evidence& evidence) {
  return Teller(history, phrases, anomaly, evidence).tell();
}

}  // namespace hilsa
