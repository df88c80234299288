// What `matrix` found: for each isolation level, which anomalies the database lets through.
#pragma once

#include <string>
#include <vector>

namespace hilsa {

struct MatrixCell {
  enum class State {
    prevented,
    occurs,
    writes_only,  // only where the transaction that suffers also writes
  };
  std::string anomaly;  // `G-single`
  State state = State::prevented;
  // How it was prevented: somebody's transaction failed, or had to wait. Neither: by snapshots.
  bool aborted = false;
  bool blocked = false;
  // The product's documented state, where it has one and this is another.
  std::string documented;
};

struct MatrixRow {
  std::string isolation;
  bool is_default = false;
  std::vector<MatrixCell> cells;
};

struct MatrixReport {
  std::string product;
  std::string product_title;
  std::string version;
  std::string url;      // redacted
  std::string seen_by;  // how it was seen who waits
  bool has_documented = false;
  std::vector<std::pair<std::string, std::string>> anomalies;  // and their common names
  std::vector<MatrixRow> rows;
};

std::string_view name_of(MatrixCell::State state);  // prevented, occurs, writes-only

// For a terminal; for a README; DESIGN §8's object. Each ends with a newline.
std::string to_text_report(const MatrixReport& report);
std::string to_markdown_report(const MatrixReport& report);
std::string to_json_report(const MatrixReport& report);

}  // namespace hilsa
