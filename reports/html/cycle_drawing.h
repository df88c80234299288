// A cycle of transactions as a drawing: an SVG in the page, laid out by Graphviz, in the page's
// colours, never wider than its column.
#pragma once

#include <string>
#include <vector>

#include "reports/deadlock_summary.h"
#include "reports/html/html_writer.h"
#include "reports/shown_anomaly.h"

namespace hilsa {

struct CycleDrawing {
  struct Node {
    std::string name;   // `T12`
    std::string about;  // `client 3`; may be empty
  };
  struct Edge {
    int from = 0;  // nodes
    int to = 0;
    std::string kind;   // `rw`
    std::string about;  // `products/1`; may be empty
    bool inferred = false;
  };
  std::vector<Node> nodes;
  std::vector<Edge> edges;
};

CycleDrawing cycle_of(const ShownAnomaly& anomaly);
// Who waited for whom; empty when only the victim is known.
CycleDrawing cycle_of(const DeadlockSummary::Example& deadlock);

// Writes nothing for an empty cycle; what cannot be drawn (too long, or no graph) is listed.
void draw(HtmlWriter& html, const CycleDrawing& cycle);

}  // namespace hilsa
