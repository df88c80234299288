#include "reports/html/html_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "reports/html/figures.h"
#include "reports/html/html_table.h"
#include "reports/html/page.h"

namespace hilsa {
namespace {

constexpr std::size_t kEntriesMax = 1000;

// A folder as part of an address: whatever its name is, it stays a folder beside this page.
std::string address_of(const std::string& folder) {
  std::string address = "./";
  for (const char c : folder) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-_.~/").find(c) != std::string_view::npos;
    if (plain) {
      address += c;
    } else {
      address += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return address + "/report.html";
}

// `2026-03-01T12:30:05Z` as `2026-03-01 12:30:05`: readable, and still sorted by letters.
std::string moment(const std::string& iso) {
  std::string text = shortened(iso, 40);
  if (text.size() > 10 && text[10] == 'T') text[10] = ' ';
  if (!text.empty() && text.back() == 'Z') text.pop_back();
  return text;
}

}  // namespace

std::string to_html_index(const std::vector<IndexEntry>& entries) {
  std::vector<const IndexEntry*> newest;
  for (const IndexEntry& entry : entries) newest.push_back(&entry);
  std::stable_sort(newest.begin(), newest.end(), [](const IndexEntry* a, const IndexEntry* b) {
    return a->started_at > b->started_at;
  });
  const std::size_t left_out = newest.size() - std::min(newest.size(), kEntriesMax);
  newest.resize(newest.size() - left_out);
  return make_page("hilsa: runs", [&](HtmlWriter& html) {
    html.element("h1", {{"class", "index"}}, counted(entries.size(), "run", "runs"));
    HtmlTable table("newest first; times are UTC");
    for (const char* const title : {"run", "started", "database", "verdict"}) {
      table.add_column(title);
    }
    for (const IndexEntry* const entry : newest) {
      table.add_row({HtmlTable::Cell([entry](HtmlWriter& out) {
                       out.element("a", {{"href", address_of(entry->folder)}},
                                   entry->title.empty() ? entry->folder : entry->title);
                     }),
                     moment(entry->started_at), entry->product,
                     HtmlTable::Cell([entry](HtmlWriter& out) {
                       out.element("span", {{"class", entry->is_bad ? "words bad" : "words"}},
                                   entry->verdict);
                     })});
    }
    table.write(html);
    if (left_out > 0) {
      html.element("p", {{"class", "more"}}, "and " + counted(left_out, "older run", "older runs"));
    }
  });
}

}  // namespace hilsa
