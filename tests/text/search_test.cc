// SPDX-License-Identifier: Apache-2.0
// The search on ids that are written down by hand; what apps do is planted in bench/text.
#include "diagnose/tokens/search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace edgeprobe::diagnose::tokens {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Ids = std::vector<std::int64_t>;

/// A tokenizer with one token per character, its code plus 1000; the only change that it knows is
/// lower().
Result<std::vector<text::Tokens>> by_character(const std::vector<std::vector<std::string>>& texts,
                                               const std::vector<text::TextStep>& before,
                                               const std::string&) {
  std::vector<text::Tokens> out;
  for (const auto& sample : texts) {
    out.emplace_back();
    for (std::string text : sample) {
      for (const text::TextStep& step : before) {
        if (step.change == text::Change::kLower)
          for (char& c : text) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
        else if (step.change == text::Change::kPrefix) text = step.text + text;
        else if (step.change == text::Change::kSuffix) text += step.text;
      }
      Ids ids;
      for (const char c : text) ids.push_back(1000 + c);
      out.back().push_back(std::move(ids));
    }
  }
  return out;
}

text::FrontEnd reference() {
  text::FrontEnd f;
  f.special.first = 1;
  f.special.last = 2;
  f.truncate = text::Truncate{12};
  f.pad = text::Pad{12};
  f.mask.emplace();
  return f;
}

Finding found(std::vector<Observation> observations) {
  Problem problem(reference(), std::move(observations), {by_character, {}});
  auto result = search(problem, {});
  EXPECT_TRUE(result);
  return *std::move(result);
}

Observation frame(std::string text, Ids ids, Ids mask = {}) {
  return {0, {std::move(text)}, {std::move(ids), std::move(mask), {}, {}}};
}

TEST(TokenSearch, IsSilentWhereTheInputsAreTheReferences) {
  const Finding none = found({frame("Ab", {1, 1065, 1098, 2, 0, 0, 0, 0, 0, 0, 0, 0},
                                    {1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0})});
  EXPECT_EQ(none.status, SearchStatus::kAgrees);
  EXPECT_THAT(none.unlike, IsEmpty());
}

TEST(TokenSearch, NamesOneChangeAndWhatIsProved) {
  const Finding lowered = found({frame("ABc", {1, 1097, 1098, 1099, 2, 0, 0, 0, 0, 0, 0, 0}),
                                 frame("xyz", {1, 1120, 1121, 1122, 2, 0, 0, 0, 0, 0, 0, 0})});
  EXPECT_EQ(lowered.status, SearchStatus::kExact);
  EXPECT_THAT(lowered.unlike, ElementsAre(0u));
  ASSERT_EQ(lowered.explanations.size(), 1u);
  EXPECT_THAT(lowered.explanations[0].changes.at(0).words, HasSubstr("lowers the text"));
  // Two of 1123 ids in 12 places: 2 (10.1 + 3.6) = 27.4 bits.
  EXPECT_NEAR(lowered.explanations[0].proof.bits, 27.4, 0.1);
  EXPECT_TRUE(lowered.explanations[0].is_proven);
}

TEST(TokenSearch, FindsAMaskBesideTheIds) {
  const Finding both = found({frame("ab", {0, 0, 0, 0, 0, 0, 0, 0, 1, 1097, 1098, 2},
                                    {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1})});
  EXPECT_EQ(both.status, SearchStatus::kExact);
  ASSERT_EQ(both.explanations.at(0).changes.size(), 2u);
  EXPECT_EQ(both.explanations[0].changes[0].kind, CauseKind::kTokenPadding);
  EXPECT_EQ(both.explanations[0].changes[1].kind, CauseKind::kAttentionMask);
}

TEST(TokenSearch, TellsTheFirstIdThatDiffersWithoutAName) {
  const Finding none = found({frame("abcd", {1, 1100, 1097, 1099, 1098, 2, 0, 0, 0, 0, 0, 0}),
                              frame("efgh", {1, 1103, 1102, 1104, 1101, 2, 0, 0, 0, 0, 0, 0})});
  EXPECT_NE(none.status, SearchStatus::kExact);
  EXPECT_EQ(none.first.place, 1u);
  EXPECT_EQ(none.first.own, 1097);
  EXPECT_EQ(none.first.recorded, 1100);
}

TEST(TokenSearch, SaysWhichFramesAFaultIsIn) {
  // The second text is as in the reference, including its capitals.
  const Finding some = found({frame("ABcd", {1, 1097, 1098, 1099, 1100, 2, 0, 0, 0, 0, 0, 0}),
                              frame("XY", {1, 1088, 1089, 2, 0, 0, 0, 0, 0, 0, 0, 0})});
  EXPECT_EQ(some.status, SearchStatus::kSomeFrames);
  EXPECT_THAT(some.unlike, ElementsAre(0u));
}

TEST(EditsBetween, CountsWhatHasToChange) {
  EXPECT_EQ(edits_between({1, 2, 3}, {1, 2, 3}), 0u);
  EXPECT_EQ(edits_between({1, 2, 3}, {1, 9, 3}), 1u);
  EXPECT_EQ(edits_between({1, 2, 3, 4}, {1, 3, 4, 0}), 1u);
  EXPECT_EQ(edits_between({}, {1, 2}), 2u);
}

}  // namespace
}  // namespace edgeprobe::diagnose::tokens
