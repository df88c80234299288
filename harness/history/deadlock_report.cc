#include "harness/history/deadlock_report.h"

#include <algorithm>
#include <charconv>
#include <cstddef>

namespace hilsa {
namespace {

// Reads a text word by word.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  // Moves behind the words, wherever they are; false: they are nowhere, and nothing moves.
  bool skip_behind(std::string_view words) {
    const std::size_t at = rest_.find(words);
    if (at == std::string_view::npos) return false;
    rest_.remove_prefix(at + words.size());
    return true;
  }
  // The words must come next.
  bool skip(std::string_view words) {
    if (!rest_.starts_with(words)) return false;
    rest_.remove_prefix(words.size());
    return true;
  }
  // What comes before the words, which must be there; moves behind them.
  std::optional<std::string_view> until(std::string_view words) {
    const std::size_t at = rest_.find(words);
    if (at == std::string_view::npos) return std::nullopt;
    const std::string_view before = rest_.substr(0, at);
    rest_.remove_prefix(at + words.size());
    return before;
  }
  std::optional<std::int64_t> number() {
    std::int64_t value = 0;
    const char* const end = rest_.data() + rest_.size();
    const auto parsed = std::from_chars(rest_.data(), end, value);
    if (parsed.ec != std::errc() || value <= 0) return std::nullopt;
    rest_.remove_prefix(static_cast<std::size_t>(parsed.ptr - rest_.data()));
    return value;
  }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

// `17 waits for ShareLock on transaction 42; blocked by process 18.`
std::optional<DeadlockReport::Wait> postgres_wait(Scanner& text) {
  DeadlockReport::Wait wait;
  const auto session = text.number();
  if (!session || !text.skip(" waits for ")) return std::nullopt;
  const auto lock = text.until("; blocked by process ");
  const auto blocked_by = text.number();
  if (!lock || !blocked_by) return std::nullopt;
  wait.session = *session;
  wait.lock = *lock;
  wait.blocked_by = *blocked_by;
  return wait;
}

std::string one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool is_blank = static_cast<unsigned char>(c) <= ' ';
    if (is_blank && (line.empty() || line.back() == ' ')) continue;
    line += is_blank ? ' ' : c;
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

// A dump of a row's contents, or figures that explain nothing.
bool is_left_out(std::string_view line) {
  if (line.starts_with("Record lock, ") || line.starts_with("mysql tables in use")) return true;
  if (line.starts_with("LOCK WAIT ")) return true;
  Scanner field(line);  // ` 0: len 8; hex 80…01; asc         ;;`
  while (field.skip(" ")) {
  }
  const std::size_t digits = field.rest().find_first_not_of("0123456789");
  return digits != 0 && digits != std::string_view::npos &&
         field.rest().substr(digits).starts_with(":") && line.starts_with(" ");
}

// InnoDB's account, line by line.
class InnodbAccount {
 public:
  void add(std::string_view line);
  std::optional<DeadlockReport> finish();

 private:
  enum class Part { other, transaction, statement, waiting };
  void add_heading(std::string_view line);
  DeadlockReport::Wait& at(std::int64_t number);

  DeadlockReport report_;
  Part part_ = Part::other;
  std::size_t current_ = 0;
};

// Transactions are numbered from 1; of more than a few, none is a deadlock of ours.
DeadlockReport::Wait& InnodbAccount::at(std::int64_t number) {
  constexpr std::int64_t kMost = 100;
  current_ = static_cast<std::size_t>(std::min(number, kMost) - 1);
  if (current_ >= report_.waits.size()) report_.waits.resize(current_ + 1);
  return report_.waits[current_];
}

void InnodbAccount::add_heading(std::string_view line) {
  Scanner heading(line);
  part_ = Part::other;
  if (heading.skip("*** WE ROLL BACK TRANSACTION (")) {
    if (const auto number = heading.number()) at(*number).is_victim = true;
    return;
  }
  heading.skip("*** ");
  if (heading.skip("(")) {
    if (const auto number = heading.number()) at(*number);
    heading.skip(") ");
  }
  if (heading.rest().starts_with("TRANSACTION")) part_ = Part::transaction;
  if (heading.rest().starts_with("WAITING FOR THIS LOCK")) part_ = Part::waiting;
}

void InnodbAccount::add(std::string_view line) {
  if (!is_left_out(line)) report_.words += std::string(line) + " ";
  if (line.starts_with("***")) return add_heading(line);
  if (current_ >= report_.waits.size()) return;
  DeadlockReport::Wait& wait = report_.waits[current_];
  Scanner text(line);
  if (part_ == Part::transaction &&
      (text.skip("MySQL thread id ") || text.skip("MariaDB thread id "))) {
    wait.session = text.number().value_or(0);
    part_ = Part::statement;
  } else if (part_ == Part::statement) {
    wait.statement = one_line(wait.statement + " " + std::string(line));
  } else if (part_ == Part::waiting && wait.lock.empty() &&
             (line.starts_with("RECORD LOCKS") || line.starts_with("TABLE LOCK"))) {
    wait.lock = one_line(line);
  }
}

std::optional<DeadlockReport> InnodbAccount::finish() {
  for (const DeadlockReport::Wait& wait : report_.waits) {
    if (wait.session == 0) return std::nullopt;
  }
  if (report_.waits.size() < 2) return std::nullopt;
  // Of more than two it does not say who is whose.
  if (report_.waits.size() == 2) {
    report_.waits[0].blocked_by = report_.waits[1].session;
    report_.waits[1].blocked_by = report_.waits[0].session;
  }
  report_.words = one_line(report_.words);
  return std::move(report_);
}

// Takes a line, its end included, off the text.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace

std::optional<DeadlockReport> deadlock_in_error(std::string_view server_text) {
  DeadlockReport report;
  Scanner text(server_text);
  while (text.skip_behind("Process ")) {
    const auto wait = postgres_wait(text);
    if (wait) report.waits.push_back(*wait);
  }
  if (report.waits.empty()) return std::nullopt;
  report.words = one_line(server_text);
  return report;
}

std::string_view innodb_deadlock_section(std::string_view status) {
  constexpr std::string_view kTitle = "LATEST DETECTED DEADLOCK\n";
  const std::size_t title = status.find(kTitle);
  if (title == std::string_view::npos) return "";
  std::string_view section = status.substr(title + kTitle.size());
  take_line(section);  // of dashes
  return section.substr(0, section.find("\n---"));
}

std::optional<DeadlockReport> innodb_deadlock(std::string_view section) {
  InnodbAccount account;
  while (!section.empty()) account.add(take_line(section));
  return account.finish();
}

}  // namespace hilsa
