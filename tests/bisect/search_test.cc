// SPDX-License-Identifier: Apache-2.0
// The search alone, on a scripted black box: what each operator does wrong is written down, and
// what the search sees follows from it.
#include "bisect/search.h"

#include <gmock/gmock.h>

#include <cmath>
#include <map>
#include <random>
#include <set>

namespace edgeprobe::bisect {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// A chain of `count` operators. The error of operator u moves every later tensor by the same
/// amount; errors add up as squares. An operator in `needs_neighbour` shows its error only if one
/// part contains it and the operator before it.
class ScriptedBox final : public BlackBox {
 public:
  explicit ScriptedBox(int count) : count_(count) {}
  std::map<int, double> error;      ///< Keyed by operator, in units of the limit.
  std::set<int> needs_neighbour;    ///< Operators whose error shows only together with the one
                                    ///< before them.
  std::set<int> crashes, bad_cuts;  ///< Operators that crash, and cuts that the device refuses.
  double drift = 0;                 ///< Error of every operator, in units of the limit.
  double end = 1e-3;                ///< Output NRMSE for an error of one unit.
  bool integers = false;
  int runs = 0;

  int units() const override { return count_; }
  std::string type(int unit) const override { return unit % 3 ? "CONV_2D" : "ADD"; }
  std::string name(int unit) const override { return "#" + std::to_string(unit); }
  bool rounds() const override { return integers; }
  Result<Seen> device(int from, int to) override {
    ++runs;
    Seen seen{from, to, {}, made(from, to, from), 0, std::make_shared<int>(to)};
    for (int u = from; u < to; ++u)
      if (crashes.count(u)) seen.refused = "signal 11";
    if (bad_cuts.count(to)) seen.refused = "no such cut";
    seen.gap = seen.excess * end;
    return seen;
  }
  Result<double> residue(const Seen& before, const Seen& after) override {
    return made(before.to, after.to, before.from);
  }
  Result<Seen> resumed(const Seen& before, int resume, int to) override {
    runs += resume < to;
    Seen seen{before.from, to, {}, 0, 0, std::make_shared<int>(to)};
    for (int u = resume; u < to; ++u)
      if (crashes.count(u)) seen.refused = "signal 11";
    // The host's later results still contain the device's error from before the repair.
    const double carried = before.excess, own = made(resume, to, resume);
    seen.excess = std::sqrt(carried * carried + own * own);
    seen.gap = seen.excess * end;
    return seen;
  }

 private:
  double made(int from, int to, int start) const {
    double squared = 0;
    for (int u = from; u < to; ++u) {
      const auto found = error.find(u);
      const bool shows = !needs_neighbour.count(u) || u > start;
      const double own = found != error.end() && shows ? found->second : drift;
      squared += own * own;
    }
    return std::sqrt(squared);
  }
  int count_;
};

std::vector<int> places(const Found& found) {
  std::vector<int> places;
  for (const Wrong& wrong : found.wrong) places.push_back(wrong.first);
  return places;
}

std::size_t most_runs(int units) {
  return static_cast<std::size_t>(std::ceil(std::log2(units))) + 3;
}

TEST(Search, EveryPlaceIsFoundWithinTheBound) {
  for (const int units : {1, 2, 3, 7, 64, 300})
    for (int place = 0; place < units; ++place) {
      ScriptedBox box(units);
      box.error[place] = 400;
      box.drift = 0.001;
      const auto found = search(box, {}, {});
      ASSERT_TRUE(found) << found.error().what;
      EXPECT_EQ(found->outcome, Outcome::kFound);
      EXPECT_THAT(places(*found), ElementsAre(place)) << units;
      EXPECT_EQ(found->wrong.front().certainty, Certainty::kAlone);
      EXPECT_TRUE(found->repaired);
      EXPECT_LE(found->runs_to_first, most_runs(units) - (units > 1));
      EXPECT_LE(found->runs.size(), most_runs(units)) << place << " of " << units;
      EXPECT_EQ(found->runs.size(), static_cast<std::size_t>(box.runs));
    }
}

TEST(Search, AHealthyDeviceTakesOneRun) {
  ScriptedBox box(300);
  box.drift = 0.01;
  const auto found = search(box, {}, {});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->outcome, Outcome::kEqual);
  EXPECT_THAT(found->wrong, IsEmpty());
  EXPECT_EQ(box.runs, 1);
}

TEST(Search, ADeviceThatRunsNothingAtAllIsAnErrorAndNoFinding) {
  for (const int units : {2, 3, 7, 300}) {
    ScriptedBox box(units);
    for (int u = 0; u < units; ++u) box.crashes.insert(u);
    const auto found = search(box, {}, {});
    ASSERT_FALSE(found) << units;
    EXPECT_THAT(found.error().what, ::testing::HasSubstr("single operators (#0"));
    EXPECT_THAT(found.error().what, ::testing::HasSubstr("signal 11"));
    EXPECT_LE(static_cast<std::size_t>(box.runs), most_runs(units));
    // A single operator that runs is enough to blame those that do not.
    box.crashes.erase(units - 1);
    const auto blamed = search(box, {}, {});
    ASSERT_TRUE(blamed) << blamed.error().what;
    EXPECT_EQ(places(*blamed).front(), 0);
  }
}

TEST(Search, SeveralFaultsAreFoundOneAfterAnother) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    ScriptedBox box(120);
    std::set<int> planted;
    while (planted.size() < 3) planted.insert(static_cast<int>(random() % 120));
    for (const int place : planted) box.error[place] = 400 + static_cast<double>(random() % 900);
    const auto found = search(box, {}, {});
    ASSERT_TRUE(found);
    EXPECT_THAT(places(*found), ::testing::ElementsAreArray(planted));
  }
}

TEST(Search, LessPreciseArithmeticEverywhereIsNoWrongOperator) {
  for (const double drift : {2.0, 8.0, 50.0}) {
    ScriptedBox box(100);
    box.drift = drift;
    const auto found = search(box, {}, {});
    ASSERT_TRUE(found);
    EXPECT_EQ(found->outcome, Outcome::kDrifts) << drift;
    EXPECT_THAT(found->wrong, IsEmpty());
  }
}

TEST(Search, RoundingThatAddsUpIsNoWrongOperator) {
  ScriptedBox box(100);  // Each operator by itself is within its limit.
  box.drift = 0.9;
  const auto found = search(box, {}, {});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->outcome, Outcome::kDrifts);
  EXPECT_THAT(found->wrong, IsEmpty());
}

TEST(Search, AWrongOperatorIsNamedOnALessPreciseDevice) {
  for (int place = 0; place < 60; ++place) {
    ScriptedBox box(60);
    box.drift = 5;
    box.integers = true;
    box.error[place] = 2000;
    const auto found = search(box, {}, {});
    ASSERT_TRUE(found);
    EXPECT_THAT(places(*found), ElementsAre(place));
  }
}

TEST(Search, AnOperatorThatIsWrongOnlyBehindItsNeighbourIsNamedWithIt) {
  ScriptedBox box(50);
  box.error[20] = 30;
  box.needs_neighbour.insert(20);
  const auto found = search(box, {}, {});
  ASSERT_TRUE(found);
  ASSERT_THAT(found->wrong, SizeIs(1));
  EXPECT_EQ(found->wrong.front().certainty, Certainty::kTogether);
  EXPECT_EQ(found->wrong.front().first, 19);
  EXPECT_EQ(found->wrong.front().last, 20);
}

TEST(Search, ACrashIsBisectedToo) {
  for (int place = 0; place < 40; ++place) {
    ScriptedBox box(40);
    box.crashes.insert(place);
    const auto found = search(box, {}, {});
    ASSERT_TRUE(found);
    ASSERT_THAT(places(*found), ElementsAre(place));
    EXPECT_EQ(found->wrong.front().refused, "signal 11");
    EXPECT_LE(found->runs.size(), most_runs(40));
  }
}

TEST(Search, ACutThatTheDeviceRefusesIsMovedAndTold) {
  ScriptedBox box(64);
  box.error[40] = 30;
  box.bad_cuts = {32, 33, 48};
  const auto found = search(box, {}, {});
  ASSERT_TRUE(found);
  EXPECT_THAT(places(*found), ElementsAre(40));
  EXPECT_THAT(found->notes, ::testing::Contains(::testing::HasSubstr("the cut was moved")));
}

TEST(Search, WhatIsLeftInAModelOfIntegersIsMeasuredAndNotCalledRight) {
  ScriptedBox box(80);  // A second fault is too small to be searched for, before or after the first
                        // one.
  box.integers = true;
  box.error = {{10, 20}, {30, 2000}, {60, 25}};
  const auto found = search(box, {}, {});
  ASSERT_TRUE(found);
  EXPECT_THAT(places(*found), ElementsAre(30));
  EXPECT_FALSE(found->repaired);
  ASSERT_TRUE(found->repaired_gap);
  EXPECT_NEAR(*found->repaired_gap, 1e-3 * std::hypot(20, 25), 1e-9);
  EXPECT_THAT(found->notes, ::testing::Contains(::testing::HasSubstr("not searched")));
}

TEST(Search, SeveralRepairsAreMeasuredTogether) {
  ScriptedBox box(80);
  box.drift = 0.2;  // The drift adds up to more than the limit, so no part is right by itself.
  box.error = {{0, 900}, {30, 700}, {31, 800}, {79, 500}};
  const auto found = search(box, {}, {});
  ASSERT_TRUE(found);
  EXPECT_THAT(places(*found), ElementsAre(0, 30, 31, 79));
  ASSERT_TRUE(found->repaired_gap);
  EXPECT_NEAR(*found->repaired_gap, 1e-3 * 0.2 * std::sqrt(76.0), 1e-9);
}

TEST(Search, AStopKeepsWhatWasFound) {
  std::atomic<bool> stop{false};
  ScriptedBox box(64);
  box.error = {{5, 300}, {50, 300}};
  Control control{&stop, {}};
  std::size_t calls = 0;
  control.progress = [&](std::size_t, std::size_t, const std::string&) {
    if (++calls == 12) stop = true;
  };
  const auto found = search(box, {}, control);
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->stopped);
  EXPECT_THAT(found->wrong, SizeIs(1));
}

}  // namespace
}  // namespace edgeprobe::bisect
