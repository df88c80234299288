// Where finished attempts go: a file, or a history in memory, or both.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "harness/history/attempt.h"

namespace hilsa {

// One thread at a time. A sink that fails (a full disk) says so by failed() and goes on taking what
// it gets.
class HistorySink {
 public:
  HistorySink() = default;
  virtual ~HistorySink() = default;
  HistorySink(const HistorySink&) = delete;
  HistorySink& operator=(const HistorySink&) = delete;

  // In the order of their ends.
  virtual void write(const Attempt& attempt) = 0;
  // The rows of one table as they are now that everything has ended. May be called several times
  // for one table.
  virtual void write_final(int table, std::span<const SeenRow> rows) = 0;
  // The last call. `interrupted`: the run was cut short by its user.
  virtual void write_end(bool interrupted) = 0;
  // A pause: what is buffered may be handed on.
  virtual void flush() {}
  virtual bool failed() const { return false; }
};

// Hands everything on to several sinks.
class SplitSink : public HistorySink {
 public:
  void add(std::unique_ptr<HistorySink> sink) { sinks_.push_back(std::move(sink)); }

  void write(const Attempt& attempt) override {
    for (const auto& sink : sinks_) sink->write(attempt);
  }
  void write_final(int table, std::span<const SeenRow> rows) override {
    for (const auto& sink : sinks_) sink->write_final(table, rows);
  }
  void write_end(bool interrupted) override {
    for (const auto& sink : sinks_) sink->write_end(interrupted);
  }
  void flush() override {
    for (const auto& sink : sinks_) sink->flush();
  }
  bool failed() const override {
    for (const auto& sink : sinks_) {
      if (sink->failed()) return true;
    }
    return false;
  }

 private:
  std::vector<std::unique_ptr<HistorySink>> sinks_;
};

}  // namespace hilsa
