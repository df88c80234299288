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

class Graph {
 public:
  Graph(const Truth& truth, const Store& store)
      : truth_(truth),
        store_(store),
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
      std::map<std::int64_t, const TrueVersion*> saw;
      for (const TrueVersion& version : read.saw) saw[version.key] = &version;
      const Predicate::KeyRange range = read.predicate.keys();
      for (const auto& [key, row] : store_.table(read.predicate.table).rows) {
        if (key < range.first || key > range.last) continue;
        const auto found = saw.find(key);
        // Rows that came later, it has not seen.
        const std::ptrdiff_t at = found == saw.end() ? -1 : position(row, *found->second);
        const bool lost = found != saw.end() && at < 0 && found->second->txn != 0;
        if (lost) {  // aborted since, or dropped
          const TrueTxn& maker = truth_.txns[found->second->txn - 1];
          const bool aborted = maker.id != reader.id && maker.state == Txn::State::aborted;
          if (aborted && found->second->selected) ++found_.aborted_reads;
          continue;
        }
        add_read(reader, read.predicate, row, at);
        if (read.only_to_overwrite) continue;
        // What it wrote itself says nothing about what it has seen of others.
        if (at >= 0 && row.versions[static_cast<std::size_t>(at)].txn == reader.id) continue;
        if (at >= 0 && is_selected(read.predicate, row.versions[static_cast<std::size_t>(at)])) {
          auto& newest = newest_read.try_emplace({read.predicate.table, key}, at).first->second;
          newest = std::max(newest, at);
        }
      }
    }
    note_reads_of_vanished_rows(reader);
    for (const auto& [object, at] : newest_read) {
      note_lost_update(reader, store_.table(object.first).rows.at(object.second), at);
    }
  }

  // Rows whose only versions were rolled back are not in the store any more.
  void note_reads_of_vanished_rows(const TrueTxn& reader) {
    for (const TrueRead& read : reader.reads) {
      const auto& rows = store_.table(read.predicate.table).rows;
      for (const TrueVersion& version : read.saw) {
        if (version.txn == 0 || !version.selected || rows.count(version.key) != 0) continue;
        const TrueTxn& maker = truth_.txns[version.txn - 1];
        if (maker.id != reader.id && maker.state == Txn::State::aborted) ++found_.aborted_reads;
      }
    }
  }

  static std::ptrdiff_t position(const Row& row, const TrueVersion& version) {
    const auto found = std::find_if(row.versions.begin(), row.versions.end(), [&](const auto& v) {
      return v.txn == version.txn && v.number == version.number;
    });
    return found == row.versions.end() ? -1 : found - row.versions.begin();
  }

  // The version at `at` (-1: before the first) is what the reader saw of the row.
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
    std::ptrdiff_t last_change = -1;
    bool was_selected = false;
    for (std::ptrdiff_t i = 0; i < count; ++i) {
      // What a transaction overwrote itself was never there for others.
      const bool is_last = i + 1 == count || version(i + 1).txn != version(i).txn;
      if (i != at && !is_last) continue;
      if (selected(i) == std::exchange(was_selected, selected(i))) continue;
      if (i <= at) last_change = i;
      if (i > at) link(rw_, reader.id, version(i).txn);
    }
    if (last_change >= 0) link(wr_, version(last_change).txn, reader.id);
  }

  void note_lost_update(const TrueTxn& reader, const Row& row, std::ptrdiff_t newest_read) {
    const auto own = std::find_if(row.versions.begin(), row.versions.end(),
                                  [&](const RowVersion& v) { return v.txn == reader.id; });
    if (own == row.versions.end()) return;
    if (newest_read < own - row.versions.begin() - 1) ++found_.lost_updates;
  }

  const Truth& truth_;
  const Store& store_;
  std::map<TxnId, std::size_t> node_;
  Relation ww_;
  Relation wr_;
  Relation item_rw_;
  Relation rw_;
  TrueAnomalies found_;
};

}  // namespace

TrueAnomalies anomalies_of(const Truth& truth, const Store& store) {
  return Graph(truth, store).anomalies();
}

}  // namespace hilsa::simulated
