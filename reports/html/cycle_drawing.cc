#include "reports/html/cycle_drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "checkers/printable.h"
#include "reports/html/graph_layout.h"

namespace hilsa {
namespace {

// More would be too small to read; a list reads better.
constexpr std::size_t kNodesMax = 12;
constexpr std::size_t kEdgesMax = 24;
constexpr std::size_t kListedMax = 40;
constexpr std::size_t kLabelWidthMax = 24;
constexpr double kNodeHeight = 44;
constexpr double kNodePadding = 26;
constexpr double kMargin = 6;
constexpr double kZoom = 1.15;  // where there is room
constexpr double kLineHeight = 15;
constexpr std::size_t kLaneColours = 8;

struct Label {
  std::vector<std::string> lines;
  std::size_t columns = 0;
};

Label label_of(const std::string& first, const std::string& second) {
  Label label;
  for (const std::string& text : {first, second}) {
    if (text.empty()) continue;
    label.lines.push_back(elided(printable(text), kLabelWidthMax));
    label.columns = std::max(label.columns, width_of(label.lines.back()));
  }
  return label;
}

std::string number(double value) { return fmt::format("{:.1f}", value); }

std::string name_of(const CycleDrawing& cycle, int node) {
  const auto index = static_cast<std::size_t>(node);
  return node >= 0 && index < cycle.nodes.size() ? cycle.nodes[index].name : "?";
}

std::string in_words(const CycleDrawing& cycle, const CycleDrawing::Edge& edge) {
  return fmt::format("{} → {}: {}{}{}{}", name_of(cycle, edge.from), name_of(cycle, edge.to),
                     edge.kind, edge.about.empty() ? "" : " ", edge.about,
                     edge.inferred ? " (inferred)" : "");
}

void write_list(HtmlWriter& html, const CycleDrawing& cycle) {
  const auto list = html.open("ul", {{"class", "edges"}});
  for (std::size_t i = 0; i < std::min(cycle.edges.size(), kListedMax); ++i) {
    html.element("li", in_words(cycle, cycle.edges[i]));
  }
  if (cycle.edges.size() > kListedMax) {
    html.element("li", fmt::format("and {} more", cycle.edges.size() - kListedMax));
  }
}

// Lines of text around a middle.
void write_label(HtmlWriter& html, const Label& label, GraphPoint middle, Literal first_class) {
  const double first =
      middle.y - kLineHeight * (static_cast<double>(label.lines.size()) - 1) / 2 + 4;
  for (std::size_t i = 0; i < label.lines.size(); ++i) {
    html.element("text",
                 {{"class", std::string(i == 0 ? first_class.text() : "quiet")},
                  {"x", number(middle.x + kMargin)},
                  {"y", number(first + kLineHeight * static_cast<double>(i) + kMargin)}},
                 label.lines[i]);
  }
}

GraphPoint moved(GraphPoint point) { return {point.x + kMargin, point.y + kMargin}; }

void write_arrow(HtmlWriter& html, const GraphLayout::Arrow& arrow, bool inferred) {
  std::string path;
  for (std::size_t i = 0; i < arrow.curve.size(); ++i) {
    const GraphPoint point = moved(arrow.curve[i]);
    path += fmt::format("{}{:.1f} {:.1f}", i == 0 ? "M" : i == 1 ? "C" : " ", point.x, point.y);
  }
  html.empty("path", {{"class", inferred ? "edge inferred" : "edge"}, {"d", path}});
  const GraphPoint base = moved(arrow.curve.back());
  const GraphPoint tip = moved(arrow.tip);
  const double across_x = (tip.y - base.y) * 0.4;
  const double across_y = (base.x - tip.x) * 0.4;
  html.empty("polygon", {{"class", "head"},
                         {"points", fmt::format("{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f}", tip.x,
                                                tip.y, base.x + across_x, base.y + across_y,
                                                base.x - across_x, base.y - across_y)}});
}

void write_svg(HtmlWriter& html, const CycleDrawing& cycle, const GraphLayout& layout,
               const std::vector<GraphBox>& boxes) {
  std::string told = "cycle: ";
  for (std::size_t i = 0; i < cycle.edges.size(); ++i) {
    told += (i == 0 ? "" : "; ") + in_words(cycle, cycle.edges[i]);
  }
  const double width = layout.size.width + 2 * kMargin;
  const double height = layout.size.height + 2 * kMargin;
  const auto svg = html.open("svg", {{"class", "cycle"},
                                     {"role", "img"},
                                     {"aria-label", told},
                                     {"width", number(width * kZoom)},
                                     {"height", number(height * kZoom)},
                                     {"viewBox", fmt::format("0 0 {:.1f} {:.1f}", width, height)}});
  for (std::size_t i = 0; i < cycle.edges.size(); ++i) {
    write_arrow(html, layout.arrows[i], cycle.edges[i].inferred);
  }
  for (std::size_t i = 0; i < cycle.nodes.size(); ++i) {
    const GraphPoint corner = {layout.boxes[i].x - boxes[i].width / 2 + kMargin,
                               layout.boxes[i].y - boxes[i].height / 2 + kMargin};
    html.empty("rect", {{"class", fmt::format("node lane{}", i % kLaneColours + 1)},
                        {"x", number(corner.x)},
                        {"y", number(corner.y)},
                        {"width", number(boxes[i].width)},
                        {"height", number(boxes[i].height)},
                        {"rx", "6"}});
    write_label(html, label_of(cycle.nodes[i].name, cycle.nodes[i].about), layout.boxes[i], "name");
  }
  for (std::size_t i = 0; i < cycle.edges.size(); ++i) {
    write_label(html, label_of(cycle.edges[i].kind, cycle.edges[i].about), layout.arrows[i].label,
                "kind");
  }
}

}  // namespace

CycleDrawing cycle_of(const ShownAnomaly& anomaly) {
  CycleDrawing cycle;
  if (anomaly.cycle.empty()) return cycle;
  for (const auto& lane : anomaly.timeline.lanes) cycle.nodes.push_back({lane.name, lane.about});
  for (const ShownEdge& edge : anomaly.cycle) {
    cycle.edges.push_back({edge.from, edge.to, edge.kind, edge.about, edge.inferred});
  }
  return cycle;
}

CycleDrawing cycle_of(const DeadlockSummary::Example& deadlock) {
  CycleDrawing cycle;
  const int count = static_cast<int>(deadlock.waits.size());
  if (count < 2) return cycle;
  for (int i = 0; i < count; ++i) {
    const DeadlockSummary::Wait& wait = deadlock.waits[static_cast<std::size_t>(i)];
    const std::string client = fmt::format("client {}", wait.client);
    cycle.nodes.push_back({wait.transaction, i == 0 ? client + ", victim" : client});
    cycle.edges.push_back({i, (i + 1) % count, "waits for", wait.row, false});
  }
  return cycle;
}

void draw(HtmlWriter& html, const CycleDrawing& cycle) {
  if (cycle.edges.empty()) return;
  std::vector<GraphBox> boxes;
  for (const CycleDrawing::Node& node : cycle.nodes) {
    const auto columns = static_cast<double>(label_of(node.name, node.about).columns);
    boxes.push_back({columns * kColumnWidth + kNodePadding, kNodeHeight});
  }
  std::vector<GraphLink> links;
  for (const CycleDrawing::Edge& edge : cycle.edges) {
    const Label label = label_of(edge.kind, edge.about);
    // With a blank on each side, so that no arrow touches it.
    links.push_back({edge.from, edge.to, static_cast<int>(label.columns) + 2,
                     static_cast<int>(label.lines.size())});
  }
  std::optional<GraphLayout> layout;
  if (boxes.size() <= kNodesMax && links.size() <= kEdgesMax) layout = lay_out(boxes, links);
  if (layout) {
    write_svg(html, cycle, *layout, boxes);
  } else {
    write_list(html, cycle);
  }
}

}  // namespace hilsa
