// SPDX-License-Identifier: Apache-2.0
// Answers, texts, sound and starts of sequences through the C ABI.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support.h"
#include "trace/read/answers.h"

namespace edgeprobe::test {
namespace {

using trace::Stage;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

edgeprobe_answer answer_of(std::uint32_t parts, std::size_t count = 0) {
  edgeprobe_answer answer{};
  answer.struct_size = sizeof answer;
  answer.parts = parts;
  answer.count = count;
  return answer;
}

trace::Answer read_answer(const trace::Reader& reader, std::uint32_t frame) {
  const auto found = trace::answer_of(reader, frame);
  EXPECT_TRUE(found) << found.error().what;
  EXPECT_TRUE(found && *found) << "frame " << frame << " has no answer";
  return found && *found ? **found : trace::Answer();
}

TEST(ProbeAnswer, EveryPartComesBack) {
  const Folder folder;
  edgeprobe_probe* const probe = opened(folder / "app.mcap");
  edgeprobe_frame* const frame = begun(probe);
  const char* const labels[] = {"cat", "H\u00f6rnchen"};
  const std::int64_t classes[] = {3, -1};
  const float scores[] = {0.75f, kNan}, boxes[] = {0, 1, 2, 3, 9, 8, 7, 6}, points[] = {1, 2, 0.5f},
              vector[] = {0.25f, -0.5f};
  const std::uint16_t mask[] = {0, 1, 300};
  edgeprobe_answer answer = answer_of(1023, 2);
  answer.labels = labels;
  answer.classes = classes;
  answer.scores = scores;
  answer.boxes = boxes;
  answer.mask = mask;
  answer.mask_dtype = EDGEPROBE_UINT16;
  answer.mask_height = 1;
  answer.mask_width = 3;
  answer.point_count = 1;
  answer.points = points;
  answer.vector_count = 2;
  answer.vector = vector;
  answer.score = 1.5f;
  answer.alarm = 2;
  answer.text = "turn it on";
  EXPECT_EQ(edgeprobe_frame_wants(frame, EDGEPROBE_STAGE_ANSWER), 1);
  EXPECT_EQ(edgeprobe_log_answer(frame, &answer), EDGEPROBE_OK) << edgeprobe_last_error();
  answer.name = "faces";
  answer.parts = EDGEPROBE_ANSWER_BOXES;
  answer.count = 0;
  EXPECT_EQ(edgeprobe_log_answer(frame, &answer), EDGEPROBE_OK);
  ASSERT_EQ(edgeprobe_close(probe, nullptr), EDGEPROBE_OK);

  const auto reader = read(folder / "app.mcap");
  const trace::Answer back = read_answer(reader, 0);
  EXPECT_EQ(*back.labels, (std::vector<std::string>{"cat", "H\u00f6rnchen"}));
  EXPECT_EQ(*back.classes, (std::vector<std::int64_t>{3, -1}));
  EXPECT_EQ((*back.scores)[0], 0.75f);
  EXPECT_TRUE(std::isnan((*back.scores)[1]));
  EXPECT_EQ((*back.boxes)[1], (std::array<float, 4>{9, 8, 7, 6}));
  EXPECT_EQ(*back.mask, (trace::Mask{1, 3, {0, 1, 300}}));
  EXPECT_EQ((*back.points)[0], (std::array<float, 3>{1, 2, 0.5f}));
  EXPECT_EQ(*back.vector, (std::vector<float>{0.25f, -0.5f}));
  EXPECT_EQ(*back.score, 1.5f);
  EXPECT_EQ(back.alarm, true);
  EXPECT_EQ(back.text, "turn it on");
  const auto faces = trace::answer_of(reader, 0, channel(reader, Stage::kAnswer, "faces"));
  ASSERT_TRUE(faces && *faces);
  EXPECT_TRUE((*faces)->boxes->empty());
  EXPECT_FALSE((*faces)->labels);
}

TEST(ProbeAnswer, WhatCannotBeIsRefusedInASentence) {
  const Folder folder;
  edgeprobe_probe* const probe = opened(folder / "app.mcap");
  edgeprobe_frame* const frame = begun(probe);
  const auto refused = [&](const edgeprobe_answer& answer, edgeprobe_status status,
                           const char* sentence) {
    EXPECT_EQ(edgeprobe_log_answer(frame, &answer), status);
    EXPECT_NE(std::string(edgeprobe_last_error()).find(sentence), std::string::npos)
        << edgeprobe_last_error();
  };
  refused(answer_of(0), EDGEPROBE_USAGE, "empty: set answer.parts");
  refused(answer_of(1024), EDGEPROBE_UNSUPPORTED, "does not know");
  refused(answer_of(EDGEPROBE_ANSWER_SCORES, 2), EDGEPROBE_USAGE, "answer.scores is NULL");
  refused(answer_of(EDGEPROBE_ANSWER_TEXT), EDGEPROBE_USAGE, "answer.text is NULL");
  edgeprobe_answer answer = answer_of(EDGEPROBE_ANSWER_LABELS, 2);
  const char* labels[] = {"cat", "\xff"};
  answer.labels = labels;
  refused(answer, EDGEPROBE_USAGE, "not UTF-8; convert it");
  labels[1] = nullptr;
  refused(answer, EDGEPROBE_USAGE, "label of the answer is NULL");
  answer = answer_of(EDGEPROBE_ANSWER_BOXES, std::size_t{1} << 60);
  answer.boxes = &answer.score;
  refused(answer, EDGEPROBE_LIMIT, "4 GiB");
  answer = answer_of(EDGEPROBE_ANSWER_MASK);
  answer.mask_dtype = EDGEPROBE_FLOAT32;
  refused(answer, EDGEPROBE_USAGE, "mask_dtype");
  answer.struct_size = 8;
  refused(answer, EDGEPROBE_USAGE, "struct_size");
  EXPECT_EQ(edgeprobe_log_answer(frame, nullptr), EDGEPROBE_USAGE);
  EXPECT_EQ(edgeprobe_log_answer(nullptr, &answer), EDGEPROBE_OFF);
  ASSERT_EQ(edgeprobe_close(probe, nullptr), EDGEPROBE_OK);
  EXPECT_FALSE(has_channel(read(folder / "app.mcap"), Stage::kAnswer, "answer"));
}

TEST(ProbeAnswer, LevelAndPatternsLeaveItOut) {
  const Folder folder;
  for (const bool by_level : {true, false}) {
    const std::string path = folder / (by_level ? "level.mcap" : "pattern.mcap");
    edgeprobe_options options = defaults();
    if (by_level) options.level = EDGEPROBE_LEVEL_NONE;
    else options.exclude = "answer/*";
    edgeprobe_probe* const probe = opened(path, options);
    edgeprobe_frame* const frame = begun(probe);
    edgeprobe_answer answer = answer_of(EDGEPROBE_ANSWER_SCORE);
    EXPECT_EQ(edgeprobe_frame_wants(frame, EDGEPROBE_STAGE_ANSWER), by_level ? 0 : 1);
    EXPECT_EQ(edgeprobe_log_answer(frame, &answer), EDGEPROBE_OK);
    ASSERT_EQ(edgeprobe_close(probe, nullptr), EDGEPROBE_OK);
    EXPECT_FALSE(has_channel(read(path), Stage::kAnswer, "answer"));
  }
}

TEST(ProbeAnswer, StartsOfSequencesStandInTheirFrames) {
  const Folder folder;
  edgeprobe_probe* const probe = opened(folder / "app.mcap");
  for (int i = 0; i < 4; ++i) {
    edgeprobe_frame* const frame = begun(probe);
    if (i == 2) {
      EXPECT_EQ(edgeprobe_frame_sequence_start(frame), EDGEPROBE_OK);
      EXPECT_EQ(edgeprobe_frame_label(frame, -7), EDGEPROBE_OK);
    }
    EXPECT_EQ(edgeprobe_frame_end(frame), EDGEPROBE_OK);
  }
  EXPECT_EQ(edgeprobe_frame_sequence_start(nullptr), EDGEPROBE_OFF);
  ASSERT_EQ(edgeprobe_close(probe, nullptr), EDGEPROBE_OK);
  const auto reader = read(folder / "app.mcap");
  ASSERT_EQ(reader.records().size(), 4u);
  for (const trace::FrameRecord& record : reader.records())
    EXPECT_EQ(record.begins_sequence, record.frame == 2);
  EXPECT_EQ(reader.records()[2].label, -7);
}

TEST(ProbeAnswer, ARawTextIsKeptWithItsLength) {
  const Folder folder;
  edgeprobe_probe* const probe = opened(folder / "app.mcap");
  edgeprobe_frame* const frame = begun(probe);
  const std::string text("gr\u00fc\0n", 6);
  EXPECT_EQ(edgeprobe_log_raw_text(frame, "prompt", text.data(), text.size()), EDGEPROBE_OK);
  EXPECT_EQ(edgeprobe_log_raw_text(frame, "empty", nullptr, 0), EDGEPROBE_OK);
  EXPECT_EQ(edgeprobe_log_raw_text(frame, "bytes", "ab\xc3", 3), EDGEPROBE_USAGE);
  EXPECT_NE(std::string(edgeprobe_last_error()).find("not UTF-8; convert it"), std::string::npos);
  ASSERT_EQ(edgeprobe_close(probe, nullptr), EDGEPROBE_OK);
  const auto reader = read(folder / "app.mcap");
  EXPECT_EQ(channel(reader, Stage::kRawInput, "prompt").channel.encoding, "utf8");
  EXPECT_EQ(bytes(reader, 0, Stage::kRawInput, "prompt"), text);
  EXPECT_EQ(channel(reader, Stage::kRawInput, "empty").messages, 1u);
  EXPECT_FALSE(has_channel(reader, Stage::kRawInput, "bytes"));
}

TEST(ProbeAnswer, SoundWithoutARateIsRefusedAndNanIsKept) {
  const Folder folder;
  edgeprobe_probe* const probe = opened(folder / "app.mcap");
  edgeprobe_frame* const frame = begun(probe);
  const float samples[] = {0.5f, kNan, -1, 2};
  EXPECT_EQ(edgeprobe_log_audio(frame, "mic", EDGEPROBE_FLOAT32, samples, 4, 1, 0),
            EDGEPROBE_USAGE);
  EXPECT_NE(std::string(edgeprobe_last_error()).find("samples per second are 0"),
            std::string::npos);
  EXPECT_EQ(edgeprobe_log_audio(frame, "mic", EDGEPROBE_FLOAT32, samples, 4, 0, 16000),
            EDGEPROBE_USAGE);
  EXPECT_EQ(edgeprobe_log_audio(frame, "mic", EDGEPROBE_INT32, samples, 4, 1, 16000),
            EDGEPROBE_USAGE);
  EXPECT_EQ(edgeprobe_log_audio(frame, "mic", EDGEPROBE_FLOAT32, samples, 2, 2, 16000),
            EDGEPROBE_OK);
  // The microphone returned no samples: an empty recording is what the application received.
  EXPECT_EQ(edgeprobe_log_audio(frame, "silent", EDGEPROBE_INT16, samples, 0, 1, 16000),
            EDGEPROBE_OK);
  ASSERT_EQ(edgeprobe_close(probe, nullptr), EDGEPROBE_OK);
  const auto reader = read(folder / "app.mcap");
  const trace::Channel& mic = channel(reader, Stage::kRawInput, "mic").channel;
  EXPECT_EQ(mic.spec.shape, (Shape{2, 2}));
  EXPECT_EQ(mic.extra.at("sample_rate"), "16000");
  const auto values = floats(reader, 0, Stage::kRawInput, "mic");
  ASSERT_EQ(values.size(), 4u);
  EXPECT_TRUE(std::isnan(values[1]));
  EXPECT_EQ(channel(reader, Stage::kRawInput, "silent").messages, 1u);
}

}  // namespace
}  // namespace edgeprobe::test
