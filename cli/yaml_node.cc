#include "cli/yaml_node.h"

#include <fmt/format.h>

#include <sstream>

#include "checkers/printable.h"
#include "cli/nearest.h"
#include "cli/whole_file.h"
#include "harness/database/usage_error.h"

namespace hilsa {
namespace {

[[noreturn]] void fail_at(const std::string& file, const YAML::Mark& mark,
                          const std::string& what) {
  if (mark.is_null()) throw UsageError(printable(file) + ": " + what);
  throw UsageError(
      fmt::format("{}:{}:{}: {}", printable(file), mark.line + 1, mark.column + 1, what));
}

// In YAML a value that begins with '>' is text in the lines that follow.
bool has_unquoted_limit(const std::string& text, int line) {
  std::istringstream lines(text);
  std::string one;
  for (int i = 0; i <= line && std::getline(lines, one); ++i) {
  }
  return one.find(": >=") != std::string::npos;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

}  // namespace

YamlNode YamlNode::load(const std::string& path) {
  const std::string text = read_file(path);
  try {
    return {std::make_shared<const std::string>(path), YAML::Load(text)};
  } catch (const YAML::Exception& error) {
    fail_at(
        path, error.mark,
        "this is not YAML: " + printable(error.msg) +
            (has_unquoted_limit(text, error.mark.line) ? "; a limit needs quotes: '>= 0.8'" : ""));
  }
}

void YamlNode::fail(const std::string& what) const { fail_at(*file_, mark_, what); }

std::string YamlNode::place() const {
  return fmt::format("{}:{}:{}", printable(*file_), mark_.line + 1, mark_.column + 1);
}

std::vector<YamlNode::Entry> YamlNode::entries(const std::string& what) const {
  if (!node_.IsMap()) fail(what);
  std::vector<Entry> entries;
  for (const auto& pair : node_) {
    const YAML::Node& key = pair.first;
    const YAML::Node& value = pair.second;
    const YamlNode at(file_, key);
    if (!key.IsScalar()) at.fail(what);
    Entry entry{key.Scalar(), at, YamlNode(file_, value)};
    // A value that is left out stands nowhere.
    if (value.IsNull()) entry.value.mark_ = at.mark_;
    for (const Entry& other : entries) {
      if (other.key == entry.key) at.fail(shown(entry.key) + " is there twice");
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

std::vector<YamlNode> YamlNode::items(const std::string& what) const {
  if (node_.IsScalar()) return {*this};
  if (!node_.IsSequence()) fail(what);
  std::vector<YamlNode> items;
  for (const YAML::Node& item : node_) {
    items.push_back(YamlNode(file_, item));
    if (item.IsNull()) items.back().mark_ = mark_;
  }
  return items;
}

std::string YamlNode::text(const std::string& what) const {
  if (!node_.IsScalar()) fail(what);
  return node_.Scalar();
}

void YamlNode::Entry::fail_as_unknown(const std::vector<std::string>& known) const {
  const std::string meant = did_you_mean(key, known);
  at.fail("unknown key " + shown(key) + (meant.empty() ? "; there are " + joined(known) : meant));
}

}  // namespace hilsa
