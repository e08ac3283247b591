// SPDX-License-Identifier: Apache-2.0
#include "trace/frame_json.h"

#include <gtest/gtest.h>

namespace edgeprobe::trace {
namespace {

std::string read(const std::string& json) {
  FrameRecord record;
  record.frame = 7;
  if (auto done = read_frame_json(view_of(json), record); !done) return "refused";
  return record.sample + "|" + record.sha256 + "|" +
         (record.label ? std::to_string(*record.label) : "-") + "|" +
         (record.latency_ns ? std::to_string(*record.latency_ns) : "-");
}

// A key that nobody knows sends a record past the quick reader: both must find the same.
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

TEST(FrameJson, WhatIsWrittenIsRead) {
  FrameRecord record{7, 5, "cat/größe \x1b 50%.png", std::string(64, 'b'), -2, 1234567890123};
  EXPECT_EQ(read(frame_json(record, 3)), record.sample + "|" + record.sha256 + "|-2|1234567890123");
  record.sample = "plain.png";
  EXPECT_EQ(read(frame_json(record, 0)), "plain.png|" + record.sha256 + "|-2|1234567890123");
}

}  // namespace
}  // namespace edgeprobe::trace
