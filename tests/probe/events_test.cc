// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "support.h"

namespace edgeprobe::test {
namespace {

using trace::EventStreamKind;
using trace::Stage;

TEST(ProbeSeries, SensorsAndMarksBelongToNoFrame) {
  const Folder folder;
  edgeprobe_probe* const probe = opened(folder / "t.mcap");
  const double gravity[3] = {0.25, -9.81, 1e-3};
  const double broken = std::nan("");
  EXPECT_EQ(edgeprobe_sensor(probe, "accelerometer", gravity, 3, "m/s^2"), EDGEPROBE_OK);
  edgeprobe_frame_end(begun(probe));
  EXPECT_EQ(edgeprobe_mark(probe, "camera", "restarted \"twice\""), EDGEPROBE_OK);
  EXPECT_EQ(edgeprobe_sensor_absent(probe, "light", "lx", "not permitted"), EDGEPROBE_OK);
  EXPECT_EQ(edgeprobe_sensor(probe, "light", &broken, 1, "lx"), EDGEPROBE_OK);
  EXPECT_EQ(edgeprobe_sensor(probe, "light", gravity, 1 << 20, "lx"), EDGEPROBE_LIMIT);
  edgeprobe_frame_end(begun(probe));
  EXPECT_EQ(edgeprobe_close(probe, nullptr), EDGEPROBE_OK);

  const auto seen = events(folder / "t.mcap");
  ASSERT_EQ(seen.size(), 4u);
  EXPECT_EQ(seen[0].stream.kind, EventStreamKind::kSensor);
  EXPECT_EQ(*seen[0].event.values, (std::vector<double>{0.25, -9.81, 1e-3}));
  EXPECT_EQ(seen[0].event.unit, "m/s^2");
  EXPECT_FALSE(seen[0].event.frame);
  EXPECT_EQ(seen[1].event.text, "restarted \"twice\"");
  EXPECT_EQ(seen[1].event.frame, 0u);
  EXPECT_FALSE(seen[2].event.values);
  EXPECT_EQ(seen[2].event.reason, "not permitted");
  EXPECT_FALSE(seen[3].event.values);
  EXPECT_EQ(seen[3].event.reason, "not a finite number");
  EXPECT_EQ(read(folder / "t.mcap").frames(), (std::vector<std::uint32_t>{0, 1}));
}

TEST(ProbeSeries, ASensorsOwnTimeIsGivenAsAnAge) {
  const Folder folder;
  edgeprobe_probe* const probe = opened(folder / "t.mcap");
  const double value = 1;
  constexpr std::uint64_t kMinute = 60'000'000'000;
  EXPECT_EQ(edgeprobe_sensor(probe, "light", &value, 1, "lx"), EDGEPROBE_OK);
  EXPECT_EQ(edgeprobe_sensor_ago(probe, "light", &value, 1, "lx", kMinute), EDGEPROBE_OK);
  EXPECT_EQ(edgeprobe_sensor(probe, "light", &value, 1, "lx"), EDGEPROBE_OK);
  EXPECT_EQ(edgeprobe_sensor_ago(probe, "light", &value, 1, "lx", ~std::uint64_t{0}),
            EDGEPROBE_USAGE);
  EXPECT_EQ(edgeprobe_sensor_ago(nullptr, "light", &value, 1, "lx", 1), EDGEPROBE_OFF);
  EXPECT_EQ(edgeprobe_close(probe, nullptr), EDGEPROBE_OK);
  const auto seen = events(folder / "t.mcap");
  ASSERT_EQ(seen.size(), 3u);
  EXPECT_GE(seen[1].event.time_ns, seen[0].event.time_ns - kMinute);
  EXPECT_LE(seen[1].event.time_ns, seen[2].event.time_ns - kMinute);
}

TEST(ProbeSeries, SpansNestAndHaveTheirTimes) {
  const Folder folder;
  edgeprobe_probe* const probe = opened(folder / "t.mcap");
  edgeprobe_frame* const frame = begun(probe);
  edgeprobe_span outer = edgeprobe_span_begin(frame, "all"),
                 inner = edgeprobe_span_begin(frame, "resize");
  EXPECT_EQ(edgeprobe_span_end(&inner), EDGEPROBE_OK);
  EXPECT_EQ(edgeprobe_span_end(&inner), EDGEPROBE_USAGE);
  EXPECT_EQ(edgeprobe_span_end(&outer), EDGEPROBE_OK);
  edgeprobe_frame_end(frame);
  edgeprobe_close(probe, nullptr);
  const auto reader = read(folder / "t.mcap");
  const auto times = [&](const char* name) {
    const std::string raw = bytes(reader, 0, Stage::kSpan, name);
    std::int64_t out[2] = {};
    EXPECT_EQ(raw.size(), sizeof out);
    std::memcpy(out, raw.data(), sizeof out);
    return std::pair(out[0], out[1]);
  };
  const auto all = times("all"), resize = times("resize");
  EXPECT_LE(all.first, resize.first);
  EXPECT_GE(all.first + all.second, resize.first + resize.second);
  EXPECT_GT(all.first, 1'600'000'000'000'000'000);  // the wall clock
}

TEST(ProbeSeries, VariablesOfEveryKind) {
  const Folder folder;
  edgeprobe_probe* const probe = opened(folder / "t.mcap");
  for (int i = 0; i < 2; ++i) {
    edgeprobe_frame* const frame = begun(probe);
    const double box[2] = {1.5, static_cast<double>(i)};
    EXPECT_EQ(edgeprobe_log_vector(frame, "box", box, 2), EDGEPROBE_OK);
    EXPECT_EQ(edgeprobe_log_vector(frame, "none", nullptr, 0), EDGEPROBE_OK);
    EXPECT_EQ(edgeprobe_log_text(frame, "class", i ? "a longer cat" : "cat"), EDGEPROBE_OK);
    EXPECT_EQ(edgeprobe_log_json(frame, "state", "{\"a\":1}"), EDGEPROBE_OK);
    edgeprobe_frame_end(frame);
  }
  edgeprobe_close(probe, nullptr);
  const auto reader = read(folder / "t.mcap");
  EXPECT_EQ(floats(reader, 1, Stage::kVariable, "box"), (std::vector<float>{1.5, 1}));
  EXPECT_EQ(bytes(reader, 1, Stage::kVariable, "class"), "a longer cat");
  EXPECT_EQ(channel(reader, Stage::kVariable, "class").channel.encoding, "utf8");
  EXPECT_EQ(bytes(reader, 0, Stage::kVariable, "state"), "{\"a\":1}");
  EXPECT_EQ(channel(reader, Stage::kVariable, "state").channel.encoding, "json");
}

TEST(ProbeSeries, FactsDescribeTheRun) {
  const Folder folder;
  edgeprobe_probe* const probe = opened(folder / "t.mcap");
  for (int i = 0; i < 5000; ++i)
    EXPECT_EQ(edgeprobe_describe(probe, "model", "net.tflite"), EDGEPROBE_OK);
  EXPECT_EQ(edgeprobe_describe(probe, "threads", "2"), EDGEPROBE_OK);
  EXPECT_EQ(edgeprobe_describe(probe, "", "2"), EDGEPROBE_USAGE);
  edgeprobe_close(probe, nullptr);
  EXPECT_LT(std::filesystem::file_size(folder / "t.mcap"), 3000u);
  const auto reader = read(folder / "t.mcap");
  EXPECT_EQ(reader.metadata().at("edgeprobe.run").at("model"), "net.tflite");
  EXPECT_EQ(reader.metadata().at("edgeprobe.run").at("threads"), "2");
}

}  // namespace
}  // namespace edgeprobe::test
