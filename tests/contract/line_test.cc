// SPDX-License-Identifier: Apache-2.0
#include "contract/line/line.h"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace edgeprobe::contract {
namespace {

using testing::HasSubstr;
using State = Judged::State;

// `values`: by the text of their names.
Judged judged(const std::string& text, const std::map<std::string, Held>& values = {}) {
  const auto line = parse_line(text);
  EXPECT_TRUE(line) << text << ": " << (line ? "" : line.error().what);
  if (!line) return {};
  return judge(*line, [&](const Name& name) {
    const auto found = values.find(name.text);
    return found == values.end() ? Held{} : found->second;
  });
}

std::string refusal(const std::string& text) {
  const auto line = parse_line(text);
  return line ? "" : line.error().what;
}

TEST(Line, ComparesARecordedNumberWithABound) {
  EXPECT_EQ(judged("frame.input.max <= 1.0", {{"frame.input.max", 1.0}}).state, State::kHolds);
  const Judged fails = judged("frame.input.max <= 1.0", {{"frame.input.max", 255.0}});
  EXPECT_EQ(fails.state, State::kFails);
  EXPECT_EQ(fails.value, "255");
  EXPECT_EQ(fails.bound, "<= 1");
}

TEST(Line, AValueHardlyBeyondItsBoundIsShownApartFromIt) {
  const Judged fails = judged("frame.input.max <= 1", {{"frame.input.max", 1.00000011920929}});
  EXPECT_EQ(fails.state, State::kFails);
  EXPECT_THAT(fails.value, testing::StartsWith("1.000000119"));
}

TEST(Line, ProductsBindCloserThanSumsAndBothGoFromTheLeft) {
  const std::map<std::string, Held> x{{"trace.frames", 7.0}};
  EXPECT_EQ(judged("trace.frames == 1 + 2 * 3", x).state, State::kHolds);
  EXPECT_EQ(judged("trace.frames == 20 - 8 - 5", x).state, State::kHolds);
  EXPECT_EQ(judged("trace.frames == (20 - 6) / 4 * 2", x).state, State::kHolds);  // 3.5 * 2
  EXPECT_EQ(judged("-trace.frames == -(1e0 + 6)", x).state, State::kHolds);
}

TEST(Line, AChainHoldsWhenEachOfItsComparisonsDoes) {
  const std::string text = "0 <= frame.output.min < frame.output.max <= 1";
  EXPECT_EQ(judged(text, {{"frame.output.min", 0.1}, {"frame.output.max", 0.9}}).state,
            State::kHolds);
  const Judged fails = judged(text, {{"frame.output.min", 0.1}, {"frame.output.max", 1.5}});
  EXPECT_EQ(fails.state, State::kFails);
  EXPECT_EQ(fails.value, "1.5");
  EXPECT_EQ(judged(text, {{"frame.output.min", 0.1}, {"frame.output.max", 0.1}}).state,
            State::kFails);
}

TEST(Line, ComparesTextsByEqualityAlone) {
  const std::map<std::string, Held> label{{"frame.answer.label", std::string("cat")}};
  EXPECT_EQ(judged("frame.answer.label == 'cat'", label).state, State::kHolds);
  EXPECT_EQ(judged("frame.answer.label != \"cat\"", label).state, State::kFails);
  const Judged order = judged("frame.answer.label < 'dog'", label);
  EXPECT_EQ(order.state, State::kNotKnown);
  EXPECT_THAT(order.clash, HasSubstr("cannot be compared"));
  EXPECT_EQ(judged("frame.answer.label == 3", label).state, State::kNotKnown);
  const Judged sum = judged("frame.answer.label + 1 == 3", label);
  EXPECT_EQ(sum.state, State::kNotKnown);
  EXPECT_THAT(sum.clash, HasSubstr("only numbers can be computed with"));
}

TEST(Line, AValueThatIsNotThereIsNeitherRightNorWrong) {
  const Judged none = judged("frame.value('lux') > 5");
  EXPECT_EQ(none.state, State::kNotKnown);
  EXPECT_EQ(none.missing, "frame.value('lux')");
}

TEST(Line, NanFulfilsNothingButUnequal) {
  const std::map<std::string, Held> nan{{"frame.input.mean", std::nan("")}};
  EXPECT_EQ(judged("frame.input.mean <= 1", nan).state, State::kFails);
  EXPECT_EQ(judged("frame.input.mean > 1", nan).state, State::kFails);
  EXPECT_EQ(judged("frame.input.mean == frame.input.mean", nan).state, State::kFails);
  EXPECT_EQ(judged("frame.input.mean != 1", nan).state, State::kHolds);
}

TEST(Line, NamesATensorAndAChannel) {
  const auto line = parse_line("frame.input(\"image\")[2].mean < 0.5");
  ASSERT_TRUE(line);
  ASSERT_EQ(line->names.size(), 1u);
  EXPECT_EQ(line->names[0].of, "image");
  EXPECT_EQ(line->names[0].channel, 2);
  EXPECT_EQ(line->names[0].words, (std::vector<std::string>{"frame", "input", "mean"}));
  EXPECT_TRUE(line->of_frame());
  EXPECT_FALSE(parse_line("trace.frames > 3")->of_frame());
}

TEST(Line, WhatIsWrongIsSaidWithItsColumn) {
  EXPECT_THAT(refusal(""), HasSubstr("column 1: expected a number"));
  EXPECT_THAT(refusal("frame.input.max"), HasSubstr("expected a comparison"));
  EXPECT_THAT(refusal("frame.input.max <= "), HasSubstr("the line ends here"));
  EXPECT_THAT(refusal("frame.input.max <= 1 2"), HasSubstr("column 22"));
  EXPECT_THAT(refusal("frame.inptu.max <= 1"), HasSubstr("frame.input"));
  EXPECT_THAT(refusal("frame.input.maximum <= 1"), HasSubstr("min, max, mean"));
  EXPECT_THAT(refusal("frame.output[0].max <= 1"), HasSubstr("without a channel"));
  EXPECT_THAT(refusal("frame.value > 5"), HasSubstr("frame.value(\"NAME\")"));
  EXPECT_THAT(refusal("frame.layer('x).max > 5"), HasSubstr("a closing '"));
  EXPECT_THAT(refusal("1 <= 2"), HasSubstr("names nothing of a trace"));
  EXPECT_THAT(refusal("frame.input.max <= 1e999"), HasSubstr("expected a number"));
  EXPECT_THAT(refusal(std::string(200, '(').append("1")), HasSubstr("fewer brackets"));
  EXPECT_THAT(refusal("frame.input.max <= " + std::string(2000, '1')), HasSubstr("at most 1000"));
}

}  // namespace
}  // namespace edgeprobe::contract
