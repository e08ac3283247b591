// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "sensor/series.h"
#include "support.h"

namespace edgeprobe::test {
namespace {

using trace::Stage;

edgeprobe_image image_of(edgeprobe_pixels format, std::uint32_t width, std::uint32_t height,
                         const std::string& data) {
  edgeprobe_image image{};
  image.struct_size = sizeof image;
  image.name = "camera";
  image.format = format;
  image.width = width;
  image.height = height;
  image.data = data.data();
  image.size = data.size();
  return image;
}

struct Logged {
  edgeprobe_status status;
  trace::Channel channel;
  std::string bytes;
};
Logged logged(const edgeprobe_image& image, const edgeprobe_options& options = defaults()) {
  const Folder folder;
  edgeprobe_probe* const probe = opened(folder / "t.mcap", options);
  edgeprobe_frame* const frame = begun(probe);
  Logged out{edgeprobe_log_image(frame, &image), {}, {}};
  edgeprobe_frame_end(frame);
  edgeprobe_close(probe, nullptr);
  if (out.status != EDGEPROBE_OK) return out;
  const auto reader = read(folder / "t.mcap");
  out.channel = channel(reader, Stage::kRawInput, "camera").channel;
  out.bytes = bytes(reader, 0, Stage::kRawInput, "camera");
  return out;
}

TEST(ProbeRaw, RowsLoseTheirPadding) {
  // two rows of two RGB pixels, 8 bytes apart; the last one lacks its padding
  const std::string padded = "abcdef..ghijkl";
  edgeprobe_image image = image_of(EDGEPROBE_BGR8, 2, 2, padded);
  image.stride = 8;
  image.rotation = 90;
  image.mirrored = 1;
  const Logged got = logged(image);
  EXPECT_EQ(got.bytes, "abcdefghijkl");
  EXPECT_EQ(got.channel.spec.shape, (Shape{2, 2, 3}));
  EXPECT_EQ(got.channel.encoding, "bgr8");
  EXPECT_EQ(got.channel.extra.at("rotation"), "90");
  EXPECT_EQ(got.channel.extra.at("mirrored"), "true");
  image.size -= 1;
  EXPECT_EQ(logged(image).status, EDGEPROBE_USAGE);
  image.size += 1;
  image.stride = 5;
  EXPECT_EQ(logged(image).status, EDGEPROBE_USAGE);
  image.stride = 8;
  image.rotation = 45;
  EXPECT_EQ(logged(image).status, EDGEPROBE_USAGE);
  image.rotation = 0;
  image.height = 0;
  EXPECT_EQ(logged(image).status, EDGEPROBE_USAGE);
}

TEST(ProbeRaw, EachFormatHasItsEncodingAndShape) {
  const std::string data(64, 'x');
  const struct {
    edgeprobe_pixels format;
    const char* encoding;
    Shape shape;
  } all[] = {{EDGEPROBE_RGB8, "pixels", {2, 4, 3}},  {EDGEPROBE_BGR8, "bgr8", {2, 4, 3}},
             {EDGEPROBE_RGBA8, "rgba8", {2, 4, 4}},  {EDGEPROBE_BGRA8, "bgra8", {2, 4, 4}},
             {EDGEPROBE_GRAY8, "pixels", {2, 4, 1}}, {EDGEPROBE_NV12, "nv12", {12}},
             {EDGEPROBE_NV21, "nv21", {12}},         {EDGEPROBE_I420, "i420", {12}},
             {EDGEPROBE_YV12, "yv12", {12}}};
  for (const auto& [format, encoding, shape] : all) {
    const Logged got = logged(image_of(format, 4, 2, data));
    EXPECT_EQ(got.channel.encoding, encoding);
    EXPECT_EQ(got.channel.spec.shape, shape) << encoding;
  }
}

TEST(ProbeRaw, YuvIsKeptWholeWithItsStrides) {
  // 5x3, luma rows 8 bytes apart, chroma rows 6 apart; the last chroma row has no padding
  std::string data;
  for (int i = 0; i < 8 * 3 + 6 * 2 * 2 - 3; ++i) data += static_cast<char>(i);
  edgeprobe_image image = image_of(EDGEPROBE_I420, 5, 3, data);
  image.stride = 8;
  image.chroma_stride = 6;
  image.full_range = 1;
  image.bt709 = 1;
  const Logged got = logged(image);
  ASSERT_EQ(got.status, EDGEPROBE_OK) << edgeprobe_last_error();
  EXPECT_EQ(got.bytes, data);
  const std::map<std::string, std::string> expected{{"height", "3"},    {"matrix", "bt709"},
                                                    {"range", "full"},  {"stride", "8"},
                                                    {"uv_stride", "6"}, {"width", "5"}};
  EXPECT_EQ(got.channel.extra, expected);
  image.size -= 1;
  EXPECT_EQ(logged(image).status, EDGEPROBE_USAGE);
}

TEST(ProbeRaw, SoundAndFiles) {
  const Folder folder;
  edgeprobe_probe* const probe = opened(folder / "t.mcap");
  edgeprobe_frame* const frame = begun(probe);
  const std::int16_t samples[6] = {1, -2, 3, -4, 5, -6};
  EXPECT_EQ(edgeprobe_log_audio(frame, "microphone", EDGEPROBE_INT16, samples, 3, 2, 16000),
            EDGEPROBE_OK);
  EXPECT_EQ(edgeprobe_log_audio(frame, "microphone", EDGEPROBE_INT8, samples, 3, 2, 16000),
            EDGEPROBE_USAGE);
  EXPECT_EQ(edgeprobe_log_audio(frame, "microphone", EDGEPROBE_INT16, samples, 3, 0, 16000),
            EDGEPROBE_USAGE);
  EXPECT_EQ(
      edgeprobe_log_audio(frame, "microphone", EDGEPROBE_INT16, samples, SIZE_MAX / 2, 2, 16000),
      EDGEPROBE_USAGE);
  EXPECT_EQ(edgeprobe_log_encoded(frame, "file", "\x89PNG", 4), EDGEPROBE_OK);
  edgeprobe_frame_end(frame);
  edgeprobe_close(probe, nullptr);
  const auto reader = read(folder / "t.mcap");
  const auto& sound = channel(reader, Stage::kRawInput, "microphone").channel;
  EXPECT_EQ(sound.spec.shape, (Shape{3, 2}));
  EXPECT_EQ(sound.encoding, "audio");
  EXPECT_EQ(sound.extra.at("sample_rate"), "16000");
  EXPECT_EQ(floats(reader, 0, Stage::kRawInput, "microphone"),
            (std::vector<float>{1, -2, 3, -4, 5, -6}));
  EXPECT_EQ(bytes(reader, 0, Stage::kRawInput, "file"), "\x89PNG");
}

TEST(ProbeRaw, ReadingsOfASensor) {
  const Folder folder;
  edgeprobe_probe* const probe = opened(folder / "t.mcap");
  edgeprobe_frame* const frame = begun(probe);
  const std::int16_t counts[6] = {1, -2, 16384, 3, -4, 16390};
  const double pressure[2] = {1013.25, 1013.5};
  EXPECT_EQ(edgeprobe_log_readings(frame, "accelerometer", EDGEPROBE_INT16, counts, 2, 3, 59.5),
            EDGEPROBE_OK);
  EXPECT_EQ(edgeprobe_log_readings(frame, "pressure", EDGEPROBE_FLOAT64, pressure, 2, 1, 0),
            EDGEPROBE_OK);
  EXPECT_EQ(edgeprobe_log_readings(frame, "none came", EDGEPROBE_FLOAT32, nullptr, 0, 3, 0),
            EDGEPROBE_OK);
  const auto refused = [&](edgeprobe_dtype dtype, std::size_t steps, std::uint32_t axes,
                           double rate, const char* words) {
    EXPECT_EQ(edgeprobe_log_readings(frame, "x", dtype, counts, steps, axes, rate),
              EDGEPROBE_USAGE);
    EXPECT_NE(std::string(edgeprobe_last_error()).find(words), std::string::npos)
        << edgeprobe_last_error();
  };
  refused(EDGEPROBE_BOOL, 2, 3, 50, "readings are numbers");
  refused(EDGEPROBE_INT16, 2, 0, 50, "1 to 64 axes");
  refused(EDGEPROBE_INT16, 0, edgeprobe::sensor::kMostAxes + 1, 50, "1 to 64 axes");
  refused(EDGEPROBE_INT16, SIZE_MAX / 2, 3, 50, "more values than there is memory");
  for (const double rate :
       {-50.0, edgeprobe::sensor::kLeastRate / 2, edgeprobe::sensor::kMostRate * 2, std::nan("")})
    refused(EDGEPROBE_INT16, 2, 3, rate, "0.001 Hz to 1 MHz");
  edgeprobe_frame_end(frame);
  edgeprobe_close(probe, nullptr);
  const auto reader = read(folder / "t.mcap");
  const auto& motion = channel(reader, Stage::kRawInput, "accelerometer").channel;
  EXPECT_EQ(motion.encoding, "readings");
  EXPECT_EQ(motion.spec.shape, (Shape{2, 3}));
  EXPECT_EQ(motion.extra.at("sample_rate"), "59.5");
  EXPECT_EQ(floats(reader, 0, Stage::kRawInput, "accelerometer"),
            (std::vector<float>{1, -2, 16384, 3, -4, 16390}));
  const auto& without_rate = channel(reader, Stage::kRawInput, "pressure").channel;
  EXPECT_EQ(without_rate.extra.count("sample_rate"), 0u);
  EXPECT_EQ(without_rate.spec.shape, (Shape{2, 1}));
  EXPECT_EQ(channel(reader, Stage::kRawInput, "none came").channel.spec.shape, (Shape{0, 3}));
}

TEST(ProbeRaw, WhatIsRedactedIsNotInTheFile) {
  const std::string padded = "secret..SECRET..";
  std::string seen;
  edgeprobe_options options = defaults();
  options.redact_context = &seen;
  options.redact = [](void* context, const char* name, void* data, std::size_t size) {
    *static_cast<std::string*>(context) =
        std::string(name) + ":" + std::string(static_cast<char*>(data), size);
    std::memset(data, '#', size);
  };
  edgeprobe_image image = image_of(EDGEPROBE_RGB8, 2, 2, padded);
  image.stride = 8;
  EXPECT_EQ(logged(image, options).bytes, "############");
  EXPECT_EQ(seen, "camera:secretSECRET");
  EXPECT_EQ(padded, "secret..SECRET..");  // the application's own bytes are unchanged
}

// The hook may call the library and take its time: no lock of the frame is held.
TEST(ProbeRaw, TheHookMayLog) {
  const Folder folder;
  edgeprobe_options options = defaults();
  edgeprobe_frame* frame = nullptr;
  options.redact_context = &frame;
  options.redact = [](void* context, const char*, void*, std::size_t) {
    edgeprobe_log_scalar(*static_cast<edgeprobe_frame**>(context), "faces", 2);
  };
  edgeprobe_probe* const probe = opened(folder / "t.mcap", options);
  frame = begun(probe);
  EXPECT_EQ(edgeprobe_log_encoded(frame, "camera", "jpeg", 4), EDGEPROBE_OK);
  edgeprobe_frame_end(frame);
  edgeprobe_close(probe, nullptr);
  EXPECT_EQ(floats(read(folder / "t.mcap"), 0, Stage::kVariable, "faces"), (std::vector<float>{2}));
}

}  // namespace
}  // namespace edgeprobe::test
