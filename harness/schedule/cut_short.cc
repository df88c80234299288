#include "harness/schedule/cut_short.h"

#include <string>

#include "harness/database/usage_error.h"

namespace hilsa {
namespace {

constexpr const char* kLockAdvice =
    "; does somebody else hold a lock that it needs? (--statement-timeout is how long it may take)";

// `the UPDATE of client 2`: without the values, which are nobody's business in a message.
std::string name_of(const TakenStep& step, Product product) {
  const Rendering& rendering = step.call.statement->rendering(product);
  // A simulated database has no SQL.
  const std::string text = rendering.empty() ? std::string("statement") : rendering.back().text;
  return "the " + text.substr(0, text.find_first_of(" ;\n")) + " of client " +
         std::to_string(step.client);
}

// How it was cut short; empty: it was not.
std::string cut(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::connection_lost:
      return "lost its connection";
    case ErrorKind::commit_unknown:
      return "lost its connection and may have been done or not";
    case ErrorKind::statement_timeout:
      return "did not return in time";
    default:
      return "";
  }
}

}  // namespace

void throw_if_cut_short(const std::vector<TakenStep>& steps, Product product) {
  for (const TakenStep& step : steps) {
    if (!step.answer || *step.answer) continue;
    const Error& error = step.answer->error();
    const std::string how = cut(error.kind);
    if (how.empty()) continue;
    throw DatabaseUnusable("in mid-schedule " + name_of(step, product) + " " + how + ": " +
                           to_text(error) +
                           (error.kind == ErrorKind::statement_timeout ? kLockAdvice : ""));
  }
}

void throw_if_locked_out(const std::vector<TakenStep>& steps, Product product) {
  for (const TakenStep& step : steps) {
    if (!step.waited || !step.answer || *step.answer) continue;
    const Error& error = step.answer->error();
    if (error.kind != ErrorKind::lock_timeout && error.kind != ErrorKind::busy) continue;
    throw DatabaseUnusable("nobody got done: " + name_of(step, product) +
                           " waited for a lock until its time was up: " + to_text(error) +
                           kLockAdvice);
  }
}

}  // namespace hilsa
