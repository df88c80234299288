// Jepsen's events to transactions. An operation is invoked, and completes as `ok`, `fail` or
// `info`; events of one process belong together, and where no process is named, an invocation
// belongs to the next completion with the same micro-operations. O(events).
//
//   process 1  invoke ----------------- ok           begin 1, end 4
//   process 2         invoke -- fail                 begin 2, end 3, aborted
//   process 3                           invoke - info   begin 5, never ended: unknown
//   position     1      2       3     4    5      6
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "harness/history/history_builder.h"
#include "harness/history/scalar.h"

namespace hilsa {

enum class ElleFunction : std::uint8_t { read, append, write };

// [function key value]. Of the value: a scalar, or a list, which is a run of the event's elements.
struct MicroOperation {
  Scalar key;
  Scalar value;
  std::uint32_t first_element = 0;
  std::uint32_t elements = 0;
  ElleFunction function = ElleFunction::read;
  bool is_list = false;
};

enum class ElleType : std::uint8_t { none, invoke, ok, fail, info };

// One event, as a format's reader fills it in; used again for the next one.
struct ElleEvent {
  ElleType type = ElleType::none;
  enum class Process : std::uint8_t { none, client, other };  // other: a nemesis
  Process process_kind = Process::none;
  std::int64_t process = 0;
  std::int64_t index = -1;  // below 0: the event has none
  // The value is a vector of [function key value], whatever the functions are.
  bool is_transaction = false;
  std::string_view unknown_function;  // the first one that is no function of ours; empty: none
  std::vector<MicroOperation> operations;
  std::vector<Scalar> elements;

  void clear() {
    type = ElleType::none;
    process_kind = Process::none;
    index = -1;
    clear_value();
  }
  void clear_value() {
    is_transaction = false;
    unknown_function = {};
    operations.clear();
    elements.clear();
  }
};

class ElleHistory {
 public:
  // `form`: lists or registers, if that is known beforehand.
  ElleHistory(HistoryBuilder& builder, std::optional<Form> form);

  // The next event in the file. Throws Malformed.
  void add(const ElleEvent& event);
  // After the last event. The history's notes and transaction ids are put right. Throws Malformed
  // when there is no transaction or its form cannot be known.
  History finish();

 private:
  // A transaction on its way; of an invocation, reads have no values.
  struct Invoked {
    std::int64_t position = 0;  // 0: the invocation is not in the file
    std::int64_t place = 0;     // of the invocation, or else of the completion
    std::int64_t index = -1;
    std::int32_t client = 0;
    bool is_transaction = true;
    std::vector<MicroOperation> operations;
  };
  struct Process {
    std::int32_t client = 0;  // 0: the next operation starts a new client
    bool is_open = false;
    Invoked invoked;
  };
  struct Undecided {
    Invoked invoked;
    AttemptOutcome outcome = AttemptOutcome::committed;
    std::int64_t end = 0;
  };

  void settle_form(const ElleEvent& event);
  void settle_form(Form form);
  void add_of_process(const ElleEvent& event);
  void add_of_nobody(const ElleEvent& event);
  void fill(Invoked& invoked, const ElleEvent& event) const;
  void complete(Invoked& invoked, const ElleEvent& event);
  void emit(const Invoked& invoked, const std::vector<MicroOperation>& operations,
            const std::vector<Scalar>& elements, AttemptOutcome outcome, std::int64_t end);
  void emit_never_ended();
  void note(std::int64_t count, std::string_view one, std::string_view many);
  void complete_uninvoked(Invoked& invoked, const ElleEvent& event);
  void name_transactions(History& history) const;

  HistoryBuilder& builder_;
  std::optional<Form> form_;
  std::int64_t position_ = 0;  // of the event at hand, from 1
  std::int32_t clients_ = 0;
  std::unordered_map<std::int64_t, Process> processes_;
  // Invocations without a process, by what they are about; the first one is taken first.
  std::unordered_map<std::uint64_t, std::deque<Invoked>> open_of_nobody_;
  std::vector<Undecided> undecided_;  // transactions that say nothing about the form
  std::vector<Invoked> never_ended_;
  std::int64_t no_transactions_ = 0;  // operations of clients that are something else
  std::unordered_map<TxnIndex, std::int64_t> places_;  // of completions without an invocation
};

}  // namespace hilsa
