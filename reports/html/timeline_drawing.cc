#include "reports/html/timeline_drawing.h"

#include <fmt/format.h>

#include <algorithm>

#include "reports/html/figures.h"

namespace hilsa {
namespace {

using Lane = ShownTimeline::Lane;
using Step = ShownTimeline::Step;

constexpr std::size_t kStepsMax = 60;
constexpr std::size_t kStepTextMax = 500;  // characters
// As many columns as a telephone is wide enough for.
constexpr std::size_t kNarrowLanesMax = 3;
// More would be too narrow anywhere: the story has to do.
constexpr std::size_t kLanesDrawnMax = 16;
constexpr std::size_t kLaneColours = 8;

std::string lane_class(std::size_t lane) { return fmt::format("lane{}", lane % kLaneColours + 1); }

// The steps that can be drawn: those in a column, with places that are in order whatever a file
// says.
std::vector<Step> drawable(const ShownTimeline& timeline) {
  std::vector<Step> steps;
  for (Step step : timeline.steps) {
    if (step.lane < 0 || static_cast<std::size_t>(step.lane) >= timeline.lanes.size()) continue;
    const int place_max = static_cast<int>(timeline.steps.size());
    step.sent = std::clamp(step.sent, 0, place_max);
    step.answered = std::clamp(step.answered, step.sent, place_max);
    steps.push_back(std::move(step));
  }
  return steps;
}

// The number of the last step that others had taken when this one was answered; 0: none.
std::size_t answered_after(const std::vector<Step>& steps, const Step& waiting) {
  std::size_t last = 0;
  int place = -1;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Step& other = steps[i];
    const bool before = other.answered <= waiting.answered && !other.waited;
    if (&other == &waiting || other.lane == waiting.lane || !before) continue;
    if (other.answered < place) continue;
    place = other.answered;
    last = i + 1;
  }
  return last;
}

std::string wait_in_words(const std::vector<Step>& steps, const Step& step) {
  std::string text = "waits";
  if (step.took) text += " " + milliseconds_of(*step.took) + " ms";
  const std::size_t after = answered_after(steps, step);
  if (after > 0) text += fmt::format(", until after step {}", after);
  return text;
}

void write_step(HtmlWriter& html, const ShownTimeline& timeline, const std::vector<Step>& steps,
                std::size_t index) {
  const Step& step = steps[index];
  const auto lane = static_cast<std::size_t>(step.lane);
  std::string classes = "step " + lane_class(lane);
  if (step.failed) classes += " failed";
  if (step.waited) classes += " waits";
  const auto box = html.open("li", {{"class", classes},
                                    {"style", fmt::format("grid-column:{};grid-row:{}/{}", lane + 1,
                                                          step.sent + 1, step.answered + 2)}});
  {
    const auto head = html.open("div", {{"class", "head"}});
    html.element("span", {{"class", "number"}}, fmt::format("{}", index + 1));
    html.element("span", {{"class", "who"}}, timeline.lanes[lane].name);
    if (step.at) {
      html.element("span", {{"class", "at"}}, "+" + milliseconds_of(*step.at) + " ms");
    }
  }
  html.element("code", shortened(step.what, kStepTextMax));
  if (step.waited) html.element("div", {{"class", "wait"}}, wait_in_words(steps, step));
  if (!step.answer.empty()) {
    html.element("div", {{"class", "answer"}}, shortened(step.answer, kStepTextMax));
  }
}

void write_lanes(HtmlWriter& html, const std::vector<Lane>& lanes) {
  const auto row = html.open("div", {{"class", "lanes"}});
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    const auto lane = html.open("div", {{"class", "lane " + lane_class(i)}});
    html.element("b", lanes[i].name);
    if (!lanes[i].about.empty()) html.element("span", lanes[i].about);
  }
}

void write_ends(HtmlWriter& html, const std::vector<Lane>& lanes) {
  const bool any =
      std::any_of(lanes.begin(), lanes.end(), [](const Lane& lane) { return !lane.end.empty(); });
  if (!any) return;
  const auto row = html.open("div", {{"class", "lanes ends"}});
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    const auto lane =
        html.open("div", {{"class", "lane " + lane_class(i) + (lanes[i].failed ? " failed" : "")}});
    html.element("span", {{"class", "who"}}, lanes[i].name);
    html.element("span", shortened(lanes[i].end, kStepTextMax));
  }
}

}  // namespace

ShownTimeline timeline_of(const ShownSchedule& schedule) {
  ShownTimeline timeline;
  std::size_t clients = schedule.ends.size();
  for (const ExploredStep& step : schedule.steps) {
    clients = std::max(clients, static_cast<std::size_t>(std::max(step.client, 0)));
  }
  for (std::size_t i = 0; i < clients; ++i) {
    Lane lane{.name = fmt::format("client {}", i + 1), .about = {}, .end = {}};
    if (i < schedule.ends.size()) lane.end = schedule.ends[i];
    lane.failed = lane.end.rfind("gave_up", 0) == 0 || lane.end.rfind("gave up", 0) == 0 ||
                  lane.end.rfind("failed", 0) == 0;
    timeline.lanes.push_back(std::move(lane));
  }
  int place = 0;
  for (const ExploredStep& step : schedule.steps) {
    timeline.steps.push_back({.lane = step.client - 1,
                              .what = step.sql,
                              .answer = step.answer,
                              .failed = step.failed,
                              .waited = step.waited,
                              .sent = place,
                              .answered = std::max(place, step.answered_after - 1),
                              .at = {},
                              .took = {}});
    ++place;
  }
  return timeline;
}

void draw(HtmlWriter& html, const ShownTimeline& timeline) {
  std::vector<Step> steps = drawable(timeline);
  if (steps.empty() || timeline.lanes.size() > kLanesDrawnMax) return;
  const std::size_t left_out = steps.size() - std::min(steps.size(), kStepsMax);
  steps.resize(steps.size() - left_out);
  const std::size_t lanes = timeline.lanes.size();
  const auto block =
      html.open("div", {{"class", lanes > kNarrowLanesMax ? "timeline many" : "timeline"},
                        {"style", fmt::format("--lanes:{}", lanes)}});
  write_lanes(html, timeline.lanes);
  {
    const auto list = html.open("ol", {{"class", "steps"}, {"role", "list"}});
    for (std::size_t i = 0; i < steps.size(); ++i) write_step(html, timeline, steps, i);
  }
  if (left_out > 0) {
    html.element("p", {{"class", "more"}},
                 "and " + counted(left_out, "more statement", "more statements"));
  }
  write_ends(html, timeline.lanes);
}

void write_legend(HtmlWriter& html) {
  const auto list = html.open("ul", {{"class", "legend"}});
  const auto entry = [&](Literal classes, std::string_view what) {
    const auto item = html.open("li");
    html.element("span", {{"class", std::string(classes.text())}, {"aria-hidden", "true"}}, "");
    html.text(what);
  };
  entry("key", "a statement, its answer below it; time goes down");
  entry("key waits", "waits for a lock: from where it was sent to where it was answered");
  entry("key failed", "refused by the database, or rolled back");
  html.element("li",
               "rw: read a version that the other overwrote; ww: overwrote the other's "
               "version; wr: read what the other wrote; dashed: inferred");
}

}  // namespace hilsa
