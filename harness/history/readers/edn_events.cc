// Jepsen's histories in EDN: maps one after the other, or in one vector or list. A map is parsed
// in place; one that breaks off at the window's end is parsed again when more has been read.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "harness/history/readers/edn_tokens.h"
#include "harness/history/readers/elle_history.h"
#include "harness/history/readers/format_reader.h"

namespace hilsa {
namespace {

using Kind = EdnToken::Kind;

// `broke_off`: the text ends within the form. `other`: it is something else than was asked for.
enum class Parsed { whole, broke_off, other };

class EdnEvents {
 public:
  EdnEvents(ScalarPool& scalars, std::string_view text) : scalars_(scalars), tokens_(text) {}

  EdnTokens& tokens() { return tokens_; }
  // A map whose `{` has been used up.
  Parsed event(ElleEvent& event);

 private:
  // The next token that counts: discarded forms and tags are used up.
  EdnToken next();
  Parsed field(const EdnToken& key, ElleEvent& event);
  Parsed transaction(const EdnToken& first, ElleEvent& event);
  Parsed micro_operation(const EdnToken& first, ElleEvent& event);
  Parsed value(ElleEvent& event, MicroOperation& operation);
  Parsed list(char closer, ElleEvent& event, MicroOperation& operation);
  Parsed scalar(const EdnToken& token, Scalar& scalar);
  Parsed scalar(Scalar& scalar);

  ScalarPool& scalars_;
  EdnTokens tokens_;
};

EdnToken EdnEvents::next() {
  for (;;) {
    const EdnToken token = tokens_.next();
    if (token.is(Kind::tag)) continue;
    if (!token.is(Kind::discard)) return token;
    const EdnToken discarded = tokens_.next();
    if (!tokens_.skip_form(discarded)) return {};
  }
}

Parsed EdnEvents::event(ElleEvent& event) {
  event.clear();
  for (;;) {
    const EdnToken key = next();
    if (key.is(Kind::end)) return Parsed::broke_off;
    if (key.closes('}')) return Parsed::whole;
    if (!key.is(Kind::keyword) && !key.is(Kind::string) && !key.is(Kind::atom)) {
      throw Malformed{quoted(key.text()), "a keyword as the key in an event, or '}'", key.begin};
    }
    const Parsed parsed = field(key, event);
    if (parsed != Parsed::whole) return parsed;
  }
}

ElleType type_of(const EdnToken& token) {
  const std::string_view name = token.name();
  if (name == "invoke") return ElleType::invoke;
  if (name == "ok") return ElleType::ok;
  if (name == "fail") return ElleType::fail;
  if (name == "info") return ElleType::info;
  throw Malformed{"the type " + quoted(token.text()), ":invoke, :ok, :fail or :info", token.begin};
}

Parsed EdnEvents::field(const EdnToken& key, ElleEvent& event) {
  const EdnToken token = next();
  if (token.is(Kind::end)) return Parsed::broke_off;
  const std::string_view name = key.name();
  if (name == "value") {
    const char* begin = token.begin;
    event.clear_value();
    const Parsed parsed = transaction(token, event);
    if (parsed != Parsed::other) return parsed;
    event.clear_value();
    tokens_.return_to(begin);
    return tokens_.skip_form(tokens_.next()) ? Parsed::whole : Parsed::broke_off;
  }
  if (name == "type") {
    event.type = type_of(token);
  } else if (name == "process" && !token.is(Kind::nil)) {
    event.process_kind =
        token.is(Kind::integer) ? ElleEvent::Process::client : ElleEvent::Process::other;
    event.process = token.integer;
  } else if (name == "index" && token.is(Kind::integer)) {
    event.index = token.integer;
  }
  return tokens_.skip_form(token) ? Parsed::whole : Parsed::broke_off;
}

Parsed EdnEvents::transaction(const EdnToken& first, ElleEvent& event) {
  if (!first.is(Kind::open) || first.bracket == '}') return Parsed::other;
  for (;;) {
    const EdnToken token = next();
    if (token.is(Kind::end)) return Parsed::broke_off;
    if (token.closes(first.bracket)) break;
    const Parsed parsed = micro_operation(token, event);
    if (parsed != Parsed::whole) return parsed;
  }
  event.is_transaction = true;
  return Parsed::whole;
}

Parsed EdnEvents::micro_operation(const EdnToken& first, ElleEvent& event) {
  if (!first.is(Kind::open) || first.bracket == '}') return Parsed::other;
  const EdnToken function = next();
  if (function.is(Kind::end)) return Parsed::broke_off;
  if (!function.is(Kind::keyword) && !function.is(Kind::string) && !function.is(Kind::atom)) {
    return Parsed::other;
  }
  MicroOperation operation;
  const std::string_view name = function.name();
  if (name == "append") {
    operation.function = ElleFunction::append;
  } else if (name == "w") {
    operation.function = ElleFunction::write;
  } else if (name != "r" && event.unknown_function.empty()) {
    event.unknown_function = name;
  }
  Parsed parsed = scalar(operation.key);
  if (parsed == Parsed::whole) parsed = value(event, operation);
  if (parsed != Parsed::whole) return parsed;
  const EdnToken last = next();
  if (last.is(Kind::end)) return Parsed::broke_off;
  if (!last.closes(first.bracket)) return Parsed::other;
  event.operations.push_back(operation);
  return Parsed::whole;
}

Parsed EdnEvents::value(ElleEvent& event, MicroOperation& operation) {
  const char* begin = tokens_.position();
  const EdnToken token = next();
  const bool is_read = operation.function == ElleFunction::read;
  if (is_read && token.is(Kind::open) && token.bracket != '}') {
    return list(token.bracket, event, operation);
  }
  // `[:r x]`
  if (is_read && token.is(Kind::close)) {
    tokens_.return_to(begin);
    return Parsed::whole;
  }
  return scalar(token, operation.value);
}

Parsed EdnEvents::list(char closer, ElleEvent& event, MicroOperation& operation) {
  const std::size_t first = event.elements.size();
  operation.is_list = true;
  for (;;) {
    std::int64_t number = 0;
    while (tokens_.next_integer(number)) event.elements.push_back(scalars_.integer(number));
    const EdnToken token = next();
    if (token.closes(closer)) break;
    const Parsed parsed = scalar(token, event.elements.emplace_back());
    if (parsed != Parsed::whole) return parsed;
  }
  operation.first_element = static_cast<std::uint32_t>(first);
  operation.elements = static_cast<std::uint32_t>(event.elements.size() - first);
  return Parsed::whole;
}

Parsed EdnEvents::scalar(Scalar& result) {
  std::int64_t number = 0;
  if (!tokens_.next_integer(number)) return scalar(next(), result);
  result = scalars_.integer(number);
  return Parsed::whole;
}

// What is no scalar counts by its text.
Parsed EdnEvents::scalar(const EdnToken& token, Scalar& result) {
  switch (token.kind) {
    case Kind::end:
      return Parsed::broke_off;
    case Kind::close:
      return Parsed::other;
    case Kind::integer:
      result = scalars_.integer(token.integer);
      return Parsed::whole;
    case Kind::nil:
      result = {};
      return Parsed::whole;
    case Kind::open:
      if (!tokens_.skip_form(token)) return Parsed::broke_off;
      result =
          scalars_.text({token.begin, static_cast<std::size_t>(tokens_.position() - token.begin)});
      return Parsed::whole;
    default:
      result = scalars_.text(token.text());
      return Parsed::whole;
  }
}

class EdnReader : public FormatReader {
 public:
  explicit EdnReader(std::optional<Form> form)
      : FormatReader(Form::lists), history_(builder_, form) {}

  void read(TextWindow& text) override;
  History finish() override { return history_.finish(); }

 private:
  // As many whole forms as the window holds; what they take of it.
  std::size_t read_window(std::string_view text);
  void check_end(TextWindow& text);

  ElleHistory history_;
  ElleEvent event_;
  char closer_ = '\0';           // of the vector that all events of this file are in
  bool has_long_forms_ = false;  // an event of more than one line was there
};

void EdnReader::read(TextWindow& text) {
  closer_ = '\0';
  do {
    text.consume(read_window(text.rest()));
  } while (text.more());
  check_end(text);
}

std::size_t EdnReader::read_window(std::string_view text) {
  EdnEvents events(builder_.scalars(), text);
  EdnTokens& tokens = events.tokens();
  for (;;) {
    const EdnToken token = tokens.next();
    const auto used = static_cast<std::size_t>(token.begin - text.data());
    if (token.is(Kind::end)) return used;
    if (token.is(Kind::tag)) continue;
    if (token.is(Kind::discard)) {
      if (!tokens.skip_form(tokens.next())) return used;
    } else if (token.is(Kind::open) && token.text() == "{") {
      if (events.event(event_) != Parsed::whole) return used;
      const std::string_view whole(token.begin,
                                   static_cast<std::size_t>(tokens.position() - token.begin));
      has_long_forms_ = has_long_forms_ || whole.find('\n') != std::string_view::npos;
      try {
        history_.add(event_);
      } catch (Malformed& malformed) {
        malformed.at = token.begin;
        throw;
      }
    } else if (token.is(Kind::open) && token.bracket != '}' && closer_ == '\0') {
      closer_ = token.bracket;
    } else if (closer_ != '\0' && token.closes(closer_)) {
      closer_ = '\0';
    } else {
      throw Malformed{quoted(token.text()), "an event: a map", token.begin};
    }
  }
}

std::string_view without_leading_blanks(std::string_view text) {
  for (;;) {
    text.remove_prefix(std::min(text.size(), text.find_first_not_of(" \t\r\n\f\v,")));
    if (!text.starts_with(';')) return text;
    text.remove_prefix(std::min(text.size(), text.find('\n')));
  }
}

// What is left breaks off: the file was cut short there, unless it is a bracket somewhere in the
// middle that is missing.
void EdnReader::check_end(TextWindow& text) {
  const std::string_view rest = without_leading_blanks(text.rest());
  if (rest.empty() && closer_ == '\0') return;
  const std::size_t newline = rest.find('\n');
  const bool goes_on = newline != std::string_view::npos &&
                       rest.find_first_not_of(" \t\r\n,", newline) != std::string_view::npos;
  if (goes_on && !has_long_forms_) {
    throw Malformed{"an event that is never closed", "its '}' in the same line", rest.data()};
  }
  note_cut_short(text);
}

}  // namespace

std::unique_ptr<FormatReader> edn_reader(std::optional<Form> form) {
  return std::make_unique<EdnReader>(form);
}

}  // namespace hilsa
