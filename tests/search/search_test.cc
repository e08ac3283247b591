// SPDX-License-Identifier: Apache-2.0
// The search on a recipe of three numbers, whose answer in frame i is a x + b + c (i mod 2).
#include "search/search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

namespace edgeprobe::search {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

struct Line {
  int factor = 1, offset = 0, odd = 0;
  bool operator==(const Line&) const = default;
  double at(std::size_t i) const {
    return factor * static_cast<double>(i) + offset + odd * static_cast<double>(i % 2);
  }
};

enum Parameter : std::uint32_t { kFactor = 1, kOffset = 2, kOdd = 4 };

class Lines : public Problem<Line> {
 public:
  explicit Lines(std::vector<double> answers) : answers_(std::move(answers)) {}
  const Line& reference() const override { return reference_; }
  std::size_t frames() const override { return answers_.size(); }
  std::vector<Change<Line>> changes(const Line&) override {
    std::vector<Change<Line>> all;
    for (const int by : {2, 3, 5})
      all.push_back({kFactor, 1.0 + 0.1 * by, "factor " + std::to_string(by),
                     [by](Line& line) { line.factor = by; }, 0});
    for (const int by : {-1, 1, 7})
      all.push_back(
          {kOffset, 1, "offset " + std::to_string(by), [by](Line& line) { line.offset = by; }, 0});
    all.push_back({kOdd, 2, "odd", [](Line& line) { line.odd = 10; }, 0});
    return all;
  }
  double distance(const Line& line, std::size_t frame) override {
    const double off = std::fabs(line.at(first_ + frame) - answers_[frame]);
    return off > 0 && off < 0.5 ? debt_ : off;
  }
  bool is_same(const Line& line, std::size_t frame) override { return distance(line, frame) < 0.1; }
  double bits(const Line& with_it, const Line& without_it, const Change<Line>&,
              std::span<const std::size_t> frames) override {
    double bits = 0;
    for (const std::size_t i : frames)
      bits += distance(with_it, i) <= kSame && distance(without_it, i) > kSame;
    return bits;
  }
  double bits_needed(const Change<Line>&, std::size_t, std::size_t together) const override {
    return 2.0 * static_cast<double>(together);
  }
  Limits limits() const override { return limits_; }
  bool is_reordered(std::size_t) override { return is_set_; }

  Limits limits_;
  double debt_ = 1;  ///< Distance of an answer that is almost right.
  bool is_set_ = false;
  std::size_t first_ = 0;  ///< x of the first frame.

 private:
  std::vector<double> answers_;
  Line reference_;
};

std::vector<double> answers_of(const Line& line, std::size_t frames = 6) {
  std::vector<double> out;
  for (std::size_t i = 0; i < frames; ++i) out.push_back(line.at(i));
  return out;
}

std::vector<std::string> words(const Explanation<Line>& explanation) {
  std::vector<std::string> out;
  for (const Change<Line>& change : explanation.changes) out.push_back(change.words);
  return out;
}

Finding<Line> found_in(Lines& lines) {
  const auto found = search(lines, Control{});
  EXPECT_TRUE(found);
  return found ? *found : Finding<Line>{};
}

TEST(Search, AgreesWithTheReference) {
  Lines lines(answers_of({}));
  const Finding<Line> found = found_in(lines);
  EXPECT_EQ(found.status, SearchStatus::kAgrees);
  EXPECT_EQ(found.frames, 6u);
  EXPECT_EQ(found.evaluations, 0u);
  EXPECT_THAT(found.unlike, IsEmpty());
}

TEST(Search, NamesOneChangeAndProvesIt) {
  Lines lines(answers_of({3, 0, 0}));
  const Finding<Line> found = found_in(lines);
  ASSERT_EQ(found.status, SearchStatus::kExact);
  ASSERT_THAT(found.explanations, SizeIs(1));
  EXPECT_THAT(words(found.explanations[0]), ElementsAre("factor 3"));
  EXPECT_TRUE(found.explanations[0].is_proven);
  EXPECT_EQ(found.explanations[0].proof.bits, 5);  // The first frame is 0 with either factor.
  EXPECT_EQ(found.explanations[0].proof.needed, 2);
  EXPECT_THAT(found.unlike, ElementsAre(1u, 2u, 3u, 4u, 5u));
  EXPECT_EQ(found.worst, 5u);
}

TEST(Search, NamesThreeChangesOfWhichOneIsNotProven) {
  Lines lines(answers_of({5, 7, 10}, 4));
  const Finding<Line> found = found_in(lines);
  ASSERT_EQ(found.status, SearchStatus::kExact);
  ASSERT_THAT(found.explanations, SizeIs(1));
  EXPECT_THAT(words(found.explanations[0]),
              testing::UnorderedElementsAre("factor 5", "offset 7", "odd"));
  EXPECT_FALSE(found.explanations[0].is_proven);
  EXPECT_EQ(found.explanations[0].proof.bits, 2);  // "odd" shows in two of the frames.
}

TEST(Search, TheMoreUsualOfEqualExplanationsGoesFirst) {
  Lines lines({2});
  lines.first_ = 1;
  const Finding<Line> found = found_in(lines);
  ASSERT_EQ(found.status, SearchStatus::kExact);
  ASSERT_THAT(found.explanations, SizeIs(2));
  EXPECT_THAT(words(found.explanations[0]), ElementsAre("offset 1"));
  EXPECT_THAT(words(found.explanations[1]), ElementsAre("factor 2"));
  EXPECT_FALSE(found.explanations[0].is_proven);
}

TEST(Search, OneChangeOfSomeFramesGoesBeforePairs) {
  std::vector<double> answers = answers_of({});
  answers[2] += 7, answers[4] += 7;
  Lines lines(answers);
  const Finding<Line> found = found_in(lines);
  EXPECT_EQ(found.status, SearchStatus::kSomeFrames);
  EXPECT_THAT(found.unlike, ElementsAre(2u, 4u));
  EXPECT_THAT(words(found.explanations[0]), ElementsAre("offset 7"));
}

TEST(Search, PairsCanBeTriedBeforeOneChangeOfSomeFrames) {
  std::vector<double> answers = answers_of({});
  answers[2] += 7, answers[4] += 7;
  Lines soon(answers), late(answers);
  late.limits_.some_frames_after = 2;
  const Finding<Line> found = found_in(late);
  EXPECT_EQ(found.status, SearchStatus::kSomeFrames);
  EXPECT_THAT(words(found.explanations[0]), ElementsAre("offset 7"));
  EXPECT_GT(found.evaluations, found_in(soon).evaluations);
}

TEST(Search, TheNearestIsToldWhereNothingFits) {
  std::vector<double> answers = answers_of({5, 0, 0});
  for (double& answer : answers) answer += 2.5;
  Lines lines(answers);
  const Finding<Line> found = found_in(lines);
  EXPECT_EQ(found.status, SearchStatus::kPartial);
  ASSERT_THAT(found.explanations, SizeIs(1));
  EXPECT_FALSE(found.explanations[0].is_proven);
}

TEST(Search, WhatFitsTheChosenFramesHasToFitAll) {
  // Frames 0..8: the search chooses three of each kind, and adds one that contradicts the result.
  std::vector<double> answers = answers_of({1, 7, 0}, 9);
  answers[1] += 0.75;
  Lines lines(answers);
  const Finding<Line> found = found_in(lines);
  EXPECT_FALSE(found.is_explained());
}

// An almost right answer is accepted, but an explanation that needs this waits for better ones.
TEST(Search, OneChangeMoreGoesBeforeADebt) {
  std::vector<double> answers = answers_of({1, 7, 0});
  for (double& answer : answers) answer += 0.25;
  Lines forgiving(answers);
  forgiving.debt_ = 1e-7;
  forgiving.limits_.tied = 1e-6;
  forgiving.limits_.agrees = 1e-5;
  const Finding<Line> found = found_in(forgiving);
  ASSERT_EQ(found.status, SearchStatus::kExact);
  EXPECT_THAT(words(found.explanations[0]), ElementsAre("offset 7"));
  EXPECT_TRUE(found.explanations[0].owes_ties);
}

TEST(Search, AnotherOrderIsNobodysFaultWhereNothingExplainsIt) {
  Lines lines({2.5, 1.5, 3.5, 0.75});
  EXPECT_NE(found_in(lines).status, SearchStatus::kAgrees);
  lines.is_set_ = true;
  EXPECT_EQ(found_in(lines).status, SearchStatus::kAgrees);
  Lines explained(answers_of({1, 7, 0}));
  explained.is_set_ = true;
  EXPECT_EQ(found_in(explained).status, SearchStatus::kExact);
}

TEST(Search, TheLastOfEqualsIsToldWhereThatIsAsked) {
  class Unprovable : public Lines {
   public:
    using Lines::Lines;
    double bits(const Line&, const Line&, const Change<Line>& change,
                std::span<const std::size_t>) override {
      return change.sets == kFactor ? 3 : 5;
    }
    double bits_needed(const Change<Line>&, std::size_t, std::size_t) const override {
      return std::numeric_limits<double>::infinity();
    }
  } lines(answers_of({5, 7, 0}));
  const Finding<Line> first = found_in(lines);
  lines.limits_.is_last_told = true;
  const Finding<Line> last = found_in(lines);
  ASSERT_THAT(first.explanations[0].changes, SizeIs(2));
  EXPECT_NE(first.explanations[0].proof.bits, last.explanations[0].proof.bits);
  EXPECT_FALSE(last.explanations[0].is_proven);
}

// The search examines few frames, and less of each; its result is checked on the whole problem.
TEST(Search, LooksAtFewFramesWhereTheProblemMakesSuch) {
  class Many : public Lines {
   public:
    using Lines::Lines;
    std::unique_ptr<Problem<Line>> on(std::span<const std::size_t> frames,
                                      std::size_t worst) override {
      looked_at.assign(frames.begin(), frames.end());
      worst_of_them = worst;
      return std::make_unique<Part>(*this, looked_at);
    }
    std::vector<std::size_t> looked_at;
    std::size_t worst_of_them = 0;

   private:
    class Part : public Lines {
     public:
      Part(Many& all, std::vector<std::size_t> frames)
          : Lines(std::vector<double>(frames.size())), all_(all), own_(std::move(frames)) {}
      double distance(const Line& line, std::size_t frame) override {
        ++asked_;
        return all_.distance(line, own_[frame]);
      }
      std::optional<std::size_t> evaluations() const override { return asked_; }

     private:
      Many& all_;
      std::vector<std::size_t> own_;
      std::size_t asked_ = 0;
    };
  } lines(answers_of({3, 0, 0}, 40));
  const Finding<Line> found = found_in(lines);
  EXPECT_EQ(found.status, SearchStatus::kExact);
  EXPECT_THAT(lines.looked_at, ElementsAre(0u, 1u, 14u, 27u, 39u));
  EXPECT_EQ(lines.worst_of_them, 4u);
  // Five with the reference, seven single changes on the worst frame, the right one on the other
  // four.
  EXPECT_EQ(found.evaluations, 16u);
}

TEST(Search, ChangesAreAppliedInTheirOrderButForTheOneThatIsLeftOut) {
  const std::vector<Change<Line>> changes{
      {kOffset, 1, "", [](Line& line) { line.offset += 2; }, 0},
      {kFactor, 1, "", [](Line& line) { line.offset *= 3; }, 0}};
  EXPECT_EQ(changed<Line>({}, changes).offset, 6);
  EXPECT_EQ(changed<Line>({}, changes, &changes[1]).offset, 2);
}

TEST(ShortestBetween, HasTheFewestDigits) {
  EXPECT_DOUBLE_EQ(shortest_between(0.18, 0.23), 0.2);
  EXPECT_DOUBLE_EQ(shortest_between(0.3, 0.7), 0.5);
  EXPECT_DOUBLE_EQ(shortest_between(0.3, 1.2), 1);
  EXPECT_DOUBLE_EQ(shortest_between(0.241, 0.259), 0.25);
}

TEST(SpreadOver, KeepsTheFirstAndSkipsEvenly) {
  EXPECT_THAT(spread_over({4, 5, 6}, 3), ElementsAre(4u, 5u, 6u));
  EXPECT_THAT(spread_over({0, 1, 2, 3, 4, 5, 6, 7}, 4), ElementsAre(0u, 2u, 4u, 6u));
}

}  // namespace
}  // namespace edgeprobe::search
