#include "checkers/details.h"

#include <algorithm>

namespace hilsa {
namespace {

bool is_write(Op op) {
  return is_stamped_write(op) || op == Op::append || op == Op::write_register;
}

bool is_read(Op op) {
  return op == Op::read || op == Op::seen_row || op == Op::read_list || op == Op::read_register;
}

}  // namespace

EvidenceEdge Details::of(const Edge& edge) const {
  EvidenceEdge found{.from = edge.from, .to = edge.to, .kind = edge.kind};
  bool known = true;
  switch (edge.kind) {
    case EdgeKind::session:
    case EdgeKind::realtime:
      return found;
    case EdgeKind::ww:
      known = find_ww(found);
      break;
    case EdgeKind::wr:
      known = find_wr(found);
      break;
    case EdgeKind::rw:
      known = find_rw(found);
      break;
    case EdgeKind::predicate_wr:
    case EdgeKind::predicate_rw:
      known = find_predicate(found);
      break;
  }
  if (!known) find_in_choices(found);
  return found;
}

bool Details::find_ww(EvidenceEdge& edge) const {
  if (history_.form == Form::registers) return find_register(edge);
  for (OpIndex op = history_.first_op(edge.to); op < history_.end_op(edge.to); ++op) {
    if (!is_write(history_.op_kind[op])) continue;
    const ObjectIndex object = history_.op_object[op];
    const Place place = versions_.place[op];
    const Place before = place == kNone ? versions_.last_place(object) : place - 1;
    const bool appends_unread = place == kNone && history_.op_kind[op] == Op::append;
    if ((place == kNone && !appends_unread) || before == 0) continue;
    if (versions_.writer_at(object, before) != edge.from) continue;
    edge.object = object;
    edge.from_op = versions_.op_at(object, before);
    edge.to_op = op;
    return true;
  }
  return false;
}

bool Details::find_wr(EvidenceEdge& edge) const {
  if (history_.form == Form::registers) return find_register(edge);
  for (OpIndex op = history_.first_op(edge.to); op < history_.end_op(edge.to); ++op) {
    const Place place = versions_.place[op];
    if (!is_read(history_.op_kind[op]) || place == kNone || place == 0) continue;
    const ObjectIndex object = history_.op_object[op];
    if (versions_.writer_at(object, place) != edge.from) continue;
    edge.object = object;
    edge.from_op = versions_.op_at(object, place);
    edge.to_op = op;
    return true;
  }
  return false;
}

bool Details::find_rw(EvidenceEdge& edge) const {
  if (history_.form == Form::registers) return find_register(edge);
  for (OpIndex op = history_.first_op(edge.from); op < history_.end_op(edge.from); ++op) {
    const Place place = versions_.place[op];
    if (!is_read(history_.op_kind[op]) || place == kNone) continue;
    const ObjectIndex object = history_.op_object[op];
    const Place next = versions_.next_by_another(object, place);
    OpIndex written = kNone;
    if (next != kNone) {
      if (versions_.writer_at(object, next) == edge.to) written = versions_.op_at(object, next);
    } else {
      const auto unread =
          std::find_if(versions_.unread.begin(), versions_.unread.end(),
                       [&](const auto& one) { return one.object == object && one.txn == edge.to; });
      if (unread != versions_.unread.end()) written = unread->op;
    }
    if (written == kNone) continue;
    edge.object = object;
    edge.from_op = op;
    edge.to_op = written;
    return true;
  }
  return false;
}

bool Details::find_predicate(EvidenceEdge& edge) const {
  const bool reads_after = edge.kind == EdgeKind::predicate_wr;
  const TxnIndex reader = reads_after ? edge.to : edge.from;
  const TxnIndex writer = reads_after ? edge.from : edge.to;
  const auto before = [](const Miss& miss, TxnIndex txn) { return miss.txn < txn; };
  const auto& misses = dependencies_.misses;
  auto miss = std::lower_bound(misses.begin(), misses.end(), reader, before);
  for (; miss != misses.end() && miss->txn == reader; ++miss) {
    const Place place = reads_after ? miss->lowest : miss->next;
    if (place == 0 || place == kNone) continue;
    if (versions_.writer_at(miss->object, place) != writer) continue;
    edge.object = miss->object;
    const OpIndex written = versions_.op_at(miss->object, place);
    edge.from_op = reads_after ? written : miss->op;
    edge.to_op = reads_after ? miss->op : written;
    return true;
  }
  return false;
}

// Registers: by what the two transactions do to a register that both touch.
bool Details::find_register(EvidenceEdge& edge) const {
  for (OpIndex op = history_.first_op(edge.to); op < history_.end_op(edge.to); ++op) {
    const bool fits = edge.kind == EdgeKind::wr ? history_.op_kind[op] == Op::read_register
                                                : history_.op_kind[op] == Op::write_register;
    if (!fits) continue;
    const ObjectIndex object = history_.op_object[op];
    for (OpIndex from = history_.first_op(edge.from); from < history_.end_op(edge.from); ++from) {
      if (history_.op_object[from] != object) continue;
      const bool from_read = history_.op_kind[from] == Op::read_register;
      if (from_read != (edge.kind == EdgeKind::rw)) continue;
      if (edge.kind == EdgeKind::wr && history_.op_number[from] != history_.op_number[op]) continue;
      edge.object = object;
      edge.from_op = from;
      edge.to_op = op;
      return true;
    }
  }
  return false;
}

OpIndex Details::write_of(TxnIndex txn, ObjectIndex object) const {
  for (OpIndex op = history_.end_op(txn); op-- > history_.first_op(txn);) {
    if (history_.op_object[op] == object && is_write(history_.op_kind[op])) return op;
  }
  return kNone;
}

OpIndex Details::read_of(TxnIndex txn, ObjectIndex object) const {
  for (OpIndex op = history_.first_op(txn); op < history_.end_op(txn); ++op) {
    if (history_.op_object[op] == object && is_read(history_.op_kind[op])) return op;
  }
  return kNone;
}

// An edge that one explanation of a choice brings.
bool Details::find_in_choices(EvidenceEdge& edge) const {
  const Choices& choices = dependencies_.choices;
  for (std::size_t choice = 0; choice < choices.size(); ++choice) {
    for (std::uint32_t i = 0; i < choices.alternatives_of(choice); ++i) {
      for (const Edge& one : choices.edges_of(choice, i)) {
        if (one.from != edge.from || one.to != edge.to || one.kind != edge.kind) continue;
        const ObjectIndex object = choices.object[choice];
        const OpIndex about = choices.about[choice];
        const TxnIndex by = history_.txn_of(about);
        const bool from_reads = is_anti(edge.kind);
        edge.object = object;
        edge.inferred = true;
        edge.from_op = from_reads ? read_of(edge.from, object) : write_of(edge.from, object);
        edge.to_op = edge.kind == EdgeKind::ww || from_reads ? write_of(edge.to, object)
                                                             : read_of(edge.to, object);
        const bool about_reads =
            is_read(history_.op_kind[about]) || history_.op_kind[about] == Op::predicate_read;
        if (about_reads && by == edge.from && from_reads) edge.from_op = about;
        if (about_reads && by == edge.to && !from_reads) edge.to_op = about;
        return true;
      }
    }
  }
  return false;
}

}  // namespace hilsa
