#include "harness/history/readers/read_history.h"

#include <algorithm>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include "harness/history/readers/byte_source.h"
#include "harness/history/readers/format_reader.h"
#include "harness/history/readers/text_window.h"

namespace hilsa {
namespace {

enum class Format { recorded, edn, json, register_text };

std::string_view name_of(Format format) {
  switch (format) {
    case Format::recorded:
      return "a history of hilsa's own";
    case Format::edn:
      return "EDN";
    case Format::json:
      return "JSON";
    case Format::register_text:
      break;
  }
  return "operations as text";
}

constexpr std::string_view kBlanks = " \t\r\n\f\v,";

std::string_view without_blanks(std::string_view text) {
  text.remove_prefix(std::min(text.size(), text.find_first_not_of(kBlanks)));
  return text;
}

// By what the file begins with.
Format recognised(TextWindow& text) {
  text.more();
  if (text.rest().starts_with("\xef\xbb\xbf")) text.consume(3);
  const std::string_view start = without_blanks(text.rest());
  if (start.empty()) throw Malformed{"an empty file", "a history"};
  const char first = start.front();
  if (first == '{' || first == '[') {
    std::string_view behind = without_blanks(start.substr(1));
    if (first == '[' && behind.starts_with('{')) behind = without_blanks(behind.substr(1));
    if (!behind.starts_with('"')) return Format::edn;
    const std::string_view first_line = start.substr(0, start.find('\n'));
    return first == '{' && first_line.find("\"hilsa\"") != std::string_view::npos ? Format::recorded
                                                                                  : Format::json;
  }
  if (first == '#' || first == ';' || first == '(') return Format::edn;
  if ((first == 'r' || first == 'w') && without_blanks(start.substr(1)).starts_with('(')) {
    return Format::register_text;
  }
  throw Malformed{quoted(start.substr(0, start.find('\n'))),
                  "history.jsonl, EDN, JSON, or lines like r(key,value,session,txn)"};
}

std::unique_ptr<FormatReader> reader_of(Format format, std::optional<Form> form) {
  switch (format) {
    case Format::recorded:
      return recorded_reader();
    case Format::edn:
      return edn_reader(form);
    case Format::json:
      return json_reader(form);
    case Format::register_text:
      break;
  }
  return register_text_reader();
}

class Reading {
 public:
  explicit Reading(const ReadOptions& options) : options_(options) {}

  void read(const std::string& name, std::unique_ptr<ByteSource> source) {
    TextWindow text(name, std::move(source), [this](std::size_t bytes) {
      bytes_ += bytes;
      if (options_.progress) options_.progress(bytes_);
    });
    try {
      read(text);
    } catch (const Malformed& malformed) {
      throw text.unreadable(malformed);
    }
    ++files_;
  }

  History finish() {
    try {
      History history = reader_->finish();
      if (files_ > 1) drop_times(history);
      return history;
    } catch (const Malformed& malformed) {
      throw HistoryUnreadable(first_name_ + ": found " + malformed.found + "; expected " +
                              malformed.expected);
    }
  }

 private:
  void read(TextWindow& text) {
    const Format format = recognised(text);
    if (!reader_) {
      first_name_ = text.name();
      format_ = format;
      check_form(format);
      reader_ = reader_of(format, options_.form);
    } else if (format != format_) {
      throw Malformed{std::string(name_of(format)),
                      std::string(name_of(format_)) + ", as in " + first_name_};
    }
    reader_->read(text);
    if (text.broke_off()) reader_->note_broken_off(text);
  }

  void check_form(Format format) const {
    if (!options_.form) return;
    const bool fits = format == Format::edn || format == Format::json ||
                      (format == Format::register_text && *options_.form == Form::registers);
    if (fits) return;
    throw Malformed{std::string(name_of(format)),
                    std::string(hilsa::name_of(*options_.form)) + ", as was asked for"};
  }

  // Clocks of different files do not compare.
  static void drop_times(History& history) {
    history.txn_begin.clear();
    history.txn_end.clear();
    history.op_begin.clear();
    history.op_end.clear();
  }

  const ReadOptions& options_;
  std::unique_ptr<FormatReader> reader_;
  Format format_ = Format::recorded;
  std::string first_name_;
  std::uint64_t bytes_ = 0;
  int files_ = 0;
};

}  // namespace

History read_histories(std::span<const std::filesystem::path> files, const ReadOptions& options) {
  Reading reading(options);
  for (const std::filesystem::path& file : files) {
    const std::string name = file == "-" ? "standard input" : file.string();
    try {
      reading.read(name, open_source(file));
    } catch (const std::system_error& error) {
      throw HistoryUnreadable(name + ": cannot be read: " + error.code().message());
    }
  }
  return reading.finish();
}

History read_history_text(std::string_view name, std::string_view text,
                          const ReadOptions& options) {
  Reading reading(options);
  reading.read(std::string(name), source_of_text(text));
  return reading.finish();
}

}  // namespace hilsa
