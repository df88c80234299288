// The order of ends. A client stamps an attempt's end while it holds its buffer's mutex. The writer
// notes the time before it empties the buffers one by one; whatever a client adds after its buffer
// was emptied ends then or later. So all attempts that ended before then are in hand:
//
//   noted   empties 1   empties 2   empties 3
//     |         |           |           |
//   --+---------+-----------+-----------+--->  what ends at `noted` or later is held back a round
//
// Where a schedule makes time, it may stand still for long, and then several attempts end at one
// moment: the order of those is the order of their ids, whatever round they were taken in.
#include "harness/history/recorder.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <limits>

namespace hilsa {
namespace {

constexpr std::chrono::milliseconds kDrainEvery{50};

bool ends_before(const Attempt& a, const Attempt& b) {
  return a.end_ns != b.end_ns ? a.end_ns < b.end_ns : a.id < b.id;
}

}  // namespace

Recorder::Recorder(HistorySink& sink, int clients, const ClientSchedule* schedule)
    : sink_(sink), schedule_(schedule) {
  for (int client = 0; client <= clients; ++client) buffers_.push_back(std::make_unique<Buffer>());
  thread_ = std::thread([this] { write_in_background(); });
}

Recorder::~Recorder() { finish(); }

void Recorder::record(Attempt&& attempt) {
  Buffer& buffer = *buffers_.at(static_cast<std::size_t>(attempt.client));
  const std::lock_guard lock(buffer.mutex);
  attempt.end_ns = now_ns();
  buffer.attempts.push_back(std::move(attempt));
}

void Recorder::finish() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(stop_mutex_);
    stopping_ = true;
  }
  stop_wanted_.notify_one();
  thread_.join();
  drain(true);
  sink_.flush();
}

void Recorder::write_in_background() {
  std::unique_lock lock(stop_mutex_);
  while (!stop_wanted_.wait_for(lock, kDrainEvery, [this] { return stopping_; })) {
    lock.unlock();
    drain(false);
    sink_.flush();
    lock.lock();
  }
}

void Recorder::drain(bool everything) {
  const ClientSchedule::Observer clients_time(schedule_);
  const Nanoseconds noted = everything ? std::numeric_limits<Nanoseconds>::max() : now_ns();
  std::vector<Attempt> taken;
  for (const auto& buffer : buffers_) {
    taken.clear();
    {
      const std::lock_guard lock(buffer->mutex);
      taken.swap(buffer->attempts);
    }
    std::move(taken.begin(), taken.end(), std::back_inserter(held_back_));
  }
  std::sort(held_back_.begin(), held_back_.end(), ends_before);
  const auto complete =
      std::find_if(held_back_.begin(), held_back_.end(),
                   [noted](const Attempt& attempt) { return attempt.end_ns >= noted; });
  for (auto attempt = held_back_.begin(); attempt != complete; ++attempt) sink_.write(*attempt);
  held_back_.erase(held_back_.begin(), complete);
}

}  // namespace hilsa
