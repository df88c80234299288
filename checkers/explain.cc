#include "checkers/explain.h"

#include <fmt/format.h>

#include <algorithm>

#include "checkers/phrases.h"
#include "checkers/printable.h"
#include "checkers/story.h"
#include "checkers/timeline.h"

namespace hilsa {
namespace {

constexpr std::size_t kWidthMax = 120;
constexpr std::size_t kIndent = 2;

std::vector<OpIndex> operations_of(const Evidence& evidence) {
  std::vector<OpIndex> operations = evidence.operations;
  for (const EvidenceEdge& edge : evidence.cycle) {
    operations.push_back(edge.from_op);
    operations.push_back(edge.to_op);
  }
  std::erase(operations, kNone);
  return operations;
}

std::vector<TxnIndex> transactions_of(const History& history, const Evidence& evidence) {
  std::vector<TxnIndex> transactions;
  for (const TxnIndex txn : evidence.transactions) {
    if (txn < history.transactions()) transactions.push_back(txn);
  }
  return transactions;
}

std::string scope_of(const History& history, const Evidence& evidence) {
  std::vector<std::string> names;
  for (const TxnIndex txn : transactions_of(history, evidence)) {
    if (!history.txn_flags[txn].one_transaction) names.push_back(history.txn_name(txn));
  }
  if (names.empty()) names.emplace_back("a task");
  constexpr std::size_t kNamedMax = 4;
  if (names.size() > kNamedMax) {
    names[kNamedMax] = fmt::format("{} others", names.size() - kNamedMax);
    names.resize(kNamedMax + 1);
  }
  std::string listed = names[0];
  for (std::size_t i = 1; i < names.size(); ++i) {
    listed += (i + 1 == names.size() ? " and " : ", ") + names[i];
  }
  return fmt::format(
      "not in one transaction: every statement of {} committed by itself; no isolation level "
      "helps, "
      "put the task into one transaction",
      listed);
}

class Text {
 public:
  void add(std::string_view line, std::size_t indent) {
    for (const std::string& part : wrapped(line, kWidthMax - indent, kIndent)) {
      text_ += std::string(indent, ' ') + part + "\n";
    }
  }
  // Already fits.
  void add_as_is(std::string_view line) {
    text_ += std::string(kIndent, ' ');
    text_ += line;
    text_ += "\n";
  }
  void add_blank() { text_ += "\n"; }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

}  // namespace

std::string sentence_of(const History& history, const EvidenceEdge& edge) {
  const std::vector<OpIndex> mentioned = {edge.from_op, edge.to_op};
  return Phrases(history, mentioned).sentence(edge);
}

std::string explain(const History& history, const Anomaly& anomaly, const Evidence& evidence) {
  const std::vector<TxnIndex> transactions = transactions_of(history, evidence);
  std::vector<OpIndex> mentioned = operations_of(evidence);
  const std::vector<OpIndex> shown = operations_to_show(history, transactions, mentioned);
  mentioned.insert(mentioned.end(), shown.begin(), shown.end());
  const Phrases phrases(history, mentioned);
  Text text;
  text.add(fmt::format("{} ({}): {}", common_name(anomaly.anomaly, anomaly.needs),
                       class_name(anomaly.anomaly, anomaly.needs),
                       meaning_of(anomaly.anomaly, anomaly.needs)),
           0);
  for (const std::string& line : tell(history, phrases, anomaly, evidence)) {
    text.add(line, kIndent);
  }
  const bool alone = transactions.size() == 1 && history.form == Form::stamped &&
                     !history.txn_flags[transactions[0]].one_transaction;
  if (evidence.beyond_one_transaction || alone) text.add(scope_of(history, evidence), kIndent);
  if (transactions.empty()) return text.take();
  text.add_blank();
  for (const std::string& line :
       timeline(history, phrases, transactions, shown, kWidthMax - kIndent)) {
    text.add_as_is(line);
  }
  return text.take();
}

}  // namespace hilsa
