// SPDX-License-Identifier: Apache-2.0
// Texts that an app made of recorded outputs by a rule of its own; the rules are written here anew.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "diagnose/postprocessing/transcripts/transcripts.h"
#include "search/search.h"

namespace edgeprobe::diagnose::transcripts {
namespace {

using postprocess::transcript::parse;
using postprocess::transcript::Recipe;

const std::string kLetters = "abcdefghij";  // Classes 1 to 10; 0 is the blank, 11 the space.
constexpr std::size_t kClasses = 12;

/// Steps of each frame: repeats, doubled letters between blanks, spaces.
const std::vector<std::vector<std::size_t>> kPaths{{1, 1, 0, 1, 2, 11, 3, 3, 0, 0},
                                                   {8, 5, 0, 5, 5, 0, 4, 10, 0, 0},
                                                   {2, 2, 2, 0, 2, 9, 11, 7, 6, 0},
                                                   {0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
                                                   {10, 9, 8, 0, 8, 8, 11, 11, 1, 1}};

double score_at(std::size_t frame, std::size_t step) {
  return 0.55 + 0.03 * static_cast<double>(step) + 0.02 * static_cast<double>(frame);
}

Tensor output_of(std::size_t frame) {
  const auto& path = kPaths[frame];
  std::vector<float> values;
  for (std::size_t i = 0; i < path.size(); ++i)
    for (std::size_t c = 0; c < kClasses; ++c)
      values.push_back(c == path[i] ? static_cast<float>(score_at(frame, i)) : 0.01F);
  return make_tensor("scores", {1, static_cast<std::int64_t>(path.size()), kClasses}, values);
}

using Rule = std::function<std::string(const std::vector<std::size_t>&)>;

std::string letter(std::size_t number) {
  if (number == 0 || number > kLetters.size()) return number == 11 ? " " : "";
  return std::string(1, kLetters[number - 1]);
}
std::string right(const std::vector<std::size_t>& path) {
  std::string text;
  for (std::size_t i = 0; i < path.size(); ++i)
    if (i == 0 || path[i] != path[i - 1]) text += letter(path[i]);
  return text;
}
std::string unmerged(const std::vector<std::size_t>& path) {
  std::string text;
  for (const std::size_t one : path) text += letter(one);
  return text;
}
std::string without_blanks_first(const std::vector<std::size_t>& path) {
  std::vector<std::size_t> kept;
  for (const std::size_t one : path)
    if (one != 0) kept.push_back(one);
  return right(kept);
}
std::string one_line_on(const std::vector<std::size_t>& path) {
  std::vector<std::size_t> moved;
  for (const std::size_t one : path) moved.push_back(one == 0 ? 0 : one + 1);
  return right(moved);
}
std::string with_dashes(const std::vector<std::size_t>& path) {
  std::string text;
  for (std::size_t i = 0; i < path.size(); ++i)
    if (i == 0 || path[i] != path[i - 1]) text += path[i] == 0 ? "-" : letter(path[i]);
  return text;
}
std::string without_spaces(const std::vector<std::size_t>& path) {
  std::string text = right(path);
  std::erase(text, ' ');
  return text;
}
/// The last class, the space, is the blank, so class i writes the letter at i.
std::string other_end(const std::vector<std::size_t>& path) {
  std::string text;
  for (std::size_t i = 0; i < path.size(); ++i)
    if ((i == 0 || path[i] != path[i - 1]) && path[i] != 11)
      text += path[i] < kLetters.size() ? std::string(1, kLetters[path[i]]) : " ";
  return text;
}

std::vector<RecordedFrame> frames_of(const Rule& rule, std::size_t count = kPaths.size()) {
  std::vector<RecordedFrame> frames;
  for (std::size_t i = 0; i < count; ++i) {
    RecordedFrame frame{static_cast<std::uint32_t>(i), {}, {output_of(i)}, {}};
    frame.answer.text = rule(kPaths[i]);
    frames.push_back(std::move(frame));
  }
  return frames;
}

search::Finding<Recipe> found_in(const std::vector<RecordedFrame>& frames) {
  Recipe reference = *parse("ctc(keys.txt, space=last)");
  for (const char one : kLetters) reference.dictionary.characters.emplace_back(1, one);
  Transcripts texts(frames, reference);
  EXPECT_EQ(texts.why_not(), "");
  return *search::search<Recipe>(texts, {});
}

TEST(Transcripts, RightTextsAgree) {
  EXPECT_EQ(found_in(frames_of(right)).status, search::SearchStatus::kAgrees);
}

TEST(Transcripts, EachRuleIsFoundAndProven) {
  const std::pair<Rule, const char*> rules[] = {
      {unmerged, "does not merge equal neighbours"},
      {without_blanks_first,
       "merges equal neighbours after it has dropped the blanks, so doubled "
       "characters are lost"},
      {one_line_on, "writes the character the line after the right one in the dictionary"},
      {with_dashes, "writes \"-\" for each blank"},
      {without_spaces, "writes nothing for the class of the space"},
      {other_end, "takes the last class for the blank"},
  };
  for (const auto& [rule, words] : rules) {
    const auto found = found_in(frames_of(rule));
    ASSERT_EQ(found.status, search::SearchStatus::kExact) << words;
    ASSERT_EQ(found.explanations.front().changes.size(), 1) << words;
    EXPECT_EQ(found.explanations.front().changes.front().words, words);
    EXPECT_TRUE(found.explanations.front().is_proven) << words;
  }
}

// One lost letter is no proof of a rule.
TEST(Transcripts, AnEditAloneProvesNothing) {
  const auto found = found_in(frames_of(without_blanks_first, 1));
  ASSERT_EQ(found.status, search::SearchStatus::kExact);
  EXPECT_FALSE(found.explanations.front().is_proven);
}

TEST(Transcripts, AnUnknownRuleIsNotExplained) {
  const auto reversed = [](const std::vector<std::size_t>& path) {
    const std::string text = right(path);
    return std::string(text.rbegin(), text.rend());
  };
  EXPECT_NE(found_in(frames_of(reversed)).status, search::SearchStatus::kExact);
}

// The mean over the written steps, and the one over all of them.
TEST(Transcripts, ConfidencesAreJudgedBesideTexts) {
  for (const bool is_wrong : {false, true}) {
    auto frames = frames_of(right);
    for (std::size_t i = 0; i < frames.size(); ++i) {
      double sum = 0, count = 0;
      for (std::size_t s = 0; s < kPaths[i].size(); ++s) {
        const bool is_written = kPaths[i][s] != 0 && (s == 0 || kPaths[i][s] != kPaths[i][s - 1]);
        if (!is_wrong && !is_written) continue;
        sum += score_at(i, s);
        ++count;
      }
      frames[i].answer.scores.emplace(1, static_cast<float>(count > 0 ? sum / count : 0));
    }
    const auto found = found_in(frames);
    if (!is_wrong) {
      EXPECT_EQ(found.status, search::SearchStatus::kAgrees);
      continue;
    }
    ASSERT_EQ(found.status, search::SearchStatus::kExact);
    EXPECT_EQ(found.explanations.front().changes.front().words,
              "averages the scores of all steps, blanks and repeats included");
    EXPECT_TRUE(found.explanations.front().is_proven);
  }
}

}  // namespace
}  // namespace edgeprobe::diagnose::transcripts
