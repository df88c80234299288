// Writes HTML that is well-formed by construction (it parses as XML as well), and in which whatever
// comes from outside is text: names of elements and attributes, and raw markup, can only be what is
// written in this program, and everything else is escaped on its way in. Control characters are
// made visible (checkers/printable.h), and texts have an end.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace hilsa {

// Text that is written in this program: what came from outside cannot become one.
class Literal {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): a string literal is one
  consteval Literal(const char* text) : text_(text) {}
  constexpr std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

struct HtmlAttribute {
  Literal name;
  std::string value;
};
using HtmlAttributes = std::vector<HtmlAttribute>;

// For text and for attributes in double quotes; the text is made printable first.
std::string escaped_html(std::string_view text);

// At most so many characters, and how many more there are: `SELECT … (312 more characters)`. The
// text may be broken UTF-8.
std::string shortened(std::string_view text, std::size_t characters_max);

class HtmlWriter {
 public:
  // What one piece of text may take; longer ones are shortened.
  static constexpr std::size_t kTextMax = 4000;

  // The element that open() began: ends with it. They end in the reverse order of their beginnings,
  // before the writer is taken from.
  class [[nodiscard]] Element {
   public:
    Element(HtmlWriter& writer, Literal name) : writer_(writer), name_(name) {}
    ~Element() { writer_.close(name_); }
    Element(const Element&) = delete;
    Element& operator=(const Element&) = delete;

   private:
    HtmlWriter& writer_;
    Literal name_;
  };

  Element open(Literal name, const HtmlAttributes& attributes = {});
  // With text in it.
  void element(Literal name, const HtmlAttributes& attributes, std::string_view text);
  void element(Literal name, std::string_view text) { element(name, {}, text); }
  // One that never has anything in it: `meta`, `path`.
  void empty(Literal name, const HtmlAttributes& attributes);
  void text(std::string_view text, std::size_t characters_max = kTextMax);
  // Keeps the ends of lines: for <pre>.
  void lines(std::string_view text, std::size_t characters_max = kTextMax);
  void raw(Literal markup) { html_ += markup.text(); }
  // A script or style sheet; neither holds what would end it, as XML or as HTML: a
  // std::logic_error. `program` must be ours, or a library's that this program was built with.
  void script(std::string_view program);
  void style(Literal rules);
  // For scripts to read; never run.
  void json(Literal id, std::string_view json);

  std::size_t size() const { return html_.size(); }
  std::string take() { return std::move(html_); }

 private:
  void begin(Literal name, const HtmlAttributes& attributes);
  void close(Literal name);

  std::string html_;
};

}  // namespace hilsa
