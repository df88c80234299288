#include "harness/history/client_schedule.h"

namespace hilsa {
namespace {

thread_local ClientSchedule* turns_of_this_thread = nullptr;
thread_local const ClientSchedule* time_of_this_thread = nullptr;

}  // namespace

Nanoseconds now_ns() {
  return time_of_this_thread != nullptr ? time_of_this_thread->now_ns() : monotonic_ns();
}

ClientSchedule* ClientSchedule::of_this_thread() { return turns_of_this_thread; }

ClientSchedule::Member::Member(ClientSchedule* schedule, int client) : schedule_(schedule) {
  if (schedule_ == nullptr) return;
  turns_of_this_thread = schedule_;
  time_of_this_thread = schedule_;
  schedule_->enter(client);
}

ClientSchedule::Member::~Member() {
  if (schedule_ == nullptr) return;
  schedule_->leave();
  turns_of_this_thread = nullptr;
  time_of_this_thread = nullptr;
}

ClientSchedule::Observer::Observer(const ClientSchedule* schedule) : before_(time_of_this_thread) {
  if (schedule != nullptr) time_of_this_thread = schedule;
}

ClientSchedule::Observer::~Observer() { time_of_this_thread = before_; }

}  // namespace hilsa
