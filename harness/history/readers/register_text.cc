// The text form that research checkers share: a line an operation, `r(key,value,session,txn)` or
// `w(key,value,session,txn)`. A session's operations are in program order; those in a row that
// have one txn number are one transaction, also with other sessions' lines in between. A read of 0
// saw the initial value; txn -1 marks a write that was aborted.
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "harness/history/readers/format_reader.h"

namespace hilsa {
namespace {

constexpr std::int64_t kAborted = -1;
constexpr std::string_view kWanted = "r(key,value,session,txn) or w(key,value,session,txn)";

struct RegisterLine {
  bool is_write = false;
  std::int64_t key = 0;
  std::int64_t value = 0;
  std::int64_t session = 0;
  std::int64_t txn = 0;
};

// Reads one line from the left.
class LineParser {
 public:
  explicit LineParser(std::string_view line) : line_(line) {}

  RegisterLine parse() {
    RegisterLine parsed;
    skip_blanks();
    if (!line_.empty() && (line_.front() == 'r' || line_.front() == 'w')) {
      parsed.is_write = line_.front() == 'w';
      line_.remove_prefix(1);
    } else {
      fail();
    }
    expect('(');
    parsed.key = number(',');
    parsed.value = number(',');
    parsed.session = number(',');
    parsed.txn = number(')');
    skip_blanks();
    if (!line_.empty()) fail();
    return parsed;
  }

 private:
  void skip_blanks() {
    line_.remove_prefix(std::min(line_.size(), line_.find_first_not_of(" \t\r")));
  }
  [[noreturn]] void fail() const {
    throw Malformed{line_.empty() ? "the end of the line" : quoted(line_), std::string(kWanted)};
  }
  void expect(char c) {
    skip_blanks();
    if (line_.empty() || line_.front() != c) fail();
    line_.remove_prefix(1);
  }
  std::int64_t number(char behind) {
    skip_blanks();
    std::int64_t number = 0;
    const auto parsed = std::from_chars(line_.data(), line_.data() + line_.size(), number);
    if (parsed.ec != std::errc()) fail();
    line_.remove_prefix(static_cast<std::size_t>(parsed.ptr - line_.data()));
    expect(behind);
    return number;
  }

  std::string_view line_;
};

class RegisterTextReader : public FormatReader {
 public:
  RegisterTextReader() : FormatReader(Form::registers) {}

  void read(TextWindow& text) override;
  History finish() override;

 private:
  struct Session {
    std::int32_t client = 0;
    std::int64_t txn = kAborted;  // the one at hand; kAborted: none
    AttemptId id = 0;
    std::vector<RegisterLine> lines;
  };
  void add(const RegisterLine& line, AttemptId id);
  void emit(Session& session);
  void emit(AttemptId id, std::int32_t client, AttemptOutcome outcome,
            std::span<const RegisterLine> lines);

  std::unordered_map<std::int64_t, std::size_t> session_numbers_;  // of this file
  std::vector<Session> sessions_;                                  // of this file
  std::vector<std::int64_t> names_;                                // by client - 1, of all files
  std::int64_t lines_before_ = 0;                                  // in the files before
  std::size_t files_ = 0;
};

void RegisterTextReader::read(TextWindow& text) {
  ++files_;
  std::int64_t line_number = 0;
  bool is_whole = true;
  while (const auto line = text.next_line()) {
    line_number = text.line();
    if (line->text.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    // Only a line without an end can be cut, and then it has lost its last character.
    if (!line->has_end && line->text.find(')') == std::string_view::npos) {
      is_whole = false;
      break;
    }
    add(LineParser(line->text).parse(), lines_before_ + line_number);
  }
  for (Session& session : sessions_) emit(session);
  sessions_.clear();
  session_numbers_.clear();
  lines_before_ += line_number;
  if (!is_whole) note_cut_short(text);
}

void RegisterTextReader::add(const RegisterLine& line, AttemptId id) {
  const auto [at, is_new] = session_numbers_.try_emplace(line.session, sessions_.size());
  if (is_new) {
    names_.push_back(line.session);
    sessions_.emplace_back().client = static_cast<std::int32_t>(names_.size());
  }
  Session& session = sessions_[at->second];
  if (line.txn == kAborted) {
    emit(id, session.client, AttemptOutcome::aborted, std::span(&line, 1));
    return;
  }
  if (line.txn != session.txn || session.lines.empty()) {
    emit(session);
    session.txn = line.txn;
    session.id = id;
  }
  session.lines.push_back(line);
}

void RegisterTextReader::emit(Session& session) {
  if (session.lines.empty()) return;
  emit(session.id, session.client, AttemptOutcome::committed, session.lines);
  session.lines.clear();
}

void RegisterTextReader::emit(AttemptId id, std::int32_t client, AttemptOutcome outcome,
                              std::span<const RegisterLine> lines) {
  builder_.begin_txn({.id = id, .client = client, .flags = {outcome, true}});
  ScalarPool& scalars = builder_.scalars();
  for (const RegisterLine& line : lines) {
    const ObjectIndex object = builder_.object(0, scalars.integer(line.key));
    if (line.is_write) {
      builder_.add_write_register(object, scalars.integer(line.value));
    } else {
      builder_.add_read_register(object, line.value == 0 ? Scalar() : scalars.integer(line.value));
    }
  }
  builder_.end_txn();
}

// Clients are called by their sessions where those can be: in one file, and all above 0.
History RegisterTextReader::finish() {
  if (builder_.transactions() == 0) throw Malformed{"no transaction", "at least one"};
  History history = builder_.finish();
  const bool can_be_called = std::all_of(names_.begin(), names_.end(), [](std::int64_t name) {
    return name > 0 && name <= std::numeric_limits<std::int32_t>::max();
  });
  if (files_ > 1 || !can_be_called) return history;
  for (std::int32_t& client : history.txn_client) {
    client = static_cast<std::int32_t>(names_[static_cast<std::size_t>(client - 1)]);
  }
  return history;
}

}  // namespace

std::unique_ptr<FormatReader> register_text_reader() {
  return std::make_unique<RegisterTextReader>();
}

}  // namespace hilsa
