// Versions of lists to which transactions append unique elements (Kingsbury, Alvaro: Elle, VLDB
// 2020): a read shows the order of all appends before it, so the longest read shows nearly all.
// What nobody has read comes after everything that somebody has. O(operations + elements), plus
// sorting within lists whose elements do not come in order.
#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include "checkers/large_array.h"
#include "checkers/versions.h"

namespace hilsa {
namespace {

struct Append {
  TxnIndex txn;
  OpIndex op;
};

class ListVersions {
 public:
  ListVersions(const History& history, Findings& findings)
      : history_(history), findings_(findings) {}

  Versions run() {
    const std::size_t count = history_.transactions();
    versions_.counted.assign(count, 0);
    for (TxnIndex txn = 0; txn < count; ++txn) {
      const AttemptOutcome outcome = history_.txn_flags[txn].outcome;
      versions_.counted[txn] = outcome == AttemptOutcome::committed ? 1 : 0;
      if (outcome == AttemptOutcome::unknown) any_in_doubt_ = true;
    }
    collect_appends();
    if (any_in_doubt_) settle_doubts();
    versions_.place = large_array(history_.operations(), kNone);
    versions_.first.assign(1, 0);
    versions_.first.reserve(history_.objects() + 1);
    reserve_large(versions_.writer, appends_.size());
    reserve_large(versions_.op, appends_.size());
    for (ObjectIndex object = 0; object < history_.objects(); ++object) order(object);
    place_reads();
    return std::move(versions_);
  }

 private:
  void collect_appends() {
    first_ = large_array<std::uint32_t>(history_.objects() + 2, 0);
    for (OpIndex op = 0; op < history_.operations(); ++op) {
      if (history_.op_kind[op] == Op::append) ++first_[history_.op_object[op] + 2];
    }
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    appends_ = large_array(first_.back(), Append{});
    for (TxnIndex txn = 0; txn < history_.transactions(); ++txn) {
      for (OpIndex op = history_.first_op(txn); op < history_.end_op(txn); ++op) {
        if (history_.op_kind[op] != Op::append) continue;
        appends_[first_[history_.op_object[op] + 1]++] = {txn, op};
      }
    }
    first_.pop_back();
  }

  std::int64_t element_of(const Append& append) const { return history_.op_number[append.op]; }

  std::span<const Append> appends_to(ObjectIndex object) const {
    return std::span(appends_).subspan(first_[object], first_[object + 1] - first_[object]);
  }

  // An in-doubt transaction counts as committed if a committed one has read what it appended.
  void settle_doubts() {
    std::unordered_map<ObjectIndex, std::unordered_set<std::int64_t>> also_seen;
    for (TxnIndex txn = 0; txn < history_.transactions(); ++txn) {
      if (versions_.counted[txn] == 0) continue;
      for (OpIndex op = history_.first_op(txn); op < history_.end_op(txn); ++op) {
        if (history_.op_kind[op] != Op::read_list || history_.op_number[op] >= 0) continue;
        for (const Scalar element : deviant(op)) {
          also_seen[history_.op_object[op]].insert(element.bits());
        }
      }
    }
    for (ObjectIndex object = 0; object < history_.objects(); ++object) {
      std::unordered_set<std::int64_t>* seen = nullptr;
      for (const Append& append : appends_to(object)) {
        if (history_.txn_flags[append.txn].outcome != AttemptOutcome::unknown) continue;
        if (seen == nullptr) {
          seen = &also_seen[object];
          for (const Scalar element : history_.longest_list[object]) seen->insert(element.bits());
        }
        if (seen->count(element_of(append)) != 0) versions_.counted[append.txn] = 1;
      }
    }
  }

  const std::vector<Scalar>& deviant(OpIndex op) const {
    return history_.deviant_lists[static_cast<std::size_t>(-1 - history_.op_number[op])];
  }

  // Elements of the object's longest list in the order of their bits, with their positions.
  struct Listed {
    std::int64_t element;
    std::uint32_t position;
  };
  struct Appended {
    std::int64_t element;
    Append by;
  };

  void order(ObjectIndex object) {
    const std::vector<Scalar>& list = history_.longest_list[object];
    const std::span<const Append> appends = appends_to(object);
    by_element_.clear();
    for (const Append& append : appends) by_element_.push_back({element_of(append), append});
    const auto smaller = [](const auto& a, const auto& b) { return a.element < b.element; };
    if (!std::is_sorted(by_element_.begin(), by_element_.end(), smaller)) {
      std::stable_sort(by_element_.begin(), by_element_.end(), smaller);
    }
    listed_.clear();
    for (std::uint32_t i = 0; i < list.size(); ++i) listed_.push_back({list[i].bits(), i});
    if (!std::is_sorted(listed_.begin(), listed_.end(), smaller)) {
      std::stable_sort(listed_.begin(), listed_.end(), smaller);
    }
    by_position_.assign(list.size(), nullptr);
    match(object);
    lay_out(object, static_cast<std::uint32_t>(list.size()));
    for (const Append& append : appends) {
      if (versions_.counted[append.txn] != 0 && versions_.place[append.op] == kNone) {
        versions_.unread.push_back({object, append.txn, append.op});
      }
    }
    for (std::size_t i = 1; i < appends.size(); ++i) {
      compare_with_own_order(appends[i - 1], appends[i]);
    }
  }

  // What a transaction appends stands in the list in the order in which it did so, and none of it
  // is left out before the last that is there.
  void compare_with_own_order(const Append& first, const Append& second) {
    if (first.txn != second.txn || versions_.place[second.op] == kNone) return;
    const Place place = versions_.place[first.op];
    // An element that is there, but as another's append, is told as a duplicate.
    if (place == kNone ? is_listed(element_of(first)) : place < versions_.place[second.op]) return;
    const auto text = [&](const Append& append) {
      return history_.scalars.to_text(Scalar::from_bits(element_of(append)));
    };
    findings_.add({AnomalyClass::internal,
                   {first.op, second.op},
                   "the list was read with " + text(second) + " in it and no " + text(first) +
                       " before that"});
  }

  bool is_listed(std::int64_t element) const {
    const auto smaller = [](const Listed& listed, std::int64_t wanted) {
      return listed.element < wanted;
    };
    const auto found = std::lower_bound(listed_.begin(), listed_.end(), element, smaller);
    return found != listed_.end() && found->element == element;
  }

  // Merges the two sorted sequences: which append made which element of the list.
  void match(ObjectIndex object) {
    for (std::size_t i = 1; i < by_element_.size(); ++i) {
      if (by_element_[i].element == by_element_[i - 1].element) {
        findings_.add({AnomalyClass::duplicate_write,
                       {by_element_[i - 1].by.op, by_element_[i].by.op},
                       "the same element was appended twice"});
      }
    }
    auto append = by_element_.begin();
    for (std::size_t i = 0; i < listed_.size(); ++i) {
      const Listed& listed = listed_[i];
      if (i > 0 && listed.element == listed_[i - 1].element) {
        twice_in_list_.push_back({object, listed.position});
        continue;
      }
      while (append != by_element_.end() && append->element < listed.element) ++append;
      if (append == by_element_.end() || append->element != listed.element) {
        nobodys_.push_back({object, listed.position});
        continue;
      }
      const Append* maker = &append->by;
      for (auto also = append; also != by_element_.end() && also->element == listed.element;
           ++also) {
        if (versions_.counted[also->by.txn] != 0) {
          maker = &also->by;
          break;
        }
      }
      by_position_[listed.position] = maker;
    }
  }

  // Gives places to what committed transactions have made. Usually position and place agree.
  void lay_out(ObjectIndex object, std::uint32_t length) {
    Place place = 0;
    std::vector<Place> places;
    const Append* aborted = nullptr;
    for (std::uint32_t position = 0; position < length; ++position) {
      const Append* append = by_position_[position];
      if (append != nullptr && versions_.counted[append->txn] != 0) {
        versions_.writer.push_back(append->txn);
        versions_.op.push_back(append->op);
        versions_.place[append->op] = ++place;
        if (aborted != nullptr) {
          findings_.add({AnomalyClass::dirty_update, {aborted->op, append->op}, ""});
          aborted = nullptr;
        }
        if (!places.empty()) places.push_back(place);
        continue;
      }
      if (places.empty()) {
        for (Place regular = 0; regular <= position; ++regular) places.push_back(regular);
      }
      places.push_back(place);
      if (append != nullptr) {
        aborted = append;
        aborted_.push_back({object, position, append->op});
      }
    }
    if (!places.empty()) irregular_.emplace(object, std::move(places));
    versions_.first.push_back(static_cast<std::uint32_t>(versions_.op.size()));
  }

  void place_reads() {
    for (TxnIndex txn = 0; txn < history_.transactions(); ++txn) {
      if (versions_.counted[txn] == 0) continue;
      for (OpIndex op = history_.first_op(txn); op < history_.end_op(txn); ++op) {
        if (history_.op_kind[op] == Op::read_list) {
          place_read(txn, op);
        } else if (history_.op_kind[op] == Op::append) {
          check_lost_update(txn, op);
        }
      }
    }
    report_elements();
  }

  void place_read(TxnIndex txn, OpIndex op) {
    const ObjectIndex object = history_.op_object[op];
    if (history_.op_number[op] < 0) {
      if (history_.txn_flags[txn].outcome != AttemptOutcome::committed) return;
      deviants_.push_back(op);
      return;
    }
    auto place = static_cast<Place>(history_.op_number[op]);
    if (place > 0 && !irregular_.empty()) {
      const auto irregular = irregular_.find(object);
      if (irregular != irregular_.end()) place = irregular->second[place];
    }
    versions_.place[op] = place;
    compare_with_own_view(txn, op, object, place);
    if (place == 0) return;
    const TxnIndex writer = versions_.writer_at(object, place);
    if (writer == txn) return;
    const OpIndex made = versions_.op_at(object, place);
    for (OpIndex later = made + 1; later < history_.end_op(writer); ++later) {
      if (history_.op_kind[later] == Op::append && history_.op_object[later] == object) {
        findings_.add({AnomalyClass::g1b, {made, op, later}, ""});
        break;
      }
    }
  }

  // A read must end in what the transaction itself has appended, and before that must show what it
  // had read earlier.
  void compare_with_own_view(TxnIndex txn, OpIndex op, ObjectIndex object, Place place) {
    Place expected_end = place;
    for (OpIndex before = op; before-- > history_.first_op(txn);) {
      if (history_.op_object[before] != object) continue;
      if (history_.op_kind[before] == Op::append) {
        if (expected_end == 0 || versions_.op_at(object, expected_end) != before) {
          findings_.add({AnomalyClass::internal, {before, op}, ""});
          return;
        }
        --expected_end;
      } else if (versions_.place[before] != kNone) {
        if (versions_.place[before] != expected_end) {
          findings_.add({AnomalyClass::non_repeatable_read, {before, op}, ""});
        }
        return;
      }
    }
    // It had not read the list before, and saw what it was yet to append?
    if (expected_end == 0 || versions_.writer_at(object, expected_end) != txn) return;
    if (versions_.op_at(object, expected_end) > op) {
      findings_.add({AnomalyClass::internal,
                     {op, versions_.op_at(object, expected_end)},
                     "it read what it appended only later"});
    }
  }

  void check_lost_update(TxnIndex txn, OpIndex op) {
    const ObjectIndex object = history_.op_object[op];
    const Place made =
        versions_.place[op] != kNone ? versions_.place[op] : versions_.last_place(object) + 1;
    for (OpIndex before = op; before-- > history_.first_op(txn);) {
      if (history_.op_object[before] != object) continue;
      if (history_.op_kind[before] == Op::append) return;  // told of its first append
      const Place read = versions_.place[before];
      if (read == kNone || made < 2 || read >= made - 1) return;
      if (versions_.writer_at(object, made - 1) == txn) return;
      findings_.add({AnomalyClass::p4, {before, versions_.op_at(object, made - 1), op}, ""});
      return;
    }
  }

  // Elements that should not be in a list are told with the first read that shows them.
  void report_elements() {
    struct Wanted {
      std::uint32_t position;
      AnomalyClass anomaly;
      OpIndex aborted;
    };
    std::unordered_map<ObjectIndex, std::vector<Wanted>> wanted;
    for (const auto& [object, position] : nobodys_) {
      wanted[object].push_back({position, AnomalyClass::garbage_read, kNone});
    }
    for (const auto& [object, position] : twice_in_list_) {
      wanted[object].push_back({position, AnomalyClass::duplicate_write, kNone});
    }
    for (const auto& [object, position, op] : aborted_) {
      wanted[object].push_back({position, AnomalyClass::g1a, op});
    }
    std::unordered_map<ObjectIndex, OpIndex> longest_read;
    for (TxnIndex txn = 0; txn < history_.transactions(); ++txn) {
      if (history_.txn_flags[txn].outcome != AttemptOutcome::committed) continue;
      if (wanted.empty() && deviants_.empty()) break;
      for (OpIndex op = history_.first_op(txn); op < history_.end_op(txn); ++op) {
        const ObjectIndex object = history_.op_object[op];
        if (history_.op_kind[op] != Op::read_list || history_.op_number[op] < 0) continue;
        if (!deviants_.empty() && static_cast<std::size_t>(history_.op_number[op]) ==
                                      history_.longest_list[object].size()) {
          longest_read.try_emplace(object, op);
        }
        const auto found = wanted.find(object);
        if (found == wanted.end()) continue;
        std::vector<Wanted>& here = found->second;
        for (const Wanted& want : here) {
          if (history_.op_number[op] > want.position)
            report(want.anomaly, op, want.aborted, want.position);
        }
        std::erase_if(here,
                      [&](const Wanted& want) { return history_.op_number[op] > want.position; });
      }
    }
    for (const OpIndex op : deviants_) report_deviant(op, longest_read);
  }

  void report(AnomalyClass anomaly, OpIndex read, OpIndex aborted, std::uint32_t position) {
    const Scalar element = history_.longest_list[history_.op_object[read]][position];
    if (anomaly == AnomalyClass::g1a) {
      findings_.add({anomaly, {aborted, read}, ""});
    } else if (anomaly == AnomalyClass::garbage_read) {
      findings_.add({anomaly, {read}, "nobody appended " + history_.scalars.to_text(element)});
    } else {
      findings_.add({anomaly, {read}, history_.scalars.to_text(element) + " is in the list twice"});
    }
  }

  void report_deviant(OpIndex op, const std::unordered_map<ObjectIndex, OpIndex>& longest_read) {
    std::vector<OpIndex> operations = {op};
    const auto longest = longest_read.find(history_.op_object[op]);
    if (longest != longest_read.end()) operations.push_back(longest->second);
    findings_.add({AnomalyClass::incompatible_order, operations, ""});
    report_deviant_elements(op);
  }

  // Aborted, twice-read and unwritten elements of a list that agrees with no other.
  void report_deviant_elements(OpIndex op) {
    const std::span<const Append> appends = appends_to(history_.op_object[op]);
    std::unordered_set<std::int64_t> seen;
    for (const Scalar element : deviant(op)) {
      if (!seen.insert(element.bits()).second) {
        findings_.add({AnomalyClass::duplicate_write,
                       {op},
                       history_.scalars.to_text(element) + " is in the list twice"});
        continue;
      }
      const auto append = std::find_if(appends.begin(), appends.end(), [&](const Append& one) {
        return element_of(one) == element.bits();
      });
      if (append == appends.end()) {
        findings_.add({AnomalyClass::garbage_read,
                       {op},
                       "nobody appended " + history_.scalars.to_text(element)});
      } else if (versions_.counted[append->txn] == 0) {
        findings_.add({AnomalyClass::g1a, {append->op, op}, ""});
      }
    }
  }

  struct Position {
    ObjectIndex object;
    std::uint32_t position;
  };
  struct AbortedElement {
    ObjectIndex object;
    std::uint32_t position;
    OpIndex op;
  };

  const History& history_;
  Findings& findings_;
  Versions versions_;
  bool any_in_doubt_ = false;
  std::vector<std::uint32_t> first_;
  std::vector<Append> appends_;  // by object, then in the order of operations
  // Of the object at hand:
  std::vector<Appended> by_element_;
  std::vector<Listed> listed_;
  std::vector<const Append*> by_position_;
  // By how many elements were read: the place, for lists that hold what is no version.
  std::unordered_map<ObjectIndex, std::vector<Place>> irregular_;
  std::vector<Position> nobodys_;
  std::vector<Position> twice_in_list_;
  std::vector<AbortedElement> aborted_;
  std::vector<OpIndex> deviants_;
};

}  // namespace

Versions versions_of_lists(const History& history, Findings& findings) {
  return ListVersions(history, findings).run();
}

}  // namespace hilsa
