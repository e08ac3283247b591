// SPDX-License-Identifier: Apache-2.0
#include "compare/align/names.h"

#include <gtest/gtest.h>

#include "core/csv.h"
#include "core/pattern.h"

namespace edgeprobe::compare {
namespace {

trace::Channel channel(const std::string& name, Shape shape) {
  trace::Channel made;
  made.spec = {name, DType::kFloat32, std::move(shape), {}};
  return made;
}

TEST(MapTest, WordsAndCsvMayBeMixed) {
  const auto map = parse_map(
      "# reference then target\nreference,target\nconv1  conv1/Relu6\r\n\n\"a, b\",\"say "
      "\"\"c\"\"\"\n\tx\ty\n");
  ASSERT_TRUE(map) << map.error().what;
  ASSERT_EQ(map->size(), 3u);
  EXPECT_EQ((*map)[0].target, "conv1/Relu6");
  EXPECT_EQ((*map)[0].line, 3u);
  EXPECT_EQ((*map)[1].reference, "a, b");
  EXPECT_EQ((*map)[1].target, "say \"c\"");
  EXPECT_EQ((*map)[2].reference, "x");
}

TEST(MapTest, WhatIsWrongIsSaidWithItsLine) {
  const auto what = [](const char* text) { return parse_map(text).error().what; };
  EXPECT_EQ(what("a b\nc\n"), "line 2: expected two names, reference first, found 1");
  EXPECT_EQ(what("a b c\n"), "line 1: expected two names, reference first, found 3");
  EXPECT_EQ(what("a,\n"),
            "line 1: expected two names, reference first, found 2, one of them empty");
  EXPECT_EQ(what("a b\na c\n"), "line 2: 'a' is in line 1 already");
  EXPECT_EQ(what("a b\nc b\n"), "line 2: 'b' is in line 1 already");
  EXPECT_EQ(what("\"a,b\n"), "line 1: column 1: a quote is never closed");
  EXPECT_EQ(what("# nothing\n"),
            "contains no pair of names; expected two names per line, reference first");
}

TEST(MapTest, AnUnknownNameComesWithTheNearest) {
  const auto map = parse_map("conv1 conv_1\n");
  ASSERT_TRUE(map);
  const auto reference = {channel("conv1", {1, 4})};
  EXPECT_TRUE(check_map(*map, reference, {channel("conv_1", {4})}));
  const auto unknown = check_map(*map, reference, {channel("conv_2", {1, 4})});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().what,
            "line 1: the target has no tensor 'conv_1'; did you mean 'conv_2'?");
  const auto unlike = check_map(*map, reference, {channel("conv_1", {1, 5})});
  ASSERT_FALSE(unlike);
  EXPECT_EQ(unlike.error().what,
            "line 1: 'conv1' and 'conv_1' cannot be compared: their shapes are 1x4 and 1x5");
}

TEST(PatternTest, StarsAndQuestionMarksOnly) {
  EXPECT_TRUE(matches("*", ""));
  EXPECT_TRUE(matches("conv*", "conv[0]/Relu"));
  EXPECT_TRUE(matches("conv[0]*", "conv[0]/Relu"));
  EXPECT_TRUE(matches("*a*b", "aab"));
  EXPECT_TRUE(matches("c?nv", "conv"));
  EXPECT_FALSE(matches("conv", "conv1"));
  EXPECT_FALSE(matches("", "a"));
  EXPECT_FALSE(matches("a?", "a"));
  // Each star needs a choice: the time must not grow exponentially.
  EXPECT_FALSE(matches("a*a*a*a*a*a*a*a*a*a*a*a*b", std::string(2000, 'a')));
  EXPECT_TRUE(fits_any({"x", "layer/*"}, trace::Stage::kLayer, "conv"));
  EXPECT_FALSE(fits_any({"layer/*"}, trace::Stage::kIntermediate, "resized"));
}

TEST(CsvTest, FieldsOfOneLine) {
  EXPECT_EQ(*csv_fields(""), (std::vector<std::string>{""}));
  EXPECT_EQ(*csv_fields("a,,b,"), (std::vector<std::string>{"a", "", "b", ""}));
  EXPECT_EQ(*csv_fields("\"a,\"\"b\"\"\",c"), (std::vector<std::string>{"a,\"b\"", "c"}));
  EXPECT_EQ(csv_fields("\"a\"b").error().what,
            "column 4: expected a comma after the closing quote");
  EXPECT_EQ(lines_of("a\r\n\nb").size(), 3u);
  EXPECT_EQ(lines_of("a\n").size(), 1u);
}

}  // namespace
}  // namespace edgeprobe::compare
