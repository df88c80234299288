#include "checkers/atomicity.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace hilsa {
namespace {

// What a transaction saw of an object: the version at `place`, by another transaction or nobody.
struct Observation {
  OpIndex op;
  ObjectIndex object;
  Place place;
  TxnIndex writer;  // kNone: the state before all writes
  bool is_miss;     // not read, but missed by a predicate read
};

class FracturedReads {
 public:
  FracturedReads(const History& history, const Versions& versions, Findings& findings)
      : history_(history), versions_(versions), findings_(findings) {}

  void run(const std::vector<Miss>& misses) {
    auto miss = misses.begin();
    for (TxnIndex txn = 0; txn < history_.transactions(); ++txn) {
      seen_.clear();
      if (versions_.counted[txn] != 0) collect_reads(txn);
      for (; miss != misses.end() && miss->txn == txn; ++miss) {
        const TxnIndex writer =
            miss->lowest == 0 ? kNone : versions_.writer_at(miss->object, miss->lowest);
        seen_.push_back({miss->op, miss->object, miss->highest, writer, true});
      }
      if (seen_.size() > 1) judge();
    }
  }

 private:
  void collect_reads(TxnIndex txn) {
    for (OpIndex op = history_.first_op(txn); op < history_.end_op(txn); ++op) {
      const Op kind = history_.op_kind[op];
      if (kind != Op::read && kind != Op::seen_row && kind != Op::read_list) continue;
      const Place place = versions_.place[op];
      if (place == kNone) continue;
      const ObjectIndex object = history_.op_object[op];
      const TxnIndex writer = place == 0 ? kNone : versions_.writer_at(object, place);
      if (writer != txn) seen_.push_back({op, object, place, writer, false});
    }
  }

  // For each writer seen: did another observation miss what it also wrote?
  void judge() {
    told_ = {};
    const auto earlier = [](const auto& a, const auto& b) { return a.op < b.op; };
    // Only what predicate reads missed stands elsewhere.
    if (!std::is_sorted(seen_.begin(), seen_.end(), earlier)) {
      std::stable_sort(seen_.begin(), seen_.end(), earlier);
    }
    for (std::size_t i = 0; i < seen_.size(); ++i) {
      const TxnIndex writer = seen_[i].writer;
      if (writer == kNone) continue;
      const bool told_before =
          std::any_of(seen_.begin(), seen_.begin() + static_cast<long>(i),
                      [&](const Observation& one) { return one.writer == writer; });
      if (told_before) continue;
      for (std::size_t j = 0; j < seen_.size(); ++j) {
        if (j == i || seen_[j].writer == writer) continue;
        const Place missed = place_by(writer, seen_[j].object);
        if (missed != kNone && missed > seen_[j].place) {
          tell(seen_[i], seen_[j], missed);
        }
      }
    }
  }

  void tell(const Observation& saw, const Observation& missed, Place place) {
    const bool later = missed.op > saw.op;
    const bool by_predicate = saw.is_miss || missed.is_miss;
    if (later) add(AnomalyClass::otv, saw, missed, place);
    if (by_predicate) {
      add(AnomalyClass::pmp, saw, missed, place);
    } else if (saw.object != missed.object) {
      add(AnomalyClass::fractured_read, saw, missed, place);
    }
  }

  // Once a transaction and class.
  void add(AnomalyClass anomaly, const Observation& saw, const Observation& missed, Place place) {
    bool& told = told_[static_cast<std::size_t>(anomaly)];
    if (told) return;
    told = true;
    const OpIndex other = versions_.op_at(missed.object, place);
    std::vector<OpIndex> operations;
    if (!saw.is_miss) operations.push_back(versions_.op_at(saw.object, saw.place));
    operations.insert(operations.end(), {saw.op, missed.op, other});
    findings_.add({anomaly, std::move(operations), ""});
  }

  // The last version of the object that the transaction made; kNone: none.
  Place place_by(TxnIndex txn, ObjectIndex object) {
    constexpr OpIndex kFew = 32;
    const OpIndex first = history_.first_op(txn);
    const OpIndex end = history_.end_op(txn);
    if (end - first > kFew) return place_by_large(txn, object);
    for (OpIndex op = end; op-- > first;) {
      if (history_.op_object[op] == object && is_write(op) && versions_.place[op] != kNone) {
        return versions_.place[op];
      }
    }
    return kNone;
  }

  Place place_by_large(TxnIndex txn, ObjectIndex object) {
    const auto [at, is_new] = large_.try_emplace(txn);
    if (is_new) {
      for (OpIndex op = history_.first_op(txn); op < history_.end_op(txn); ++op) {
        if (is_write(op) && versions_.place[op] != kNone) {
          at->second[history_.op_object[op]] = versions_.place[op];
        }
      }
    }
    const auto found = at->second.find(object);
    return found == at->second.end() ? kNone : found->second;
  }

  bool is_write(OpIndex op) const {
    return is_stamped_write(history_.op_kind[op]) || history_.op_kind[op] == Op::append;
  }

  const History& history_;
  const Versions& versions_;
  Findings& findings_;
  std::vector<Observation> seen_;  // by the transaction at hand
  std::array<bool, kAnomalyClassCount> told_{};
  std::unordered_map<TxnIndex, std::unordered_map<ObjectIndex, Place>> large_;
};

}  // namespace

void find_fractured_reads(const History& history, const Versions& versions,
                          const Dependencies& dependencies, Findings& findings) {
  FracturedReads(history, versions, findings).run(dependencies.misses);
}

}  // namespace hilsa
