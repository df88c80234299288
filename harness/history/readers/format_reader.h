// One format's reader: takes file after file into one history.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "harness/history/history_builder.h"
#include "harness/history/readers/text_window.h"

namespace hilsa {

class FormatReader {
 public:
  explicit FormatReader(Form form) : builder_(form) {}
  virtual ~FormatReader() = default;
  FormatReader(const FormatReader&) = delete;
  FormatReader& operator=(const FormatReader&) = delete;

  // Uses the window up. Throws Malformed.
  virtual void read(TextWindow& text) = 0;
  // After the last file. Throws HistoryUnreadable when they do not add up to a history.
  virtual History finish() { return builder_.finish(); }

  // The compressed data broke off. Does nothing if the text did as well.
  void note_broken_off(const TextWindow& text) {
    if (noted_ != text.name()) note_cut_short(text);
  }

 protected:
  // The file ended too early, after what has been consumed of it.
  void note_cut_short(const TextWindow& text) {
    noted_ = text.name();
    builder_.note_cut_short();
    builder_.notes().push_back(text.name() + " breaks off in line " + std::to_string(text.line()) +
                               ": what came after is not known");
  }

  HistoryBuilder builder_;

 private:
  std::string noted_;  // the file whose end was noted as missing
};

std::unique_ptr<FormatReader> recorded_reader();                      // our own format
std::unique_ptr<FormatReader> edn_reader(std::optional<Form> form);   // Elle's EDN
std::unique_ptr<FormatReader> json_reader(std::optional<Form> form);  // Elle's JSON
std::unique_ptr<FormatReader> register_text_reader();                 // the research text form

}  // namespace hilsa
