#include "reports/html/examples.h"

#include <algorithm>
#include <numeric>

namespace hilsa {
namespace {

struct Place {
  std::size_t report = 0;
  std::size_t row = 0;
  int rank = 0;
  std::size_t examples = 0;
};

int rank_of(const ReportRow& row) {
  if (row.measured == "unsafe" && row.promised == "safe") return 0;
  if (row.check.breaks_promise) return 0;
  return row.measured == "unsafe" ? 1 : 2;
}

int rank_of(const ExploreRow& row) {
  if (row.measured == "unsafe" && row.promised == "safe") return 0;
  return row.violates() ? 1 : 2;
}

std::size_t examples_of(const ReportRow& row) { return row.check.shown.size(); }

std::size_t examples_of(const ExploreRow& row) {
  return (row.shortest ? 1U : 0U) + (row.shortest_deadlock ? 1U : 0U);
}

template <typename Rows>
std::vector<std::size_t> ordered(const Rows& rows) {
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&rows](std::size_t a, std::size_t b) {
    return rank_of(rows[a]) < rank_of(rows[b]);
  });
  return order;
}

std::vector<Place> places_of(const ReportSet& result) {
  std::vector<Place> places;
  for (std::size_t i = 0; i < result.reports.size(); ++i) {
    std::visit(
        [&](const auto& report) {
          for (std::size_t row = 0; row < report.rows.size(); ++row) {
            const auto& one = report.rows[row];
            places.push_back({i, row, rank_of(one), std::min(examples_of(one), kExamplesPerRow)});
          }
        },
        result.reports[i]);
  }
  std::stable_sort(places.begin(), places.end(),
                   [](const Place& a, const Place& b) { return a.rank < b.rank; });
  return places;
}

}  // namespace

std::vector<std::vector<std::size_t>> choose_examples(const ReportSet& result) {
  std::vector<std::vector<std::size_t>> chosen;
  for (const Report& report : result.reports) {
    chosen.emplace_back(std::visit([](const auto& one) { return one.rows.size(); }, report));
  }
  const std::vector<Place> places = places_of(result);
  std::size_t left = kExamplesMax;
  for (std::size_t nth = 0; nth < kExamplesPerRow; ++nth) {
    for (const Place& place : places) {
      if (nth >= place.examples || left == 0) continue;
      ++chosen[place.report][place.row];
      --left;
    }
  }
  return chosen;
}

std::vector<std::size_t> failing_first(const RunReport& report) { return ordered(report.rows); }
std::vector<std::size_t> failing_first(const ExploreReport& report) { return ordered(report.rows); }

}  // namespace hilsa
