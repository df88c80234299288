// What all pages have in common: head, style sheet, foot. A page is one file, and its security
// policy forbids it to load anything.
#pragma once

#include <functional>
#include <string>

#include "reports/html/html_writer.h"
#include "reports/html/verdict_line.h"

namespace hilsa {

// `body` writes what goes into <main>.
std::string make_page(const std::string& title, const std::function<void(HtmlWriter&)>& body);

// The page's first lines: what it is about, and the verdict as its heading.
void write_headline(HtmlWriter& html, const std::string& about, const VerdictLine& verdict);

// A word on a ground of its tone; `quiet`: only framed.
void write_badge(HtmlWriter& html, Tone tone, bool quiet, std::string_view word);

}  // namespace hilsa
