#include "harness/simulated/true_graph.h"

#include <algorithm>
#include <map>
#include <utility>

namespace hilsa::simulated {
namespace {

// Who can reach whom: a matrix of bits.
class Relation {
 public:
  explicit Relation(std::size_t nodes)
      : nodes_(nodes), words_((nodes + 63) / 64), bits_(nodes * words_) {}

  void add(std::size_t from, std::size_t to) { word(from, to) |= std::uint64_t{1} << (to % 64); }
  bool has(std::size_t from, std::size_t to) const {
    return (bits_[from * words_ + to / 64] >> (to % 64) & 1) != 0;
  }
  void add_all(const Relation& other) {
    for (std::size_t i = 0; i < bits_.size(); ++i) bits_[i] |= other.bits_[i];
  }
  // Warshall's algorithm.
  void close() {
    for (std::size_t via = 0; via < nodes_; ++via) {
      for (std::size_t from = 0; from < nodes_; ++from) {
        if (has(from, via)) add_row(from, *this, via);
      }
    }
  }
  // First this, then the other.
  Relation then(const Relation& other) const {
    Relation result(nodes_);
    for (std::size_t from = 0; from < nodes_; ++from) {
      for (std::size_t via = 0; via < nodes_; ++via) {
        if (has(from, via)) result.add_row(from, other, via);
      }
    }
    return result;
  }
  bool has_cycle() const {  // of a closed one
    for (std::size_t node = 0; node < nodes_; ++node) {
      if (has(node, node)) return true;
    }
    return false;
  }
  // Whether some pair is in this one and, the other way round, in the other.
  bool meets_reverse_of(const Relation& other) const {
    for (std::size_t from = 0; from < nodes_; ++from) {
      for (std::size_t to = 0; to < nodes_; ++to) {
        if (has(from, to) && other.has(to, from)) return true;
      }
    }
    return false;
  }

 private:
  std::uint64_t& word(std::size_t from, std::size_t to) { return bits_[from * words_ + to / 64]; }
  void add_row(std::size_t to_row, const Relation& other, std::size_t from_row) {
    for (std::size_t i = 0; i < words_; ++i) {
      bits_[to_row * words_ + i] |= other.bits_[from_row * words_ + i];
    }
  }

  std::size_t nodes_;
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

Relation closed(Relation relation) {
  relation.close();
  return relation;
}

bool is_selected(const Predicate& predicate, const RowVersion& version) {
  return !version.erased && predicate.matches(version.cells);
}

// Instead of the place of a version among its row's: the row was not there, as far as one saw; the
// version is not there any more.
constexpr std::ptrdiff_t kUnseen = -1;
constexpr std::ptrdiff_t kVanished = -2;

class Graph {
 public:
  Graph(const Truth& truth, const Store& store, Eyes eyes)
      : truth_(truth),
        store_(store),
        eyes_(eyes),
        ww_(truth.commit_order.size()),
        wr_(truth.commit_order.size()),
        item_rw_(truth.commit_order.size()),
        rw_(truth.commit_order.size()) {
    for (std::size_t i = 0; i < truth.commit_order.size(); ++i) node_[truth.commit_order[i]] = i;
    for (TableNumber table = 0; table < store.tables(); ++table) {
      for (const auto& [key, row] : store.table(table).rows) add_order(row);
    }
    for (const TxnId id : truth.commit_order) add_reads(truth.txns[id - 1]);
  }

  TrueAnomalies anomalies() && {
    item_rw_.add_all(ww_);
    item_rw_.add_all(wr_);
    Relation dependencies = ww_;
    dependencies.add_all(wr_);
    const Relation reach = closed(dependencies);
    found_.dirty_write = closed(ww_).has_cycle();
    found_.circular_information = reach.has_cycle();
    found_.read_skew = rw_.meets_reverse_of(reach);
    // Snapshot isolation: no cycle in (ww or wr) followed by at most one rw.
    Relation steps = dependencies.then(rw_);
    steps.add_all(dependencies);
    found_.not_snapshot = closed(std::move(steps)).has_cycle();
    found_.item_cycle = closed(item_rw_).has_cycle();
    dependencies.add_all(rw_);
    found_.cycle = closed(std::move(dependencies)).has_cycle();
    return found_;
  }

 private:
  void link(Relation& relation, TxnId from, TxnId to) {
    const auto a = node_.find(from);
    const auto b = node_.find(to);
    if (from != to && a != node_.end() && b != node_.end()) relation.add(a->second, b->second);
  }

  void add_order(const Row& row) {
    for (std::size_t i = 1; i < row.versions.size(); ++i) {
      link(ww_, row.versions[i - 1].txn, row.versions[i].txn);
    }
  }

  void add_reads(const TrueTxn& reader) {
    std::map<std::pair<TableNumber, std::int64_t>, std::ptrdiff_t> newest_read;
    for (const TrueRead& read : reader.reads) {
      const auto& rows = store_.table(read.predicate.table).rows;
      std::map<std::int64_t, std::ptrdiff_t> saw;  // by key: the place of the version
      for (const TrueVersion& version : read.saw) {
        const auto row = rows.find(version.key);
        const std::ptrdiff_t at = row == rows.end() ? kUnseen : position(row->second, version);
        const bool vanished = at == kUnseen && version.txn != 0;
        if (vanished) note_vanished(reader, version);
        saw[version.key] = vanished ? kVanished : at;
      }
      const Predicate::KeyRange range = read.predicate.keys();
      for (auto row = rows.lower_bound(range.first); row != rows.end() && row->first <= range.last;
           ++row) {
        // Rows that came later, it has not seen.
        const std::ptrdiff_t at = saw.try_emplace(row->first, kUnseen).first->second;
        if (at == kVanished) continue;
        add_read(reader, read.predicate, row->second, at);
        if (read.only_to_overwrite || !counts_as_seen(reader, read, row->second, at)) continue;
        auto& newest =
            newest_read.try_emplace({read.predicate.table, row->first}, at).first->second;
        newest = std::max(newest, at);
      }
    }
    for (const auto& [object, at] : newest_read) {
      note_lost_update(reader, store_.table(object.first).rows.at(object.second), at);
    }
  }

  // As something that the reader knows of when it writes the row later.
  bool counts_as_seen(const TrueTxn& reader, const TrueRead& read, const Row& row,
                      std::ptrdiff_t at) const {
    if (at == kUnseen) {
      // A row that is not there may be one that is not there yet, or not any more.
      const bool dies = std::any_of(row.versions.begin(), row.versions.end(),
                                    [](const RowVersion& version) { return version.erased; });
      return read.by_key && !(dies && eyes_ == Eyes::of_clients);
    }
    const RowVersion& version = row.versions[static_cast<std::size_t>(at)];
    return version.txn != reader.id && is_selected(read.predicate, version);
  }

  // It saw a version that is no more: rolled back, or dropped by a bug.
  void note_vanished(const TrueTxn& reader, const TrueVersion& version) {
    const bool aborted = truth_.txns[version.txn - 1].state == Txn::State::aborted;
    if (!aborted || version.txn == reader.id) return;
    if (version.selected) {
      ++found_.aborted_reads;
    } else if (eyes_ == Eyes::of_database) {
      ++found_.aborted_misses;
    }
  }

  static std::ptrdiff_t position(const Row& row, const TrueVersion& version) {
    const auto found = std::find_if(row.versions.begin(), row.versions.end(), [&](const auto& v) {
      return v.txn == version.txn && v.number == version.number;
    });
    return found == row.versions.end() ? kUnseen : found - row.versions.begin();
  }

  // The version at `at` is what the reader saw of the row.
  void add_read(const TrueTxn& reader, const Predicate& predicate, const Row& row,
                std::ptrdiff_t at) {
    const auto count = static_cast<std::ptrdiff_t>(row.versions.size());
    const auto version = [&](std::ptrdiff_t i) -> const RowVersion& {
      return row.versions[static_cast<std::size_t>(i)];
    };
    const auto selected = [&](std::ptrdiff_t i) {
      return i >= 0 && is_selected(predicate, version(i));
    };
    if (at >= 0 && selected(at) && version(at).txn != reader.id) {
      const bool aborted = truth_.txns[version(at).txn - 1].state == Txn::State::aborted;
      if (aborted) ++found_.aborted_reads;
      if (at + 1 < count && version(at + 1).txn == version(at).txn) ++found_.intermediate_reads;
    }
    if (selected(at)) {
      link(wr_, version(at).txn, reader.id);
      std::ptrdiff_t next = at + 1;
      while (next < count && version(next).txn == version(at).txn) ++next;
      if (next < count) {
        link(item_rw_, reader.id, version(next).txn);
        link(rw_, reader.id, version(next).txn);
      }
    }
    add_predicate_edges(reader, predicate, row, at);
  }

  // From who last made the row match, or not, before the reader looked, and to whoever does later.
  void add_predicate_edges(const TrueTxn& reader, const Predicate& predicate, const Row& row,
                           std::ptrdiff_t at) {
    const auto count = static_cast<std::ptrdiff_t>(row.versions.size());
    TxnId before = 0;
    std::vector<TxnId> later;
    bool was_selected = false;
    int times_out = 1;  // separate times at which the row did not match
    for (std::ptrdiff_t i = 0; i < count; ++i) {
      const RowVersion& version = row.versions[static_cast<std::size_t>(i)];
      // What a transaction overwrote itself was never there for others.
      const bool is_last =
          i + 1 == count || row.versions[static_cast<std::size_t>(i) + 1].txn != version.txn;
      if (i != at && !is_last) continue;
      const bool selected = is_selected(predicate, version);
      if (selected == std::exchange(was_selected, selected)) continue;
      if (!selected) ++times_out;
      if (i <= at) before = version.txn;
      if (i > at) later.push_back(version.txn);
    }
    const bool returned =
        at >= 0 && is_selected(predicate, row.versions[static_cast<std::size_t>(at)]);
    if (eyes_ == Eyes::of_clients && !returned && times_out > 1) return;
    link(wr_, before, reader.id);
    for (const TxnId txn : later) link(rw_, reader.id, txn);
  }

  void note_lost_update(const TrueTxn& reader, const Row& row, std::ptrdiff_t newest_read) {
    const auto own = std::find_if(row.versions.begin(), row.versions.end(),
                                  [&](const RowVersion& v) { return v.txn == reader.id; });
    if (own == row.versions.end()) return;
    if (newest_read < own - row.versions.begin() - 1) ++found_.lost_updates;
  }

  const Truth& truth_;
  const Store& store_;
  Eyes eyes_;
  std::map<TxnId, std::size_t> node_;
  Relation ww_;
  Relation wr_;
  Relation item_rw_;
  Relation rw_;
  TrueAnomalies found_;
};

}  // namespace

TrueAnomalies anomalies_of(const Truth& truth, const Store& store, Eyes eyes) {
  return Graph(truth, store, eyes).anomalies();
}

}  // namespace hilsa::simulated
