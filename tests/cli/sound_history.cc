#include "tests/cli/sound_history.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

namespace hilsa::tests {
namespace {

using nlohmann::json;
using RowId = std::pair<std::int64_t, std::int64_t>;  // table, key

// One operation, with the places of its array named.
struct Op {
  explicit Op(const json& recorded)
      : code(recorded[0]), statement(recorded[1]), table(recorded[4]), array(&recorded) {
    if (code == "p") return;
    key = recorded[5];
    version = recorded[6];
    if (code == "r") writer = recorded[7];
    values = &recorded.back();
  }
  bool writes() const { return code == "w" || code == "i" || code == "d"; }
  RowId row() const { return {table, key}; }

  std::string code;
  std::int64_t statement;
  std::int64_t table;
  std::int64_t key = 0;
  std::int64_t version = 0;
  std::int64_t writer = 0;
  const json* values = nullptr;
  const json* array;
};

// What a version is: who wrote it and what the row's columns were then.
struct Made {
  std::int64_t writer = 0;
  std::string code;
  const json* changes = nullptr;
  json values;
};

json changed(json values, const json& changes) {
  for (const auto& [column, change] : changes.items()) {
    if (!change.is_array()) {
      values[column] = change;
    } else if (change[0] == "..") {
      const std::string before = values[column];
      values[column] = before + (before.empty() ? "" : ",") + change[1].get<std::string>();
    } else {
      const std::int64_t by = change[1];
      values[column] = values[column].get<std::int64_t>() + (change[0] == "+" ? by : -by);
    }
  }
  return values;
}

bool holds(const json& left, const std::string& symbol, const json& right) {
  if (symbol == "=") return left == right;
  if (symbol == "<>") return left != right;
  if (symbol == "<") return left < right;
  if (symbol == "<=") return left <= right;
  if (symbol == ">") return left > right;
  return left >= right;
}

class Examiner {
 public:
  explicit Examiner(const std::filesystem::path& file) {
    std::ifstream lines(file);
    for (std::string line; std::getline(lines, line);) take(json::parse(line));
    if (end_.is_null()) complain("there is no end line");
  }

  Soundness examine() {
    collect_versions();
    replay_versions();
    for (const auto& [id, attempt] : attempts_) examine_attempt(attempt);
    examine_final_state();
    return std::move(result_);
  }

 private:
  void take(json line) {
    if (line.contains("hilsa")) {
      header_ = std::move(line);
    } else if (line.contains("attempt")) {
      const std::int64_t id = line["attempt"];
      if (!attempts_.emplace(id, std::move(line)).second) complain("two attempts have one id");
    } else if (line.contains("final")) {
      const std::int64_t table = line["final"];
      for (const json& row : line["rows"]) final_[{table, row[0]}] = row;
    } else if (line.contains("end")) {
      end_ = std::move(line["end"]);
    }
  }

  void complain(const std::string& what) { result_.contradictions.push_back(what); }
  std::string name(const RowId& row) const {
    const json& tables = header_.at("tables");
    return tables[static_cast<std::size_t>(row.first)]["name"].get<std::string>() + "/" +
           std::to_string(row.second);
  }
  static bool survives(const json& attempt) { return attempt["outcome"] != "aborted"; }

  void collect_versions() {
    std::int64_t operations = 0;
    std::map<RowId, std::int64_t> trial_of;
    for (const auto& [id, attempt] : attempts_) {
      ++(survives(attempt) ? result_.attempts : result_.aborted);
      for (const json& array : attempt["ops"]) {
        ++operations;
        const Op op(array);
        if (survives(attempt)) ++result_.committed[op.code];
        if (op.code == "p") continue;
        const std::int64_t trial = attempt["trial"];
        if (trial_of.emplace(op.row(), trial).first->second != trial) {
          complain(name(op.row()) + " belongs to two trials");
        }
        if (!op.writes() || !survives(attempt)) continue;
        const bool is_new =
            rows_[op.row()].emplace(op.version, Made{id, op.code, op.values, {}}).second;
        if (!is_new) complain(name(op.row()) + ": two attempts made one version");
      }
    }
    if (end_.is_null()) return;
    if (end_["attempts"] != attempts_.size() || end_["operations"] != operations) {
      complain("the end line counts otherwise");
    }
  }

  void replay_versions() {
    for (auto& [row, versions] : rows_) {
      std::int64_t expected = 1;
      json values;
      for (auto& [version, made] : versions) {
        const bool last = expected == static_cast<std::int64_t>(versions.size());
        if (version != expected) complain(name(row) + ": a version is missing before its next");
        if ((made.code == "i") != (version == 1)) complain(name(row) + ": not inserted first");
        if (made.code == "d" && !last) complain(name(row) + ": written after its deletion");
        values = made.code == "w" ? changed(std::move(values), *made.changes) : *made.changes;
        made.values = values;
        ++expected;
      }
    }
  }

  const Made* made(const RowId& row, std::int64_t version) const {
    const auto versions = rows_.find(row);
    if (versions == rows_.end()) return nullptr;
    const auto found = versions->second.find(version);
    return found == versions->second.end() ? nullptr : &found->second;
  }

  void examine_attempt(const json& attempt) {
    std::map<RowId, std::int64_t> own;  // the version that it last made
    const json& ops = attempt["ops"];
    for (std::size_t i = 0; i < ops.size(); ++i) {
      const Op op(ops[i]);
      if (op.version == -1 && survives(attempt)) complain(name(op.row()) + ": a version unknown");
      if (op.code == "r") {
        examine_read(attempt, op.row(), op.version, op.writer, *op.values, own);
        if (op.writer == 0 && op.version != 0) examine_implied(op, Op(ops.at(i + 1)));
      }
      if (op.code == "p") examine_predicate(attempt, op, own);
      if (op.writes()) own[op.row()] = op.version;
    }
  }

  // The read that an update or a deletion of one row implies.
  void examine_implied(const Op& read, const Op& write) {
    const bool fits = write.writes() && write.row() == read.row() &&
                      write.statement == read.statement && write.version == read.version + 1;
    if (!fits) complain(name(read.row()) + ": a read without writer, and no write of its own");
  }

  void examine_read(const json& attempt, const RowId& row, std::int64_t version,
                    std::int64_t writer, const json& values,
                    const std::map<RowId, std::int64_t>& own) {
    if (version == 0) return;
    const std::string what =
        name(row) + " version " + std::to_string(version) + " by T" + std::to_string(writer);
    const std::int64_t reader = attempt["attempt"];
    const auto written = own.find(row);
    // Between statements that commit by themselves, others may have written.
    const bool isolated = attempt["scope"] == "transaction" && written != own.end();
    if (writer == reader || (writer == 0 && isolated)) {
      const bool is_last = written != own.end() && written->second == version;
      if (!is_last) complain(what + ": not what the reader itself had written last");
      return;
    }
    if (writer == 0 && !survives(attempt)) return;  // it may have seen a version used again later
    const auto found = attempts_.find(writer);
    if (writer != 0 && found == attempts_.end()) return complain(what + ": nobody wrote that");
    if (writer != 0 && !survives(found->second)) {
      if (header_["isolation"] != "read uncommitted") complain(what + ": was rolled back");
      return;
    }
    const Made* const it = made(row, version);
    if (it == nullptr || (writer != 0 && it->writer != writer)) {
      return complain(what + ": its writer says otherwise");
    }
    if (writer != 0 && found->second["client"] != attempt["client"] &&
        found->second["client"] != 0) {
      ++result_.met;
    }
    for (const auto& [column, value] : values.items()) {
      if (it->values[column] != value) complain(what + ": " + column + " was another value");
    }
  }

  void examine_predicate(const json& attempt, const Op& op,
                         const std::map<RowId, std::int64_t>& own) {
    std::set<std::int64_t> keys;
    for (const json& seen : (*op.array)[6]) {
      const RowId row{op.table, seen[0]};
      if (!keys.insert(row.second).second) complain(name(row) + ": found twice by one statement");
      examine_read(attempt, row, seen[1], seen[2], seen[3], own);
      if (seen[2] == 0) ++result_.rows_by_value;
      const Made* const it = made(row, seen[1]);
      if (it == nullptr || (seen[2] != 0 && it->writer != seen[2]) || !survives(attempt)) continue;
      for (const json& comparison : (*op.array)[5]) {
        const std::string column = comparison[0];
        const json& key = header_["tables"][static_cast<std::size_t>(op.table)]["key"];
        const json value = column == key ? json(row.second) : it->values[column];
        if (!holds(value, comparison[1], comparison[2])) {
          complain(name(row) + ": found, but does not meet " + comparison.dump());
        }
      }
    }
  }

  void examine_final_state() {
    std::size_t living = 0;
    for (const auto& [row, versions] : rows_) {
      const auto& [version, last] = *versions.rbegin();
      const auto found = final_.find(row);
      if ((found != final_.end()) == (last.code == "d")) {
        complain(name(row) + (last.code == "d" ? " was deleted and is there" : " has vanished"));
        continue;
      }
      if (last.code == "d") continue;
      ++living;
      const json& seen = found->second;
      if (seen[1] != version || seen[2] != last.writer)
        complain(name(row) + ": another at the end");
      for (const auto& [column, value] : seen[3].items()) {
        if (last.values[column] != value) complain(name(row) + ": " + column + " at the end");
      }
    }
    if (living != final_.size()) complain("rows at the end that nobody wrote");
  }

  json header_;
  json end_;
  std::map<std::int64_t, json> attempts_;
  std::map<RowId, std::map<std::int64_t, Made>> rows_;  // by version
  std::map<RowId, json> final_;
  Soundness result_;
};

}  // namespace

Soundness soundness_of(const std::filesystem::path& history_file) {
  return Examiner(history_file).examine();
}

}  // namespace hilsa::tests
