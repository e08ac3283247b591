// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "support.h"

namespace edgeprobe::test {
namespace {

using trace::Stage;

TEST(ProbeFrame, WhatWasLoggedComesBack) {
  const Folder folder;
  edgeprobe_probe* const probe = opened(folder / "app.mcap");
  for (int i = 0; i < 3; ++i) {
    edgeprobe_frame* const frame = begun(probe);
    EXPECT_EQ(edgeprobe_frame_number(frame), static_cast<uint32_t>(i));
    EXPECT_EQ(edgeprobe_frame_sample(frame, "cat/0.png"), EDGEPROBE_OK);
    EXPECT_EQ(edgeprobe_frame_label(frame, 7 + i), EDGEPROBE_OK);
    const unsigned char pixels[2 * 3 * 3] = {1,  2,  3,  4,  5,  6,  7,  8,  9,
                                             10, 11, 12, 13, 14, 15, 16, 17, 18};
    edgeprobe_image image{};
    image.struct_size = sizeof image;
    image.name = "camera";
    image.width = 3;
    image.height = 2;
    image.data = pixels;
    image.size = sizeof pixels;
    EXPECT_EQ(edgeprobe_log_image(frame, &image), EDGEPROBE_OK) << edgeprobe_last_error();
    EXPECT_EQ(edgeprobe_log_tensor(frame, Floats(EDGEPROBE_STAGE_MODEL_INPUT, "in",
                                                 {1.f, 2.f * static_cast<float>(i)})),
              EDGEPROBE_OK);
    EXPECT_EQ(edgeprobe_frame_start(frame), EDGEPROBE_OK);
    // Longer than a tick of any clock.
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(edgeprobe_frame_stop(frame), EDGEPROBE_OK);
    EXPECT_EQ(
        edgeprobe_log_tensor(frame, Floats(EDGEPROBE_STAGE_MODEL_OUTPUT, "out", {0.25f, 0.75f})),
        EDGEPROBE_OK);
    EXPECT_EQ(edgeprobe_log_tensor(frame, Floats(EDGEPROBE_STAGE_LAYER, "conv", {9.f})),
              EDGEPROBE_OK);
    EXPECT_EQ(edgeprobe_log_scalar(frame, "lux", 12.5), EDGEPROBE_OK);
    EXPECT_EQ(edgeprobe_frame_end(frame), EDGEPROBE_OK);
  }
  edgeprobe_statistics statistics{};
  statistics.struct_size = sizeof statistics;
  ASSERT_EQ(edgeprobe_close(probe, &statistics), EDGEPROBE_OK) << edgeprobe_last_error();
  EXPECT_EQ(statistics.frames, 3u);
  EXPECT_EQ(statistics.recorded_frames, 3u);
  EXPECT_EQ(statistics.tensors, 12u);
  EXPECT_EQ(statistics.bytes, 3u * (18 + 8 + 8 + 8));

  const auto reader = read(folder / "app.mcap");
  ASSERT_EQ(reader.frames().size(), 3u);
  EXPECT_EQ(reader.records()[1].sample, "cat/0.png");
  EXPECT_EQ(reader.records()[1].label, 8);
  EXPECT_GT(*reader.records()[1].latency_ns, 0);
  EXPECT_EQ(floats(reader, 2, Stage::kModelInput, "in"), (std::vector<float>{1, 4}));
  EXPECT_EQ(floats(reader, 2, Stage::kModelOutput, "out"), (std::vector<float>{.25f, .75f}));
  EXPECT_EQ(floats(reader, 0, Stage::kVariable, "lux"), (std::vector<float>{12.5f}));
  EXPECT_EQ(channel(reader, Stage::kRawInput, "camera").channel.spec.shape, (Shape{2, 3, 3}));
  EXPECT_EQ(bytes(reader, 1, Stage::kRawInput, "camera").size(), 18u);
  EXPECT_FALSE(has_channel(reader, Stage::kLayer, "conv"));  // level io records no layers
  EXPECT_EQ(reader.metadata().at("edgeprobe.run").at("level"), "io");
}

// Writes frames with float tensors of these names and lengths; returns the names of the channels
// with their shapes.
std::string channels(const std::vector<std::vector<std::pair<const char*, int>>>& frames) {
  const Folder folder;
  edgeprobe_probe* const probe = opened(folder / "t.mcap");
  for (const auto& tensors : frames) {
    edgeprobe_frame* const frame = begun(probe);
    for (const auto& [name, length] : tensors) {
      const Floats values(EDGEPROBE_STAGE_INTERMEDIATE, name,
                          std::vector<float>(static_cast<std::size_t>(length)));
      EXPECT_EQ(edgeprobe_log_tensor(frame, values), EDGEPROBE_OK) << edgeprobe_last_error();
    }
    edgeprobe_frame_end(frame);
  }
  edgeprobe_close(probe, nullptr);
  const auto reader = read(folder / "t.mcap");
  std::string text;
  std::uint64_t messages = 0;
  for (const auto& c : reader.channels()) {
    text += c.channel.spec.name + to_list(c.channel.spec.shape) + " ";
    messages += c.messages;
  }
  std::uint64_t logged = 0;
  for (const auto& tensors : frames) logged += tensors.size();
  EXPECT_EQ(messages, logged);
  return text;
}

TEST(ProbeFrame, ANameTwiceInAFrameIsNumberedWhateverItsShape) {
  EXPECT_EQ(channels({{{"b", 2}, {"b", 3}}}), "b2 b#23 ");
  EXPECT_EQ(channels({{{"b", 2}, {"b", 2}, {"b", 3}}, {{"b", 2}, {"b", 2}, {"b", 3}}}),
            "b2 b#22 b#33 ");
  EXPECT_EQ(channels({{{"b", 2}, {"b", 3}}, {{"b", 3}, {"b", 2}}, {{"b", 2}, {"b", 3}}}),
            "b2 b#23 b3 b#22 ");
}

TEST(ProbeFrame, AShapeThatChangesFromFrameToFrameKeepsItsName) {
  EXPECT_EQ(channels({{{"b", 2}}, {{"b", 3}}, {{"b", 2}}, {{"b", 3}}}), "b2 b3 ");
}

TEST(ProbeFrame, ANumberedNameThatIsTakenIsPassedOver) {
  EXPECT_EQ(channels({{{"a#2", 1}, {"a", 1}, {"a", 1}}, {{"a#2", 1}, {"a", 1}, {"a", 1}}}),
            "a#21 a1 a#31 ");
  EXPECT_EQ(channels({{{"a", 1}, {"a", 1}, {"a#2", 1}}, {{"a#2", 1}, {"a#2", 1}}}),
            "a1 a#21 a#2#21 a#2#31 ");
}

}  // namespace
}  // namespace edgeprobe::test
