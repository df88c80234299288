// Lines are put together by hand rather than through a JSON library: this runs beside the clients,
// on the same cores, and must not slow down what it records. tests/ parse them with nlohmann-json.
#include "harness/history/history_writer.h"

#include <array>
#include <charconv>
#include <nlohmann/json.hpp>

#ifndef HILSA_VERSION
#error "HILSA_VERSION must be defined by the build"
#endif

namespace hilsa {
namespace {

void put(std::string& line, std::int64_t number) {
  std::array<char, 24> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  line.append(digits.data(), end);
}

// How many bytes the UTF-8 character has that `text` begins with (RFC 3629); 0: it is none.
std::size_t utf8_size(std::string_view text) {
  const auto byte = [&](std::size_t at) {
    return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U;
  };
  const unsigned first = byte(0);
  const unsigned second = byte(1);
  const std::size_t size = first < 0x80   ? 1
                           : first < 0xc2 ? 0
                           : first < 0xe0 ? 2
                           : first < 0xf0 ? 3
                           : first < 0xf5 ? 4
                                          : 0;
  for (std::size_t at = 1; at < size; ++at) {
    if ((byte(at) & 0xc0) != 0x80) return 0;
  }
  const bool is_overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool is_no_character = (first == 0xed && second > 0x9f) || (first == 0xf4 && second > 0x8f);
  return is_overlong || is_no_character ? 0 : size;
}

// What is no UTF-8 (a database may hold anything) becomes the replacement character.
void put_string(std::string& line, std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  line += '"';
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      line += '\\';
      line += c;
    } else if (code < 0x20) {
      line += "\\u00";
      line += kHex[code >> 4];
      line += kHex[code & 15];
    } else if (code < 0x80) {
      line += c;
    } else if (const std::size_t size = utf8_size(text.substr(at)); size > 0) {
      line += text.substr(at, size);
      at += size - 1;
    } else {
      line += "\xef\xbf\xbd";
    }
  }
  line += '"';
}

void put(std::string& line, const Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) {
    put(line, *number);
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    put_string(line, *text);
  } else {
    line += "null";
  }
}

void put(std::string& line, const std::vector<NamedValue>& values) {
  line += '{';
  for (const NamedValue& named : values) {
    if (&named != values.data()) line += ',';
    put_string(line, named.column);
    line += ':';
    put(line, named.value);
  }
  line += '}';
}

// {"stock":4} sets, {"stock":["-",1]} subtracts, {"list":["..","7"]} appends to a text.
void put(std::string& line, const std::vector<Change>& changes) {
  constexpr std::array<std::string_view, 4> kSigns = {"", R"(["+",)", R"(["-",)", R"(["..",)"};
  line += '{';
  for (const Change& change : changes) {
    if (&change != changes.data()) line += ',';
    put_string(line, change.column);
    line += ':';
    line += kSigns[static_cast<std::size_t>(change.kind)];
    put(line, change.value);
    if (change.kind != ChangeKind::set) line += ']';
  }
  line += '}';
}

void put(std::string& line, const std::vector<Comparison>& predicate) {
  line += '[';
  for (const Comparison& comparison : predicate) {
    if (&comparison != predicate.data()) line += ',';
    line += '[';
    put_string(line, comparison.column);
    line += ',';
    put_string(line, symbol_of(comparison.comparator));
    line += ',';
    put(line, comparison.value);
    line += ']';
  }
  line += ']';
}

void put(std::string& line, std::span<const SeenRow> rows) {
  line += '[';
  for (const SeenRow& row : rows) {
    if (&row != rows.data()) line += ',';
    line += '[';
    put(line, row.key);
    line += ',';
    put(line, row.version);
    line += ',';
    put(line, row.writer);
    line += ',';
    put(line, row.values);
    line += ']';
  }
  line += ']';
}

// [code, statement, begin, end, table, …]: what follows depends on the code.
void put(std::string& line, const Operation& operation, Nanoseconds origin_ns) {
  constexpr std::array<std::string_view, 5> kCodes = {"r", "w", "i", "d", "p"};
  line += "[\"";
  line += kCodes[static_cast<std::size_t>(operation.kind)];
  line += "\",";
  for (const std::int64_t number :
       {std::int64_t{operation.statement}, operation.begin_ns - origin_ns,
        operation.end_ns - origin_ns, std::int64_t{operation.table}}) {
    put(line, number);
    line += ',';
  }
  if (operation.kind == OperationKind::predicate_read) {
    put(line, operation.predicate);
    line += ',';
    put(line, std::span<const SeenRow>(operation.rows));
  } else {
    put(line, operation.key);
    line += ',';
    put(line, operation.version);
    line += ',';
    if (operation.kind == OperationKind::read) {
      put(line, operation.writer);
      line += ',';
    }
    if (operation.kind == OperationKind::write) {
      put(line, operation.changes);
    } else {
      put(line, operation.values);
    }
  }
  line += ']';
}

void put(std::string& line, const Error& error) {
  line += R"({"kind":)";
  put_string(line, name_of(error.kind));
  line += R"(,"sqlstate":)";
  put_string(line, error.sqlstate);
  line += R"(,"code":)";
  put(line, error.vendor_code);
  line += R"(,"text":)";
  put_string(line, error.server_text);
  line += '}';
}

void put(std::string& line, const FailedStatement& failed, Nanoseconds origin_ns) {
  line += R"({"statement":)";
  put(line, failed.statement);
  line += R"(,"begin":)";
  put(line, failed.begin_ns - origin_ns);
  line += R"(,"end":)";
  put(line, failed.end_ns - origin_ns);
  if (failed.table >= 0) {
    line += R"(,"table":)";
    put(line, failed.table);
  }
  if (failed.table >= 0 && failed.key) {
    line += R"(,"key":)";
    put(line, *failed.key);
  }
  line += '}';
}

void put(std::string& line, const Attempt& attempt, Nanoseconds origin_ns) {
  line += R"({"attempt":)";
  put(line, attempt.id);
  line += R"(,"client":)";
  put(line, attempt.client);
  line += R"(,"trial":)";
  put(line, attempt.trial);
  line += R"(,"task":)";
  put(line, attempt.task);
  line += R"(,"try":)";
  put(line, attempt.try_number);
  line += R"(,"scope":)";
  put_string(line, attempt.one_transaction ? "transaction" : "statement");
  if (attempt.session != 0) {
    line += R"(,"session":)";
    put(line, attempt.session);
  }
  line += R"(,"begin":)";
  put(line, attempt.begin_ns - origin_ns);
  line += R"(,"end":)";
  put(line, attempt.end_ns - origin_ns);
  line += R"(,"outcome":)";
  put_string(line, name_of(attempt.outcome));
  line += R"(,"reply":)";
  put_string(line, attempt.reply);
  if (attempt.error) {
    line += R"(,"error":)";
    put(line, *attempt.error);
  }
  if (attempt.failed) {
    line += R"(,"failed":)";
    put(line, *attempt.failed, origin_ns);
  }
  line += R"(,"ops":[)";
  for (const Operation& operation : attempt.operations) {
    if (&operation != attempt.operations.data()) line += ',';
    put(line, operation, origin_ns);
  }
  line += "]}";
}

std::string to_json_line(const HistoryHeader& header) {
  nlohmann::ordered_json json = {{"hilsa", "history"},
                                 {"format", kHistoryFormat},
                                 {"tool", "hilsa " HILSA_VERSION},
                                 {"workload", header.workload},
                                 {"strategy", header.strategy},
                                 {"isolation", header.isolation},
                                 {"product", header.product},
                                 {"version", header.version},
                                 {"url", header.url},
                                 {"clients", header.clients},
                                 {"seed", header.seed},
                                 {"started_at", header.started_at},
                                 {"tables", nlohmann::ordered_json::array()}};
  for (const RecordedTable& table : header.tables) {
    json["tables"].push_back(
        {{"name", table.name}, {"key", table.key}, {"columns", table.columns}});
  }
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace

HistoryWriter::HistoryWriter(const std::filesystem::path& path, const HistoryHeader& header,
                             Nanoseconds origin_ns)
    : file_(path), origin_ns_(origin_ns) {
  line_ = to_json_line(header);
  put_line();
  flush();
}

HistoryWriter::~HistoryWriter() = default;

void HistoryWriter::put_line() {
  line_ += '\n';
  file_.write(line_);
  line_.clear();
}

void HistoryWriter::introduce(int statement, std::string_view sql) {
  const auto id = static_cast<std::size_t>(statement);
  if (statement < 0) return;
  if (id >= introduced_.size()) introduced_.resize(id + 1);
  if (introduced_[id]) return;
  introduced_[id] = true;
  line_ += R"({"statement":)";
  put(line_, statement);
  line_ += R"(,"sql":)";
  put_string(line_, sql);
  line_ += '}';
  put_line();
}

void HistoryWriter::introduce_statements(const Attempt& attempt) {
  for (const Operation& operation : attempt.operations) {
    introduce(operation.statement, operation.sql);
  }
  if (attempt.failed) introduce(attempt.failed->statement, attempt.failed->sql);
}

void HistoryWriter::write(const Attempt& attempt) {
  introduce_statements(attempt);
  put(line_, attempt, origin_ns_);
  put_line();
  ++counts_.attempts;
  counts_.operations += static_cast<std::int64_t>(attempt.operations.size());
}

void HistoryWriter::write_final(int table, std::span<const SeenRow> rows) {
  line_ += R"({"final":)";
  put(line_, table);
  line_ += R"(,"rows":)";
  put(line_, rows);
  line_ += '}';
  put_line();
}

void HistoryWriter::write_end(bool interrupted) {
  line_ += R"({"end":{"attempts":)";
  put(line_, counts_.attempts);
  line_ += R"(,"operations":)";
  put(line_, counts_.operations);
  line_ += interrupted ? R"(,"interrupted":true}})" : R"(,"interrupted":false}})";
  put_line();
  file_.finish();
}

void HistoryWriter::flush() { file_.flush(); }

}  // namespace hilsa
