#include "reports/html/graph_layout.h"

#include <fmt/format.h>
#include <graphviz/gvc.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>

// The one plug-in that is needed, linked in: Graphviz would otherwise look for what is installed
// (its configuration file, GTK, Pango) whenever the program runs.
extern "C" {
extern gvplugin_library_t gvplugin_dot_layout_LTX_library;
}

namespace hilsa {
namespace {

constexpr double kPointsPerInch = 72;

// Lives as long as the program. Under lay_out's lock.
GVC_t* graphviz() {
  static const std::array<lt_symlist_t, 2> plugins = {{
      {"gvplugin_dot_layout_LTX_library", &gvplugin_dot_layout_LTX_library},
      {nullptr, nullptr},
  }};
  static GVC_t* const context = gvContextPlugins(plugins.data(), 0);
  return context;
}

struct CloseGraph {
  void operator()(Agraph_t* graph) const {
    gvFreeLayout(graphviz(), graph);
    agclose(graph);
  }
};
using Graph = std::unique_ptr<Agraph_t, CloseGraph>;

// Graphviz takes its texts as `char*`, and copies them.
char* mutable_text(std::string& text) { return text.data(); }

void set(void* object, std::string name, std::string value) {
  std::string fallback;
  agsafeset(object, mutable_text(name), mutable_text(value), mutable_text(fallback));
}

Graph make_graph() {
  std::string name = "cycle";
  Graph graph(agopen(mutable_text(name), Agdirected, nullptr));
  return graph;
}

Agnode_t* add_box(Agraph_t* graph, const GraphBox& box, std::size_t index) {
  std::string name = fmt::format("{}", index);
  Agnode_t* const node = agnode(graph, mutable_text(name), 1);
  set(node, "shape", "box");
  set(node, "label", "");
  set(node, "fixedsize", "true");
  set(node, "width", fmt::format("{:.4f}", box.width / kPointsPerInch));
  set(node, "height", fmt::format("{:.4f}", box.height / kPointsPerInch));
  return node;
}

// Earlier boxes are above later ones, so a link that goes up is laid out as one that goes down with
// its head at the other end: dot would turn links of a cycle around itself, and leaks memory then.
bool goes_up(const GraphLink& link) { return link.from > link.to; }

// Room for the label is made by letters as many and as wide as it will have.
Agedge_t* add_link(Agraph_t* graph, const std::vector<Agnode_t*>& nodes, const GraphLink& link,
                   std::size_t index) {
  std::string name = fmt::format("{}", index);
  Agnode_t* const upper = nodes[static_cast<std::size_t>(std::min(link.from, link.to))];
  Agnode_t* const lower = nodes[static_cast<std::size_t>(std::max(link.from, link.to))];
  Agedge_t* const edge = agedge(graph, upper, lower, mutable_text(name), 1);
  set(edge, "dir", goes_up(link) ? "back" : "forward");
  std::string letters;
  for (int line = 0; line < link.label_lines; ++line) {
    if (line > 0) letters += "\\n";
    letters += std::string(static_cast<std::size_t>(std::max(link.label_columns, 1)), 'x');
  }
  set(edge, "label", letters);
  set(edge, "fontname", "Courier");
  set(edge, "fontsize", fmt::format("{}", kGraphFontSize));
  return edge;
}

class Places {
 public:
  explicit Places(Agraph_t* graph) : box_(GD_bb(graph)) {}
  // Graphviz's y goes up.
  GraphPoint operator()(pointf point) const { return {point.x - box_.LL.x, box_.UR.y - point.y}; }
  GraphBox size() const { return {box_.UR.x - box_.LL.x, box_.UR.y - box_.LL.y}; }

 private:
  boxf box_;
};

std::optional<GraphLayout::Arrow> arrow_of(Agedge_t* edge, bool up, const Places& place) {
  const splines* const drawn = ED_spl(edge);
  if (drawn == nullptr || drawn->size < 1) return std::nullopt;
  // NOLINTBEGIN(cppcoreguidelines-pro-bounds-pointer-arithmetic)
  const bezier& curve = drawn->list[0];
  GraphLayout::Arrow arrow;
  for (int i = 0; i < static_cast<int>(curve.size); ++i) {
    arrow.curve.push_back(place(curve.list[i]));
  }
  // NOLINTEND(cppcoreguidelines-pro-bounds-pointer-arithmetic)
  if (arrow.curve.empty()) return std::nullopt;
  if (up) std::reverse(arrow.curve.begin(), arrow.curve.end());
  arrow.tip = arrow.curve.back();
  if (up && curve.sflag != 0) arrow.tip = place(curve.sp);
  if (!up && curve.eflag != 0) arrow.tip = place(curve.ep);
  if (const textlabel_t* const label = ED_label(edge)) arrow.label = place(label->pos);
  return arrow;
}

bool is_graph(const std::vector<GraphBox>& boxes, const std::vector<GraphLink>& links) {
  const auto exists = [&](int box) {
    return box >= 0 && static_cast<std::size_t>(box) < boxes.size();
  };
  return !boxes.empty() && std::all_of(links.begin(), links.end(), [&](const GraphLink& link) {
    return exists(link.from) && exists(link.to);
  });
}

}  // namespace

std::optional<GraphLayout> lay_out(const std::vector<GraphBox>& boxes,
                                   const std::vector<GraphLink>& links) {
  if (!is_graph(boxes, links)) return std::nullopt;
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  agseterr(AGMAX);  // what went wrong is seen by what is missing; nothing goes to standard error
  const Graph graph = make_graph();
  set(graph.get(), "nodesep", "0.5");
  set(graph.get(), "ranksep", "0.35");
  std::vector<Agnode_t*> nodes;
  for (const GraphBox& box : boxes) nodes.push_back(add_box(graph.get(), box, nodes.size()));
  std::vector<Agedge_t*> edges;
  for (const GraphLink& link : links) {
    edges.push_back(add_link(graph.get(), nodes, link, edges.size()));
  }
  if (gvLayout(graphviz(), graph.get(), "dot") != 0) return std::nullopt;
  const Places place(graph.get());
  GraphLayout layout{.size = place.size(), .boxes = {}, .arrows = {}};
  for (Agnode_t* const node : nodes) layout.boxes.push_back(place(ND_coord(node)));
  for (std::size_t i = 0; i < links.size(); ++i) {
    auto arrow = arrow_of(edges[i], goes_up(links[i]), place);
    if (!arrow) return std::nullopt;
    layout.arrows.push_back(std::move(*arrow));
  }
  return layout;
}

}  // namespace hilsa
