// SPDX-License-Identifier: Apache-2.0
#include "trace/answer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "support.h"
#include "trace/channel_text.h"
#include "trace/export/export.h"
#include "trace/read/answer_text.h"
#include "trace/read/answers.h"

namespace edgeprobe::trace {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

Bytes bytes_of(std::initializer_list<int> values) {
  Bytes bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

Answer whole_answer() {
  Answer answer;
  answer.labels = {{"cat", "H\u00f6rnchen"}};
  answer.classes = {{3, -1}};
  answer.scores = {{0.75f, 0.25f}};
  answer.boxes = {{{0, 1, 2, 3}, {9, 8, 7, 6}}};
  answer.mask = Mask{1, 3, {0, 7, 300}};
  answer.points = {{{1, 2, 0.5f}}};
  answer.vector = {{0.25f, -0.5f, 4}};
  answer.score = 1.5f;
  answer.alarm = false;
  answer.text = "turn it on";
  return answer;
}

std::string why(const Bytes& message) {
  const auto answer = decode_answer(message);
  return answer ? "accepted" : answer.error().what;
}

TEST(Answer, HasTheBytesThatTheFormatSays) {
  Answer answer;
  answer.labels = {{"hi"}};
  answer.scores = {{1.0f}};
  EXPECT_EQ(encode(answer), bytes_of({1,                                              //
                                      1, 255, 1,    0,   10,  0,   0, 0, 1, 0, 0, 0,  // labels: 1
                                      2, 0,   0,    0,   'h', 'i',                    //
                                      3, 0,   1,    0,   8,   0,   0, 0, 1, 0, 0, 0,  // scores: 1
                                      0, 0,   0x80, 0x3f}));
  EXPECT_EQ(encode(Answer()), bytes_of({1}));
}

TEST(Answer, EveryPartComesBack) {
  const Answer written = whole_answer();
  const auto read = decode_answer(encode(written));
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(*read, written);
}

TEST(Answer, AnEmptyPartIsNotAnAbsentOne) {
  Answer none;
  none.boxes.emplace();
  const auto read = decode_answer(encode(none));
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, none);
  EXPECT_NE(*read, Answer());
  EXPECT_EQ(to_text(*read, 0), "no boxes");
  EXPECT_EQ(answer_json(*read), R"({"boxes":[]})");
}

TEST(Answer, NumbersOfAnyKindAreKept) {
  Answer odd;
  odd.scores = {{kNan, -std::numeric_limits<float>::infinity(), 7}};
  odd.boxes = {{{9, 9, 0, 0}, {kNan, 0, 0, 0}, {-1e30f, 0, 1e30f, 0}}};
  const auto read = decode_answer(encode(odd));
  ASSERT_TRUE(read);
  EXPECT_TRUE(std::isnan((*read->scores)[0]));
  EXPECT_EQ((*read->boxes)[0], (std::array<float, 4>{9, 9, 0, 0}));
  EXPECT_EQ(nlohmann::json::parse(answer_json(*read))["scores"],
            nlohmann::json::parse("[null,null,7.0]"));
}

TEST(Answer, WhatIsCutIsRefused) {
  const Bytes whole = encode(whole_answer());
  // A message that ends before one of its ten parts has fewer parts.
  std::size_t sound = 0;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto read = decode_answer(ByteView(whole.data(), size));
    sound += read.has_value();
    if (!read) {
      EXPECT_FALSE(read.error().what.empty());
    }
  }
  EXPECT_EQ(sound, 10u);
}

TEST(Answer, RefusalsNameThePlaceAndTheCure) {
  EXPECT_NE(why({}).find("empty"), std::string::npos);
  EXPECT_NE(why(bytes_of({0})).find("version 0"), std::string::npos);
  EXPECT_EQ(decode_answer(bytes_of({2})).error().kind, ErrorKind::kUnsupported);
  EXPECT_NE(why(bytes_of({1, 3, 0, 1})).find("part 0 is cut off"), std::string::npos);
  EXPECT_NE(why(bytes_of({1, 3, 0, 1, 0, 200, 0, 0, 0, 1, 0, 0, 0})).find("200 bytes, 4 are left"),
            std::string::npos);
  // A length of four billion scores in four bytes.
  EXPECT_NE(why(bytes_of({1, 3, 0, 1, 0, 8, 0, 0, 0, 255, 255, 255, 255, 0, 0, 0, 0}))
                .find("scores have 4 bytes"),
            std::string::npos);
  // A mask whose height times width, with four bytes per pixel, exceeds 64 bits.
  EXPECT_NE(why(bytes_of({1, 5, 8, 2, 0, 8, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255}))
                .find("mask"),
            std::string::npos);
  EXPECT_NE(why(bytes_of({1, 5, 5, 2, 0, 13, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 1, 2, 3, 4, 5}))
                .find("mask have 5 bytes of values, 4 values"),
            std::string::npos);
  EXPECT_NE(why(bytes_of({1, 4, 0, 2, 0, 8, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0}))
                .find("last dimension 5, expected 4"),
            std::string::npos);
  EXPECT_NE(why(bytes_of({1, 3, 0, 200, 0, 0, 0, 0, 0})).find("rank 200, expected 1"),
            std::string::npos);
  EXPECT_NE(why(bytes_of({1, 3, 3, 1, 0, 4, 0, 0, 0, 0, 0, 0, 0})).find("dtype 3"),
            std::string::npos);
  EXPECT_NE(why(bytes_of({1, 9, 12, 0, 0, 1, 0, 0, 0, 7})).find("alarm is 7"), std::string::npos);
  EXPECT_NE(why(bytes_of({1, 1, 255, 1, 0, 9, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0xff}))
                .find("text 0 of labels is not UTF-8"),
            std::string::npos);
  EXPECT_NE(why(bytes_of({1, 1, 255, 1, 0, 9, 0, 0, 0, 1, 0, 0, 0, 9, 0, 0, 0, 'a'}))
                .find("longer than the part"),
            std::string::npos);
  Bytes twice = encode(whole_answer());
  const Bytes again(twice.begin() + 1, twice.end());
  twice.insert(twice.end(), again.begin(), again.end());
  EXPECT_NE(why(twice).find("labels come twice"), std::string::npos);
  Answer uneven;
  uneven.labels = {{"a", "b", "c"}};
  uneven.scores = {{0.5f}};
  EXPECT_NE(why(encode(uneven)).find("3 labels, but 1 scores; give one for each"),
            std::string::npos);
}

TEST(Answer, ReadsAsALine) {
  EXPECT_EQ(to_text(whole_answer(), 0),
            "cat class 3 (0 1 2 3) 0.75, H\u00f6rnchen class -1 (9 8 7 6) 0.25; mask 1x3 of "
            "classes 0 to 300; points (1 2 0.5); vector of 3: 0.25, -0.5, 4; score 1.5; no alarm; "
            "text 'turn it on'");
  EXPECT_EQ(to_text(Answer(), 0), "nothing");
  EXPECT_EQ(answer_line(bytes_of({9})).find("an answer: its layout has version 9"), 0u);
}

TEST(Answer, ItsChannelIsOpenAndSaysSo) {
  Channel channel;
  channel.stage = Stage::kAnswer;
  channel.spec = {"answer", DType::kUInt8, {-1}, {}};
  EXPECT_TRUE(unwritable(channel)) << "without the encoding nobody could read it";
  channel.encoding = "answer";
  EXPECT_FALSE(unwritable(channel));
  EXPECT_TRUE(channel.is_open());
  EXPECT_EQ(topic_of(channel), "/answer/answer");
}

TEST(Answer, OfAnotherProgramIsReadFrameByFrame) {
  if (!has_python()) GTEST_SKIP() << "no Python with mcap and NumPy";
  Folder folder;
  const auto path = folder / "answers.mcap";
  const auto [code, printed] = run_python("write_answers.py", {path.string()});
  ASSERT_EQ(code, 0) << printed;
  const auto reader = Reader::open(path);
  ASSERT_TRUE(reader) << reader.error().what;
  EXPECT_TRUE(reader->problems().empty()) << reader->problems().front();
  ASSERT_EQ(answer_channels(*reader).size(), 1u);
  const auto at = [&](std::uint32_t frame) {
    const auto answer = answer_of(*reader, frame);
    EXPECT_TRUE(answer) << answer.error().what;
    return answer && *answer ? **answer : Answer();
  };
  EXPECT_EQ(*at(0).labels, (std::vector<std::string>{"cat", "H\u00f6rnchen", ""}));
  EXPECT_EQ((*at(0).scores)[1], 0.25f);
  EXPECT_TRUE(std::isnan((*at(0).scores)[2]));
  EXPECT_EQ(*at(1).classes, (std::vector<std::int64_t>{3, -1}));
  EXPECT_EQ((*at(1).boxes)[1], (std::array<float, 4>{9, 8, 7, 6}));
  EXPECT_TRUE(at(2).labels->empty() && at(2).boxes->empty());
  EXPECT_EQ(*at(3).mask, (Mask{2, 3, {0, 1, 2, 3, 4, 255}}));
  EXPECT_EQ(at(3).points->size(), 2u);
  EXPECT_TRUE(*at(4).alarm);
  EXPECT_EQ(*at(4).text, "turn it on");
  EXPECT_EQ(*at(4).score, 1.5f);
  const auto bad = answer_of(*reader, 5);
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().what,
            "frame 5, answer 'answer': an answer: 3 labels, but 2 scores; give one for each");
  const auto none = answer_of(*reader, 6);
  ASSERT_TRUE(none);
  EXPECT_FALSE(*none);
}

TEST(Answer, ComesOutOfEveryExport) {
  if (!has_python()) GTEST_SKIP() << "no Python with mcap and NumPy";
  Folder folder;
  const auto path = folder / "answers.mcap";
  ASSERT_EQ(run_python("write_answers.py", {path.string()}).first, 0);
  const auto reader = Reader::open(path);
  ASSERT_TRUE(reader);
  const auto text_in = [&](const std::filesystem::path& file, std::string_view wanted) {
    const Bytes bytes = file_bytes(file);
    return ByteView(bytes).text().find(wanted) != std::string_view::npos;
  };
  ASSERT_TRUE(export_npz(*reader, folder / "a.npz", {}));
  EXPECT_TRUE(text_in(folder / "a.npz", "answer/answer/000004.json"));
  EXPECT_TRUE(text_in(folder / "a.npz", R"("alarm":true,"text":"turn it on")"));
  EXPECT_TRUE(text_in(folder / "a.npz", R"({"problem":"an answer: 3 labels, but 2 scores)"));
  const auto csv = export_csv(*reader, folder / "a.csv", {});
  ASSERT_TRUE(csv);
  EXPECT_EQ(csv->notes, (std::vector<std::string>{"6 answers were left out (--npz keeps them)"}));
  ASSERT_TRUE(export_perfetto(*reader, folder / "a.json", {}));
  EXPECT_TRUE(text_in(folder / "a.json", "alarm; text 'turn it on'"));
  ASSERT_TRUE(export_view(*reader, folder / "view.mcap", {}));
  EXPECT_TRUE(text_in(folder / "view.mcap", "alarm; text 'turn it on'"));
}

}  // namespace
}  // namespace edgeprobe::trace
