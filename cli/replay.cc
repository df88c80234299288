#include "cli/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <memory>
#include <sstream>
#include <thread>
#include <vector>

#include "checkers/printable.h"
#include "cli/connect.h"
#include "cli/nearest.h"
#include "cli/print_report.h"
#include "cli/run_options.h"
#include "cli/whole_file.h"
#include "harness/database/usage_error.h"
#include "harness/run/trial.h"
#include "harness/schedule/controlled_database.h"
#include "harness/schedule/cut_short.h"
#include "harness/schedule/turnstile.h"

namespace hilsa {
namespace {

bool begins_with(const std::string& sql, std::string_view word) {
  return sql.size() >= word.size() &&
         std::equal(word.begin(), word.end(), sql.begin(), [](char a, char b) {
           return a == std::toupper(static_cast<unsigned char>(b));
         });
}

// As what the drivers must take it.
Statement statement_of(const std::string& sql) {
  StatementKind kind = StatementKind::raw;
  if (begins_with(sql, "BEGIN") || begins_with(sql, "START") || begins_with(sql, "SET ")) {
    kind = StatementKind::begin;
  } else if (begins_with(sql, "COMMIT")) {
    kind = StatementKind::commit;
  } else if (begins_with(sql, "ROLLBACK")) {
    kind = StatementKind::rollback;
  } else {
    return raw_sql(sql);
  }
  return {{.kind = kind}, Rendering{{sql, {}}}};
}

struct Script {
  std::vector<std::string> before;  // what makes tables and rows
  struct Line {
    int session = 0;  // from 1
    Statement statement;
  };
  std::vector<Line> schedule;
  struct Question {
    std::string sql;
    std::vector<std::string> expected;  // rows, `1 | 0`
  };
  std::vector<Question> in_the_end;
  std::vector<std::string> after;  // what removes the tables
  int sessions = 0;
};

[[noreturn]] void refuse(const std::string& file, int line, const std::string& what) {
  throw UsageError(fmt::format("{}:{}: {}", shown(file), line, what));
}

std::string without_semicolon(std::string sql) {
  while (!sql.empty() && (sql.back() == ';' || sql.back() == ' ')) sql.pop_back();
  return sql;
}

// The forms that script_of() writes.
Script read_script(const std::string& file) {
  std::istringstream stream(read_file(file));
  enum class Part { head, before, schedule, in_the_end, after } part = Part::head;
  const std::map<std::string, Part> parts = {{"-- before", Part::before},
                                             {"-- schedule", Part::schedule},
                                             {"-- in the end", Part::in_the_end},
                                             {"-- after", Part::after}};
  constexpr std::string_view kSession = ";  -- session ";
  constexpr std::string_view kRow = "--= ";
  Script script;
  std::string line;
  for (int number = 1; std::getline(stream, line); ++number) {
    if (const auto found = parts.find(line); found != parts.end()) {
      part = found->second;
    } else if (line.starts_with(kRow)) {
      if (script.in_the_end.empty()) refuse(file, number, "a row without a SELECT before it");
      script.in_the_end.back().expected.push_back(line.substr(kRow.size()));
    } else if (line.empty() || line.starts_with("--")) {
      continue;
    } else if (part == Part::before) {
      script.before.push_back(without_semicolon(line));
    } else if (part == Part::after) {
      script.after.push_back(without_semicolon(line));
    } else if (part == Part::in_the_end) {
      script.in_the_end.push_back({without_semicolon(line), {}});
    } else if (part == Part::schedule) {
      const auto at = line.rfind(kSession);
      const int session =
          at == std::string::npos ? 0 : std::atoi(line.c_str() + at + kSession.size());
      if (session < 1 || session > 6) {
        refuse(file, number, "expected 'STATEMENT;  -- session N', N from 1 to 6");
      }
      script.schedule.push_back({session, statement_of(line.substr(0, at))});
      script.sessions = std::max(script.sessions, session);
    } else {
      refuse(file, number,
             "expected '-- before' first; is this a script that explore has written?");
    }
  }
  if (script.schedule.empty()) throw UsageError(shown(file) + " holds no schedule");
  return script;
}

// The script's tables; they go with it.
class Tables {
 public:
  Tables(Session& session, const Script& script) : session_(session), script_(script) {
    for (const std::string& sql : script.before) {
      const bool defines = begins_with(sql, "CREATE");
      const auto done = session.execute(defines ? definition_sql(sql) : raw_sql(sql));
      if (!done) {
        drop();
        throw DatabaseUnusable("cannot run '" + sql + "': " + to_text(done.error()));
      }
      if (begins_with(sql, "CREATE TABLE ")) ++made_;
    }
  }
  ~Tables() { drop(); }
  Tables(const Tables&) = delete;
  Tables& operator=(const Tables&) = delete;

 private:
  // Those that were made, and no others.
  void drop() {
    for (std::size_t i = 0; i < std::min(made_, script_.after.size()); ++i) {
      const auto dropped = session_.execute(definition_sql(script_.after[i]));
      if (!dropped) {
        warn(fmt::format("left behind, run it yourself: {}; ({})", script_.after[i],
                         printable(to_text(dropped.error()))));
      }
    }
    made_ = 0;
  }

  Session& session_;
  const Script& script_;
  std::size_t made_ = 0;
};

std::string answer_in_words(const TakenStep& step) {
  if (!step.answer) return "no answer";
  if (!*step.answer) return to_text(step.answer->error());
  const Result& result = **step.answer;
  if (result.rows.empty())
    return result.affected > 0 ? fmt::format("{} rows", result.affected) : "ok";
  std::string text;
  for (const auto& row : result.rows) {
    if (!text.empty()) text += "; ";
    for (std::size_t i = 0; i < row.size(); ++i) text += (i == 0 ? "" : ", ") + to_text(row[i]);
  }
  return text;
}

// Runs the lines in their order. Nothing: somebody waits who did not wait then, so that a line
// cannot be run in its place.
bool run_lines(const Script& script, ControlledDatabase& database, BlockWatch& watch,
               std::vector<TakenStep>& taken) {
  Turnstile turnstile(script.sessions, watch);
  std::vector<std::unique_ptr<Session>> sessions;
  for (int i = 0; i < script.sessions; ++i) sessions.push_back(connect(database));
  std::vector<std::thread> threads;
  for (int client = 1; client <= script.sessions; ++client) {
    threads.emplace_back([&, client] {
      const Turnstile::Client passes(turnstile, client);
      for (const Script::Line& line : script.schedule) {
        if (line.session != client) continue;
        sessions[static_cast<std::size_t>(client - 1)]->execute(line.statement);
      }
    });
  }
  std::size_t next = 0;
  bool in_order = true;
  std::exception_ptr failure;
  try {
    taken =
        turnstile.run([&](const std::vector<Turnstile::Waiting>& waiting) -> std::optional<int> {
          const int wanted = script.schedule.at(next).session;
          const bool there = std::any_of(waiting.begin(), waiting.end(), [wanted](const auto& one) {
            return one.client == wanted;
          });
          if (!there) {
            in_order = false;
            return std::nullopt;
          }
          ++next;
          return wanted;
        });
  } catch (...) {
    failure = std::current_exception();
  }
  for (std::thread& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
  return in_order;
}

// What is not as the script says; empty: all is.
std::vector<std::string> differences(Session& session, const Script& script) {
  std::vector<std::string> different;
  for (const Script::Question& question : script.in_the_end) {
    const auto answer = session.execute(raw_sql(question.sql));
    if (!answer) throw DatabaseUnusable("'" + question.sql + "': " + to_text(answer.error()));
    std::vector<std::string> rows;
    for (const auto& values : answer->rows) {
      std::string row;
      for (const Value& value : values) row += (row.empty() ? "" : " | ") + to_text(value);
      rows.push_back(std::move(row));
    }
    if (rows == question.expected) continue;
    different.push_back(fmt::format("{}: {} instead of {}", question.sql, fmt::join(rows, "; "),
                                    fmt::join(question.expected, "; ")));
  }
  return different;
}

}  // namespace

ExitStatus replay(const Parsed& parsed, const std::stop_token& stop) {
  const auto& file = parsed["replay"].as<std::string>();
  const Script script = read_script(file);
  const OpenDatabase opened = connect_watched_from(parsed, stop);
  if (opened.database->product() == Product::simulated) {
    throw UsageError("a simulated database runs no SQL; name another --db");
  }
  auto watch = opened.database->watch_blocking();
  if (!watch) {
    throw DatabaseUnusable("cannot see which statements wait: " + to_text(watch.error()));
  }
  ControlledDatabase database(*opened.database);
  const std::unique_ptr<Session> control = connect(database);
  const Tables tables(*control, script);
  std::vector<TakenStep> taken;
  const bool in_order = run_lines(script, database, **watch, taken);
  throw_if_cut_short(taken, opened.database->product());
  for (const TakenStep& step : taken) {
    fmt::print("session {}: {}\n  -> {}{}\n", step.client,
               step.call.statement->rendering(opened.database->product()).back().text,
               step.waited ? "waits, then: " : "", printable(answer_in_words(step)));
  }
  std::vector<std::string> different = differences(*control, script);
  if (!in_order) {
    different.insert(different.begin(), "a session had to wait where it did not in the script");
  }
  if (different.empty()) {
    fmt::print("\nit still happens: in the end the tables hold what the script says\n");
    return ExitStatus::as_promised;
  }
  fmt::print("\nit does not happen any more:\n");
  for (const std::string& line : different) fmt::print("  {}\n", printable(line));
  return ExitStatus::violated;
}

}  // namespace hilsa
