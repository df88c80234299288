// Jepsen's histories in JSON: maps one after the other, or in one array. Each map is found by its
// brackets, and then is a document of its own for simdjson.
#include <optional>
#include <string>
#include <string_view>

#include "harness/history/readers/elle_history.h"
#include "harness/history/readers/format_reader.h"
#include "harness/history/readers/json_values.h"

namespace hilsa {
namespace {

constexpr std::string_view kBlanks = " \t\r\n,";

std::string_view without_colon(std::string_view name) {
  if (name.starts_with(':')) name.remove_prefix(1);
  return name;
}

ElleType type_of(std::string_view name) {
  name = without_colon(name);
  if (name == "invoke") return ElleType::invoke;
  if (name == "ok") return ElleType::ok;
  if (name == "fail") return ElleType::fail;
  if (name == "info") return ElleType::info;
  throw Malformed{"the type " + quoted(name), "invoke, ok, fail or info"};
}

bool is_array(json::value& value) { return value.type() == json::json_type::array; }

class JsonReader : public FormatReader {
 public:
  explicit JsonReader(std::optional<Form> form)
      : FormatReader(Form::lists), history_(builder_, form) {}

  void read(TextWindow& text) override;
  History finish() override { return history_.finish(); }

 private:
  std::size_t read_window(std::string_view text);
  void check_end(TextWindow& text);
  std::size_t read_event(std::string_view text);
  bool is_event(std::string_view text);
  bool parse_event(std::string_view text);
  void read_field(std::string_view name, json::value value);
  bool read_transaction(json::value value);
  bool read_micro_operation(json::value value);
  void read_value(MicroOperation& operation, json::value value);

  ElleHistory history_;
  ElleEvent event_;
  json::parser parser_;
  bool in_array_ = false;
  bool has_long_events_ = false;  // an event of more than one line was there
};

void JsonReader::read(TextWindow& text) {
  in_array_ = false;
  do {
    text.consume(read_window(text.rest()));
  } while (text.more());
  check_end(text);
}

// As many whole events as the window holds; what they take of it.
std::size_t JsonReader::read_window(std::string_view text) {
  std::size_t used = 0;
  for (;;) {
    used = std::min(text.find_first_not_of(kBlanks, used), text.size());
    if (used == text.size()) return used;
    if (text[used] == '[' && !in_array_) {
      in_array_ = true;
      ++used;
    } else if (text[used] == ']' && in_array_) {
      in_array_ = false;
      ++used;
    } else if (text[used] == '{') {
      const std::size_t size = read_event(text.substr(used));
      if (size == 0) return used;
      used += size;
    } else {
      const std::string_view rest = text.substr(used);
      throw Malformed{quoted(rest.substr(0, rest.find('\n'))), "an event: a map", rest.data()};
    }
  }
}

// As in EDN: what is left breaks off, or misses a bracket in the middle.
void JsonReader::check_end(TextWindow& text) {
  const std::string_view rest = text.rest();
  if (rest.empty() && !in_array_) return;
  const std::size_t newline = rest.find('\n');
  const bool goes_on = newline != std::string_view::npos &&
                       rest.find_first_not_of(kBlanks, newline) != std::string_view::npos;
  if (goes_on && !has_long_events_) {
    throw Malformed{"an event that is never closed", "its '}' in the same line", rest.data()};
  }
  note_cut_short(text);
}

// The event that `text` begins with; how long it is; 0: it breaks off.
std::size_t JsonReader::read_event(std::string_view text) {
  try {
    // Nearly always it is the rest of the line, which is quicker tried than searched for.
    std::string_view event = text.substr(0, text.find('\n'));
    event = event.substr(0, event.find_last_not_of(kBlanks) + 1);
    if (!event.ends_with('}') || !is_event(event)) {
      const std::size_t size = bracketed_size(text);
      if (size == std::string_view::npos) return 0;
      event = text.substr(0, size);
      has_long_events_ = has_long_events_ || event.find('\n') != std::string_view::npos;
      parse_event(event);
    }
    history_.add(event_);
    return event.size();
  } catch (const simdjson::simdjson_error& error) {
    throw malformed_json(error, text.data());
  } catch (Malformed& malformed) {
    malformed.at = text.data();
    throw;
  }
}

// Whether the text is one event from end to end, and then that event is parsed.
bool JsonReader::is_event(std::string_view text) {
  try {
    return parse_event(text);
  } catch (const simdjson::simdjson_error&) {
    return false;
  }
}

// False: something is behind the event. Throws simdjson_error at what is none.
bool JsonReader::parse_event(std::string_view text) {
  event_.clear();
  json::document document = parser_.iterate(padded(text, TextWindow::kPadding));
  for (auto field : document.get_object()) {
    const std::string_view name = field.unescaped_key();
    read_field(name, field.value());
  }
  return document.current_location().error() == simdjson::OUT_OF_BOUNDS;
}

void JsonReader::read_field(std::string_view name, json::value value) {
  if (name == "value") {
    event_.clear_value();
    event_.is_transaction = read_transaction(value);
  } else if (name == "type") {
    event_.type = type_of(value.get_string());
  } else if (name == "process") {
    if (value.get_int64().get(event_.process) == simdjson::SUCCESS) {
      event_.process_kind = ElleEvent::Process::client;
    } else if (value.type() == json::json_type::null) {
      event_.process_kind = ElleEvent::Process::none;
    } else {
      event_.process_kind = ElleEvent::Process::other;
    }
  } else if (name == "index") {
    if (value.get_int64().get(event_.index) != simdjson::SUCCESS) event_.index = -1;
  }
}

bool JsonReader::read_transaction(json::value value) {
  if (!is_array(value)) return false;
  for (auto element : value.get_array()) {
    if (!read_micro_operation(element.value())) return false;
  }
  return true;
}

bool JsonReader::read_micro_operation(json::value value) {
  if (!is_array(value)) return false;
  MicroOperation operation;
  int place = 0;
  for (auto part : value.get_array()) {
    json::value content = part.value();
    if (place == 0) {
      std::string_view name;
      if (content.get_string().get(name) != simdjson::SUCCESS) return false;
      name = without_colon(name);
      if (name == "append") {
        operation.function = ElleFunction::append;
      } else if (name == "w") {
        operation.function = ElleFunction::write;
      } else if (name != "r" && event_.unknown_function.empty()) {
        event_.unknown_function = name;
      }
    } else if (place == 1) {
      operation.key = scalar_of(content, builder_.scalars());
    } else if (place == 2) {
      read_value(operation, content);
    } else {
      return false;
    }
    ++place;
  }
  if (place < 2 || (place == 2 && operation.function != ElleFunction::read)) return false;
  event_.operations.push_back(operation);
  return true;
}

void JsonReader::read_value(MicroOperation& operation, json::value value) {
  if (operation.function != ElleFunction::read || !is_array(value)) {
    operation.value = scalar_of(value, builder_.scalars());
    return;
  }
  operation.is_list = true;
  operation.first_element = static_cast<std::uint32_t>(event_.elements.size());
  for (auto element : value.get_array()) {
    event_.elements.push_back(scalar_of(element.value(), builder_.scalars()));
  }
  operation.elements = static_cast<std::uint32_t>(event_.elements.size()) - operation.first_element;
}

}  // namespace

std::unique_ptr<FormatReader> json_reader(std::optional<Form> form) {
  return std::make_unique<JsonReader>(form);
}

}  // namespace hilsa
