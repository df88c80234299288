#include "reports/baseline.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "checkers/printable.h"

namespace hilsa {
namespace {

using Json = nlohmann::json;  // keys in alphabetical order

constexpr int kFormat = 1;
constexpr const char* kFormatKey = "hilsa_baseline";
constexpr std::size_t kRoundsMax = 10'000;

// Five digits are more than a round is worth.
double rounded(double figure) {
  if (figure <= 0) return figure;
  const double unit = std::pow(10.0, std::floor(std::log10(figure)) - 4);
  return std::round(figure / unit) * unit;
}

std::string number_text(double figure) {
  char text[32];
  std::snprintf(text, sizeof text, "%.5g", rounded(figure));
  return text;
}

std::string quoted(const std::string& text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Objects on lines of their own, figures in one line.
class Writer {
 public:
  void open(const std::string& key) {
    begin_entry(key);
    text_ += "{";
    ++depth_;
    first_ = true;
  }
  void close() {
    --depth_;
    if (!first_) break_line();
    text_ += "}";
    first_ = false;
  }
  void entry(const std::string& key, const std::string& value) {
    begin_entry(key);
    text_ += value;
  }
  std::string take() { return std::move(text_) + "\n"; }

 private:
  void begin_entry(const std::string& key) {
    if (key.empty()) return;  // the outermost
    if (!first_) text_ += ",";
    break_line();
    text_ += quoted(key) + ": ";
    first_ = false;
  }
  void break_line() { text_ += "\n" + std::string(2 * depth_, ' '); }

  std::string text_;
  std::size_t depth_ = 0;
  bool first_ = true;
};

std::string list_of(const std::vector<double>& figures) {
  std::string text = "[";
  for (const double figure : figures) {
    if (text.size() > 1) text += ", ";
    text += number_text(figure);
  }
  return text + "]";
}

void write(Writer& writer, const BaselineEntry& entry) {
  if (entry.cpus > 0) writer.entry("cpus", std::to_string(entry.cpus));
  writer.open("measured_with");
  for (const auto& [name, value] : entry.measured_with) writer.entry(name, quoted(value));
  writer.close();
  writer.open("rows");
  for (const auto& [row, ratios] : entry.rows) {
    writer.open(row);
    for (const auto& [figure, figures] : ratios) {
      writer.entry(std::string(name_of(figure)), list_of(figures));
    }
    writer.close();
  }
  writer.close();
}

// A place in the file, for messages: `suites / checkout / postgres`.
struct At {
  const Json& json;
  std::string path;

  [[noreturn]] void fail(const std::string& what) const {
    throw BaselineUnreadable((path.empty() ? "" : printable(path) + ": ") + what);
  }
  At in(const std::string& key) const {
    const auto found = json.find(key);
    if (found == json.end()) fail("'" + key + "' is missing");
    return {*found, path.empty() ? key : path + " / " + key};
  }
  // Every key and what is there.
  template <typename Each>
  void for_each(Each each) const {
    if (!json.is_object()) fail("this should be an object");
    for (const auto& [key, value] : json.items()) {
      each(key, At{value, path.empty() ? key : path + " / " + key});
    }
  }
};

std::vector<double> figures_at(const At& at) {
  if (!at.json.is_array() || at.json.empty() || at.json.size() > kRoundsMax) {
    at.fail("this should be a list of figures");
  }
  std::vector<double> figures;
  for (const Json& figure : at.json) {
    if (!figure.is_number() || !std::isfinite(figure.get<double>()) || figure.get<double>() <= 0) {
      at.fail("every figure should be a number above 0");
    }
    figures.push_back(figure.get<double>());
  }
  return figures;
}

Ratios ratios_at(const At& row) {
  Ratios ratios;
  row.for_each([&](const std::string& name, const At& at) {
    const auto figure = figure_named(name);
    if (!figure) at.fail("there is no such figure");
    ratios[*figure] = figures_at(at);
  });
  return ratios;
}

BaselineEntry entry_at(const At& at) {
  if (!at.json.is_object()) at.fail("this should be an object");
  BaselineEntry entry;
  at.for_each([&](const std::string& key, const At& value) {
    if (key == "measured_with" || key == "rows") return;
    if (key != "cpus") value.fail("there is no such key");
    if (!value.json.is_number_unsigned() || value.json.get<std::uint64_t>() > 1'000'000) {
      value.fail("this should be a number");
    }
    entry.cpus = value.json.get<int>();
  });
  at.in("measured_with").for_each([&](const std::string& name, const At& value) {
    if (!value.json.is_string()) value.fail("this should be text");
    entry.measured_with[name] = value.json.get<std::string>();
  });
  at.in("rows").for_each(
      [&](const std::string& row, const At& value) { entry.rows[row] = ratios_at(value); });
  return entry;
}

// A key that occurs twice, as after a merge gone wrong: which one counts, nobody could tell.
Json parse(std::string_view text) {
  std::vector<std::vector<std::string>> keys;
  const auto watch = [&](int, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event != Json::parse_event_t::key) return true;
    const auto key = parsed.get<std::string>();
    if (std::find(keys.back().begin(), keys.back().end(), key) != keys.back().end()) {
      throw BaselineUnreadable("'" + printable(key) + "' is there twice");
    }
    keys.back().push_back(key);
    return true;
  };
  try {
    return Json::parse(text, watch);
  } catch (const Json::exception& error) {
    throw BaselineUnreadable("it is not JSON: " + printable(error.what()));
  }
}

}  // namespace

std::string difference(const std::map<std::string, std::string>& was,
                       const std::map<std::string, std::string>& is) {
  std::string text;
  const auto add = [&](const std::string& name, const std::string& before, const std::string& now) {
    if (!text.empty()) text += ", ";
    text += printable(name) + " was " + printable(before) + " and is " + printable(now);
  };
  for (const auto& [name, value] : was) {
    const auto found = is.find(name);
    const std::string now = found == is.end() ? "not there" : found->second;
    if (now != value) add(name, value, now);
  }
  for (const auto& [name, value] : is) {
    if (!was.contains(name)) add(name, "not there", value);
  }
  return text;
}

const BaselineEntry* Baseline::find(const std::string& suite, const std::string& database) const {
  const auto databases = suites.find(suite);
  if (databases == suites.end()) return nullptr;
  const auto entry = databases->second.find(database);
  return entry == databases->second.end() ? nullptr : &entry->second;
}

std::string to_baseline_json(const Baseline& baseline) {
  Writer writer;
  writer.open("");
  writer.entry(kFormatKey, std::to_string(kFormat));
  writer.open("suites");
  for (const auto& [suite, databases] : baseline.suites) {
    writer.open(suite);
    for (const auto& [database, entry] : databases) {
      writer.open(database);
      write(writer, entry);
      writer.close();
    }
    writer.close();
  }
  writer.close();
  writer.close();
  return writer.take();
}

Baseline from_baseline_json(std::string_view text) {
  const Json json = parse(text);
  const At top{json, ""};
  if (!json.is_object() || !json.contains(kFormatKey)) top.fail("it is no baseline of hilsa's");
  if (json[kFormatKey] != kFormat) {
    top.fail("its format is " + printable(json[kFormatKey].dump()) + ", this hilsa reads " +
             std::to_string(kFormat));
  }
  Baseline baseline;
  top.for_each([&](const std::string& key, const At& at) {
    if (key != kFormatKey && key != "suites") at.fail("there is no such key");
  });
  top.in("suites").for_each([&](const std::string& suite, const At& databases) {
    databases.for_each([&](const std::string& database, const At& entry) {
      baseline.suites[suite][database] = entry_at(entry);
    });
  });
  return baseline;
}

}  // namespace hilsa
