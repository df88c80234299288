// A result as reports for CI tell it (JUnit, Markdown, annotations), the same for runs and
// explorations: verdict, findings, tables, evidence. Texts are as they came, not escaped for any
// format, and may hold anything.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/report_set.h"

namespace hilsa {

struct ToldEvidence {
  std::string title;  // `lost update (P4), 9 times`
  std::string text;   // lines
};

struct ToldRow {
  enum class Standing { as_promised, broken, unknown };
  std::string strategy;
  std::string isolation;
  std::string promised;
  std::string measured;
  Standing standing = Standing::as_promised;
  std::string why;                     // it stands so, in one line
  std::vector<std::string> notes;      // sentences
  std::vector<std::string> cells;      // by ToldReport::columns
  std::vector<ToldEvidence> evidence;  // the most telling first
  double running_s = 0;

  std::string name() const { return strategy + " at " + isolation; }
};

struct ToldReport {
  struct Column {
    std::string title;
    bool is_number = false;
  };
  Origin origin;
  std::string workload;
  std::string product;
  std::string title;  // `oversell on PostgreSQL 15.18`
  std::string version;
  std::string url;
  std::string seed;
  std::string broken_off;
  bool interrupted = false;
  std::vector<std::pair<std::string, std::string>> settings;  // of the command: `clients`, `20`
  std::vector<Column> columns;
  std::vector<ToldRow> rows;
  std::vector<std::pair<std::string, std::string>> left_out;  // strategy and what is missing
  std::string product_title;
  std::string advice;  // may be empty
};

// Something that is wrong, or was not found out.
struct ToldFinding {
  bool is_wrong = true;
  std::string what;                       // `atomic at read committed on PostgreSQL 15.18`
  std::string why;                        // one line
  const ToldEvidence* example = nullptr;  // the first that explains it; null: none
};

struct ToldResult {
  std::string verdict;  // one line: `not as promised: 1 of 3 strategies broke its promise`
  std::vector<ToldReport> reports;
  // The worst first: wrong, broken off, unknown. Where something was demanded, nothing else counts.
  std::vector<ToldFinding> findings;
};

inline constexpr std::string_view kInterrupted =
    "interrupted: the figures are of what had been done by then";

// `result` may go afterwards; the findings point into what is returned, so it is moved, not copied.
ToldResult told(const ReportSet& result);

// The row that a demand is about, where it can be told; null: it cannot.
const ToldRow* row_of(const Demand& demand, const std::vector<ToldReport>& reports);

}  // namespace hilsa
