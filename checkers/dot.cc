// Evidence as a Graphviz digraph.
#include <fmt/format.h>

#include "checkers/explain.h"
#include "checkers/phrases.h"
#include "checkers/printable.h"
#include "checkers/story.h"
#include "checkers/timeline.h"

namespace hilsa {
namespace {

// For a quoted string in DOT: quotes, and backslashes, which would be escapes like \N there.
std::string escaped(std::string_view text) {
  std::string quoted;
  for (const char c : printable(text)) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted;
}

std::string node(const History& history, const Phrases& phrases, TxnIndex txn,
                 const std::vector<OpIndex>& shown) {
  std::string label = escaped(phrases.txn(txn));
  if (history.txn_client[txn] > 0) label += fmt::format(" (client {})", history.txn_client[txn]);
  label += "\\n";
  for (const OpIndex op : shown) {
    if (op < history.first_op(txn) || op >= history.end_op(txn)) continue;
    const bool micro = history.form != Form::stamped;
    label += escaped(micro ? phrases.micro_operation(op) : phrases.did(op)) + "\\l";
  }
  return fmt::format("  n{} [label=\"{}\"];\n", txn, label);
}

std::string arrow(const Phrases& phrases, const EvidenceEdge& edge, const History& history) {
  std::string label(name_of(edge.kind));
  if (edge.object < history.objects()) label += " " + phrases.object(edge.object);
  const bool data = edge.kind != EdgeKind::session && edge.kind != EdgeKind::realtime;
  return fmt::format("  n{} -> n{} [label=\"{}\"{}];\n", edge.from, edge.to, escaped(label),
                     data ? "" : ", style=dashed");
}

}  // namespace

std::string to_dot(const History& history, const Anomaly& anomaly, const Evidence& evidence) {
  std::vector<OpIndex> mentioned = evidence.operations;
  for (const EvidenceEdge& edge : evidence.cycle) {
    mentioned.push_back(edge.from_op);
    mentioned.push_back(edge.to_op);
  }
  const std::vector<OpIndex> shown = operations_to_show(history, evidence.transactions, mentioned);
  mentioned.insert(mentioned.end(), shown.begin(), shown.end());
  const Phrases phrases(history, mentioned);
  std::string dot = fmt::format(
      "digraph \"{}\" {{\n  label=\"{}\";\n  labelloc=t;\n  rankdir=LR;\n"
      "  node [shape=box, fontname=\"monospace\"];\n  edge [fontname=\"monospace\"];\n",
      escaped(class_name(anomaly.anomaly, anomaly.needs)),
      escaped(common_name(anomaly.anomaly, anomaly.needs)));
  for (const TxnIndex txn : evidence.transactions) dot += node(history, phrases, txn, shown);
  for (const EvidenceEdge& edge : evidence.cycle) dot += arrow(phrases, edge, history);
  return dot + "}\n";
}

}  // namespace hilsa
