// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <functional>

#include "probe/probe.h"
#include "support.h"

namespace edgeprobe::test {
namespace {

using trace::Stage;

std::uint64_t now_ns() {
  timespec t{};
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000u +
         static_cast<std::uint64_t>(t.tv_nsec);
}

// Frames with one layer of `size` bytes and an output, `pause_us` apart.
edgeprobe_statistics run(const std::string& path, const edgeprobe_options& options, int frames,
                         std::size_t size, unsigned pause_us) {
  edgeprobe_probe* const probe = opened(path, options);
  for (int i = 0; i < frames; ++i) {
    edgeprobe_frame* const frame = begun(probe);
    edgeprobe_log_tensor(frame,
                         Floats(EDGEPROBE_STAGE_LAYER, "conv", std::vector<float>(size / 4)));
    edgeprobe_log_tensor(frame, Floats(EDGEPROBE_STAGE_MODEL_OUTPUT, "out", {.5f}));
    edgeprobe_frame_end(frame);
    if (pause_us) ::usleep(pause_us);
  }
  edgeprobe_statistics statistics{};
  statistics.struct_size = sizeof statistics;
  EXPECT_EQ(edgeprobe_close(probe, &statistics), EDGEPROBE_OK) << edgeprobe_last_error();
  return statistics;
}

std::string steps(const std::string& path) {
  std::string text;
  for (const Seen& seen : events(path))
    if (seen.stream.kind == trace::EventStreamKind::kLevel)
      text += seen.event.from + ">" + seen.event.to + ": " + seen.event.reason + "\n";
  return text;
}

edgeprobe_options layers() {
  edgeprobe_options options = defaults();
  options.level = EDGEPROBE_LEVEL_LAYERS;
  options.wait_when_full = 1;
  return options;
}

TEST(ProbeBudget, WithoutOneTheLevelStays) {
  const Folder folder;
  EXPECT_EQ(run(folder / "t.mcap", layers(), 50, 100'000, 0).level, EDGEPROBE_LEVEL_LAYERS);
  EXPECT_EQ(steps(folder / "t.mcap"), "");
}

TEST(ProbeBudget, BytesASecondStepTheLevelDown) {
  const Folder folder;
  edgeprobe_options options = layers();
  options.bytes_per_second = 1'000'000;
  // On a busy machine, a frame takes long and the budget grows meanwhile; this covers at most two
  // frames.
  constexpr std::size_t kFrame = 600'000;
  const auto start = now_ns();
  EXPECT_EQ(run(folder / "t.mcap", options, 200, kFrame, 100).level, EDGEPROBE_LEVEL_EMBEDDING);
  const double passed = static_cast<double>(now_ns() - start) * 1e-9;
  EXPECT_EQ(steps(folder / "t.mcap"), "layers>embedding: more than 1 MB a second were recorded\n");
  // The bytes of one second, those of the elapsed time, and the frame that exceeded them.
  EXPECT_LT(static_cast<double>(std::filesystem::file_size(folder / "t.mcap")),
            1e6 * (1 + passed) + kFrame + 100'000);
  const auto reader = read(folder / "t.mcap");
  EXPECT_EQ(reader.frames().size(), 200u);
  EXPECT_EQ(channel(reader, Stage::kModelOutput, "out").messages, 200u);
  EXPECT_LT(channel(reader, Stage::kLayer, "conv").messages, 30u);
}

TEST(ProbeBudget, TimeStepsTheLevelDown) {
  const Folder folder;
  edgeprobe_options options = layers();
  options.time_share = 1e-6;
  const auto statistics = run(folder / "t.mcap", options, 2000, 4000, 0);
  EXPECT_EQ(statistics.level, EDGEPROBE_LEVEL_NONE);
  EXPECT_NE(
      steps(folder / "t.mcap").find("io>none: more than 0.0 % of the time was spent in the probe"),
      std::string::npos)
      << steps(folder / "t.mcap");
  EXPECT_GT(statistics.time_ns, 0u);
}

TEST(ProbeBudget, TimeSpentIsWhatTheClockSays) {
  const Folder folder;
  edgeprobe_probe* const probe = opened(folder / "t.mcap", layers());
  std::uint64_t total = 0;
  const Floats large(EDGEPROBE_STAGE_LAYER, "conv", std::vector<float>(1 << 18));
  for (int i = 0; i < 30; ++i) {
    const auto start = now_ns();
    edgeprobe_frame* const frame = begun(probe);
    edgeprobe_log_tensor(frame, large);
    edgeprobe_frame_end(frame);
    total += now_ns() - start;
  }
  edgeprobe_statistics statistics{};
  statistics.struct_size = sizeof statistics;
  edgeprobe_close(probe, &statistics);
  EXPECT_LT(static_cast<double>(statistics.time_ns), 1.02 * static_cast<double>(total));
  // a busy machine also stops us between calls
  EXPECT_GT(static_cast<double>(statistics.time_ns), .4 * static_cast<double>(total));
}

// A forgotten probe does not fill the disk; one that keeps only its newest parts runs without end.
TEST(ProbeBudget, ATotalIsSetUnlessTheNewestPartsAreKept) {
  const Folder folder;
  int number = 0;
  const auto total = [&](const probe::Options& options) {
    auto opened = probe::Probe::open(folder / ("t" + std::to_string(number++) + ".mcap"), options);
    EXPECT_TRUE(opened) << opened.error().what;
    return (*opened)->recorder().options.total_bytes;
  };
  EXPECT_EQ(defaults().total_bytes, 4'000'000'000u);
  probe::Options options;
  EXPECT_EQ(total(options), 4'000'000'000u);
  options.part_bytes = 1'000'000;
  EXPECT_EQ(total(options), 4'000'000'000u);
  options.newest_parts = 5;
  EXPECT_EQ(total(options), 0u);
  options.total_bytes = 50'000'000;
  EXPECT_EQ(total(options), 50'000'000u);
  options = {};
  options.total_bytes = 0;
  EXPECT_EQ(total(options), 0u);
}

TEST(ProbeBudget, NoFilePassesItsTotal) {
  for (const std::size_t size : {4u, 400u, 100'000u}) {
    const Folder folder;
    edgeprobe_options options = layers();
    options.total_bytes = 1'000'000;
    options.flush_ms = 5;
    const auto statistics = run(folder / "t.mcap", options, size == 100'000 ? 40 : 8000, size, 0);
    const auto file = std::filesystem::file_size(folder / "t.mcap");
    EXPECT_LE(file, 1'000'000u) << size;
    EXPECT_GT(file, 500'000u) << size;
    EXPECT_EQ(statistics.level, EDGEPROBE_LEVEL_NONE);
    EXPECT_EQ(steps(folder / "t.mcap"), "layers>off: the recording has its 1 MB\n");
  }
}

edgeprobe_statistics closed(edgeprobe_probe* probe) {
  edgeprobe_statistics statistics{};
  statistics.struct_size = sizeof statistics;
  EXPECT_EQ(edgeprobe_close(probe, &statistics), EDGEPROBE_OK) << edgeprobe_last_error();
  return statistics;
}

// Data that belongs to no tensor is recorded, too.
TEST(ProbeBudget, SensorsRecordsAndFactsHaveTheirBytes) {
  const double value = 1;
  const auto ended = [](edgeprobe_probe* probe, int i) {
    edgeprobe_frame* const frame = begun(probe);
    edgeprobe_frame_sample(frame, std::to_string(i).c_str());
    edgeprobe_frame_end(frame);
  };
  const std::vector<std::function<void(edgeprobe_probe*, int)>> all{
      [&](edgeprobe_probe* probe, int) { edgeprobe_sensor(probe, "light", &value, 1, "lx"); },
      [](edgeprobe_probe* probe, int) { edgeprobe_mark(probe, "camera", "restarted"); },
      [](edgeprobe_probe* probe, int i) {
        edgeprobe_describe(probe, "step", std::to_string(i).c_str());
      },
      [&](edgeprobe_probe* probe, int i) { ended(probe, i); }};
  for (std::size_t k = 0; k < all.size(); ++k) {
    const Folder folder;
    edgeprobe_options options = defaults();
    options.wait_when_full = 1;
    options.bytes_per_second = 1000;
    edgeprobe_probe* const probe = opened(folder / "t.mcap", options);
    for (int i = 0; i < 5000; ++i) all[k](probe, i);
    closed(probe);
    EXPECT_EQ(steps(folder / "t.mcap"),
              "io>none: more than 1 KB a second were recorded\nnone>off: more than 1 KB a second "
              "were recorded\n")
        << k;
    EXPECT_LT(std::filesystem::file_size(folder / "t.mcap"), 20'000u) << k;
  }
}

TEST(ProbeBudget, TheHooksTimeIsTheProbes) {
  const Folder folder;
  edgeprobe_options options = defaults();
  options.raw = EDGEPROBE_RAW_ALL;
  options.time_share = .01;
  options.redact = [](void*, const char*, void*, std::size_t) { ::usleep(2000); };
  edgeprobe_probe* const probe = opened(folder / "t.mcap", options);
  for (int i = 0; i < 40; ++i) {
    edgeprobe_frame* const frame = begun(probe);
    edgeprobe_log_encoded(frame, "camera", "jpeg", 4);
    edgeprobe_frame_end(frame);
  }
  EXPECT_GT(closed(probe).time_ns, 10'000'000u);
  EXPECT_EQ(steps(folder / "t.mcap").substr(0, 8), "io>none:");
}

TEST(ProbeBudget, TimeOutsideFramesAndOfTriggersIsSpentToo) {
  const Folder folder;
  edgeprobe_options options = defaults();
  options.below_confidence = .5;
  options.every = 1u << 30;
  options.wait_when_full = 1;
  edgeprobe_probe* const probe = opened(folder / "t.mcap", options);
  const auto spent = [&] {
    edgeprobe_statistics statistics{};
    statistics.struct_size = sizeof statistics;
    edgeprobe_statistics_now(probe, &statistics);
    return statistics.time_ns;
  };
  const std::vector<double> values(2000, .1);
  const Floats scores(EDGEPROBE_STAGE_MODEL_OUTPUT, "scores", std::vector<float>(1 << 16, .25f));
  const std::vector<std::function<void()>> all{
      [&] { edgeprobe_sensor(probe, "microphone", values.data(), values.size(), "Pa"); },
      [&] { edgeprobe_mark(probe, "log", std::string(20'000, 'x').c_str()); },
      [&] {
        edgeprobe_describe(probe, "fact",
                           std::string(200'000, static_cast<char>('a' + spent() % 26)).c_str());
      },
      [&] {
        edgeprobe_frame* const frame = begun(probe);
        edgeprobe_log_tensor(frame, scores);
        edgeprobe_frame_end(frame);
      }};
  for (std::size_t k = 0; k < all.size(); ++k) {
    const std::uint64_t before = spent(), start = now_ns();
    for (int i = 0; i < 30; ++i) all[k]();
    const double took = static_cast<double>(now_ns() - start),
                 counted = static_cast<double>(spent() - before);
    EXPECT_LT(counted, 1.02 * took) << k;
    EXPECT_GT(counted, .4 * took) << k;
  }
  closed(probe);
}

// Each part repeats all channels and the facts about the run.
TEST(ProbeBudget, NoPartsTogetherPassTheTotal) {
  const Folder folder;
  edgeprobe_options options = layers();
  options.total_bytes = 1'000'000;
  options.part_bytes = 1000;
  edgeprobe_probe* const probe = opened(folder / "t.mcap", options);
  EXPECT_EQ(edgeprobe_describe(probe, "device", std::string(500, 'd').c_str()), EDGEPROBE_OK);
  const double light = 120;
  for (int i = 0; i < 2000; ++i) {
    edgeprobe_frame* const frame = begun(probe);
    for (int k = 0; k < 20; ++k)
      edgeprobe_log_scalar(frame, ("variable " + std::to_string(k)).c_str(), i);
    edgeprobe_frame_end(frame);
    for (const char* name : {"light", "sound", "heat"})
      edgeprobe_sensor(probe, name, &light, 1, "lx");
  }
  EXPECT_EQ(edgeprobe_close(probe, nullptr), EDGEPROBE_OK) << edgeprobe_last_error();
  std::uintmax_t bytes = 0;
  std::string levels;
  std::size_t parts = 0;
  for (const auto& part : std::filesystem::directory_iterator(folder / "")) {
    bytes += part.file_size();
    levels += steps(part.path().string());
    ++parts;
  }
  EXPECT_LE(bytes, 1'000'000u);
  EXPECT_GT(bytes, 600'000u);
  EXPECT_GT(parts, 20u);
  EXPECT_EQ(levels, "layers>off: the recording has its 1 MB\n");
}

}  // namespace
}  // namespace edgeprobe::test
