// The checker against the definitions on lists and registers, whose versions it has to infer:
// serializable and snapshot isolation, in every form, on random histories good and bad. A mismatch
// prints its seed and the history, to be kept as a fixed test. Below them the cases that were
// written down by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "checkers/checker.h"
#include "tests/checkers/brute_force_imported.h"
#include "tests/checkers/random_imported.h"
#include "tests/checkers/small_history.h"
#include "tests/seeds.h"

namespace hilsa {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using tests::SmallHistory;

constexpr std::array kForms = {Needs::data, Needs::session, Needs::realtime};
constexpr LevelForm kSerializable{Level::serializable, Needs::data};
constexpr LevelForm kStrictSerializable{Level::serializable, Needs::realtime};
constexpr LevelForm kSnapshotIsolation{Level::snapshot_isolation, Needs::data};

struct Definition {
  Level level;
  bool (*holds)(const History&, Needs);
};
constexpr std::array kDefinitions = {
    Definition{Level::serializable, imported_serializable_by_definition},
    Definition{Level::snapshot_isolation, imported_snapshot_isolated_by_definition}};

std::optional<Validity> result_of(const Verdict& verdict, const LevelForm& level) {
  const auto found = std::find_if(verdict.results.begin(), verdict.results.end(),
                                  [&](const LevelResult& result) { return result.level == level; });
  if (found == verdict.results.end()) return std::nullopt;
  return found->validity;
}

std::vector<std::string> classes_of(const Verdict& verdict) {
  std::vector<std::string> classes;
  for (const Anomaly& anomaly : verdict.anomalies) {
    classes.push_back(class_name(anomaly.anomaly, anomaly.needs));
  }
  return classes;
}

std::string description(const Verdict& verdict) {
  std::string text;
  for (const LevelResult& result : verdict.results) {
    text += name_of(result.level) + ": " + std::string(name_of(result.validity)) + "\n";
  }
  for (const std::string& name : classes_of(verdict)) text += name + "\n";
  return text;
}

void expect_agreement(const History& history) {
  const Verdict verdict = check(history);
  for (const LevelResult& result : verdict.results) {
    ASSERT_TRUE(result.validity != Validity::invalid || result.because >= 0)
        << name_of(result.level) << " fails without a reason\n"
        << to_imported_text(history) << description(verdict);
  }
  for (const auto& [level, holds] : kDefinitions) {
    for (const Needs form : kForms) {
      const LevelForm named{level, form};
      const std::optional<Validity> result = result_of(verdict, named);
      if (!result && form != Needs::data && !history.has_times()) continue;
      ASSERT_TRUE(result.has_value()) << name_of(named) << " is not among the results";
      const Validity expected = holds(history, form) ? Validity::valid : Validity::invalid;
      ASSERT_EQ(*result, expected) << name_of(named) << " should be " << name_of(expected) << "\n"
                                   << to_imported_text(history) << description(verdict);
    }
  }
}

void expect_agreement(std::uint64_t seeds, const RandomImportedOptions& options) {
  for (std::uint64_t seed = 0; seed < tests::seeds_to_try(seeds); ++seed) {
    expect_agreement(random_imported_history(seed, options));
    if (testing::Test::HasFatalFailure()) FAIL() << "seed " << seed;
  }
}

TEST(ImportedAgreement, WithTheDefinitionsOnLists) {
  expect_agreement(60'000, {.form = Form::lists});
}

TEST(ImportedAgreement, WithTheDefinitionsOnRegisters) {
  expect_agreement(60'000, {.form = Form::registers});
}

TEST(ImportedAgreement, WithTheDefinitionsOnListsWhereCommitsWereNotAnswered) {
  expect_agreement(30'000, {.form = Form::lists, .unknown_outcomes = true});
}

TEST(ImportedAgreement, WithTheDefinitionsOnRegistersWhereCommitsWereNotAnswered) {
  expect_agreement(30'000, {.form = Form::registers, .unknown_outcomes = true});
}

// Many transactions that meet on the same few: what was not read is then most of it.
TEST(ImportedAgreement, WithTheDefinitionsOnOneListOrRegister) {
  expect_agreement(30'000, {.form = Form::lists, .keys_max = 1});
  expect_agreement(30'000, {.form = Form::registers, .keys_max = 1});
}

// --- lists ---

// What a transaction appended is in the list whole and in its order, or, at the end, not yet.
TEST(Lists, AnAppendLeftOutBeforeALaterOneOfItsTransactionIsInternal) {
  SmallHistory history(Form::lists);
  history.begin(1, {});
  history.append("x", 1);
  history.append("x", 3);
  history.end();
  history.begin(2, {});
  history.read_list("x", {3});
  history.end();
  const Verdict verdict = check(history.finish());
  EXPECT_THAT(classes_of(verdict), Contains("internal"));
  EXPECT_EQ(result_of(verdict, kSerializable), Validity::invalid);
}

TEST(Lists, AppendsOfOneTransactionInAnotherOrderAreInternal) {
  SmallHistory history(Form::lists);
  history.begin(1, {});
  history.append("x", 1);
  history.append("x", 2);
  history.end();
  history.begin(2, {});
  history.append("x", 3);
  history.end();
  history.begin(3, {});
  history.read_list("x", {2, 1, 3});
  history.end();
  const Verdict verdict = check(history.finish());
  EXPECT_THAT(classes_of(verdict), Contains("internal"));
  EXPECT_EQ(result_of(verdict, kSerializable), Validity::invalid);
}

// Each misses what the other appended; both append to z, or not.
History write_skew(bool both_append_to_z) {
  SmallHistory history(Form::lists);
  history.begin(1, {.client = 1});
  history.read_list("x", {});
  history.append("y", 1);
  if (both_append_to_z) history.append("z", 3);
  history.end();
  history.begin(2, {.client = 2});
  history.read_list("y", {});
  history.append("x", 2);
  if (both_append_to_z) history.append("z", 4);
  history.end();
  return history.finish();
}

TEST(Lists, WriteSkewOfUnreadAppendsIsSnapshotIsolated) {
  const Verdict verdict = check(write_skew(false));
  EXPECT_EQ(result_of(verdict, kSerializable), Validity::invalid);
  EXPECT_EQ(result_of(verdict, kSnapshotIsolation), Validity::valid);
}

// Whichever of the two appends came first, the other one's transaction started after it.
TEST(Lists, WriteSkewIsNotSnapshotIsolatedIfTwoUnreadAppendsMustHaveAnOrder) {
  const Verdict verdict = check(write_skew(true));
  EXPECT_EQ(result_of(verdict, kSerializable), Validity::invalid);
  EXPECT_EQ(result_of(verdict, kSnapshotIsolation), Validity::invalid);
  EXPECT_THAT(verdict.anomalies, Not(IsEmpty()));
}

TEST(Lists, ReadsOfWhichNeitherIsAPrefixOfTheOtherHaveIncompatibleOrders) {
  SmallHistory history(Form::lists);
  for (const int element : {1, 2}) {
    history.begin(static_cast<AttemptId>(element), {.client = element});
    history.append("x", element);
    history.end();
  }
  history.begin(3, {.client = 3});
  history.read_list("x", {1, 2});
  history.end();
  history.begin(4, {.client = 4});
  history.read_list("x", {2, 1});
  history.end();
  const Verdict verdict = check(history.finish());
  EXPECT_THAT(classes_of(verdict), Contains("incompatible-order"));
  EXPECT_THAT(verdict.levels, IsEmpty());
}

// A list that two transactions have appended to, and that a third one read.
Verdict verdict_on_list(std::int64_t first, std::int64_t second,
                        const std::vector<std::int64_t>& read) {
  SmallHistory history(Form::lists);
  history.begin(1, {.client = 1});
  history.append("x", first);
  history.end();
  history.begin(2, {.client = 2});
  history.append("x", second);
  history.end();
  history.begin(3, {.client = 3});
  history.read_list("x", read);
  history.end();
  return check(history.finish());
}

void expect_no_level(const Verdict& verdict, const std::string& because) {
  EXPECT_THAT(classes_of(verdict), Contains(because));
  EXPECT_THAT(verdict.levels, IsEmpty());
  EXPECT_EQ(verdict.validity, Validity::invalid);
}

TEST(Lists, OneElementAppendedTwiceLeavesNoLevel) {
  expect_no_level(verdict_on_list(1, 1, {1}), "duplicate-write");
  expect_no_level(verdict_on_list(1, 1, {}), "duplicate-write");
}

TEST(Lists, OneElementTwiceInAListLeavesNoLevel) {
  expect_no_level(verdict_on_list(1, 2, {1, 2, 1}), "duplicate-write");
}

TEST(Lists, AnElementThatNobodyAppendedLeavesNoLevel) {
  expect_no_level(verdict_on_list(1, 2, {1, 9}), "garbage-read");
}

// --- registers ---

class Registers : public testing::Test {
 protected:
  // One transaction that writes or reads one register.
  void write(AttemptId id, int client, std::int64_t value, int begin = 0) {
    history_.begin(id, {.client = client, .begin = begin, .end = begin == 0 ? 0 : begin + 1});
    history_.write_register("x", value);
    history_.end();
  }
  void read(AttemptId id, int client, std::int64_t value, int begin = 0) {
    history_.begin(id, {.client = client, .begin = begin, .end = begin == 0 ? 0 : begin + 1});
    history_.read_register("x", Scalar::small_integer(value));
    history_.end();
  }
  // T1 and T2 write x and y, T3 sees the one of T2 and the other of T1.
  void write_and_read_halves() {
    for (const int value : {1, 2}) {
      history_.begin(static_cast<AttemptId>(value), {.client = value});
      history_.write_register("x", value);
      history_.write_register("y", value);
      history_.end();
    }
    history_.begin(3, {.client = 3});
    history_.read_register("x", Scalar::small_integer(2));
    history_.read_register("y", Scalar::small_integer(1));
    history_.end();
  }
  Validity validity_assuming(const History& history, Expectation::Assume assume) {
    return check(history, {.assume = assume}).validity;
  }

  SmallHistory history_{Form::registers};
};

// Whichever of the two came last wrote both that T3 saw one each of.
TEST_F(Registers, HalvesOfTwoTransactionsAreInvalidUnderEveryOrderOfTheirWrites) {
  write_and_read_halves();
  const Verdict verdict = check(history_.finish());
  EXPECT_EQ(verdict.validity, Validity::invalid);
  EXPECT_EQ(result_of(verdict, kSerializable), Validity::invalid);
  EXPECT_EQ(result_of(verdict, kSnapshotIsolation), Validity::invalid);
}

// T1 and T2 wrote, one after the other, and then T3 saw T1's.
TEST_F(Registers, AnOrderThatIsUndecidedButPossibleIsValid) {
  write(1, 1, 1, 1);
  write(2, 2, 2, 3);
  read(3, 3, 1, 5);
  const Verdict verdict = check(history_.finish());
  EXPECT_EQ(verdict.coverage.choices, 1);
  EXPECT_EQ(verdict.validity, Validity::valid);
  EXPECT_EQ(result_of(verdict, kSerializable), Validity::valid);
  EXPECT_EQ(result_of(verdict, kStrictSerializable), Validity::invalid);
}

TEST_F(Registers, LinearizableKeysOrderWritesByTime) {
  write(1, 1, 1, 1);
  write(2, 2, 2, 3);
  read(3, 3, 1, 5);
  const History history = history_.finish();
  using Assume = Expectation::Assume;
  EXPECT_EQ(validity_assuming(history, Assume::nothing), Validity::valid);
  EXPECT_EQ(validity_assuming(history, Assume::sequential_keys), Validity::valid);
  EXPECT_EQ(validity_assuming(history, Assume::linearizable_keys), Validity::invalid);
}

// T3 and T4 are one client's, as T1 and T2 are.
TEST_F(Registers, SequentialKeysOrderWritesByClient) {
  write(1, 1, 1);
  write(2, 1, 2);
  read(3, 2, 2);
  read(4, 2, 1);
  const History history = history_.finish();
  using Assume = Expectation::Assume;
  EXPECT_EQ(validity_assuming(history, Assume::nothing), Validity::valid);
  EXPECT_EQ(validity_assuming(history, Assume::sequential_keys), Validity::invalid);
  EXPECT_EQ(validity_assuming(history, Assume::linearizable_keys), Validity::invalid);
}

TEST_F(Registers, AssumptionsLeaveAlonePlainlyOrderedHistories) {
  write(1, 1, 1, 1);
  read(2, 2, 1, 3);
  write(3, 1, 2, 5);
  read(4, 2, 2, 7);
  const History history = history_.finish();
  using Assume = Expectation::Assume;
  EXPECT_EQ(validity_assuming(history, Assume::sequential_keys), Validity::valid);
  EXPECT_EQ(validity_assuming(history, Assume::linearizable_keys), Validity::valid);
}

TEST_F(Registers, OneValueWrittenTwiceLeavesNoLevel) {
  write(1, 1, 1);
  write(2, 2, 1);
  read(3, 3, 1);
  expect_no_level(check(history_.finish()), "duplicate-write");
}

TEST_F(Registers, AValueThatNobodyWroteLeavesNoLevel) {
  write(1, 1, 1);
  read(2, 2, 9);
  expect_no_level(check(history_.finish()), "garbage-read");
}

// --- the search's budget ---

// Only T3's being later in real time forbids both orders.
TEST_F(Registers, AreUnknownWhenTheSearchRunsOutOfSteps) {
  write(1, 1, 1, 1);
  write(2, 2, 2, 3);
  read(3, 3, 1, 5);
  const History history = history_.finish();
  const Verdict cut_off = check(history, {.level = kStrictSerializable, .search_steps = 1});
  EXPECT_EQ(cut_off.validity, Validity::unknown);
  EXPECT_EQ(result_of(cut_off, kStrictSerializable), Validity::unknown);
  EXPECT_THAT(cut_off.reason, HasSubstr("cut off after"));
  EXPECT_EQ(check(history, {.level = kStrictSerializable}).validity, Validity::invalid);
}

// Halves of transactions are found without a search, and no stronger level allows them.
TEST_F(Registers, AreInvalidWithoutASearchWhereAWeakerLevelFails) {
  write_and_read_halves();
  const Verdict verdict = check(history_.finish(), {.search_steps = 1});
  EXPECT_EQ(result_of(verdict, {Level::read_atomic, Needs::data}), Validity::invalid);
  EXPECT_EQ(result_of(verdict, kSerializable), Validity::invalid);
  EXPECT_EQ(verdict.validity, Validity::invalid);
  EXPECT_THAT(verdict.reason, HasSubstr("fractured"));
}

}  // namespace
}  // namespace hilsa
