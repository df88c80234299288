#include "reports/html/html_writer.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "checkers/printable.h"

namespace hilsa {
namespace {

// A character of UTF-8 has at most so many bytes.
constexpr std::size_t kBytesMax = 4;

void append_escaped(std::string& html, std::string_view printable_text) {
  for (const char c : printable_text) {
    switch (c) {
      case '&':
        html += "&amp;";
        break;
      case '<':
        html += "&lt;";
        break;
      case '>':
        html += "&gt;";
        break;
      case '"':
        html += "&quot;";
        break;
      case '\'':
        html += "&#39;";
        break;
      default:
        html += c;
    }
  }
}

std::string_view first_characters(std::string_view text, std::size_t characters) {
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    const bool begins = (static_cast<unsigned char>(text[at]) & 0xC0) != 0x80;
    if (begins && characters-- == 0) break;
  }
  return text.substr(0, at);
}

void append_lines(std::string& html, std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    append_escaped(html, printable(line));
    if (end == std::string_view::npos) break;
    html += '\n';
    text.remove_prefix(end + 1);
  }
}

}  // namespace

std::string escaped_html(std::string_view text) {
  std::string html;
  append_escaped(html, printable(text));
  return html;
}

std::string shortened(std::string_view text, std::size_t characters_max) {
  if (text.size() <= characters_max) return std::string(text);
  std::string_view kept = first_characters(text, characters_max);
  // Bytes that continue nothing count for no character above.
  kept = kept.substr(0, characters_max * kBytesMax);
  const std::size_t more = width_of(text.substr(kept.size()));
  if (more == 0) return std::string(text.substr(0, characters_max * kBytesMax));
  return std::string(kept) + "… (" + std::to_string(more) + " more characters)";
}

void HtmlWriter::begin(Literal name, const HtmlAttributes& attributes) {
  html_ += '<';
  html_ += name.text();
  for (const HtmlAttribute& attribute : attributes) {
    html_ += ' ';
    html_ += attribute.name.text();
    html_ += "=\"";
    append_escaped(html_, printable(shortened(attribute.value, kTextMax)));
    html_ += '"';
  }
}

void HtmlWriter::close(Literal name) {
  html_ += "</";
  html_ += name.text();
  html_ += '>';
}

HtmlWriter::Element HtmlWriter::open(Literal name, const HtmlAttributes& attributes) {
  begin(name, attributes);
  html_ += '>';
  return {*this, name};
}

void HtmlWriter::element(Literal name, const HtmlAttributes& attributes, std::string_view text) {
  const Element element = open(name, attributes);
  this->text(text);
}

void HtmlWriter::empty(Literal name, const HtmlAttributes& attributes) {
  begin(name, attributes);
  html_ += " />";
}

void HtmlWriter::text(std::string_view text, std::size_t characters_max) {
  append_escaped(html_, printable(shortened(text, characters_max)));
}

void HtmlWriter::lines(std::string_view text, std::size_t characters_max) {
  append_lines(html_, shortened(text, characters_max));
}

void HtmlWriter::script(std::string_view program) {
  for (const std::string_view end : {"</script", "<!--", "]]>"}) {
    if (program.find(end) != std::string_view::npos) {
      throw std::logic_error("a script that ends too early: " + std::string(end));
    }
  }
  html_ += "<script>//<![CDATA[\n";
  html_ += program;
  html_ += "\n//]]></script>\n";
}

void HtmlWriter::style(Literal rules) {
  if (rules.text().find_first_of("<&") != std::string_view::npos) {
    throw std::logic_error("a style sheet with markup in it");
  }
  html_ += "<style>";
  html_ += rules.text();
  html_ += "</style>\n";
}

void HtmlWriter::json(Literal id, std::string_view json) {
  html_ += "<script type=\"application/json\" id=\"";
  html_ += id.text();
  html_ += "\">";
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kEscapes = {{
      {"<", "\\u003c"},
      {">", "\\u003e"},
      {"&", "\\u0026"},
      {"\xE2\x80\xA8", "\\u2028"},
      {"\xE2\x80\xA9", "\\u2029"},
  }};
  while (!json.empty()) {
    const auto* const escape = std::find_if(
        kEscapes.begin(), kEscapes.end(),
        [&](const auto& pair) { return json.substr(0, pair.first.size()) == pair.first; });
    const bool plain = escape == kEscapes.end();
    html_ += plain ? json.substr(0, 1) : escape->second;
    json.remove_prefix(plain ? 1 : escape->first.size());
  }
  html_ += "</script>\n";
}

}  // namespace hilsa
