// Takes finished attempts from many clients and hands them to a sink in the order of their ends,
// without a lock that two clients share: every client has a buffer of its own, and one writer
// thread empties them several times a second.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "harness/history/attempt.h"
#include "harness/history/client_schedule.h"
#include "harness/history/history_sink.h"

namespace hilsa {

class Recorder {
 public:
  // `clients`: the highest client number that will record (0 is the tool itself). The sink must
  // outlive the recorder, and nobody else may use it until finish() has returned. `schedule`: what
  // the clients' time is, if not the machine's.
  Recorder(HistorySink& sink, int clients, const ClientSchedule* schedule = nullptr);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // Stamps attempt.end_ns and keeps the attempt. One thread per client number at a time; threads of
  // different clients never wait for each other.
  void record(Attempt&& attempt);

  // Writes all that is left and stops the writer thread. No record() may run or follow.
  void finish();

 private:
  struct alignas(64) Buffer {
    std::mutex mutex;  // shared by one client and the writer thread only
    std::vector<Attempt> attempts;
  };

  void write_in_background();
  void drain(bool everything);

  HistorySink& sink_;
  const ClientSchedule* schedule_;
  std::vector<std::unique_ptr<Buffer>> buffers_;
  std::vector<Attempt> held_back_;  // drained, but an earlier end may still arrive
  std::mutex stop_mutex_;
  std::condition_variable stop_wanted_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace hilsa
