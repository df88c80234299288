// A node of a YAML file that knows where it stands, so that every mistake in a configuration is one
// line: file, line and column, what is wrong, and the nearest word that would be right.
#pragma once

#include <yaml-cpp/yaml.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace hilsa {

class YamlNode {
 public:
  // Throws UsageError when it cannot be read, or is no YAML. An empty file is no map and no text.
  static YamlNode load(const std::string& path);

  // Throws UsageError: `hilsa.yaml:3:7: what`.
  [[noreturn]] void fail(const std::string& what) const;
  // `hilsa.yaml:3:7`
  std::string place() const;

  bool is_empty() const { return node_.IsNull(); }
  bool is_map() const { return node_.IsMap(); }
  bool is_list() const { return node_.IsSequence(); }

  struct Entry;
  // Of a map: its entries in the order of the file, each key once. `what` says in an error what
  // this should have been: `a suite is a map, like …`.
  std::vector<Entry> entries(const std::string& what) const;
  // Of a list. A single text counts as a list of one.
  std::vector<YamlNode> items(const std::string& what) const;
  // Text as it stands there, numbers as well.
  std::string text(const std::string& what) const;

 private:
  YamlNode(std::shared_ptr<const std::string> file, const YAML::Node& node)
      : file_(std::move(file)), node_(node), mark_(node.Mark()) {}

  std::shared_ptr<const std::string> file_;
  YAML::Node node_;
  YAML::Mark mark_;
};

struct YamlNode::Entry {
  std::string key;
  YamlNode at;  // the key, for errors about it
  YamlNode value;

  // `unknown key 'x'; did you mean 'y'?`
  [[noreturn]] void fail_as_unknown(const std::vector<std::string>& known) const;
};

}  // namespace hilsa
