// EDN cut into tokens, tolerantly: commas are blanks, `;` starts a comment, and what is no bracket,
// number, string or keyword is some other atom. A token that touches the end of the text is not
// given out, since it may go on behind it. O(bytes), without allocation.
#pragma once

#include <cstdint>
#include <string_view>

namespace hilsa {

struct EdnToken {
  enum class Kind : std::uint8_t {
    end,      // the text ends here, perhaps in the middle of a token
    open,     // { [ ( or #{
    close,    // } ] )
    integer,  // of 64 bits; `+1` and `1N` too
    string,
    keyword,
    nil,
    atom,    // any other: a symbol, a float, a character …
    tag,     // `#inst`: says something about the form behind it
    discard  // `#_`: the form behind it does not count
  };
  Kind kind = Kind::end;
  char bracket = '\0';  // of open: the one that closes it; of close: itself
  const char* begin = nullptr;
  const char* end = nullptr;
  std::int64_t integer = 0;

  std::string_view text() const { return {begin, static_cast<std::size_t>(end - begin)}; }
  bool is(Kind other) const { return kind == other; }
  bool closes(char other) const { return kind == Kind::close && bracket == other; }
  // The name of a keyword (`:ok`), string (`"ok"`) or symbol (`ok`).
  std::string_view name() const;
};

class EdnTokens {
 public:
  explicit EdnTokens(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  EdnToken next();
  // The same as next() for what most tokens are, faster: a whole number of at most 18 digits behind
  // at most one blank, and in front of a blank or a bracket. False: nothing is used up.
  bool next_integer(std::int64_t& number);
  // What is not used up; at the end of the text, the beginning of the token that breaks off.
  const char* position() const { return at_; }
  void return_to(const char* position) { at_ = position; }
  // Uses up the rest of the form that began with `first`; false: it breaks off. Throws Malformed
  // when brackets do not match or are nested too deep.
  bool skip_form(EdnToken first);

 private:
  bool skip_blanks();
  EdnToken number(const char* begin);
  EdnToken atom(const char* begin);
  EdnToken string(const char* begin);
  EdnToken character(const char* begin);
  EdnToken dispatch(const char* begin);
  EdnToken token(EdnToken::Kind kind, const char* begin, const char* end);
  EdnToken broken_off(const char* begin);

  const char* at_;
  const char* end_;
};

}  // namespace hilsa
