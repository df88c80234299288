#include "checkers/register_dependencies.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace hilsa {
namespace {

struct Write {
  TxnIndex txn;
  OpIndex op;
  bool is_last;  // of its transaction's on the register
};

class RegisterReader {
 public:
  RegisterReader(const History& history, Expectation::Assume assume, Versions& versions,
                 Findings& findings)
      : history_(history), assume_(assume), versions_(versions), findings_(findings) {}

  RegisterWrites run() {
    const std::size_t objects = history_.objects();
    writes_.writers.resize(objects);
    writes_.nil_readers.resize(objects);
    writes_.certain.resize(objects);
    values_.resize(objects);
    number_of_.resize(objects);
    versions_.counted.assign(history_.transactions(), 0);
    versions_.first.assign(objects + 1, 0);
    versions_.place.assign(history_.operations(), kNone);
    for (TxnIndex txn = 0; txn < history_.transactions(); ++txn) {
      if (history_.txn_flags[txn].outcome == AttemptOutcome::committed) versions_.counted[txn] = 1;
    }
    collect_values();
    settle_doubts();
    collect_writers();
    for (TxnIndex txn = 0; txn < history_.transactions(); ++txn) {
      if (versions_.counted[txn] != 0) judge(txn);
    }
    if (assume_ != Expectation::Assume::nothing) assume_orders();
    for (auto& pairs : writes_.certain) {
      std::sort(pairs.begin(), pairs.end());
      pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    }
    return std::move(writes_);
  }

 private:
  template <typename Visit>
  void for_each_op(TxnIndex txn, Visit visit) const {
    for (OpIndex op = history_.first_op(txn); op < history_.end_op(txn); ++op) visit(op);
  }

  // Who wrote which value: committed ones first, so that an aborted twin does not hide them.
  void collect_values() {
    for (const bool committed : {true, false}) {
      for (TxnIndex txn = 0; txn < history_.transactions(); ++txn) {
        if ((versions_.counted[txn] != 0) != committed) continue;
        for_each_op(txn, [&](OpIndex op) {
          if (history_.op_kind[op] != Op::write_register) return;
          const ObjectIndex object = history_.op_object[op];
          const auto [at, is_new] =
              values_[object].try_emplace(history_.op_number[op], Write{txn, op, true});
          if (!is_new && committed) {
            findings_.add({AnomalyClass::duplicate_write,
                           {at->second.op, op},
                           "the same value was written twice"});
          }
          for (OpIndex before = op; is_new && before-- > history_.first_op(txn);) {
            if (history_.op_kind[before] != Op::write_register) continue;
            if (history_.op_object[before] != object) continue;
            const auto earlier = values_[object].find(history_.op_number[before]);
            if (earlier != values_[object].end()) earlier->second.is_last = false;
            break;
          }
        });
      }
    }
  }

  void settle_doubts() {
    for (TxnIndex txn = 0; txn < history_.transactions(); ++txn) {
      if (history_.txn_flags[txn].outcome != AttemptOutcome::committed) continue;
      for_each_op(txn, [&](OpIndex op) {
        if (history_.op_kind[op] != Op::read_register) return;
        const auto& values = values_[history_.op_object[op]];
        const auto found = values.find(history_.op_number[op]);
        if (found == values.end()) return;
        const TxnIndex writer = found->second.txn;
        if (history_.txn_flags[writer].outcome == AttemptOutcome::unknown) {
          versions_.counted[writer] = 1;
        }
      });
    }
  }

  void collect_writers() {
    for (TxnIndex txn = 0; txn < history_.transactions(); ++txn) {
      if (versions_.counted[txn] == 0) continue;
      for_each_op(txn, [&](OpIndex op) {
        if (history_.op_kind[op] != Op::write_register) return;
        const ObjectIndex object = history_.op_object[op];
        auto& writers = writes_.writers[object];
        if (writers.empty() || writers.back().txn != txn) {
          number_of_[object].emplace(txn, static_cast<std::uint32_t>(writers.size()));
          writers.push_back({txn, op, {}});
        } else {
          writers.back().op = op;
        }
      });
    }
  }

  void judge(TxnIndex txn) {
    seen_.clear();
    for_each_op(txn, [&](OpIndex op) {
      if (history_.op_kind[op] == Op::read_register) {
        judge_read(txn, op);
      } else if (history_.op_kind[op] == Op::write_register) {
        note_overwritten(txn, op);
      }
    });
    for (const Seen& one : seen_) {
      for (const Seen& other : seen_) judge_pair(one, other);
    }
  }

  // What the transaction at hand read of a register, and whose write that was; kNone: nobody's.
  struct Seen {
    ObjectIndex object;
    TxnIndex writer;
    OpIndex op;
  };

  void judge_pair(const Seen& one, const Seen& other) {
    if (one.writer == kNone || other.writer == one.writer) return;
    if (number_of_[other.object].count(one.writer) == 0) return;
    const bool later = other.op > one.op;
    if (one.object == other.object && !later) return;  // a non-repeatable read, told already
    if (other.writer != kNone) {
      const Edge demanded{one.writer, other.writer, EdgeKind::ww};
      writes_.demanded_by_read_atomic.push_back(demanded);
      if (later) writes_.demanded_by_monotonic_view.push_back(demanded);
      return;
    }
    if (later) findings_.add({AnomalyClass::otv, {one.op, other.op}, ""});
    if (one.object != other.object) {
      findings_.add({AnomalyClass::fractured_read, {one.op, other.op}, ""});
    }
  }

  // What the transaction itself did to the register last, before `op`; kNone: nothing.
  OpIndex own_before(TxnIndex txn, OpIndex op) const {
    for (OpIndex before = op; before-- > history_.first_op(txn);) {
      if (history_.op_object[before] == history_.op_object[op]) return before;
    }
    return kNone;
  }

  void judge_read(TxnIndex txn, OpIndex op) {
    const ObjectIndex object = history_.op_object[op];
    const std::int64_t value = history_.op_number[op];
    const OpIndex own = own_before(txn, op);
    if (own != kNone && history_.op_number[own] != value) {
      const bool wrote = history_.op_kind[own] == Op::write_register;
      findings_.add(
          {wrote ? AnomalyClass::internal : AnomalyClass::non_repeatable_read, {own, op}, ""});
    }
    if (value == 0) {
      seen_.push_back({object, kNone, op});
      auto& readers = writes_.nil_readers[object];
      if (readers.empty() || readers.back() != txn) readers.push_back(txn);
      return;
    }
    const auto found = values_[object].find(value);
    if (found == values_[object].end()) {
      findings_.add({AnomalyClass::garbage_read,
                     {op},
                     "nobody wrote " + history_.scalars.to_text(Scalar::from_bits(value))});
      return;
    }
    const Write& write = found->second;
    if (versions_.counted[write.txn] == 0) {
      findings_.add({AnomalyClass::g1a, {write.op, op}, ""});
      return;
    }
    if (write.txn == txn) {
      if (write.op > op) {
        findings_.add({AnomalyClass::internal, {op, write.op}, "it read what it wrote only later"});
      }
      return;
    }
    seen_.push_back({object, write.txn, op});
    if (!write.is_last) findings_.add({AnomalyClass::g1b, {write.op, op}, ""});
    auto& readers = writes_.writers[object][number_of_[object].at(write.txn)].readers;
    if (readers.empty() || readers.back() != txn) readers.push_back(txn);
  }

  // It read one value and then wrote another: its own comes later.
  void note_overwritten(TxnIndex txn, OpIndex op) {
    const ObjectIndex object = history_.op_object[op];
    for (OpIndex before = op; before-- > history_.first_op(txn);) {
      if (history_.op_object[before] != object) continue;
      if (history_.op_kind[before] != Op::read_register) return;
      const auto found = values_[object].find(history_.op_number[before]);
      if (found == values_[object].end()) return;
      const TxnIndex writer = found->second.txn;
      if (writer == txn || versions_.counted[writer] == 0) return;
      writes_.certain[object].emplace_back(number_of_[object].at(writer),
                                           number_of_[object].at(txn));
      return;
    }
  }

  // Every register by itself is sequential (or linearizable): versions follow each other in the
  // order in which a client (or anybody, in real time) dealt with them.
  void assume_orders() {
    struct Touch {
      std::uint32_t writer;
      TxnIndex by;
    };
    for (ObjectIndex object = 0; object < history_.objects(); ++object) {
      std::vector<Touch> touches;
      const auto& writers = writes_.writers[object];
      for (std::uint32_t i = 0; i < writers.size(); ++i) {
        touches.push_back({i, writers[i].txn});
        for (const TxnIndex reader : writers[i].readers) touches.push_back({i, reader});
      }
      for (const Touch& earlier : touches) {
        for (const Touch& later : touches) {
          if (earlier.writer != later.writer && precedes(earlier.by, later.by)) {
            writes_.certain[object].emplace_back(earlier.writer, later.writer);
          }
        }
      }
    }
  }

  bool precedes(TxnIndex earlier, TxnIndex later) const {
    if (history_.txn_flags[earlier].outcome == AttemptOutcome::unknown) return false;
    if (assume_ == Expectation::Assume::linearizable_keys && history_.has_times()) {
      return history_.txn_end[earlier] < history_.txn_begin[later];
    }
    return history_.txn_client[earlier] >= 0 &&
           history_.txn_client[earlier] == history_.txn_client[later] && earlier < later;
  }

  const History& history_;
  Expectation::Assume assume_;
  Versions& versions_;
  Findings& findings_;
  RegisterWrites writes_;
  std::vector<std::unordered_map<std::int64_t, Write>> values_;  // by object: by value
  std::vector<std::unordered_map<TxnIndex, std::uint32_t>> number_of_;
  std::vector<Seen> seen_;
};

// The second writer's version follows the first one's.
void append_order(const RegisterWrites::Writer& first, const RegisterWrites::Writer& second,
                  std::vector<Edge>& edges) {
  edges.push_back({first.txn, second.txn, EdgeKind::ww});
  for (const TxnIndex reader : first.readers) {
    if (reader != second.txn) edges.push_back({reader, second.txn, EdgeKind::rw});
  }
}

// Calls visit(i, j), i < j, for every two writers whose order is not certain, not even by way of
// others.
template <typename Visit>
void for_each_open_pair(const std::vector<RegisterWrites::Writer>& writers,
                        const std::vector<std::pair<std::uint32_t, std::uint32_t>>& certain,
                        Visit visit) {
  const auto count = static_cast<std::uint32_t>(writers.size());
  std::vector<std::vector<std::uint32_t>> later(count);
  for (const auto& [first, second] : certain) later[first].push_back(second);
  // Certain orders are few: reach from each writer by a plain search.
  std::vector<std::vector<bool>> reaches(count);
  for (std::uint32_t from = 0; from < count; ++from) {
    if (later[from].empty()) continue;
    std::vector<bool>& reached = reaches[from];
    reached.assign(count, false);
    std::vector<std::uint32_t> open = later[from];
    while (!open.empty()) {
      const std::uint32_t at = open.back();
      open.pop_back();
      if (reached[at]) continue;
      reached[at] = true;
      open.insert(open.end(), later[at].begin(), later[at].end());
    }
  }
  const auto ordered = [&](std::uint32_t a, std::uint32_t b) {
    return !reaches[a].empty() && reaches[a][b];
  };
  for (std::uint32_t i = 0; i < count; ++i) {
    for (std::uint32_t j = i + 1; j < count; ++j) {
      if (!ordered(i, j) && !ordered(j, i)) visit(i, j);
    }
  }
}

}  // namespace

RegisterWrites register_writes(const History& history, Expectation::Assume assume,
                               Versions& versions, Findings& findings) {
  return RegisterReader(history, assume, versions, findings).run();
}

void add_register_dependencies(const RegisterWrites& writes, Dependencies& found) {
  for (std::size_t object = 0; object < writes.writers.size(); ++object) {
    const auto& writers = writes.writers[object];
    for (const RegisterWrites::Writer& writer : writers) {
      for (const TxnIndex reader : writer.readers) {
        found.known.push_back({writer.txn, reader, EdgeKind::wr});
      }
      for (const TxnIndex reader : writes.nil_readers[object]) {
        if (reader != writer.txn) found.known.push_back({reader, writer.txn, EdgeKind::rw});
      }
    }
    for (const auto& [first, second] : writes.certain[object]) {
      append_order(writers[first], writers[second], found.known);
    }
  }
}

std::int64_t edges_of_register_choices(const RegisterWrites& writes) {
  std::int64_t edges = 0;
  for (const auto& writers : writes.writers) {
    std::int64_t readers = 0;
    for (const RegisterWrites::Writer& writer : writers) {
      readers += static_cast<std::int64_t>(writer.readers.size());
    }
    const auto count = static_cast<std::int64_t>(writers.size());
    edges += count * (count - 1) + readers * (count - 1);
  }
  return edges;
}

void add_register_choices(const RegisterWrites& writes, Dependencies& found) {
  Choices& choices = found.choices;
  for (ObjectIndex object = 0; object < writes.writers.size(); ++object) {
    const auto& writers = writes.writers[object];
    for_each_open_pair(writers, writes.certain[object], [&](std::uint32_t i, std::uint32_t j) {
      append_order(writers[i], writers[j], choices.edges);
      choices.end_alternative();
      append_order(writers[j], writers[i], choices.edges);
      choices.end_alternative();
      choices.end_choice(writers[j].op, object);
    });
  }
}

std::vector<Edge> edges_by_rank(const RegisterWrites& writes,
                                const std::vector<std::uint32_t>& rank) {
  std::vector<Edge> edges;
  std::vector<std::uint32_t> order;
  for (const auto& writers : writes.writers) {
    order.resize(writers.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return rank[writers[a].txn] < rank[writers[b].txn];
    });
    for (std::size_t i = 1; i < order.size(); ++i) {
      append_order(writers[order[i - 1]], writers[order[i]], edges);
    }
  }
  return edges;
}

}  // namespace hilsa
