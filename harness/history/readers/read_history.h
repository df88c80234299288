// Files in, a History out: our own `history.jsonl` (docs/history-format.md), histories of Jepsen
// and Elle (EDN and JSON; list-append and rw-register), and the text form that research checkers
// share. What a file is shows in its first bytes. Files are read in blocks, zstd ones through the
// decompressor, so memory is what the History needs. O(bytes).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>

#include "harness/history/history.h"

namespace hilsa {

// One line: `FILE:LINE: what was found; expected what`, or without a line when the file as a whole
// is meant (it is not there, it is empty). Lines count from 1.
class HistoryUnreadable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct ReadOptions {
  // lists or registers, for files that hold nothing but reads of nothing; a file that is
  // recognised as something else is then an error.
  std::optional<Form> form;
  // Called now and then with the number of bytes read so far, of all files (decompressed).
  std::function<void(std::uint64_t)> progress;
};

// All files together are one history, in the order given. They must be of one format; `-` is
// standard input. With more than one file there are no times, as clocks of several files do not
// compare. Clients of different files are different clients, but for EDN and JSON, whose files are
// pieces of one history: an operation may begin in one and complete in the next. A file that
// breaks off is read up to its last whole line, and the History says so.
//
// What transactions are called: in our own format, by their attempt; in EDN and JSON, by the
// `:index` of their invocation if all have one, each its own and above 0, else by the place of the
// invocation among the events, from 1, which is its line where each event has one; in the text
// form, by their first line. Further files count on from where the one before ended.
//
// Throws HistoryUnreadable. Threads may read different files at once.
History read_histories(std::span<const std::filesystem::path> files,
                       const ReadOptions& options = {});

// The same of a text in memory, which the messages call `name`.
History read_history_text(std::string_view name, std::string_view text,
                          const ReadOptions& options = {});

}  // namespace hilsa
