#include "reports/html/graph_layout.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <thread>

namespace hilsa::tests {
namespace {

constexpr double kWidth = 80;
constexpr double kHeight = 40;

std::vector<GraphBox> boxes(int count) {
  return std::vector<GraphBox>(static_cast<std::size_t>(count), {kWidth, kHeight});
}

bool touches(GraphPoint point, GraphPoint middle) {
  return std::abs(point.x - middle.x) <= kWidth / 2 + 3 &&
         std::abs(point.y - middle.y) <= kHeight / 2 + 3;
}

// Boxes apart from each other and inside; arrows from where they come to where they go.
void expect_drawn(const GraphLayout& layout, const std::vector<GraphLink>& links) {
  for (std::size_t i = 0; i < layout.boxes.size(); ++i) {
    EXPECT_GE(layout.boxes[i].x, kWidth / 2 - 1);
    EXPECT_LE(layout.boxes[i].x, layout.size.width - kWidth / 2 + 1);
    EXPECT_GE(layout.boxes[i].y, kHeight / 2 - 1);
    EXPECT_LE(layout.boxes[i].y, layout.size.height - kHeight / 2 + 1);
    for (std::size_t j = 0; j < i; ++j) {
      const bool apart = std::abs(layout.boxes[i].x - layout.boxes[j].x) >= kWidth ||
                         std::abs(layout.boxes[i].y - layout.boxes[j].y) >= kHeight;
      EXPECT_TRUE(apart) << i << " on " << j;
    }
  }
  ASSERT_EQ(layout.arrows.size(), links.size());
  for (std::size_t i = 0; i < links.size(); ++i) {
    const GraphLayout::Arrow& arrow = layout.arrows[i];
    EXPECT_EQ(arrow.curve.size() % 3, 1U);
    const auto from = static_cast<std::size_t>(links[i].from);
    const auto to = static_cast<std::size_t>(links[i].to);
    EXPECT_TRUE(touches(arrow.curve.front(), layout.boxes[from])) << "link " << i;
    EXPECT_TRUE(touches(arrow.tip, layout.boxes[to])) << "link " << i;
  }
}

TEST(GraphLayout, ACycleOfTwoPointsBothWays) {
  const std::vector<GraphLink> links = {{0, 1, 10, 2}, {1, 0, 10, 2}};
  const auto layout = lay_out(boxes(2), links);
  ASSERT_TRUE(layout);
  expect_drawn(*layout, links);
  EXPECT_LT(layout->boxes[0].y, layout->boxes[1].y);
  // The labels have room beside each other.
  EXPECT_GE(std::abs(layout->arrows[0].label.x - layout->arrows[1].label.x), 10 * kColumnWidth);
}

TEST(GraphLayout, WhatIsNoGraphIsNotDrawn) {
  EXPECT_FALSE(lay_out({}, {}));
  EXPECT_FALSE(lay_out(boxes(2), {{0, 2, 1, 1}}));
  EXPECT_FALSE(lay_out(boxes(2), {{-1, 0, 1, 1}}));
}

// Also looked at by the leak checker: Graphviz forgets memory in some graphs.
TEST(GraphLayout, AnySmallGraphCanBeDrawn) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const int count = 1 + static_cast<int>(random() % 8);
    std::vector<GraphLink> links(random() % 14);
    for (GraphLink& link : links) {
      link = {static_cast<int>(random() % static_cast<unsigned>(count)),
              static_cast<int>(random() % static_cast<unsigned>(count)),
              static_cast<int>(random() % 20), static_cast<int>(random() % 3)};
    }
    const auto layout = lay_out(boxes(count), links);
    ASSERT_TRUE(layout);
    expect_drawn(*layout, links);
  }
}

TEST(GraphLayout, ThreadsTakeTurns) {
  const auto draw = [] {
    for (int i = 0; i < 10; ++i) {
      EXPECT_TRUE(lay_out(boxes(3), {{0, 1, 5, 1}, {1, 2, 5, 1}, {2, 0, 5, 1}}));
    }
  };
  std::thread other(draw);
  draw();
  other.join();
}

}  // namespace
}  // namespace hilsa::tests
