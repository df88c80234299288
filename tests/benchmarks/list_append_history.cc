// Clients take turns at random: one that is idle invokes a transaction, one that is busy completes
// its own. All of a transaction happens at its completion, so the order of completions is the
// serial order.
#include "tests/benchmarks/list_append_history.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "harness/history/rng.h"

namespace hilsa {
namespace {

struct Append {
  std::int64_t element = 0;
  std::int64_t transaction = 0;  // by the order of completions
};

struct Key {
  std::vector<Append> list;
  int appends_planned = 0;
  int in_use = 0;  // by transactions that were invoked and not completed
};

struct PlannedOperation {
  bool is_read = false;
  std::int64_t key = 0;
  std::int64_t element = 0;
};

struct Client {
  bool is_busy = false;
  std::vector<PlannedOperation> operations;
};

class ListAppendWriter {
 public:
  ListAppendWriter(const ListAppendOptions& options, std::FILE* file)
      : options_(options), file_(file), rng_(options.seed) {}

  bool write() {
    clients_.resize(static_cast<std::size_t>(options_.clients));
    for (int i = 0; i < options_.active_keys; ++i) active_.push_back(next_key_++);
    while (completed_ < options_.transactions) {
      const std::size_t number = rng_.below(clients_.size());
      if (clients_[number].is_busy) {
        complete(number);
      } else if (invoked_ < options_.transactions) {
        invoke(number);
      }
      if (line_.size() > kFlushAt) flush();
    }
    flush();
    return is_good_ && std::fflush(file_) == 0;
  }

 private:
  static constexpr std::size_t kFlushAt = std::size_t{1} << 20;

  void flush() {
    is_good_ = std::fwrite(line_.data(), 1, line_.size(), file_) == line_.size() && is_good_;
    line_.clear();
  }

  void put(std::int64_t number) {
    std::array<char, 24> digits;
    line_.append(digits.data(),
                 std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr);
  }
  bool is_edn() const { return options_.format == ListAppendOptions::Format::edn; }

  void begin_event(std::string_view type, std::size_t client) {
    if (is_edn()) {
      line_ += "{:type :";
      line_ += type;
      line_ += ", :f :txn, :value [";
    } else {
      line_ += R"({"type":")";
      line_ += type;
      line_ += R"(","f":"txn","value":[)";
    }
    client_ = client;
  }
  void end_event() {
    line_ += is_edn() ? "], :process " : R"(],"process":)";
    put(static_cast<std::int64_t>(client_));
    line_ += is_edn() ? ", :time " : R"(,"time":)";
    put(events_ * 15'731);
    line_ += is_edn() ? ", :index " : R"(,"index":)";
    put(events_++);
    line_ += "}\n";
  }
  void begin_operation(std::size_t place, bool is_read, std::int64_t key) {
    if (place > 0) line_ += is_edn() ? ' ' : ',';
    if (is_edn()) {
      line_ += is_read ? "[:r " : "[:append ";
    } else {
      line_ += is_read ? R"(["r",)" : R"(["append",)";
    }
    put(key);
    line_ += is_edn() ? ' ' : ',';
  }

  void invoke(std::size_t number) {
    Client& client = clients_[number];
    client.is_busy = true;
    client.operations.clear();
    begin_event("invoke", number);
    for (int i = 0; i < options_.operations; ++i) {
      const std::size_t place = rng_.below(active_.size());
      PlannedOperation operation{.is_read = rng_.below(2) == 0, .key = active_[place]};
      Key& key = keys_[operation.key];
      ++key.in_use;
      if (!operation.is_read) {
        operation.element = ++key.appends_planned;
        if (key.appends_planned == options_.appends_of_a_key) active_[place] = next_key_++;
      }
      begin_operation(static_cast<std::size_t>(i), operation.is_read, operation.key);
      if (operation.is_read) {
        line_ += is_edn() ? "nil" : "null";
      } else {
        put(operation.element);
      }
      line_ += ']';
      client.operations.push_back(operation);
    }
    end_event();
    ++invoked_;
  }

  void complete(std::size_t number) {
    Client& client = clients_[number];
    client.is_busy = false;
    const bool is_stale = completed_ >= options_.stale_from &&
                          completed_ < options_.stale_from + options_.stale_transactions &&
                          rng_.below(2) == 0;
    begin_event("ok", number);
    for (std::size_t i = 0; i < client.operations.size(); ++i) {
      const PlannedOperation& operation = client.operations[i];
      Key& key = keys_[operation.key];
      begin_operation(i, operation.is_read, operation.key);
      if (operation.is_read) {
        put_list(key, is_stale && !appends_to(client, operation.key));
      } else {
        key.list.push_back({operation.element, completed_});
        put(operation.element);
      }
      line_ += ']';
    }
    end_event();
    for (const PlannedOperation& operation : client.operations) release(operation.key);
    ++completed_;
  }

  static bool appends_to(const Client& client, std::int64_t key) {
    return std::any_of(client.operations.begin(), client.operations.end(),
                       [key](const PlannedOperation& operation) {
                         return !operation.is_read && operation.key == key;
                       });
  }

  void put_list(const Key& key, bool is_stale) {
    std::size_t size = key.list.size();
    while (is_stale && size > 0 &&
           key.list[size - 1].transaction + options_.stale_by > completed_) {
      --size;
    }
    line_ += '[';
    for (std::size_t i = 0; i < size; ++i) {
      if (i > 0) line_ += is_edn() ? ' ' : ',';
      put(key.list[i].element);
    }
    line_ += ']';
  }

  void release(std::int64_t number) {
    const auto key = keys_.find(number);
    if (--key->second.in_use > 0) return;
    if (key->second.appends_planned < options_.appends_of_a_key) return;
    keys_.erase(key);
  }

  const ListAppendOptions& options_;
  std::FILE* file_;
  Rng rng_;
  std::string line_;
  std::size_t client_ = 0;
  bool is_good_ = true;
  std::vector<Client> clients_;
  std::vector<std::int64_t> active_;  // keys
  std::unordered_map<std::int64_t, Key> keys_;
  std::int64_t next_key_ = 1;
  std::int64_t events_ = 0;
  std::int64_t invoked_ = 0;
  std::int64_t completed_ = 0;
};

}  // namespace

bool write_list_append_history(const ListAppendOptions& options, std::FILE* file) {
  return ListAppendWriter(options, file).write();
}

}  // namespace hilsa
