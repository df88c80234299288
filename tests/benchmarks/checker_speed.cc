// How fast list-append histories are parsed and checked: sizes from 10^4 transactions up, 4
// operations each, as Elle makes them; and the same size with one component of (nearly) all
// transactions, which fails. Prints times, operations a second and peak memory; asserts nothing.
//
//   checker_speed [--largest=1000000] [Google Benchmark's own options]
//
// tests/benchmarks/checker-ratios turns its output into the ratios that matter.
#include <benchmark/benchmark.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

#include "checkers/checker.h"
#include "harness/history/readers/read_history.h"
#include "tests/benchmarks/list_append_history.h"

namespace {

using hilsa::History;
using hilsa::ListAppendOptions;

// Files made once and removed at the end.
class Files {
 public:
  Files()
      : folder_(std::filesystem::temp_directory_path() /
                ("hilsa-speed-" + std::to_string(getpid()))) {
    std::filesystem::create_directory(folder_);
  }
  ~Files() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;

  std::filesystem::path of(std::int64_t transactions, ListAppendOptions::Format format,
                           bool component) {
    const std::string name = std::to_string(transactions) + (component ? "c" : "") +
                             (format == ListAppendOptions::Format::edn ? ".edn" : ".json");
    std::filesystem::path path = folder_ / name;
    if (std::filesystem::exists(path)) return path;
    ListAppendOptions options{.transactions = transactions, .format = format};
    if (component) options.stale_transactions = transactions;
    std::FILE* const file = std::fopen(path.c_str(), "wb");
    if (file == nullptr) throw std::runtime_error("cannot write " + path.string());
    const bool written = write_list_append_history(options, file);
    if (std::fclose(file) != 0 || !written) {
      throw std::runtime_error("cannot write " + path.string());
    }
    return path;
  }

 private:
  std::filesystem::path folder_;
};

Files& files() {
  static Files made;
  return made;
}

double peak_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

History read(const std::filesystem::path& path) {
  const std::array paths = {path};
  return hilsa::read_histories(paths);
}

void count(benchmark::State& state, std::int64_t transactions) {
  constexpr double kOperations = 4;
  state.counters["ops"] = benchmark::Counter(
      static_cast<double>(transactions) * kOperations * static_cast<double>(state.iterations()),
      benchmark::Counter::kIsRate);
  state.counters["peak_MiB"] = peak_mib();
}

void parse(benchmark::State& state, ListAppendOptions::Format format) {
  const auto path = files().of(state.range(0), format, false);
  for (auto unused : state) {
    benchmark::DoNotOptimize(read(path));
  }
  count(state, state.range(0));
}

void check(benchmark::State& state, bool component) {
  const History history =
      read(files().of(state.range(0), ListAppendOptions::Format::edn, component));
  for (auto unused : state) {
    const hilsa::Verdict verdict = hilsa::check(history);
    state.counters["component"] = static_cast<double>(verdict.coverage.largest_component);
  }
  count(state, state.range(0));
}

void add(std::int64_t largest) {
  const auto sizes = [largest](benchmark::internal::Benchmark* benchmark, std::int64_t smallest) {
    for (std::int64_t size = smallest; size <= largest; size *= 10) benchmark->Arg(size);
    benchmark->Unit(benchmark::kMillisecond)->UseRealTime();
  };
  constexpr std::int64_t kSmallest = 10'000;
  sizes(benchmark::RegisterBenchmark("parse/edn", parse, ListAppendOptions::Format::edn),
        kSmallest);
  sizes(benchmark::RegisterBenchmark("parse/json", parse, ListAppendOptions::Format::json),
        kSmallest);
  sizes(benchmark::RegisterBenchmark("check/valid", check, false), kSmallest);
  benchmark::RegisterBenchmark("check/component", check, true)
      ->Arg(10 * kSmallest)
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime();
}

}  // namespace

int main(int argc, char** argv) {
  std::int64_t largest = 1'000'000;
  constexpr std::string_view kLargest = "--largest=";
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]).starts_with(kLargest)) {
      largest = std::atoll(argv[i] + kLargest.size());
    } else {
      argv[kept++] = argv[i];
    }
  }
  argc = kept;
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  add(largest);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
