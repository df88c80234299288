// Histories of a few operations, written down as tests tell them.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "harness/history/history_builder.h"

namespace hilsa::tests {

// Stamped rows with one to a few columns beside the key `id`. Each operation takes a moment of its
// own, 1 ms after the one before, and returns its index.
class SmallHistory {
 public:
  using Cells = std::initializer_list<std::pair<const char*, std::int64_t>>;

  explicit SmallHistory(Form form = Form::stamped) : builder_(form) {
    if (form != Form::stamped) builder_.table("", "", {});
  }

  std::uint32_t table(const std::string& name, const std::vector<std::string>& columns) {
    std::vector<std::string> all = {"id"};
    all.insert(all.end(), columns.begin(), columns.end());
    return builder_.table(name, "id", all);
  }

  // A whole transaction: what it did, in the order in which it did it, is told by `operations`,
  // which refer to times of the whole history by at().
  struct Settings {
    std::int32_t client = 1;
    AttemptOutcome outcome = AttemptOutcome::committed;
    bool one_transaction = true;
    std::string reply = {};
    int begin = 0;  // in ms; 0: no times
    int end = 0;
  };
  TxnIndex begin(AttemptId id, const Settings& settings) {
    return builder_.begin_txn({.id = id,
                               .client = settings.client,
                               .flags = {settings.outcome, settings.one_transaction},
                               .begin = settings.begin * kMs,
                               .end = settings.end * kMs,
                               .reply = settings.reply});
  }
  void end() { builder_.end_txn(); }

  // When the next operation's statement is sent, in ms, and its SQL.
  SmallHistory& at(int ms, const std::string& sql = "") {
    stamp_ = {.begin = ms * kMs, .end = ms * kMs + kMs / 4};
    if (!sql.empty()) stamp_.statement = builder_.statement(sql);
    return *this;
  }
  OpIndex read(std::uint32_t table, std::int64_t key, Version version, AttemptId writer,
               Cells cells = {}) {
    return add(Op::read, table, key, version, writer, cells);
  }
  OpIndex seen(std::uint32_t table, std::int64_t key, Version version, AttemptId writer,
               Cells cells = {}) {
    return add(Op::seen_row, table, key, version, writer, cells);
  }
  OpIndex write(std::uint32_t table, std::int64_t key, Version version, Cells cells,
                ChangeKind change = ChangeKind::set) {
    return add(Op::write, table, key, version, 0, cells, change);
  }
  OpIndex insert(std::uint32_t table, std::int64_t key, Cells cells) {
    return add(Op::insert, table, key, 1, 0, cells);
  }
  OpIndex erase(std::uint32_t table, std::int64_t key, Version version) {
    return add(Op::erase, table, key, version, 0, {});
  }
  OpIndex ask(std::uint32_t table, const char* column, Comparator comparator, std::int64_t value) {
    const std::int64_t number = builder_.predicate(
        {table, {{builder_.column(table, column), comparator, Scalar::small_integer(value)}}});
    builder_.add(Op::predicate_read, table, number, stamp_);
    return ops_++;
  }

  ObjectIndex key(const std::string& name) {
    return builder_.object(0, builder_.scalars().text(name));
  }
  ObjectIndex row(std::uint32_t table, std::int64_t key) {
    return builder_.object(table, Scalar::small_integer(key));
  }
  OpIndex append(const std::string& name, std::int64_t element) {
    builder_.add_append(key(name), Scalar::small_integer(element));
    return ops_++;
  }
  OpIndex read_list(const std::string& name, const std::vector<std::int64_t>& elements) {
    std::vector<Scalar> scalars;
    for (const std::int64_t element : elements) scalars.push_back(Scalar::small_integer(element));
    builder_.add_read_list(key(name), scalars, true);
    return ops_++;
  }
  OpIndex write_register(const std::string& name, std::int64_t value) {
    builder_.add_write_register(key(name), Scalar::small_integer(value));
    return ops_++;
  }
  OpIndex read_register(const std::string& name, Scalar value) {
    builder_.add_read_register(key(name), value);
    return ops_++;
  }

  HistoryBuilder& builder() { return builder_; }
  History finish() { return builder_.finish(); }

 private:
  static constexpr Nanoseconds kMs = 1'000'000;

  OpIndex add(Op op, std::uint32_t table, std::int64_t key, Version version, AttemptId writer,
              Cells cells, ChangeKind change = ChangeKind::set) {
    for (const auto& [column, value] : cells) {
      builder_.add_cell(builder_.column(table, column), change, Scalar::small_integer(value));
    }
    HistoryBuilder::Stamp stamp = stamp_;
    stamp.writer = writer;
    builder_.add(op, row(table, key), version, stamp);
    return ops_++;
  }

  HistoryBuilder builder_;
  HistoryBuilder::Stamp stamp_;
  OpIndex ops_ = 0;
};

}  // namespace hilsa::tests
