#include "harness/servers/server_log.h"

#include <algorithm>

namespace hilsa {
namespace {

// PostgreSQL's, then MySQL's and MariaDB's.
constexpr std::string_view kErrorLabels[] = {"FATAL:", "PANIC:", "error:", "[ERROR]"};
std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const auto begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return "";
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

// `[MY-000067] [Server] unknown variable 'a=1'.` without the brackets and the full stop.
std::string_view bare(std::string_view message) {
  message = trimmed(message);
  while (message.starts_with('[') && message.find(']') != std::string_view::npos) {
    message = trimmed(message.substr(message.find(']') + 1));
  }
  if (message.ends_with('.')) message.remove_suffix(1);
  return message;
}

std::string_view complaint_in(std::string_view line) {
  for (const auto label : kErrorLabels) {
    const auto at = line.find(label);
    if (at == std::string_view::npos) continue;
    return bare(line.substr(at + label.size()));
  }
  return "";
}

}  // namespace

std::string first_complaint(std::string_view log) {
  std::string_view last_line;
  while (!log.empty()) {
    const auto size = std::min(log.find('\n'), log.size());
    const auto line = log.substr(0, size);
    log.remove_prefix(std::min(size + 1, log.size()));
    if (const auto complaint = complaint_in(line); !complaint.empty())
      return std::string(complaint);
    if (const auto text = bare(line); !text.empty()) last_line = text;
  }
  return std::string(last_line);
}

}  // namespace hilsa
