// Where the boxes and arrows of a small directed graph go, by Graphviz's `dot`: top to bottom. Only
// sizes go in and places come out, so no text from outside meets Graphviz. Places are in the units
// of the sizes, the origin at the top left.
#pragma once

#include <optional>
#include <vector>

namespace hilsa {

struct GraphBox {
  double width = 0;
  double height = 0;
};

struct GraphLink {
  int from = 0;  // boxes
  int to = 0;
  int label_columns = 0;  // of kColumnWidth each
  int label_lines = 0;    // 0: no label
};

struct GraphPoint {
  double x = 0;
  double y = 0;
};

struct GraphLayout {
  // A curve of Bézier pieces: the first point, then three for each piece; and the arrow's tip,
  // which lies behind the last of them.
  struct Arrow {
    std::vector<GraphPoint> curve;
    GraphPoint tip;
    GraphPoint label;  // its middle
  };
  GraphBox size;
  std::vector<GraphPoint> boxes;  // their middles
  std::vector<Arrow> arrows;      // one for each link
};

// Of a monospaced font of 12.
inline constexpr double kGraphFontSize = 12;
inline constexpr double kColumnWidth = 0.6 * kGraphFontSize;

// None: Graphviz could not, or the numbers make no graph. Blocks while another thread is in here,
// since Graphviz is not made for threads.
std::optional<GraphLayout> lay_out(const std::vector<GraphBox>& boxes,
                                   const std::vector<GraphLink>& links);

}  // namespace hilsa
