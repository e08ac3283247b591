// SPDX-License-Identifier: Apache-2.0
#include "diagnose/postprocessing/search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "diagnose/postprocessing/changes.h"
#include "diagnose/postprocessing/wording.h"

namespace edgeprobe::diagnose::postprocessing {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<std::string> kNames{"zero", "one", "two", "three", "four", "five"};

// Logits of four frames whose answers are far from saturated.
const std::vector<std::vector<float>> kLogits{{1.0f, 2.5f, 0.2f, -1.0f, 2.0f, 0.7f},
                                              {3.1f, 0.4f, 2.2f, 1.9f, -0.3f, 0.1f},
                                              {-0.6f, 0.9f, 1.3f, 2.9f, 0.3f, 2.1f},
                                              {0.8f, 1.1f, 2.6f, 0.5f, 1.7f, 3.0f}};

postprocess::Classification recipe_of(std::string_view text) {
  auto recipe = postprocess::parse(text);
  EXPECT_TRUE(recipe) << text;
  if (recipe->labels) recipe->labels->table.names = kNames;
  return *recipe;
}

struct Ranked2 {
  std::vector<std::string> labels;
  std::vector<float> scores;
};

// The two best classes of some scores, by a plain loop.
Ranked2 best_two(const std::vector<double>& scores, int shift = 0) {
  Ranked2 out;
  std::vector<bool> taken(scores.size());
  for (int rank = 0; rank < 2; ++rank) {
    std::size_t best = 0;
    while (taken[best]) ++best;
    for (std::size_t i = 0; i < scores.size(); ++i)
      if (!taken[i] && scores[i] > scores[best]) best = i;
    taken[best] = true;
    const std::size_t line = best + static_cast<std::size_t>(shift);
    out.labels.push_back(line < kNames.size() ? kNames[line] : "");
    out.scores.push_back(static_cast<float>(scores[best]));
  }
  return out;
}

std::vector<double> softmax(const std::vector<double>& values) {
  std::vector<double> out;
  double sum = 0;
  for (const double value : values) sum += std::exp(value);
  for (const double value : values) out.push_back(std::exp(value) / sum);
  return out;
}

template <class App>
std::vector<RecordedFrame> recorded(App app) {
  std::vector<RecordedFrame> frames;
  for (const auto& logits : kLogits) {
    RecordedFrame frame;
    frame.number = static_cast<std::uint32_t>(frames.size());
    frame.outputs.push_back(make_tensor("logits", {1, 6}, logits));
    const Ranked2 answer = app(std::vector<double>(logits.begin(), logits.end()));
    frame.answer.labels = answer.labels;
    frame.answer.scores = answer.scores;
    frames.push_back(std::move(frame));
  }
  return frames;
}

const char* const kRecipe = "softmax | topk(2) | labels(l.txt)";

Finding found_in(const std::vector<RecordedFrame>& frames, const char* recipe = kRecipe) {
  auto found = search(frames, recipe_of(recipe), Control{});
  EXPECT_TRUE(found) << found.error().what;
  return found ? *found : Finding{};
}

std::vector<std::string> first_changes(const Finding& found) {
  std::vector<std::string> out;
  if (found.explanations.empty()) return out;
  for (const Change& change : found.explanations.front().changes)
    out.push_back(short_words(change));
  return out;
}

TEST(AnswerSearch, AgreesWithTheReferencesRecipe) {
  const Finding found =
      found_in(recorded([](const std::vector<double>& x) { return best_two(softmax(x)); }));
  EXPECT_EQ(found.status, SearchStatus::kAgrees);
  EXPECT_EQ(found.frames, 4u);
  EXPECT_TRUE(found.unlike.empty());
}

TEST(AnswerSearch, NamesSoftmaxTwice) {
  const Finding found = found_in(
      recorded([](const std::vector<double>& x) { return best_two(softmax(softmax(x))); }));
  EXPECT_EQ(found.status, SearchStatus::kExact);
  EXPECT_THAT(first_changes(found), ElementsAre("activation=softmax+softmax"));
  EXPECT_TRUE(found.explanations.front().is_proven);
}

TEST(AnswerSearch, NamesTwoFaultsAtOnce) {
  const Finding found = found_in(recorded([](const std::vector<double>& x) {
    Ranked2 answer = best_two(softmax(x), 1);
    for (float& score : answer.scores) score *= 100;
    return answer;
  }));
  EXPECT_EQ(found.status, SearchStatus::kExact);
  EXPECT_THAT(first_changes(found), testing::UnorderedElementsAre("percent=changed", "shift=1"));
}

TEST(AnswerSearch, NamesAFaultOfSomeFrames) {
  int frame = 0;
  const Finding found = found_in(recorded([&](const std::vector<double>& x) {
    return frame++ % 2 ? best_two(x) : best_two(softmax(x));
  }));
  EXPECT_EQ(found.status, SearchStatus::kSomeFrames);
  EXPECT_THAT(first_changes(found), ElementsAre("activation=none"));
  EXPECT_THAT(found.unlike, ElementsAre(1u, 3u));
}

TEST(AnswerSearch, ATemperatureIsNoFaultOfTheList) {
  const Finding found = found_in(recorded([](std::vector<double> x) {
    for (double& value : x) value /= 1.7;
    return best_two(softmax(x));
  }));
  EXPECT_TRUE(found.status == SearchStatus::kUnknown || found.status == SearchStatus::kPartial);
  for (const Explanation& one : found.explanations) EXPECT_FALSE(one.is_proven);
}

// tanh of scores near 1 gives one number, which many recipes approach: it is no proof.
TEST(AnswerSearch, SaturatedScoresAreOneProofAtMost) {
  std::vector<RecordedFrame> frames;
  for (std::uint32_t number = 0; number < 5; ++number) {
    RecordedFrame frame;
    frame.number = number;
    frame.outputs.push_back(make_tensor("scores", {1, 6}, {1, 0, 0, 0, 0, 0}));
    frame.answer.labels = {"zero"};
    frame.answer.scores = {static_cast<float>(std::tanh(1.0))};
    frames.push_back(std::move(frame));
  }
  const Finding found = found_in(frames, "topk(1) | labels(l.txt)");
  for (const Explanation& one : found.explanations) EXPECT_FALSE(one.is_proven);
}

TEST(AnswerSearch, RoundedScoresAreNoFault) {
  const auto rounded = [](const std::vector<double>& x) {
    Ranked2 answer = best_two(softmax(x));
    for (float& score : answer.scores) score = std::rint(score * 100) / 100;
    return answer;
  };
  EXPECT_EQ(found_in(recorded(rounded)).status, SearchStatus::kAgrees);
}

TEST(AnswerSearch, EqualExplanationsComeWithWhatWouldDecide) {
  // One frame names class 1 correctly and class 4 wrongly: a line between them was lost or added.
  std::vector<RecordedFrame> frames = recorded([](const std::vector<double>& x) {
    Ranked2 answer = best_two(softmax(x));
    for (std::string& label : answer.labels)
      if (label == "four") label = "five";
    return answer;
  });
  frames.resize(1);
  const Finding found = found_in(frames);
  ASSERT_FALSE(found.explanations.empty());
  EXPECT_FALSE(found.explanations.front().is_proven);
  EXPECT_NE(found.decider.kind, Decider::Kind::kNone);
}

TEST(AnswerSearch, EmptyAnswersProveNoThreshold) {
  std::vector<RecordedFrame> frames =
      recorded([](const std::vector<double>& x) { return best_two(softmax(x)); });
  for (RecordedFrame& frame : frames) {
    frame.answer.labels->clear();
    frame.answer.scores->clear();
  }
  const Finding found = found_in(frames);
  for (const Explanation& one : found.explanations) EXPECT_FALSE(one.is_proven);
}

// If the lines of a label file contain more than the names, the reference is wrong.
TEST(AnswerSearch, ALabelThatOneLineHoldsIsThatLine) {
  auto recipe = recipe_of(kRecipe);
  for (std::string& name : recipe.labels->table.names) name = "n0144 " + name + ", a number";
  const auto frames = recorded([](const std::vector<double>& x) { return best_two(softmax(x)); });
  const auto found = search(frames, recipe, Control{});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->status, SearchStatus::kAgrees);
  EXPECT_EQ(found->near_labels.at("one"), "n0144 one, a number");
  // Labels of wrong classes stay unchanged.
  const auto off = search(
      recorded([](const std::vector<double>& x) { return best_two(softmax(x), 1); }), recipe, {});
  EXPECT_THAT(first_changes(*off), ElementsAre("shift=1"));
}

// ImageNet has two classes "crane", and the classes "maillot" and "maillot, tank suit".
TEST(AnswerSearch, AShortenedLabelIsAnyOfTheNamesItMayShorten) {
  for (const bool is_name : {false, true}) {
    auto recipe = recipe_of(kRecipe);
    std::vector<std::string>& names = recipe.labels->table.names;
    const std::map<std::string, std::string> shown{{names[0], "crane"}, {names[1], "crane"},
                                                   {names[2], "tank"},  {names[3], "four"},
                                                   {names[4], "five"},  {names[5], "six"}};
    const std::vector<std::string> written{is_name ? "crane" : "n02012849 crane, a bird",
                                           "n03126707 crane, a machine",
                                           "n02012850 tank, b",
                                           "n02012851 four, c",
                                           "n02012852 five, d",
                                           "n02012853 six, e"};
    const auto frames = recorded([&](const std::vector<double>& x) {
      Ranked2 answer = best_two(softmax(x));
      for (std::string& label : answer.labels) label = shown.at(label);
      return answer;
    });
    names = written;
    const auto found = search(frames, recipe, Control{});
    ASSERT_TRUE(found);
    EXPECT_EQ(found->status, SearchStatus::kAgrees) << is_name;
  }
}

TEST(AnswerSearch, AnotherListIsToldAsATable) {
  const std::map<std::string, std::string> other{{"zero", "cat"},  {"one", "dog"}, {"two", "cow"},
                                                 {"three", "hen"}, {"four", "ox"}, {"five", "pig"}};
  auto frames = recorded([&](const std::vector<double>& x) {
    Ranked2 answer = best_two(softmax(x));
    for (std::string& label : answer.labels) label = other.at(label);
    return answer;
  });
  const auto again = frames;
  frames.insert(frames.end(), again.begin(), again.end());
  const Finding found = found_in(frames);
  ASSERT_THAT(first_changes(found), ElementsAre("table=own_table"));
  EXPECT_THAT(words(found.explanations.front().changes.front(), recipe_of(kRecipe), kNames),
              HasSubstr("takes its labels from another list: class 0 ('zero') is 'cat', class 1 "
                        "('one') is 'dog'"));
}

TEST(OwnTable, AListWithoutSomeLinesIsToldByWhereTheyAreMissing) {
  EXPECT_EQ(own_table_words({{0, "zero"}, {1, "one"}, {2, "three"}, {3, "five"}}, kNames),
            "has a label file that lacks lines of the reference's: labels are right from class 0 "
            "('zero') on, 1 line too far from class 2 ('two') on, 2 lines too far from class 3 "
            "('three') on");
}

TEST(AnswerSearch, ARecipeThatDoesNotFitIsAnError) {
  std::vector<RecordedFrame> frames(1);
  frames[0].outputs.push_back(make_tensor("mask", {4, 4}, std::vector<float>(16)));
  frames[0].answer.labels = {{"zero"}};
  auto found = search(frames, recipe_of("topk(1)"), Control{});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, ErrorKind::kUsage);
}

TEST(ShortestNumber, HasTheFewestDigits) {
  EXPECT_DOUBLE_EQ(shortest_number(0.18, 0.23), 0.2);
  EXPECT_DOUBLE_EQ(shortest_number(0.201, 0.233), 0.23);
  EXPECT_DOUBLE_EQ(shortest_number(0.241, 0.259), 0.25);
  EXPECT_DOUBLE_EQ(shortest_number(0.3, 1.2), 1);
  EXPECT_DOUBLE_EQ(shortest_number(-0.5, 0.2), 0);
}

TEST(Grain, IsHalfAUnitOfTheLastDecimal) {
  EXPECT_DOUBLE_EQ(grain_of({0.12, 0.5, 0.99}), 0.0051);
  EXPECT_DOUBLE_EQ(grain_of({12, 88, 3}), 0.51);
  EXPECT_EQ(grain_of({0.12345, 0.5, 0.99}), 0);
  EXPECT_DOUBLE_EQ(grain_of({0, 1, 1}), 0.0051);
  EXPECT_DOUBLE_EQ(grain_of({0.5}), 0.0051);
  EXPECT_EQ(grain_of({}), 0);
}

}  // namespace
}  // namespace edgeprobe::diagnose::postprocessing
