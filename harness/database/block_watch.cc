#include "harness/database/block_watch.h"

#include <array>
#include <utility>

namespace hilsa {

QueryBlockWatch::QueryBlockWatch(std::unique_ptr<Session> session, std::string_view query,
                                 std::string how)
    : session_(std::move(session)), query_(raw_sql(query)), how_(std::move(how)) {}

Expected<bool> QueryBlockWatch::is_blocked(std::int64_t session) {
  const std::array<Value, 1> parameters = {session};
  const auto answer = session_->execute(query_, parameters);
  if (!answer) return tl::unexpected(answer.error());
  const auto* const number = std::get_if<std::int64_t>(&answer->rows.at(0).at(0));
  return number != nullptr && *number > 0;
}

void TimedBlockWatch::begins(std::int64_t session) {
  const std::lock_guard lock(mutex_);
  begun_ns_[session] = monotonic_ns();
}

Expected<bool> TimedBlockWatch::is_blocked(std::int64_t session) {
  const std::lock_guard lock(mutex_);
  return monotonic_ns() - begun_ns_[session] > limit_.count();
}

std::string TimedBlockWatch::how() const {
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(limit_).count();
  return "guessed: a statement that takes longer than " + std::to_string(ms) + " ms";
}

}  // namespace hilsa
