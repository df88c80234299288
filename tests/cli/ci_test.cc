// `hilsa ci`: what must be and what it may cost, the baseline, and exit statuses. Where figures
// count, on simulated databases: their clock is the seed's, so no machine disturbs them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/cli/ci_folder.h"
#include "tests/cli/on_product.h"

namespace hilsa::tests {
namespace {

using nlohmann::json;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kSimulated = "databases: {main: 'sim:read-committed'}\n";
const std::string kCheckout = R"(
  - name: checkout
    workload: oversell
    database: main
    strategies: [atomic]
    duration: 1s
    think: 1ms
    rounds: 7
    cost:
      reference: for-update
      regression: {tolerance: 10%}
)";
const std::string kConfig = kSimulated + "suites:" + kCheckout;

const Words kSeed = {"--seed", "9"};

Finished update(const CiFolder& folder, Words further = {}) {
  further.insert(further.end(), {"--update-baseline", "--seed", "3"});
  return folder.run(further);
}

json demands_of(const CiFolder& folder, Words further = kSeed) {
  further.insert(further.end(), {"--format", "json"});
  return json::parse(folder.run(further).out)["demands"];
}

// Every throughput of the baseline times `factor`.
void scale_baseline(const CiFolder& folder, double factor) {
  json baseline = json::parse(text_of(folder.at("hilsa-baseline.json")));
  for (json& row : baseline["suites"]["checkout"]["main"]["rows"]) {
    for (json& ratio : row["throughput"]) ratio = ratio.get<double>() * factor;
  }
  folder.write("hilsa-baseline.json", baseline.dump());
}

TEST(Ci, WithItsOwnBaselineNothingIsWrong) {
  const CiFolder folder(kConfig);
  const Finished updated = update(folder);
  EXPECT_EQ(updated.status, 0) << updated.err;
  EXPECT_THAT(updated.out, HasSubstr("commit it"));
  const Finished finished = folder.run(kSeed);
  EXPECT_EQ(finished.status, 0) << finished.out << finished.err;
  EXPECT_THAT(finished.out, HasSubstr("throughput relative to for-update"));
  EXPECT_THAT(finished.out, EndsWith("0 broken, 0 unknown, 2 kept\n"));
}

TEST(Ci, WhatBecameSlowerIsMeasuredAgainAndFails) {
  const CiFolder folder(kConfig);
  update(folder);
  scale_baseline(folder, 1 / 0.7);
  const Finished finished = folder.run(kSeed);
  EXPECT_EQ(finished.status, 1) << finished.err;
  EXPECT_THAT(finished.out, HasSubstr("it fell to 0.70"));
  EXPECT_THAT(finished.out, HasSubstr("99% sure of more than 10%: p = "));
  const json demands = demands_of(folder);
  EXPECT_EQ(demands[1]["status"], "broken");
  EXPECT_EQ(demands[1]["suite"], "checkout");
  EXPECT_EQ(demands[1]["row"], "atomic at read committed on simulated");
  EXPECT_THAT(demands[1]["finding"].get<std::string>(),
              HasSubstr("7 + 14 rounds); confirmed: measured 2 times, 0.70"));
  scale_baseline(folder, 0.7 * 1.05);  // within the tolerance
  EXPECT_EQ(folder.run(kSeed).status, 0);
}

TEST(Ci, WhatBecameFasterIsTold) {
  const CiFolder folder(kConfig);
  update(folder);
  scale_baseline(folder, 0.5);
  const Finished finished = folder.run(kSeed);
  EXPECT_EQ(finished.status, 0);
  EXPECT_THAT(finished.out, HasSubstr("it rose to 2"));
  EXPECT_THAT(demands_of(folder)[1]["finding"].get<std::string>(),
              HasSubstr("'hilsa ci --update-baseline' makes it what is expected"));
}

TEST(Ci, ALimitIsBrokenOnlyIfASecondMeasurementSaysSo) {
  const auto status_with = [](const std::string& limit) {
    std::string config = kConfig;
    config.replace(config.find("regression: {tolerance: 10%}"), 28, limit);
    const CiFolder folder(config);
    const json demand = demands_of(folder)[1];
    return demand["status"].get<std::string>() + ": " + demand["finding"].get<std::string>();
  };
  EXPECT_THAT(status_with("throughput: '>= 0.9'"), HasSubstr("kept: it is 1.0"));
  EXPECT_THAT(status_with("throughput: '>= 1.5'"), HasSubstr("broken: it is 1.0"));
  EXPECT_THAT(status_with("throughput: '>= 1.5'"), HasSubstr("confirmed: measured 2 times"));
  EXPECT_THAT(status_with("p99: '<= 0.5'"), HasSubstr("broken: "));
  EXPECT_THAT(status_with("attempts: '<= 1'"), HasSubstr("kept: it is 1 "));
}

// --- the baseline ---

void expect_unusable(const CiFolder& folder, const std::string& why) {
  const Finished finished = folder.run(kSeed);
  EXPECT_EQ(finished.status, 2) << finished.out;
  EXPECT_THAT(finished.out, ::testing::IsEmpty()) << "something was run";
  EXPECT_THAT(finished.err, HasSubstr(why));
  EXPECT_THAT(finished.err, HasSubstr("run 'hilsa ci --update-baseline' on an unchanged checkout"));
}

TEST(CiBaseline, AMissingOneIsNoPass) {
  const CiFolder folder(kConfig);
  expect_unusable(folder, "there is no baseline");
}

TEST(CiBaseline, ADamagedOneIsNoPass) {
  const CiFolder folder(kConfig);
  update(folder);
  const std::string whole = text_of(folder.at("hilsa-baseline.json"));
  folder.write("hilsa-baseline.json", whole.substr(0, whole.size() / 2));
  expect_unusable(folder, "it is not JSON");
  folder.write("hilsa-baseline.json", "");
  expect_unusable(folder, "it is not JSON");
  EXPECT_EQ(update(folder).status, 0) << "the way out leads nowhere";
  EXPECT_EQ(text_of(folder.at("hilsa-baseline.json")), whole) << "one seed, one baseline";
}

TEST(CiBaseline, AStaleOneIsNoPass) {
  const CiFolder folder(kConfig);
  update(folder);
  const auto with = [](const std::string& line) { return kConfig + line; };
  folder.write("hilsa.yaml", with("    clients: 9\n"));
  expect_unusable(folder, "under other circumstances: clients was 8 and is 9");
  folder.write("hilsa.yaml", with("    stock: 500000\n"));
  expect_unusable(folder, "option stock was 1000000 and is 500000");
  std::string config = kConfig;
  config.replace(config.find("duration: 1s"), 12, "duration: 2s");
  folder.write("hilsa.yaml", config);
  expect_unusable(folder, "time per round was 142.857 ms and is 285.714 ms");
  config = kConfig;
  config.replace(config.find("reference: for-update"), 21, "reference: optimistic");
  folder.write("hilsa.yaml", config);
  expect_unusable(folder, "reference was for-update and is optimistic");
  config = kConfig;
  config.replace(config.find("[atomic]"), 8, "[atomic, optimistic]");
  folder.write("hilsa.yaml", config);
  expect_unusable(folder, "it does not hold optimistic at read committed");
  json baseline = json::parse(text_of(folder.at("hilsa-baseline.json")));
  baseline["suites"]["checkout"]["main"]["measured_with"]["database"] = "PostgreSQL 14";
  folder.write("hilsa-baseline.json", baseline.dump());
  folder.write("hilsa.yaml", kConfig);
  expect_unusable(folder, "database was PostgreSQL 14 and is simulated database");
}

TEST(CiBaseline, SuitesWithoutARegressionNeedNone) {
  const CiFolder folder(kSimulated +
                        "suites: [{name: a, workload: oversell, database: main, strategies: "
                        "[atomic]}]\n");
  EXPECT_EQ(folder.run(kSeed).status, 0);
  const Finished finished = update(folder);
  EXPECT_EQ(finished.status, 2);
  EXPECT_THAT(finished.err, HasSubstr("there is nothing to keep in a baseline"));
}

TEST(CiBaseline, AnUpdateOfOneSuiteKeepsTheOthers) {
  std::string other = kCheckout;
  other.replace(other.find("name: checkout"), 14, "name: other");
  const CiFolder folder(kConfig + other.substr(1));
  EXPECT_EQ(update(folder).status, 0);
  const json before = json::parse(text_of(folder.at("hilsa-baseline.json")));
  EXPECT_EQ(folder.run({"--update-baseline", "--seed", "77", "--suite", "other"}).status, 0);
  const json after = json::parse(text_of(folder.at("hilsa-baseline.json")));
  EXPECT_EQ(after["suites"]["checkout"], before["suites"]["checkout"]);
  EXPECT_NE(after["suites"]["other"], before["suites"]["other"]);
  // What cannot be read cannot be kept.
  folder.write("hilsa-baseline.json", "{");
  EXPECT_EQ(update(folder, {"--suite", "other"}).status, 2);
  EXPECT_EQ(text_of(folder.at("hilsa-baseline.json")), "{");
}

TEST(CiBaseline, ABrokenStrategyIsNone) {
  std::string config = kConfig;
  config.replace(config.find("[atomic]"), 8, "[read-then-write]");
  const CiFolder folder(config + "    must: safe\n");
  const Finished refused = update(folder);
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.out, HasSubstr("no baseline was written"));
  EXPECT_FALSE(std::filesystem::exists(folder.at("hilsa-baseline.json")));
  EXPECT_EQ(update(folder, {"--even-if-broken"}).status, 1);
  EXPECT_TRUE(std::filesystem::exists(folder.at("hilsa-baseline.json")));
}

TEST(CiBaseline, OneThatCannotBeWrittenIsSaidBeforeAnythingIsMeasured) {
  const auto expect_refused = [](const std::string& baseline) {
    const CiFolder folder("baseline: " + baseline + "\n" + kConfig);
    std::filesystem::create_directory(folder.at("kept"));
    const Finished finished = update(folder);
    EXPECT_EQ(finished.status, 2);
    EXPECT_THAT(finished.out, ::testing::IsEmpty()) << "something was run";
    EXPECT_THAT(finished.err, HasSubstr(baseline + "': "));
  };
  expect_refused("nowhere/it.json");
  expect_refused("kept");
}

TEST(CiBaseline, MayBeElsewhere) {
  const CiFolder folder("baseline: kept/it.json\n" + kConfig);
  std::filesystem::create_directory(folder.at("kept"));
  EXPECT_EQ(update(folder).status, 0);
  EXPECT_TRUE(std::filesystem::exists(folder.at("kept/it.json")));
  EXPECT_EQ(folder.run(kSeed).status, 0);
  EXPECT_THAT(folder.run({"--baseline", folder.at("no.json").string()}).err,
              HasSubstr("there is no baseline"));
}

// --- what must be ---

std::string trials(const std::string& rest) {
  return kSimulated + "suites: [{name: a, workload: oversell, database: main, " + rest + "}]\n";
}

TEST(CiPromises, AreWhatMustBeUnlessTheFileSaysOtherwise) {
  const auto status_of = [](const std::string& rest) {
    return CiFolder(trials(rest)).run(kSeed).status;
  };
  EXPECT_EQ(status_of("strategies: [atomic, read-then-write]"), 0);
  EXPECT_EQ(status_of("strategies: [atomic, read-then-write], must: safe"), 1);
  EXPECT_EQ(status_of("strategies: [atomic, {read-then-write: {must: unsafe}}], must: safe"), 0);
  EXPECT_EQ(status_of("strategies: [{atomic: {must: unsafe}}]"), 1);
  EXPECT_EQ(status_of("strategies: [atomic], must: read committed"), 0);
  EXPECT_EQ(status_of("strategies: [read-then-write], must: serializable"), 1);
  EXPECT_EQ(status_of("strategies: [atomic], must: [safe, serializable]"), 0);
}

TEST(CiPromises, ABrokenOneNamesTheAnomaly) {
  const CiFolder folder(trials("strategies: [read-then-write], must: safe"));
  const Finished finished = folder.run(kSeed);
  EXPECT_THAT(finished.out, HasSubstr("broken: suite a: read-then-write at read committed on "
                                      "simulated: must be safe: it is unsafe: an invariant broke"));
  EXPECT_THAT(finished.out, HasSubstr("lost update (P4)"));
}

TEST(CiPromises, NothingProvedIsUnknown) {
  const CiFolder folder(trials("strategies: [atomic], clients: 1"));
  const Finished finished = folder.run(kSeed);
  EXPECT_EQ(finished.status, 4);
  EXPECT_THAT(finished.out, HasSubstr("nothing was proved: no two attempts ran"));
}

TEST(CiPromises, TwoDatabasesOfOneProductAreToldApart) {
  const CiFolder folder(
      "databases: {one: 'sim:read-committed', two: 'sim:snapshot'}\nsuites: [{name: a, workload: "
      "oversell, databases: [one, two], strategies: [atomic]}]\n");
  const json demands = demands_of(folder);
  EXPECT_EQ(demands[0]["row"], "atomic at read committed on simulated (one)");
  EXPECT_THAT(demands[1]["row"].get<std::string>(), EndsWith("on simulated (two)"));
}

TEST(CiPromises, TheSameRowOfTwoSuitesIsShownWithItsOwnEvidence) {
  const CiFolder folder(kSimulated +
                        "suites:\n"
                        "  - {name: quiet, workload: oversell, database: main, strategies: "
                        "[read-then-write], clients: 1, must: safe}\n"
                        "  - {name: sale, workload: oversell, database: main, strategies: "
                        "[read-then-write], must: safe}\n");
  const Finished finished = folder.run({"--out", folder.at("out").string(), "--seed", "9"});
  EXPECT_EQ(finished.status, 1);
  const std::string junit = text_of(folder.at("out/junit.xml"));
  const std::size_t sale = junit.find("sale");
  const std::size_t evidence = junit.find("lost update (P4)");
  EXPECT_NE(evidence, std::string::npos) << junit;
  EXPECT_LT(sale, evidence) << "told of the suite in which nobody met anybody";
}

// --- around it ---

TEST(Ci, AFolderIsNoConfiguration) {
  const CiFolder folder(kConfig);
  const Finished finished = folder.run({"--config", folder.at("").string()});
  EXPECT_EQ(finished.status, 2);
}

TEST(Ci, TheRunDirectoryHoldsTheDemands) {
  const CiFolder folder(trials("strategies: [atomic, read-then-write], must: safe"));
  const Finished finished = folder.run({"--out", folder.at("out").string(), "--seed", "9"});
  EXPECT_EQ(finished.status, 1);
  const json result = json::parse(text_of(folder.at("out/result.json")));
  EXPECT_EQ(result["demands"].size(), 2U);
  EXPECT_THAT(text_of(folder.at("out/report.md")), HasSubstr("must be safe"));
  EXPECT_THAT(text_of(folder.at("out/junit.xml")), HasSubstr("read-then-write"));
  EXPECT_FALSE(text_of(folder.at("out/report.html")).empty());
}

TEST(Ci, GitHubGetsAnnotationsBesideTheText) {
  const CiFolder folder(trials("strategies: [read-then-write], must: safe"));
  const Finished finished = folder.run({"--format", "github", "--seed", "9"});
  EXPECT_EQ(finished.status, 1);
  EXPECT_THAT(finished.out, HasSubstr("1 broken, 0 unknown, 0 kept"));
  EXPECT_THAT(finished.out, HasSubstr("::error"));
}

TEST(Ci, AStopLeavesNoBaselineAndNothingProved) {
  const std::string config = "databases: {main: 'sqlite:'}\nsuites:" + kCheckout;
  std::string forever = config;
  forever.replace(forever.find("duration: 1s"), 12, "duration: 7h");
  forever.replace(forever.find("reference: for-update"), 21, "reference: optimistic");
  const CiFolder folder(forever);
  HilsaProcess process(folder.command({"--update-baseline"}));
  std::this_thread::sleep_for(std::chrono::milliseconds(700));
  process.send(SIGINT);
  const Finished finished = process.wait();
  EXPECT_EQ(finished.status, 4) << finished.err;
  EXPECT_THAT(finished.out, HasSubstr("the run was stopped"));
  EXPECT_THAT(finished.out, HasSubstr("no baseline was written"));
  EXPECT_FALSE(std::filesystem::exists(folder.at("hilsa-baseline.json")));
}

// --- on real servers ---

class CiOnProduct : public OnProduct {};

INSTANTIATE_TEST_SUITE_P(Servers, CiOnProduct,
                         ::testing::Values("sqlite", "postgres", "mariadb", "mysql"),
                         [](const auto& test) { return test.param; });

TEST_P(CiOnProduct, AVersionCheckThatIsGoneIsCaught) {
  const CiFolder folder(
      "databases: {main: 'env:HILSA_TEST_DATABASE'}\nsuites: [{name: last-piece, workload: "
      "oversell, "
      "database: main, strategies: [optimistic], must: safe}]\n");
  const Finished sound = folder.run({}, environment());
  EXPECT_EQ(sound.status, 0) << sound.out << sound.err;
  if (is("sqlite")) return;  // its transactions keep read-then-write safe: nothing can be planted
  const Finished planted = folder.run({}, environment(), HILSA_PLANTED);
  EXPECT_EQ(planted.status, 1) << planted.out << planted.err;
  EXPECT_THAT(planted.out, HasSubstr("lost update (P4)"));
  EXPECT_EQ(left_behind(), "");
}

TEST_P(CiOnProduct, CostsAreMeasuredAndABaselineIsKept) {
  const std::string reference = is("sqlite") ? "optimistic" : "for-update";
  const CiFolder folder(
      "databases: {main: 'env:HILSA_TEST_DATABASE'}\nsuites: [{name: cost, workload: oversell, "
      "database: main, strategies: [atomic], duration: 1s, rounds: 5, cost: {reference: " +
      reference + ", regression: {tolerance: 90%}}}]\n");
  const Finished updated = folder.run({"--update-baseline"}, environment());
  EXPECT_EQ(updated.status, 0) << updated.out << updated.err;
  const Finished finished = folder.run({}, environment());
  EXPECT_EQ(finished.status, 0) << finished.out << finished.err;
  EXPECT_THAT(finished.out, HasSubstr("throughput relative to " + reference));
  EXPECT_EQ(left_behind(), "");
}

}  // namespace
}  // namespace hilsa::tests
