// SPDX-License-Identifier: Apache-2.0
#include "report/words/hints.h"

#include <gtest/gtest.h>

#include <set>

#include "documented.h"
#include "golden.h"
#include "report/words/wording.h"
#include "verdicts.h"

namespace edgeprobe::report {
namespace {

using diagnose::Headline;
using diagnose::HeadlineKind;
using diagnose::Hint;
using diagnose::HintKind;
using diagnose::Unavailable;
using diagnose::UnavailableKind;

std::map<std::string, diagnose::Value> shapes() {
  return {{"input", "1x96x96x3"},
          {"reference_input", "1x32x32x3"},
          {"output", "1x7"},
          {"reference_output", "1x12"}};
}

std::map<std::string, diagnose::Value> sizes(const char* model) {
  return {{"input", "1x3x32x32"}, {"reference_input", "1x3x24x32"}, {"model", std::string(model)}};
}

std::map<std::string, diagnose::Value> batch() {
  return {
      {"input", "4x3x32x32"}, {"reference_input", "1x3x32x32"}, {"model", "same"}, {"batch", 4}};
}

std::vector<Hint> hints() {
  using enum HintKind;
  return {{kRecordModelInput},
          {kGivePictures},
          {kGiveReferenceRecipe},
          {kRecordInputAndPicture},
          {kGiveReferenceOfThisModel, shapes()},
          {kGiveReferenceOfThisModel, sizes("same")},
          {kGiveReferenceOfThisModel, batch()},
          {kRecordOutputs},
          {kMakeComparable,
           {{"why", "frame 1 holds a picture, frame 2 tensors: log both in one frame"}}},
          {kGiveLabelsForGate},
          {kGiveLabelsForRounding},
          {kGiveMoreFrames, {{"frames", 59}, {"rate", 0.05}, {"probability", 0.95}}},
          {kMendOrJudgeByAccuracy},
          {kGiveFramesOrLabels},
          {kGiveFramesOrLabelsAndGate},
          {kGiveTrainingRecipe},
          {kGiveLabelsForAnswers}};
}

std::vector<Unavailable> reasons() {
  using enum UnavailableKind;
  return {{kNoTargetModel},
          {kReferenceInputDoesNotFit},
          {kRepairedModelFails, {{"error", "out of memory"}}},
          {kKernelsAtOnce},
          {kWithNextFix},
          {kFramesNotReplayed},
          {kOutputsNotComparable},
          {kOnlyReferenceWeights},
          {kOnlyQuantisingAgain},
          {kLouderKernel},
          {kNoRepairHelps},
          {kNotRepaired, {{"why", "the gap is too small to decide"}}},
          {kComparedAsTheyAre},
          {kNoOutputDistance},
          {kBehindTheModel}};
}

std::vector<Headline> headlines() {
  using enum HeadlineKind;
  return {
      {kNone},
      {kAnotherModel, shapes()},
      {kAnotherModel, sizes("same")},
      {kAnotherModel, sizes("open")},
      {kAnotherModel, batch()},
      {kNotEnough},
      {kCauses, {{"difference_gone", 0.98}}},
      {kNearly, {{"left", 0.7}}},
      {kUnknownCause},
      {kUnexplained},
      {kRoundingAddsUp, {{"distance", 0.31}, {"floor", 0.02}}},
      {kHarmless, {{"frames", 1}, {"effect", 0.01}, {"limit", 0.02}}},
      {kHarmless, {{"frames", 36}, {"effect", 0.01}, {"limit", 0.02}}},
      {kHarmless},
      {kUnnamedInput},
      {kUnnamedInput, {{"left", 0.7}}},
      {kInputsApart, {{"share_of_range", 0.031}}},
      {kAgrees, {{"distance", 0.01}, {"floor", 0.02}}},
      {kAgreesByRounding, {{"distance", 0.01}, {"floor", 0.02}}},
      {kAccuracyAgrees, {{"distance", 0.01}, {"floor", 0.02}}},
      {kRecipeGuessed},
      {kRecipeGuessed, {{"app_recipe", "scale(0..1)"}}},
      {kAnswersChanged, {{"changed", 10}, {"compared", 64}, {"distance", 0.045}, {"floor", 0.11}}},
      {kCutShort,
       {{"frames", 12}, {"of", 40}, {"during", "recording"}, {"distance", 0.31}, {"floor", 0.026}}},
      {kCutShort,
       {{"frames", 40}, {"of", 40}, {"during", "diagnosis"}, {"distance", 0.31}, {"floor", 0.026}}},
      {kCutShort,
       {{"frames", 1},
        {"of", 40},
        {"during", "recording"},
        {"error", "target: 'b.jpg': the engine process ended with signal SIGSEGV"}}}};
}

// A verdict with causes of each status, without task figures.
diagnose::Verdict with_causes(const Headline& headline) {
  diagnose::Verdict verdict = two_faults_verdict();
  verdict.task = {};
  verdict.causes.push_back(nearly_verdict().causes.front());
  verdict.causes.push_back(unknown_cause_verdict().causes.front());
  verdict.would_decide = {{HintKind::kGivePictures}};
  verdict.headline = headline;
  return verdict;
}

template <class Kind>
std::size_t kinds_of(const std::vector<diagnose::Statement<Kind>>& samples) {
  std::set<Kind> kinds;
  for (const auto& one : samples) kinds.insert(one.kind);
  return kinds.size();
}

TEST(HintText, IsWhatTheGoldenShows) {
  std::string text;
  for (const Hint& hint : hints())
    text += std::string(name(hint.kind)) + ": " + hint_text(hint) + "\n";
  text += "\n";
  for (const Unavailable& reason : reasons())
    text += std::string(name(reason.kind)) + ": " + unavailable_text(reason) + "\n";
  text += "\n";
  for (const Headline& headline : headlines())
    text += std::string(name(headline.kind)) + ": " + headline_text(with_causes(headline)) + "\n";
  expect_golden("hints.txt", text);
}

TEST(HintText, ThereIsASampleOfEachKind) {
  EXPECT_EQ(kinds_of(hints()), std::size(diagnose::kHintKindNames));
  EXPECT_EQ(kinds_of(reasons()), std::size(diagnose::kUnavailableKindNames));
  EXPECT_EQ(kinds_of(headlines()), std::size(diagnose::kHeadlineKindNames));
}

TEST(HintText, TheDocumentationListsTheValuesOfEachKind) {
  expect_documented(hints(), "### Hints");
  expect_documented(reasons(), "### Why nothing is known to be restored");
  expect_documented(headlines(), "### The first line");
}

TEST(Headline, TakesTheFiguresOfTheTask) {
  diagnose::Verdict verdict = channel_order_verdict();
  EXPECT_EQ(headline_text(verdict),
            "the app feeds BGR; the reference feeds RGB; with that fixed your model is right on "
            "93.1 % again, not 41.4 %");
  verdict.task.fixed.reset();
  EXPECT_EQ(headline_text(verdict),
            "the app feeds BGR; the reference feeds RGB; the target is right on 41.4 %, the "
            "reference on 93.1 %");
  verdict.task = {};
  EXPECT_EQ(headline_text(verdict),
            "the app feeds BGR; the reference feeds RGB; with that fixed, 98 % of the difference "
            "of the outputs is gone");
  verdict.headline.values.emplace("suspect", "check labels");
  verdict.before_headline = "without it: ";
  EXPECT_EQ(headline_text(verdict),
            "without it: the app feeds BGR; the reference feeds RGB; with that fixed, 98 % of the "
            "difference of the outputs is gone; check labels");
}

TEST(Headline, OfNothingIsTheOutcome) {
  EXPECT_EQ(headline_text({}), "");
  EXPECT_EQ(headline(diagnose::Verdict{}), meaning(diagnose::Outcome::kUndecided));
}

}  // namespace
}  // namespace edgeprobe::report
