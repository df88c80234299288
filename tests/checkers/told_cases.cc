#include "tests/checkers/told_cases.h"

#include <array>

#include "tests/checkers/small_history.h"

namespace hilsa::tests {
namespace {

constexpr const char* kReadStock =
    "SELECT id, stock, _version, _writer FROM {products} WHERE id = ?";
constexpr const char* kWriteStock =
    "UPDATE {products} SET stock = ?, _writer = ?, _version = _version + 1 WHERE id = ? RETURNING "
    "id, _version";
constexpr const char* kReadForUpdate =
    "SELECT id, stock, _version, _writer FROM {products} WHERE id = ? FOR UPDATE";

Anomaly one(AnomalyClass anomaly, Evidence evidence, Needs needs = Needs::data) {
  return {anomaly, needs, 1, {std::move(evidence)}};
}

EvidenceEdge edge(TxnIndex from, TxnIndex to, EdgeKind kind, ObjectIndex object, OpIndex from_op,
                  OpIndex to_op) {
  return {from, to, kind, object, from_op, to_op, false};
}

// T12 and T15 both sell the last piece, without a transaction.
Told lost_update() {
  SmallHistory h;
  const auto products = h.table("products", {"stock"});
  h.begin(9, {.client = 0, .reply = "set up", .begin = 1, .end = 2});
  h.at(1).insert(products, 1, {{"stock", 1}});
  h.end();
  const SmallHistory::Settings buyer{
      .client = 2, .one_transaction = false, .reply = "done", .begin = 10, .end = 16};
  const TxnIndex t15 = h.begin(15, buyer);
  h.at(11, kReadStock).read(products, 1, 1, 9, {{"stock", 1}});
  const OpIndex theirs = h.at(14, kWriteStock).write(products, 1, 2, {{"stock", 0}});
  h.end();
  SmallHistory::Settings other = buyer;
  other.client = 1;
  other.end = 18;
  const TxnIndex t12 = h.begin(12, other);
  const OpIndex read = h.at(12, kReadStock).read(products, 1, 1, 9, {{"stock", 1}});
  const OpIndex ours = h.at(17, kWriteStock).write(products, 1, 3, {{"stock", 0}});
  h.end();
  Evidence evidence;
  evidence.operations = {read, theirs, ours};
  evidence.transactions = {t15, t12};
  evidence.beyond_one_transaction = true;
  return {h.finish(), one(AnomalyClass::p4, std::move(evidence))};
}

// The same as a cycle, of changes by an amount.
Told lost_update_as_a_cycle() {
  SmallHistory h;
  const auto products = h.table("products", {"stock"});
  h.begin(1, {.client = 0, .begin = 1, .end = 2});
  h.at(1).insert(products, 1, {{"stock", 5}});
  h.end();
  const TxnIndex t3 = h.begin(3, {.client = 2, .reply = "done", .begin = 10, .end = 16});
  const OpIndex theirs = h.at(14).write(products, 1, 2, {{"stock", 2}}, ChangeKind::subtract);
  h.end();
  const TxnIndex t2 = h.begin(2, {.client = 1, .reply = "done", .begin = 10, .end = 18});
  const OpIndex read = h.at(12).read(products, 1, 1, 1, {{"stock", 5}});
  const OpIndex ours = h.at(17).write(products, 1, 3, {{"stock", 1}}, ChangeKind::subtract);
  h.end();
  const ObjectIndex row = h.row(products, 1);
  Evidence evidence;
  evidence.cycle = {edge(t3, t2, EdgeKind::ww, row, theirs, ours),
                    edge(t2, t3, EdgeKind::rw, row, read, theirs)};
  evidence.transactions = {t3, t2};
  return {h.finish(), one(AnomalyClass::p4, std::move(evidence))};
}

Told dirty_write() {
  SmallHistory h;
  const auto t = h.table("accounts", {"owner"});
  const TxnIndex a = h.begin(1, {.client = 1, .begin = 1, .end = 9});
  const OpIndex a1 = h.at(2).write(t, 1, 2, {{"owner", 1}});
  const OpIndex a2 = h.at(7).write(t, 2, 3, {{"owner", 1}});
  h.end();
  const TxnIndex b = h.begin(2, {.client = 2, .begin = 1, .end = 10});
  const OpIndex b1 = h.at(4).write(t, 1, 3, {{"owner", 2}});
  const OpIndex b2 = h.at(5).write(t, 2, 2, {{"owner", 2}});
  h.end();
  Evidence evidence;
  evidence.cycle = {edge(a, b, EdgeKind::ww, h.row(t, 1), a1, b1),
                    edge(b, a, EdgeKind::ww, h.row(t, 2), b2, a2)};
  evidence.transactions = {a, b};
  return {h.finish(), one(AnomalyClass::g0, std::move(evidence))};
}

Told aborted_read() {
  SmallHistory h;
  const auto products = h.table("products", {"stock"});
  const TxnIndex writer = h.begin(4, {.client = 1,
                                      .outcome = AttemptOutcome::aborted,
                                      .reply = "deadlock (40P01): x",
                                      .begin = 1,
                                      .end = 6});
  const OpIndex write = h.at(2).write(products, 1, 4, {{"stock", 0}});
  h.end();
  const TxnIndex reader = h.begin(7, {.client = 2, .reply = "sold out", .begin = 1, .end = 9});
  const OpIndex read = h.at(4, kReadForUpdate).read(products, 1, 4, 4, {{"stock", 0}});
  h.end();
  Evidence evidence;
  evidence.operations = {write, read};
  evidence.transactions = {writer, reader};
  return {h.finish(), one(AnomalyClass::g1a, std::move(evidence))};
}

Told intermediate_read() {
  SmallHistory h;
  const auto products = h.table("products", {"stock"});
  const TxnIndex writer = h.begin(4, {.client = 1, .begin = 1, .end = 6});
  const OpIndex first = h.at(2).write(products, 1, 4, {{"stock", 0}});
  const OpIndex last = h.at(5).write(products, 1, 5, {{"stock", 7}});
  h.end();
  const TxnIndex reader = h.begin(7, {.client = 2, .begin = 1, .end = 9});
  const OpIndex read = h.at(4).read(products, 1, 4, 4, {{"stock", 0}});
  h.end();
  Evidence evidence;
  evidence.operations = {first, read, last};
  evidence.transactions = {writer, reader};
  return {h.finish(), one(AnomalyClass::g1b, std::move(evidence))};
}

Told circular_flow() {
  SmallHistory h(Form::registers);
  const TxnIndex a = h.begin(0, {.client = 0});
  const OpIndex wx = h.write_register("x", 1);
  const OpIndex ry = h.read_register("y", Scalar::small_integer(2));
  h.end();
  const TxnIndex b = h.begin(1, {.client = 1});
  const OpIndex wy = h.write_register("y", 2);
  const OpIndex rx = h.read_register("x", Scalar::small_integer(1));
  h.end();
  Evidence evidence;
  evidence.cycle = {edge(a, b, EdgeKind::wr, h.key("x"), wx, rx),
                    edge(b, a, EdgeKind::wr, h.key("y"), wy, ry)};
  evidence.transactions = {a, b};
  return {h.finish(), one(AnomalyClass::g1c, std::move(evidence))};
}

// One transaction writes rows 1 and 2; another sees the new 1 and the old 2.
struct HalfSeen {
  SmallHistory h;
  TxnIndex writer = kNone, reader = kNone;
  OpIndex write1 = kNone, write2 = kNone, read1 = kNone, read2 = kNone;
};
HalfSeen half_seen() {
  HalfSeen s;
  const auto t = s.h.table("accounts", {"balance"});
  s.h.begin(1, {.client = 0, .begin = 1, .end = 2});
  s.h.at(1).insert(t, 1, {{"balance", 100}});
  s.h.at(1).insert(t, 2, {{"balance", 100}});
  s.h.end();
  s.writer = s.h.begin(2, {.client = 1, .reply = "done", .begin = 10, .end = 20});
  s.write1 = s.h.at(11).write(t, 1, 2, {{"balance", 60}});
  s.write2 = s.h.at(12).write(t, 2, 2, {{"balance", 140}});
  s.h.end();
  s.reader = s.h.begin(3, {.client = 2, .reply = "done", .begin = 5, .end = 24});
  s.read1 = s.h.at(21).read(t, 1, 2, 2, {{"balance", 60}});
  s.read2 = s.h.at(22).read(t, 2, 1, 1, {{"balance", 100}});
  s.h.end();
  return s;
}

Told vanishing() {
  HalfSeen s = half_seen();
  Evidence evidence;
  evidence.operations = {s.write1, s.read1, s.read2, s.write2};
  evidence.transactions = {s.writer, s.reader};
  return {s.h.finish(), one(AnomalyClass::otv, std::move(evidence))};
}

Told fractured() {
  HalfSeen s = half_seen();
  Evidence evidence;
  evidence.operations = {s.write1, s.read1, s.read2, s.write2};
  evidence.transactions = {s.writer, s.reader};
  return {s.h.finish(), one(AnomalyClass::fractured_read, std::move(evidence))};
}

Told read_skew() {
  HalfSeen s = half_seen();
  Evidence evidence;
  evidence.cycle = {edge(s.writer, s.reader, EdgeKind::wr, 0, s.write1, s.read1),
                    edge(s.reader, s.writer, EdgeKind::rw, 1, s.read2, s.write2)};
  evidence.transactions = {s.writer, s.reader};
  return {s.h.finish(), one(AnomalyClass::g_single, std::move(evidence))};
}

Told non_repeatable() {
  SmallHistory h;
  const auto t = h.table("accounts", {"balance"});
  const TxnIndex writer = h.begin(2, {.client = 1, .begin = 3, .end = 5});
  const OpIndex write = h.at(4).write(t, 1, 2, {{"balance", 60}});
  h.end();
  const TxnIndex reader = h.begin(3, {.client = 2, .begin = 1, .end = 8});
  const OpIndex first = h.at(2).read(t, 1, 1, 1, {{"balance", 100}});
  const OpIndex second = h.at(7).read(t, 1, 2, 2, {{"balance", 60}});
  h.end();
  Evidence evidence;
  evidence.operations = {first, write, second};
  evidence.transactions = {writer, reader};
  return {h.finish(), one(AnomalyClass::non_repeatable_read, std::move(evidence))};
}

Told changing_queries() {
  SmallHistory h;
  const auto t = h.table("orders", {"product"});
  const TxnIndex writer = h.begin(2, {.client = 1, .begin = 3, .end = 5});
  const OpIndex write = h.at(4).insert(t, 8, {{"id", 8}, {"product", 1}});
  h.end();
  const TxnIndex reader = h.begin(3, {.client = 2, .begin = 1, .end = 8});
  const OpIndex first = h.at(2).ask(t, "product", Comparator::equal, 1);
  const OpIndex second = h.at(7).ask(t, "product", Comparator::equal, 1);
  h.seen(t, 8, 1, 2, {{"product", 1}});
  h.end();
  Evidence evidence;
  evidence.operations = {first, write, second};
  evidence.transactions = {writer, reader};
  return {h.finish(), one(AnomalyClass::pmp, std::move(evidence))};
}

Told long_fork() {
  SmallHistory h(Form::lists);
  const TxnIndex wx = h.begin(1, {.client = 1, .begin = 1, .end = 5});
  const OpIndex ax = h.append("x", 1);
  h.end();
  const TxnIndex wy = h.begin(2, {.client = 2, .begin = 2, .end = 6});
  const OpIndex ay = h.append("y", 2);
  h.end();
  const TxnIndex r1 = h.begin(3, {.client = 3, .begin = 3, .end = 7});
  const OpIndex r1x = h.read_list("x", {1});
  const OpIndex r1y = h.read_list("y", {});
  h.end();
  const TxnIndex r2 = h.begin(4, {.client = 4, .begin = 4, .end = 8});
  const OpIndex r2y = h.read_list("y", {2});
  const OpIndex r2x = h.read_list("x", {});
  h.end();
  const ObjectIndex x = h.key("x");
  const ObjectIndex y = h.key("y");
  Evidence evidence;
  evidence.cycle = {edge(wx, r1, EdgeKind::wr, x, ax, r1x), edge(r1, wy, EdgeKind::rw, y, r1y, ay),
                    edge(wy, r2, EdgeKind::wr, y, ay, r2y), edge(r2, wx, EdgeKind::rw, x, r2x, ax)};
  evidence.transactions = {wx, wy, r1, r2};
  return {h.finish(), one(AnomalyClass::g_nonadjacent, std::move(evidence))};
}

// Two doctors on call, each leaves since the other one stays.
Told write_skew() {
  SmallHistory h;
  const auto t = h.table("doctors", {"on_call"});
  const TxnIndex a = h.begin(1, {.client = 1, .reply = "done", .begin = 1, .end = 9});
  h.at(2, "SELECT id, on_call, _version, _writer FROM {doctors} WHERE id = ?")
      .read(t, 1, 1, 9, {{"on_call", 1}});
  const OpIndex a2 = h.at(3).read(t, 2, 1, 9, {{"on_call", 1}});
  const OpIndex aw = h.at(6).write(t, 1, 2, {{"on_call", 0}});
  h.end();
  const TxnIndex b = h.begin(2, {.client = 2, .reply = "done", .begin = 1, .end = 10});
  const OpIndex b1 = h.at(4).read(t, 1, 1, 9, {{"on_call", 1}});
  h.at(5).read(t, 2, 1, 9, {{"on_call", 1}});
  const OpIndex bw = h.at(7).write(t, 2, 2, {{"on_call", 0}});
  h.end();
  Evidence evidence;
  evidence.cycle = {edge(a, b, EdgeKind::rw, h.row(t, 2), a2, bw),
                    edge(b, a, EdgeKind::rw, h.row(t, 1), b1, aw)};
  evidence.transactions = {a, b};
  return {h.finish(), one(AnomalyClass::g2_item, std::move(evidence))};
}

// Seat B4 is free for both, and both sell it.
Told phantom() {
  SmallHistory h;
  const auto t = h.table("sales", {"seat", "buyer"});
  const TxnIndex a = h.begin(1, {.client = 1, .reply = "done", .begin = 1, .end = 9});
  const OpIndex aq = h.at(2).ask(t, "seat", Comparator::equal, 24);
  const OpIndex ai = h.at(6).insert(t, 101, {{"id", 101}, {"seat", 24}, {"buyer", 1}});
  h.end();
  const TxnIndex b = h.begin(2, {.client = 2, .reply = "done", .begin = 1, .end = 10});
  const OpIndex bq = h.at(4).ask(t, "seat", Comparator::equal, 24);
  const OpIndex bi = h.at(7).insert(t, 102, {{"id", 102}, {"seat", 24}, {"buyer", 2}});
  h.end();
  Evidence evidence;
  evidence.cycle = {edge(a, b, EdgeKind::predicate_rw, h.row(t, 102), aq, bi),
                    edge(b, a, EdgeKind::predicate_rw, h.row(t, 101), bq, ai)};
  evidence.transactions = {a, b};
  return {h.finish(), one(AnomalyClass::g2, std::move(evidence))};
}

// A query that lost a row to an update, and one that a delete robbed of a row.
Told phantom_by_update() {
  SmallHistory h;
  const auto t = h.table("products", {"stock"});
  h.begin(9, {.client = 0, .begin = 1, .end = 2});
  h.at(1).insert(t, 1, {{"id", 1}, {"stock", 3}});
  h.at(1).insert(t, 2, {{"id", 2}, {"stock", 0}});
  h.end();
  const TxnIndex a = h.begin(1, {.client = 1, .begin = 11, .end = 19});
  const OpIndex aq = h.at(12).ask(t, "stock", Comparator::greater, 0);
  h.seen(t, 1, 1, 9, {{"stock", 3}});
  const OpIndex aw = h.at(16).write(t, 2, 2, {{"stock", 5}}, ChangeKind::add);
  h.end();
  const TxnIndex b = h.begin(2, {.client = 2, .begin = 11, .end = 20});
  const OpIndex bq = h.at(14).ask(t, "stock", Comparator::greater, 0);
  h.seen(t, 1, 1, 9, {{"stock", 3}});
  const OpIndex bw = h.at(17).write(t, 1, 2, {{"stock", 3}}, ChangeKind::subtract);
  h.end();
  Evidence evidence;
  evidence.cycle = {edge(a, b, EdgeKind::predicate_rw, h.row(t, 1), aq, bw),
                    edge(b, a, EdgeKind::predicate_rw, h.row(t, 2), bq, aw)};
  evidence.transactions = {a, b};
  return {h.finish(), one(AnomalyClass::g2, std::move(evidence))};
}

// What a query did not return any more tells that it came after a write.
Told query_saw_a_write() {
  SmallHistory h;
  const auto t = h.table("products", {"stock"});
  const TxnIndex a = h.begin(1, {.client = 1, .begin = 11, .end = 19});
  const OpIndex aw = h.at(12).erase(t, 1, 2);
  const OpIndex aw2 = h.at(13).insert(t, 2, {{"id", 2}, {"stock", 1}});
  h.end();
  const TxnIndex b = h.begin(2, {.client = 2, .begin = 11, .end = 20});
  const OpIndex bq = h.at(14).ask(t, "stock", Comparator::greater, 0);
  const OpIndex br = h.at(15).read(t, 2, kUnborn, 0);
  h.end();
  Evidence evidence;
  evidence.cycle = {edge(a, b, EdgeKind::predicate_wr, h.row(t, 1), aw, bq),
                    edge(b, a, EdgeKind::rw, h.row(t, 2), br, aw2)};
  evidence.transactions = {a, b};
  return {h.finish(), one(AnomalyClass::g_single, std::move(evidence))};
}

Told own_write_unseen() {
  SmallHistory h(Form::lists);
  const TxnIndex a = h.begin(5, {.client = 1});
  const OpIndex append = h.append("255", 8);
  const OpIndex read = h.read_list("255", {1, 2, 3});
  h.end();
  Evidence evidence;
  evidence.operations = {append, read};
  evidence.transactions = {a};
  return {h.finish(), one(AnomalyClass::internal, std::move(evidence))};
}

Told lost_write() {
  SmallHistory h;
  const auto t = h.table("products", {"stock"});
  const TxnIndex a = h.begin(5, {.client = 1, .reply = "done", .begin = 1, .end = 4});
  const OpIndex write = h.at(2).write(t, 1, 3, {{"stock", 4}});
  h.end();
  h.builder().add_final_row(t, Scalar::small_integer(1), 2, 4);
  Evidence evidence;
  evidence.operations = {write};
  evidence.transactions = {a};
  return {h.finish(), one(AnomalyClass::lost_write, std::move(evidence))};
}

Told duplicate_write() {
  SmallHistory h(Form::registers);
  const TxnIndex a = h.begin(3, {});
  const OpIndex wa = h.write_register("x", 3);
  h.end();
  const TxnIndex b = h.begin(8, {.client = 2});
  const OpIndex wb = h.write_register("x", 3);
  h.end();
  Evidence evidence;
  evidence.operations = {wa, wb};
  evidence.transactions = {a, b};
  return {h.finish(), one(AnomalyClass::duplicate_write, std::move(evidence))};
}

Told garbage_read() {
  SmallHistory h(Form::registers);
  const TxnIndex a = h.begin(3, {});
  h.read_register("y", Scalar());
  const OpIndex read = h.read_register("x", Scalar::small_integer(3));
  h.end();
  Evidence evidence;
  evidence.operations = {read};
  evidence.transactions = {a};
  return {h.finish(), one(AnomalyClass::garbage_read, std::move(evidence))};
}

Told incompatible_order() {
  SmallHistory h(Form::lists);
  const TxnIndex a = h.begin(1, {.client = 1});
  const OpIndex ra = h.read_list("255", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  h.end();
  const TxnIndex b = h.begin(2, {.client = 2});
  const OpIndex rb = h.read_list("255", {1, 3, 2});
  h.end();
  Evidence evidence;
  evidence.operations = {ra, rb};
  evidence.transactions = {a, b};
  return {h.finish(), one(AnomalyClass::incompatible_order, std::move(evidence))};
}

Told dirty_update() {
  SmallHistory h;
  const auto t = h.table("products", {"stock"});
  const TxnIndex a =
      h.begin(5, {.client = 1, .outcome = AttemptOutcome::aborted, .begin = 1, .end = 4});
  const OpIndex undone = h.at(2).write(t, 1, 3, {{"stock", 4}});
  h.end();
  const TxnIndex b = h.begin(6, {.client = 2, .begin = 1, .end = 6});
  const OpIndex kept = h.at(5).write(t, 1, 4, {{"stock", 3}});
  h.end();
  Evidence evidence;
  evidence.operations = {undone, kept};
  evidence.transactions = {a, b};
  return {h.finish(), one(AnomalyClass::dirty_update, std::move(evidence))};
}

Told stale_read() {
  SmallHistory h(Form::lists);
  const TxnIndex a = h.begin(1, {.client = 1, .begin = 1, .end = 5});
  const OpIndex append = h.append("255", 8);
  h.end();
  const TxnIndex b = h.begin(2, {.client = 2, .begin = 7, .end = 9});
  const OpIndex read = h.read_list("255", {1, 2, 3});
  h.end();
  Evidence evidence;
  evidence.cycle = {edge(a, b, EdgeKind::realtime, kNone, kNone, kNone),
                    edge(b, a, EdgeKind::rw, h.key("255"), read, append)};
  evidence.transactions = {a, b};
  return {h.finish(), one(AnomalyClass::g_single, std::move(evidence), Needs::realtime)};
}

Told stale_session() {
  SmallHistory h(Form::registers);
  const TxnIndex a = h.begin(1, {.client = 3});
  const OpIndex write = h.write_register("x", 1);
  h.end();
  const TxnIndex b = h.begin(2, {.client = 3});
  const OpIndex read = h.read_register("x", Scalar());
  h.end();
  Evidence evidence;
  evidence.cycle = {edge(a, b, EdgeKind::session, kNone, kNone, kNone),
                    edge(b, a, EdgeKind::rw, h.key("x"), read, write)};
  evidence.transactions = {a, b};
  return {h.finish(), one(AnomalyClass::g_single, std::move(evidence), Needs::session)};
}

// No order of two writes is certain by itself, but the other one is impossible.
Told forced_order() {
  SmallHistory h(Form::registers);
  const TxnIndex a = h.begin(0, {.client = 0});
  const OpIndex ax = h.write_register("x", 1);
  const OpIndex ay = h.write_register("y", 1);
  h.end();
  const TxnIndex b = h.begin(1, {.client = 1});
  const OpIndex bx = h.write_register("x", 2);
  h.write_register("y", 2);
  h.end();
  const TxnIndex c = h.begin(2, {.client = 2});
  const OpIndex cx = h.read_register("x", Scalar::small_integer(2));
  const OpIndex cy = h.read_register("y", Scalar::small_integer(1));
  h.end();
  Evidence evidence;
  evidence.cycle = {edge(a, c, EdgeKind::wr, h.key("y"), ay, cy),
                    edge(c, b, EdgeKind::rw, h.key("y"), cy, bx + 1),
                    edge(b, a, EdgeKind::ww, h.key("x"), bx, ax)};
  evidence.cycle[2].inferred = true;
  evidence.transactions = {a, b, c};
  evidence.remarks = {"the other order of T0 and T1 closes a circle as well: T2 read 2 of x"};
  static_cast<void>(cx);
  return {h.finish(), one(AnomalyClass::g1c, std::move(evidence))};
}

// Names, values and words of a server that would do harm on a terminal, and long ones.
Told hostile() {
  SmallHistory h(Form::lists);
  const std::string name = "k\x1b[2J\n\xff\u202e" + std::string(100, 'k');
  const TxnIndex a =
      h.begin(1, {.client = 1, .outcome = AttemptOutcome::aborted, .reply = "no\x07\nway"});
  const OpIndex append = h.append(name, 8);
  h.end();
  const TxnIndex b = h.begin(2, {.client = 2});
  const OpIndex read = h.read_list(name, {8});
  h.end();
  Evidence evidence;
  evidence.operations = {append, read};
  evidence.transactions = {a, b};
  evidence.remarks = {"a remark\r with a return"};
  return {h.finish(), one(AnomalyClass::g1a, std::move(evidence))};
}

// A set-up of a thousand rows is not told row by row.
Told long_transaction() {
  SmallHistory h;
  const auto t = h.table("products", {"stock"});
  const TxnIndex a = h.begin(1, {.client = 0, .reply = "set up", .begin = 1, .end = 2});
  OpIndex insert = kNone;
  for (int i = 0; i < 1000; ++i) {
    const OpIndex op = h.at(1).insert(t, i, {{"stock", 4}});
    if (i == 700) insert = op;
  }
  h.end();
  const TxnIndex b = h.begin(6, {.client = 2, .begin = 3, .end = 6});
  const OpIndex read = h.at(5).read(t, 700, kUnborn, 0);
  h.end();
  Evidence evidence;
  evidence.cycle = {edge(a, b, EdgeKind::realtime, kNone, kNone, kNone),
                    edge(b, a, EdgeKind::rw, h.row(t, 700), read, insert)};
  evidence.transactions = {a, b};
  return {h.finish(), one(AnomalyClass::g_single, std::move(evidence), Needs::realtime)};
}

constexpr std::array kCases = {
    ToldCase{"internal", own_write_unseen},
    ToldCase{"lost-write", lost_write},
    ToldCase{"duplicate-write", duplicate_write},
    ToldCase{"garbage-read", garbage_read},
    ToldCase{"incompatible-order", incompatible_order},
    ToldCase{"g0-dirty-write", dirty_write},
    ToldCase{"g1a-aborted-read", aborted_read},
    ToldCase{"g1b-intermediate-read", intermediate_read},
    ToldCase{"g1c-circular-flow", circular_flow},
    ToldCase{"g1c-forced-order", forced_order},
    ToldCase{"otv", vanishing},
    ToldCase{"fractured-read", fractured},
    ToldCase{"non-repeatable-read", non_repeatable},
    ToldCase{"pmp", changing_queries},
    ToldCase{"p4-lost-update", lost_update},
    ToldCase{"p4-lost-update-cycle", lost_update_as_a_cycle},
    ToldCase{"g-single-read-skew", read_skew},
    ToldCase{"g-single-query", query_saw_a_write},
    ToldCase{"g-single-session", stale_session},
    ToldCase{"g-single-realtime", stale_read},
    ToldCase{"g-nonadjacent-long-fork", long_fork},
    ToldCase{"g2-item-write-skew", write_skew},
    ToldCase{"g2-phantom", phantom},
    ToldCase{"g2-phantom-by-update", phantom_by_update},
    ToldCase{"dirty-update", dirty_update},
    ToldCase{"hostile-text", hostile},
    ToldCase{"long-transaction", long_transaction},
};

}  // namespace

std::span<const ToldCase> told_cases() { return kCases; }

}  // namespace hilsa::tests
