// SPDX-License-Identifier: Apache-2.0
#include "trace/frame_json.h"

#include <gtest/gtest.h>

#include "trace/json_text.h"

namespace edgeprobe::trace {
namespace {

std::string read(const std::string& json) {
  FrameRecord record;
  record.frame = 7;
  if (auto done = read_frame_json(view_of(json), record); !done) return "refused";
  if (record.annotation) return record.annotation->kind + "=" + record.annotation->value;
  return record.sample + "|" + record.sha256 + "|" +
         (record.label ? std::to_string(*record.label) : "-") + "|" +
         (record.latency_ns ? std::to_string(*record.latency_ns) : "-");
}

TEST(FrameJson, TheStartOfASequenceComesBack) {
  FrameRecord written;
  written.label = -2147483647 - 1;
  written.latency_ns = 9223372036854775807;
  written.begins_sequence = true;
  // All numbers with their greatest length.
  const std::string json = frame_json(written, 18446744073709551615u);
  EXPECT_EQ(json, R"({"begins_sequence":true,"dropped":18446744073709551615,"label":-2147483648,)"
                  R"("latency_ns":9223372036854775807})");
  FrameRecord read_back;
  ASSERT_TRUE(read_frame_json(view_of(json), read_back));
  EXPECT_TRUE(read_back.begins_sequence);
  EXPECT_EQ(read_back.label, written.label);
  written = {};
  written.begins_sequence = true;
  EXPECT_EQ(frame_json(written, 0), R"({"begins_sequence":true})");
  written.annotation = FrameAnnotation{"class_set", "[1]"};
  written.sample = "a";
  EXPECT_EQ(
      frame_json(written, 0),
      R"({"annotation":{"kind":"class_set","value":[1]},"begins_sequence":true,"sample":"a"})");
  EXPECT_EQ(read(R"({"begins_sequence":1})"), "refused");
  FrameRecord plain;
  ASSERT_TRUE(read_frame_json(view_of(R"({"begins_sequence":false})"), plain));
  EXPECT_FALSE(plain.begins_sequence);
}

// The quick reader passes a record with an unknown key to the full one: both must give the same
// result.
TEST(FrameJson, BothReadersAgree) {
  const std::string sha(64, 'a');
  for (const std::string& fields : {std::string(R"("sample":"a/b.png")"),
                                    std::string(R"("sample" : "50%25")"),
                                    std::string(R"("label":3)"),
                                    std::string(R"("label":-3)"),
                                    std::string(R"("label":0)"),
                                    std::string(R"("label":01)"),
                                    std::string(R"("label":-0)"),
                                    std::string(R"("label":-01)"),
                                    std::string(R"("label":1.5)"),
                                    std::string(R"("label":1e3)"),
                                    std::string(R"("label":"3")"),
                                    std::string(R"("label":null)"),
                                    std::string(R"("label":2147483647)"),
                                    std::string(R"("label":2147483648)"),
                                    std::string(R"("label":99999999999999999999)"),
                                    std::string(R"("latency_ns":123,"label":4)"),
                                    std::string(R"("latency_ns":-1)"),
                                    std::string(R"("sample":"a","sample":"b")"),
                                    std::string(R"("sample":"größe")"),
                                    std::string("\"sample\":\"\xff\""),
                                    std::string(R"("sample":"\u0061")"),
                                    std::string("\"sample\":\"a\tb\""),
                                    std::string(R"("sample":3)"),
                                    std::string(R"("sample":"a)"),
                                    std::string(R"("sample":"a",)"),
                                    std::string(R"("sample""a")"),
                                    std::string(R"("sha256":"abc")"),
                                    "\"sha256\":\"" + sha + "\"",
                                    std::string(R"("label":3 4)"),
                                    std::string(R"("label":)"),
                                    std::string(R"("label":+3)"),
                                    std::string(R"("label":- 3)")})
    EXPECT_EQ(read("{" + fields + "}"), read("{\"unknown\":[1],\n" + fields + "}")) << fields;
  EXPECT_EQ(read("{}"), "||-|-");
  EXPECT_EQ(read(" { } "), "||-|-");
  EXPECT_EQ(read(R"({"label":3, "sample":"50%25"})"), "50%||3|-");
  for (const char* broken :
       {"", "{", "}", "{}}", "{} x", "[]", "{,}", R"({"label":3}})", R"({"label":3,})"})
    EXPECT_EQ(read(broken), "refused") << broken;
}

TEST(FrameJson, AnAnnotationIsKeptAsItIsWritten) {
  EXPECT_EQ(read(R"({"annotation":{"kind":"class_set","value":[3,17]},"label":3})"),
            "class_set=[3,17]");
  EXPECT_EQ(read(R"({"label":3, "annotation" : {"value" : {"b": 1.50, "a":[1e2, "]}\"\u0041"]} ,)"
                 R"("kind":"new"}})"),
            R"(new={"b": 1.50, "a":[1e2, "]}\"\u0041"]})");
  EXPECT_EQ(read(R"({"\u0061nnotation":{"kind":"k","value":null}})"), "k=null");
  EXPECT_EQ(read(R"({"annotation":{"kind":"a","value":1},"annotation":{"kind":"b","value":2}})"),
            "b=2");
  EXPECT_EQ(read(R"({"annotation":null})"), "||-|-");
  const std::string deep = std::string(6000, '[') + std::string(6000, ']');
  EXPECT_EQ(read(R"({"annotation":{"kind":"k","value":)" + deep + "}}"), "k=" + deep);
  for (const std::string& bad :
       {std::string("3"), std::string("[]"), std::string("{}"), std::string(R"({"kind":"k"})"),
        std::string(R"({"kind":"","value":1})"), std::string(R"({"kind":3,"value":1})"),
        R"({"kind":")" + std::string(kLongestKind + 1, 'k') + R"(","value":1})",
        R"({"kind":"k","value":")" + std::string(kLongestAnnotation, 'v') + R"("})"})
    EXPECT_EQ(read(R"({"annotation":)" + bad + "}"), "refused") << bad;
}

TEST(FrameJson, AnAnnotationIsWrittenBeforeTheOthers) {
  FrameRecord record{7, 5, "a.png", "", 3, 12};
  record.annotation = FrameAnnotation{"class_set", "[3,17]"};
  EXPECT_EQ(frame_json(record, 1),
            R"({"annotation":{"kind":"class_set","value":[3,17]},"dropped":1,"label":3,)"
            R"("latency_ns":12,"sample":"a.png"})");
  FrameRecord alone;
  alone.annotation = record.annotation;
  EXPECT_EQ(frame_json(alone, 0), R"({"annotation":{"kind":"class_set","value":[3,17]}})");
}

TEST(Json, IsWhatEveryReaderTakes) {
  for (const char* good :
       {"null", " true ", "0", "-0.5e-400", "1e307", "[]", "{}", "[1, {\"a\" : [\"\\u00e9\"]}]",
        "\"\xc3\xa9\"", "\"\\ud83d\\ude00\"", "\"\\\"\\n\""})
    EXPECT_TRUE(is_json(good)) << good;
  for (const char* bad :
       {"",         " ",     "nul",    "01",      "1.",        ".5",          "+1",
        "1e",       "1e309", "-",      "[1,]",    "[1 2]",     "{1:2}",       "{\"a\"}",
        "{\"a\":}", "\"",    "\"\n\"", "\"\\x\"", "\"\\u12\"", "\"\\ud83d\"", "\"\\ude00\"",
        "\"\xff\"", "1 2",   "[",      "NaN"})
    EXPECT_FALSE(is_json(bad)) << bad;
  EXPECT_TRUE(is_json(std::string(64, '[') + std::string(64, ']')));
  EXPECT_FALSE(is_json(std::string(65, '[') + std::string(65, ']')));
}

TEST(FrameJson, WhatIsWrittenIsRead) {
  FrameRecord record{7, 5, "cat/größe \x1b 50%.png", std::string(64, 'b'), -2, 1234567890123};
  EXPECT_EQ(read(frame_json(record, 3)), record.sample + "|" + record.sha256 + "|-2|1234567890123");
  record.sample = "plain.png";
  EXPECT_EQ(read(frame_json(record, 0)), "plain.png|" + record.sha256 + "|-2|1234567890123");
}

}  // namespace
}  // namespace edgeprobe::trace
