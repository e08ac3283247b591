// SPDX-License-Identifier: Apache-2.0
// The probe's own C code on one side, the receiver on the other, and a bad line between them.
#include "trace/receive/receive.h"
#include "trace/answer.h"
#include "trace/read/answer_text.h"

#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device.h"
#include "trace/channel_text.h"
#include "trace/mcap/crc32.h"
#include "trace/receive/packets.h"

namespace edgeprobe::trace {
namespace {

Bytes line_of(std::uint32_t frames) {
  Device device;
  device.open();
  for (std::uint32_t i = 0; i < frames; ++i) log_frame(device, i);
  edgeprobe_mcu_close(&device.probe);
  return device.line;
}

/// True if a user would see that something is missing.
bool is_told(const Everything& all) {
  const auto& c = all.receiver.counts();
  const auto& p = all.receiver.packets();
  return c.missing_frames || c.missing_messages || c.unreadable || p.lost || p.damaged ||
         p.restarts || !all.received.said_goodbye || (p.first && *p.first != 0) ||
         !all.receiver.problems().empty();
}

TEST(Receive, WhatWasSentComesOutInPiecesOfAnySize) {
  const Bytes line = line_of(40);
  for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, std::size_t{240}, line.size()}) {
    Everything all;
    receive(line, piece, all);
    ASSERT_TRUE(all.status) << all.status.error().what;
    EXPECT_EQ(all.received.frames.size(), 40u);
    EXPECT_EQ(wrong_value(all), "");
    EXPECT_FALSE(is_told(all)) << testing::PrintToString(all.receiver.problems());
    ASSERT_EQ(all.receiver.channels().size(), 3u);
    const Channel& scores = all.receiver.channels()[1];
    EXPECT_EQ(scores.stage, Stage::kModelOutput);
    EXPECT_EQ(scores.spec.dtype, DType::kInt8);
    EXPECT_EQ(scores.spec.shape, (Shape{1, 3}));
    EXPECT_THAT(scores.spec.quantization.scale, testing::ElementsAre(0.25f, 0.5f, 0.125f));
    EXPECT_THAT(scores.spec.quantization.zero_point, testing::ElementsAre(0, 1, -1));
    EXPECT_EQ(scores.spec.quantization.axis, 1);
    EXPECT_EQ(scores.position, 0);
  }
}

TEST(PacketReader, TakesNumbersAndChecksumsWithTheLowestByteFirst) {
  // Calculated by hand (zlib's CRC-32, COBS): packet 0x04030201, the first and last of its message,
  // "hello".
  const unsigned char packet[] = {0x00, 0x0f, 0x01, 0x02, 0x03, 0x04, 0x03, 0x68, 0x65,
                                  0x6c, 0x6c, 0x6f, 0x0b, 0x2b, 0xd8, 0x2e, 0x00};
  PacketReader reader;
  std::string message;
  reader.feed(
      {reinterpret_cast<const std::byte*>(packet), sizeof packet},
      [&](ByteView whole) { message = whole.text(); }, [] {});
  EXPECT_EQ(message, "hello");
  EXPECT_EQ(reader.counts().packets, 1u);
  EXPECT_EQ(reader.counts().first, 0x04030201u);
}

TEST(Receive, AnAnswerComesAsATraceHoldsIt) {
  Device device;
  device.open();
  const char* const labels[] = {"left", "gr\u00fcn", ""};
  const std::int32_t classes[] = {3, -1, 1 << 20};
  const float scores[] = {0.5f, 0.25f, 0}, boxes[] = {0, 1, 2, 3, 4, 5, 6, 7, 9, 8, 7, 6},
              points[] = {1, 2, 0.5f}, vector[] = {0.25f, -0.5f};
  const std::uint8_t mask[] = {0, 1, 2, 3, 4, 255};
  edgeprobe_mcu_answer answer{};
  answer.parts = 1023;
  answer.labels = labels;
  answer.classes = classes;
  answer.scores = scores;
  answer.boxes = boxes;
  answer.count = 3;
  answer.mask = mask;
  answer.mask_height = 2;
  answer.mask_width = 3;
  answer.points = points;
  answer.point_count = 1;
  answer.vector = vector;
  answer.vector_count = 2;
  answer.score = 1.5f;
  answer.alarm = 7;
  answer.text = "turn it on";
  edgeprobe_mcu_frame_begin(&device.probe);
  EXPECT_EQ(edgeprobe_mcu_log_answer(&device.probe, &answer), EDGEPROBE_MCU_OK);
  edgeprobe_mcu_answer none{};
  none.name = "faces";
  none.parts = EDGEPROBE_MCU_ANSWER_BOXES;
  EXPECT_EQ(edgeprobe_mcu_log_answer(&device.probe, &none), EDGEPROBE_MCU_OK);
  for (const int parts : {0, 1024, 1 << 15}) {
    none.parts = static_cast<std::uint16_t>(parts);
    EXPECT_EQ(edgeprobe_mcu_log_answer(&device.probe, &none), EDGEPROBE_MCU_USAGE) << parts;
  }
  none.count = 1;
  for (const int parts : {1, 2, 4, 8, 512}) {
    none.parts = static_cast<std::uint16_t>(parts);
    EXPECT_EQ(edgeprobe_mcu_log_answer(&device.probe, &none), EDGEPROBE_MCU_USAGE) << parts;
  }
  EXPECT_EQ(edgeprobe_mcu_frame_sequence_start(&device.probe), EDGEPROBE_MCU_OK);
  EXPECT_EQ(edgeprobe_mcu_frame_end(&device.probe), EDGEPROBE_MCU_OK);
  edgeprobe_mcu_frame_begin(&device.probe);
  const char* const broken[] = {"\xff"};
  none.parts = EDGEPROBE_MCU_ANSWER_LABELS;
  none.labels = broken;
  EXPECT_EQ(edgeprobe_mcu_log_answer(&device.probe, &none), EDGEPROBE_MCU_OK);
  edgeprobe_mcu_frame_end(&device.probe);
  edgeprobe_mcu_close(&device.probe);
  EXPECT_EQ(edgeprobe_mcu_log_answer(&device.probe, &answer), EDGEPROBE_MCU_OFF);

  Everything all;
  receive(device.line, 64, all);
  ASSERT_TRUE(all.status);
  ASSERT_EQ(all.received.frames.size(), 2u);
  const auto& frame = all.received.frames[0];
  EXPECT_TRUE(frame.record.begins_sequence);
  ASSERT_EQ(frame.tensors.size(), 2u);
  const Channel& channel = all.receiver.channels()[frame.tensors[0].channel];
  EXPECT_TRUE(channel.is_answer());
  EXPECT_FALSE(unwritable(channel));
  EXPECT_EQ(channel.spec.name, "answer");
  const auto back = decode_answer(frame.tensors[0].bytes);
  ASSERT_TRUE(back) << back.error().what;
  EXPECT_EQ(answer_json(*back),
            "{\"labels\":[\"left\",\"gr\u00fcn\",\"\"],\"classes\":[3,-1,1048576],\"scores\":[0.5,"
            "0.25,0],"
            "\"boxes\":[[0,1,2,3],[4,5,6,7],[9,8,7,6]],"
            R"("mask":{"height":2,"width":3,"classes":[0,1,2,3,4,255]},"points":[[1,2,0.5]],)"
            R"("vector":[0.25,-0.5],"score":1.5,"alarm":true,"text":"turn it on"})");
  EXPECT_EQ(all.receiver.channels()[frame.tensors[1].channel].spec.name, "faces");
  EXPECT_EQ(answer_json(frame.tensors[1].bytes), R"({"boxes":[]})");
  // Text that is not UTF-8 is omitted, and the frame states that something is missing.
  EXPECT_FALSE(all.received.frames[1].record.begins_sequence);
  EXPECT_EQ(all.received.frames[1].record.dropped, 1u);
  EXPECT_THAT(all.receiver.problems(), testing::Contains(testing::HasSubstr("not UTF-8")));
}

TEST(Receive, NoPacketIsLongerThanThePageSays) {
  const Bytes line = line_of(3);
  std::size_t since = 0, longest = 0;
  for (const std::byte byte : line) {
    since = byte == std::byte{0} ? 0 : since + 1;
    longest = std::max(longest, since);
  }
  EXPECT_EQ(longest + 2, std::size_t{EDGEPROBE_MCU_PACKET});
}

// 228 bytes are one packet, 229 are two with a checksum of their own; 448 + 4 fill two, and so on.
TEST(Receive, MessagesOfEveryLengthAroundAPacketsComeWhole) {
  for (std::size_t size = 200; size < 480; ++size) {
    Device device;
    device.open();
    const auto length = static_cast<std::int32_t>(size);
    edgeprobe_mcu_tensor tensor{};
    tensor.name = "t";
    tensor.stage = EDGEPROBE_MCU_LAYER;
    tensor.dtype = EDGEPROBE_MCU_UINT8;
    tensor.rank = 1;
    tensor.shape = &length;
    std::vector<std::uint8_t> values(size);
    for (std::size_t i = 0; i < size; ++i) values[i] = static_cast<std::uint8_t>(i % 5 ? i : 0);
    edgeprobe_mcu_frame_begin(&device.probe);
    EXPECT_EQ(edgeprobe_mcu_log_tensor(&device.probe, &tensor, values.data(), size),
              EDGEPROBE_MCU_OK);
    EXPECT_EQ(edgeprobe_mcu_frame_end(&device.probe), EDGEPROBE_MCU_OK);
    edgeprobe_mcu_close(&device.probe);
    Everything all;
    receive(device.line, 1024, all);
    ASSERT_EQ(all.received.frames.size(), 1u) << size;
    ASSERT_EQ(all.received.frames[0].tensors.size(), 1u) << size;
    EXPECT_EQ(std::memcmp(all.received.frames[0].tensors[0].bytes.data(), values.data(), size), 0)
        << size;
    EXPECT_FALSE(is_told(all)) << size;
  }
}

TEST(Receive, EveryByteChangedIsToldAndNeverAWrongValue) {
  const Bytes line = line_of(4);
  for (std::size_t at = 0; at < line.size(); ++at)
    // the last value makes the byte zero
    for (const unsigned flip : {0x01u, 0x80u, 0xffu, static_cast<unsigned>(line[at])}) {
      if (flip == 0) continue;
      Bytes bad = line;
      bad[at] ^= static_cast<std::byte>(flip);
      Everything all;
      receive(bad, bad.size(), all);
      ASSERT_TRUE(all.status);
      ASSERT_EQ(wrong_value(all), "") << "byte " << at << " ^ " << flip;
      ASSERT_TRUE(is_told(all)) << "byte " << at << " ^ " << flip;
      // One packet belongs to at most two messages, and a message to at most one frame.
      ASSERT_GE(all.received.frames.size(), 3u) << "byte " << at << " ^ " << flip;
    }
}

TEST(Receive, EveryByteLostOrDoubledIsNeverAWrongValue) {
  const Bytes line = line_of(4);
  for (std::size_t at = 0; at < line.size(); ++at) {
    Bytes shorter = line, longer = line;
    shorter.erase(shorter.begin() + static_cast<std::ptrdiff_t>(at));
    longer.insert(longer.begin() + static_cast<std::ptrdiff_t>(at), line[at]);
    for (const Bytes& bad : {shorter, longer}) {
      Everything all;
      receive(bad, bad.size(), all);
      ASSERT_EQ(wrong_value(all), "") << at;
      // Two packets share one delimiter, so a missing or additional zero byte between them is
      // harmless.
      const bool is_whole =
          all.received.frames.size() == 4 && all.receiver.counts().incomplete_frames == 0;
      ASSERT_TRUE(is_told(all) || (is_whole && line[at] == std::byte{0})) << at;
    }
  }
}

TEST(Receive, CutAnywhereTheRestIsRightAndTold) {
  const Bytes line = line_of(3);
  for (std::size_t size = 0; size < line.size() - 1; ++size) {
    Everything end, begin;
    receive({line.data(), size}, 4096, end);
    ASSERT_EQ(wrong_value(end), "") << size;
    ASSERT_TRUE(is_told(end)) << size;
    receive({line.data() + size + 1, line.size() - size - 1}, 4096, begin);
    ASSERT_EQ(wrong_value(begin), "") << size;
    ASSERT_TRUE(is_told(begin) || size == 0) << size;
  }
}

TEST(Receive, ALineThatLosesOneByteInAThousandGivesOnlyRightValues) {
  const Bytes line = line_of(300);
  Bytes bad;
  std::uint64_t state = 88172645463325252u;
  std::size_t lost = 0, changed = 0;
  for (const std::byte byte : line) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    if (state % 2000 == 0 && ++lost) continue;
    bad.push_back(state % 2000 == 1 && ++changed ? byte ^ std::byte{0x10} : byte);
  }
  Everything all;
  receive(bad, 100, all);
  EXPECT_GT(lost + changed, 100u);
  EXPECT_EQ(wrong_value(all), "");
  const auto& counts = all.receiver.counts();
  EXPECT_GT(counts.frames, 100u);
  EXPECT_GT(counts.incomplete_frames, 10u);
  EXPECT_EQ(counts.frames + counts.missing_frames, 300u);
  EXPECT_GT(all.receiver.packets().lost, 100u);
}

TEST(Receive, BootTextOnTheSameLineDoesNoHarm) {
  const Bytes line = line_of(2);
  const ByteView text = view_of("ROM bootloader v1.2\r\nheap: 40960 free\r\n");
  Bytes mixed = text.copy();
  for (std::size_t at = 0, end; at < line.size(); at = end) {
    end = at + 1;  // Packets begin and end with a zero byte.
    while (line[end] != std::byte{0}) ++end;
    ++end;
    mixed.insert(mixed.end(), text.begin(), text.end());
    mixed.insert(mixed.end(), line.begin() + static_cast<std::ptrdiff_t>(at),
                 line.begin() + static_cast<std::ptrdiff_t>(end));
  }
  Everything all;
  receive(mixed, 64, all);
  EXPECT_EQ(wrong_value(all), "");
  EXPECT_EQ(all.received.frames.size(), 2u);
  EXPECT_EQ(all.receiver.counts().incomplete_frames, 0u);
  EXPECT_EQ(all.receiver.packets().lost, 0u);
  EXPECT_GT(all.receiver.packets().damaged, 10u);
}

TEST(Receive, AFrameThatWriteRefusesIsDroppedWholeAndCounted) {
  for (const std::size_t taken : {0u, 1u, 100u, 239u}) {
    Device device;
    device.open();
    log_frame(device, 0);
    std::size_t calls = 0;
    device.room = [&](std::size_t, std::size_t size) {
      return ++calls == 3 ? std::min<std::size_t>(taken, size - 1) : size;
    };
    EXPECT_EQ(log_frame(device, 1), EDGEPROBE_MCU_LIMIT);
    EXPECT_EQ(calls, 3u) << "nothing more of the frame is sent";
    EXPECT_EQ(edgeprobe_mcu_dropped_frames(&device.probe), 1u);
    EXPECT_EQ(log_frame(device, 2), EDGEPROBE_MCU_OK);
    edgeprobe_mcu_close(&device.probe);
    Everything all;
    receive(device.line, 64, all);
    EXPECT_EQ(wrong_value(all), "");
    ASSERT_EQ(all.received.frames.size(), 2u);
    EXPECT_EQ(all.received.frames[1].record.frame, 2u);
    EXPECT_EQ(all.receiver.counts().missing_frames, 1u);
    EXPECT_EQ(all.receiver.counts().dropped_by_device, 1u);
    EXPECT_EQ(all.receiver.counts().incomplete_frames, 0u);
  }
}

TEST(Receive, ALineThatIsAlwaysFullNeitherBlocksNorBreaks) {
  Device device;
  device.room = [](std::size_t, std::size_t) { return 0; };
  EXPECT_EQ(device.open(), EDGEPROBE_MCU_LIMIT);
  for (std::uint32_t i = 0; i < 100; ++i) EXPECT_EQ(log_frame(device, i), EDGEPROBE_MCU_LIMIT);
  EXPECT_EQ(edgeprobe_mcu_dropped_frames(&device.probe), 100u);
  device.room = nullptr;
  EXPECT_EQ(log_frame(device, 100), EDGEPROBE_MCU_OK);  // hello and descriptions come first
  edgeprobe_mcu_close(&device.probe);
  Everything all;
  receive(device.line, 64, all);
  ASSERT_EQ(all.received.frames.size(), 1u);
  EXPECT_EQ(all.received.frames[0].record.frame, 100u);
  EXPECT_EQ(wrong_value(all), "");
}

TEST(Receive, AReceiverThatJoinsLateHasEverythingAfterTheNextRepeat) {
  Device device;
  device.options.repeat_frames = 8;
  device.open();
  for (std::uint32_t i = 0; i < 3; ++i) log_frame(device, i);
  const std::size_t joined = device.line.size() + 100;  // within frame 3
  for (std::uint32_t i = 3; i < 20; ++i) log_frame(device, i);
  edgeprobe_mcu_close(&device.probe);
  Everything all;
  receive({device.line.data() + joined, device.line.size() - joined}, 64, all);
  EXPECT_EQ(wrong_value(all), "");
  ASSERT_EQ(all.received.frames.size(), 16u);
  EXPECT_EQ(all.received.frames.front().record.frame, 4u);
  for (const auto& frame : all.received.frames)
    EXPECT_EQ(frame.record.dropped, frame.record.frame < 8 ? 2u : 0u) << frame.record.frame;
  EXPECT_EQ(all.receiver.counts().missing_frames, 0u);
  EXPECT_EQ(all.receiver.packets().lost, 0u);
}

TEST(Receive, AfterARestartFramesGoOnWithNewNumbers) {
  Device first, second;
  first.open();
  for (std::uint32_t i = 0; i < 5; ++i) log_frame(first, i);
  second.open();
  for (std::uint32_t i = 0; i < 5; ++i) log_frame(second, i);
  edgeprobe_mcu_close(&second.probe);
  // Power fails in the middle of the first start's last frame.
  Bytes line(first.line.begin(), first.line.end() - 100);
  line.insert(line.end(), second.line.begin(), second.line.end());
  Everything all;
  receive(line, 64, all);
  ASSERT_EQ(all.received.frames.size(), 9u);
  EXPECT_EQ(all.received.frames[3].record.frame, 3u);
  EXPECT_EQ(all.received.frames[4].record.frame, 5u);
  EXPECT_EQ(all.received.frames[8].record.frame, 9u);
  EXPECT_EQ(all.receiver.packets().restarts, 1u);
  EXPECT_EQ(all.receiver.channels().size(), 3u) << "the same descriptions are the same channels";
  all.received.frames.erase(all.received.frames.begin(), all.received.frames.begin() + 4);
  EXPECT_EQ(wrong_value(all, 5), "");
}

// After an unnoticed restart, the same channel number and frame number mean something else. Packet
// numbers still increase, because the first packets after the restart are lost.
TEST(Receive, ADescriptionFromBeforeAnUnseenRestartGivesNoTensor) {
  Device first, second;
  first.open();
  log_frame(first, 0);
  edgeprobe_mcu_tensor other = kScores;
  other.name = "other";
  second.open();
  std::size_t from = 0;
  for (std::uint32_t i = 0; i < 30; ++i) {
    if (i == 29) from = second.line.size();
    const auto input = input_values(i), scores = score_values(i);
    edgeprobe_mcu_frame_begin(&second.probe);
    edgeprobe_mcu_log_tensor(&second.probe, &other, scores.data(), scores.size());
    edgeprobe_mcu_log_tensor(&second.probe, &kInput, input.data(), input.size());
    edgeprobe_mcu_frame_end(&second.probe);
  }
  Bytes line = first.line;
  line.insert(line.end(), second.line.begin() + static_cast<std::ptrdiff_t>(from),
              second.line.end());
  Everything all;
  receive(line, 64, all);
  ASSERT_EQ(all.received.frames.size(), 2u);
  EXPECT_TRUE(all.received.frames[1].tensors.empty());
  EXPECT_EQ(all.received.frames[1].record.dropped, 2u);
}

TEST(Receive, TimesFollowTheDevicesClockFromTheFirstFrameOn) {
  Device device;
  device.open();
  log_frame(device, 0);
  device.clock_ns += 5'000'000'000;
  log_frame(device, 1);
  edgeprobe_mcu_close(&device.probe);
  Everything all;
  receive(device.line, device.line.size(), all);
  ASSERT_EQ(all.received.frames.size(), 2u);
  EXPECT_EQ(all.received.frames[0].record.time_ns, 1'000'000'000'000u);
  EXPECT_EQ(all.received.frames[1].record.time_ns - all.received.frames[0].record.time_ns,
            5'003'000'000u);
}

TEST(Receive, ReadingsComeAsARawInputOfNumbers) {
  Device device;
  device.open();
  const std::int32_t size[] = {4, 3};
  edgeprobe_mcu_tensor motion{};
  motion.name = "accelerometer";
  motion.stage = EDGEPROBE_MCU_RAW_INPUT;
  motion.dtype = EDGEPROBE_MCU_INT16;
  motion.rank = 2;
  motion.shape = size;
  std::int16_t counts[12];
  for (int i = 0; i < 12; ++i) counts[i] = static_cast<std::int16_t>(1000 * i - 16384);
  edgeprobe_mcu_frame_begin(&device.probe);
  EXPECT_EQ(edgeprobe_mcu_log_tensor(&device.probe, &motion, counts, sizeof counts),
            EDGEPROBE_MCU_OK);
  edgeprobe_mcu_frame_end(&device.probe);
  edgeprobe_mcu_close(&device.probe);
  Everything all;
  receive(device.line, 64, all);
  ASSERT_EQ(all.received.frames.size(), 1u);
  const trace::Channel& channel = all.receiver.channels().at(0);
  EXPECT_EQ(channel.stage, Stage::kRawInput);
  EXPECT_EQ(channel.encoding, "");
  EXPECT_EQ(channel.spec.dtype, DType::kInt16);
  EXPECT_EQ(channel.spec.shape, (Shape{4, 3}));
  EXPECT_EQ(std::memcmp(all.received.frames[0].tensors.at(0).bytes.data(), counts, sizeof counts),
            0);
}

TEST(Receive, PicturesTextsMarksAndSensorsCome) {
  Device device;
  const edgeprobe_mcu_fact facts[] = {{"model", "net.tflite"}, {"engine", "our own"}};
  device.options.facts = facts;
  device.options.fact_count = 2;
  device.open();
  const std::int32_t size[] = {2, 3};
  edgeprobe_mcu_tensor camera{};
  camera.name = "camera";
  camera.stage = EDGEPROBE_MCU_RAW_INPUT;
  camera.dtype = EDGEPROBE_MCU_UINT8;
  camera.format = EDGEPROBE_MCU_BGR8;
  camera.rank = 2;
  camera.shape = size;
  camera.rotation = 90;
  edgeprobe_mcu_tensor gray = camera, file = camera;
  gray.name = "gray", gray.format = EDGEPROBE_MCU_GRAY8, gray.rotation = 0;
  file.name = "jpeg", file.format = EDGEPROBE_MCU_ENCODED, file.rank = 0, file.rotation = 0;
  std::uint8_t pixels[2 * 16];
  for (std::size_t i = 0; i < sizeof pixels; ++i) pixels[i] = static_cast<std::uint8_t>(i);
  edgeprobe_mcu_mark(&device.probe, "boot", nullptr);
  edgeprobe_mcu_frame_begin(&device.probe);
  EXPECT_EQ(edgeprobe_mcu_log_image(&device.probe, &camera, pixels, 16), EDGEPROBE_MCU_OK);
  EXPECT_EQ(edgeprobe_mcu_log_image(&device.probe, &gray, pixels, 0), EDGEPROBE_MCU_OK);
  EXPECT_EQ(edgeprobe_mcu_log_tensor(&device.probe, &file, "\xff\xd8\xff", 3), EDGEPROBE_MCU_OK);
  EXPECT_EQ(edgeprobe_mcu_log_text(&device.probe, "mode", "night"), EDGEPROBE_MCU_OK);
  EXPECT_EQ(edgeprobe_mcu_log_int(&device.probe, "retries", -2), EDGEPROBE_MCU_OK);
  const float gravity[] = {0, 0.5f, 9.75f};
  edgeprobe_mcu_sensor(&device.probe, "accelerometer", gravity, 3, "m/s^2");
  edgeprobe_mcu_frame_sample(&device.probe, "cat/1.png");
  EXPECT_EQ(edgeprobe_mcu_frame_end(&device.probe), EDGEPROBE_MCU_OK);
  edgeprobe_mcu_close(&device.probe);
  Everything all;
  receive(device.line, 64, all);
  ASSERT_EQ(all.received.frames.size(), 1u);
  EXPECT_FALSE(is_told(all)) << testing::PrintToString(all.receiver.problems());
  EXPECT_EQ(all.received.frames[0].record.sample, "cat/1.png");
  const auto& channels = all.receiver.channels();
  const auto& tensors = all.received.frames[0].tensors;
  ASSERT_EQ(tensors.size(), 5u);
  EXPECT_EQ(channels[0].encoding, "bgr8");
  EXPECT_EQ(channels[0].spec.shape, (Shape{2, 3, 3}));
  EXPECT_EQ(channels[0].extra.at("rotation"), "90");
  const Bytes& bgr = tensors[0].bytes;
  ASSERT_EQ(bgr.size(), 18u);
  EXPECT_EQ(bgr[8], std::byte{8});
  EXPECT_EQ(bgr[9], std::byte{16}) << "the second row begins at the stride";
  EXPECT_EQ(channels[1].encoding, "pixels");
  EXPECT_EQ(channels[1].spec.shape, (Shape{2, 3, 1}));
  EXPECT_EQ(channels[2].encoding, "encoded");
  EXPECT_EQ(tensors[2].bytes.size(), 3u);
  EXPECT_EQ(ByteView(tensors[3].bytes).text(), "night");
  std::int32_t retries = 0;
  std::memcpy(&retries, tensors[4].bytes.data(), 4);
  EXPECT_EQ(retries, -2);
  ASSERT_EQ(all.received.events.size(), 2u);
  EXPECT_EQ(all.received.events[0].name, "boot");
  EXPECT_EQ(all.received.events[1].unit, "m/s^2");
  EXPECT_THAT(all.received.events[1].values, testing::ElementsAre(0, 0.5f, 9.75f));
  EXPECT_EQ(all.received.facts.at("model"), "net.tflite");
}

TEST(Receive, WrongCallsAreRefusedAndLeaveTheFrameWhole) {
  Device device;
  EXPECT_EQ(edgeprobe_mcu_frame_begin(&device.probe), EDGEPROBE_MCU_OFF);
  EXPECT_EQ(edgeprobe_mcu_log_float(nullptr, "x", 1), EDGEPROBE_MCU_OFF);
  edgeprobe_mcu_options none{};
  EXPECT_EQ(edgeprobe_mcu_open(&device.probe, &none), EDGEPROBE_MCU_USAGE);
  device.open();
  const auto values = input_values(0);
  EXPECT_EQ(edgeprobe_mcu_log_tensor(&device.probe, &kInput, values.data(), 500),
            EDGEPROBE_MCU_USAGE)
      << "no frame is open";
  edgeprobe_mcu_frame_begin(&device.probe);
  EXPECT_EQ(edgeprobe_mcu_log_tensor(&device.probe, &kInput, values.data(), 499),
            EDGEPROBE_MCU_USAGE);
  EXPECT_EQ(edgeprobe_mcu_log_tensor(&device.probe, &kInput, nullptr, 500), EDGEPROBE_MCU_USAGE);
  EXPECT_EQ(edgeprobe_mcu_log_tensor(&device.probe, nullptr, values.data(), 500),
            EDGEPROBE_MCU_USAGE);
  EXPECT_EQ(edgeprobe_mcu_log_image(&device.probe, &kInput, values.data(), 0), EDGEPROBE_MCU_USAGE);
  EXPECT_EQ(edgeprobe_mcu_stop(&device.probe), EDGEPROBE_MCU_USAGE) << "not started";
  edgeprobe_mcu_tensor wrong = kInput;
  wrong.dtype = 99;
  EXPECT_EQ(edgeprobe_mcu_log_tensor(&device.probe, &wrong, values.data(), 500),
            EDGEPROBE_MCU_USAGE);
  EXPECT_EQ(edgeprobe_mcu_frame_end(&device.probe), EDGEPROBE_MCU_OK);
  EXPECT_EQ(edgeprobe_mcu_frame_end(&device.probe), EDGEPROBE_MCU_USAGE);
  // Five tensors, but room for only four.
  edgeprobe_mcu_tensor many[5];
  const std::string names = "abcde";
  edgeprobe_mcu_frame_begin(&device.probe);
  std::vector<std::string> texts;
  for (const char c : names) texts.emplace_back(1, c);
  for (std::size_t i = 0; i < 5; ++i) {
    many[i] = kInput;
    many[i].name = texts[i].c_str();
    EXPECT_EQ(edgeprobe_mcu_log_tensor(&device.probe, &many[i], values.data(), 500),
              i < 4 ? EDGEPROBE_MCU_OK : EDGEPROBE_MCU_LIMIT);
  }
  edgeprobe_mcu_frame_end(&device.probe);
  edgeprobe_mcu_close(&device.probe);
  Everything all;
  receive(device.line, 64, all);
  ASSERT_EQ(all.received.frames.size(), 2u);
  EXPECT_TRUE(all.received.frames[0].tensors.empty());
  EXPECT_EQ(all.received.frames[1].tensors.size(), 4u);
  EXPECT_EQ(all.received.frames[1].record.dropped, 1u) << "what had no room is missing, and told";
}

// Packets that our probes never send: each is omitted with a sentence.
Bytes packet_of(std::uint32_t number, ByteView message) {
  Bytes packet(5);
  std::memcpy(packet.data(), &number, 4);
  packet[4] = std::byte{3};
  packet.insert(packet.end(), message.begin(), message.end());
  const std::uint32_t crc = crc32(packet);
  const auto* bytes = reinterpret_cast<const std::byte*>(&crc);
  packet.insert(packet.end(), bytes, bytes + 4);
  Bytes wire{std::byte{0}, std::byte{1}};
  std::size_t code = 1;
  for (const std::byte byte : packet)
    if (byte == std::byte{0}) {
      wire[code] = static_cast<std::byte>(wire.size() - code);
      code = wire.size();
      wire.push_back(std::byte{1});
    } else {
      wire.push_back(byte);
    }
  wire[code] = static_cast<std::byte>(wire.size() - code);
  wire.push_back(std::byte{0});
  return wire;
}

TEST(Receive, MessagesThatMakeNoSenseAreLeftOutWithASentence) {
  using std::string_literals::operator""s;
  const std::string head = "\x03\x00\x00"s;
  const std::string layer_of_3 =
      "\x03\x04\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00n\x00\x00"s;
  const std::vector<std::string> messages{
      "\x01\x01"s, "\x02nokey"s, "\x03\x00"s, head, head + "\x09"s + layer_of_3.substr(1),
      head + layer_of_3 + "more",
      head + "\x03\x7f"s + layer_of_3.substr(2),  // dtype 127
      // a picture that is not a raw input
      head + layer_of_3.substr(0, 2) + "\x01"s + layer_of_3.substr(3),
      head + layer_of_3.substr(0, 14) + "\xff\xff\xff\xff"s + layer_of_3.substr(18), "\x04\x00"s,
      "\x05"s, "\x06\x00\x00\x00\x00\x05\x00\x00\x00\x00x"s, "\x08\x00"s, "\x09\x00"s,
      "\x0a\x00\x00\x00\x00\x00\x00\x00\x00\x00name\x00unit"s, "\x0b"s, "\x63"s};
  for (std::size_t i = 0; i < messages.size(); ++i) {
    Everything all;
    receive(packet_of(0, view_of(messages[i])), 64, all);
    ASSERT_TRUE(all.status);
    EXPECT_EQ(all.receiver.packets().packets, 1u) << i;
    EXPECT_EQ(all.receiver.counts().unreadable, 1u) << "message " << i;
    EXPECT_EQ(all.receiver.problems().size(), 1u) << i;
  }
  Everything good;
  receive(packet_of(0, view_of(head + layer_of_3)), 64, good);
  EXPECT_EQ(good.receiver.counts().unreadable, 0u)
      << testing::PrintToString(good.receiver.problems());
  EXPECT_EQ(good.receiver.channels().size(), 1u);
}

TEST(Receive, AnotherVersionOfTheWireIsRefused) {
  using std::string_literals::operator""s;
  Everything all;
  receive(packet_of(0, view_of("\x01\x02\0\0\0\0\0\0\0\0\0\0\0\0"s)), 64, all);
  ASSERT_FALSE(all.status);
  EXPECT_EQ(all.status.error().kind, ErrorKind::kUnsupported);
  EXPECT_THAT(all.status.error().what, testing::HasSubstr("version 2"));
}

}  // namespace
}  // namespace edgeprobe::trace
