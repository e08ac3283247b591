// SPDX-License-Identifier: Apache-2.0
// Many inferences in a row: counts, limits, the user's wish to stop, and what is told about memory.
#include <atomic>
#include <thread>

#include "fixtures.h"
#include "source_dir.h"

namespace edgeprobe::engine::testing {
namespace {

using namespace std::chrono_literals;

struct Opened {
  std::unique_ptr<Engine> engine;
  std::unique_ptr<Session> session;
  std::vector<Tensor> inputs;
};

Opened open_signs(bool supervised, SessionOptions options = {}) {
  Opened opened;
  auto engine = supervised ? open_supervised({"litert", {}}) : open_in_process({"litert", {}});
  EXPECT_TRUE(engine) << (engine ? "" : engine.error().what);
  if (!engine) return opened;
  opened.engine = std::move(*engine);
  const auto model =
      read_file(std::filesystem::path(edgeprobe::test::source_dir()) / "models/signs_float.tflite");
  auto session = opened.engine->load(*model, "signs", options);
  EXPECT_TRUE(session) << (session ? "" : session.error().what);
  if (!session) return opened;
  opened.session = std::move(*session);
  opened.inputs = seeded_inputs(*opened.session);
  return opened;
}

RepeatOptions asked(std::size_t count, std::chrono::nanoseconds duration = std::chrono::hours(1),
                    bool scheduling = true) {
  RepeatOptions options;
  options.count = count;
  options.duration = duration;
  options.scheduling = scheduling;
  return options;
}

class Repeat : public ::testing::TestWithParam<bool> {};

TEST_P(Repeat, GivesOneLapForEachInference) {
  EDGEPROBE_NEED_ENGINE("litert");
  SessionOptions options;
  options.profile = true;
  options.own = TfliteOptions{Kernels::kBuiltin};
  Opened opened = open_signs(GetParam(), options);
  ASSERT_TRUE(opened.session);
  const auto iterations = opened.session->repeat(views(opened.inputs), asked(12));
  ASSERT_TRUE(iterations) << iterations.error().what;
  ASSERT_EQ(iterations->iterations.size(), 12u);
  EXPECT_FALSE(iterations->stopped);
  auto before = 0ns;
  for (const Iteration& iteration : iterations->iterations) {
    EXPECT_GT(iteration.latency, 0ns);
    EXPECT_GE(iteration.start, before);
    before = iteration.start + iteration.latency;
    EXPECT_FALSE(iteration.op_times.empty());
    EXPECT_EQ(iteration.run_delay.has_value(), iterations->no_scheduling.empty());
    if (iteration.run_delay) {
      EXPECT_GE(*iteration.run_delay, 0ns);
    }
  }
  EXPECT_EQ(
      opened.session->repeat(views(opened.inputs), asked(1, 1s, false))->iterations[0].run_delay,
      std::nullopt);
}

TEST_P(Repeat, EndsAfterTheDurationAndAfterTheFirstLapWhenItIsZero) {
  EDGEPROBE_NEED_ENGINE("litert");
  Opened opened = open_signs(GetParam());
  ASSERT_TRUE(opened.session);
  EXPECT_EQ(opened.session->repeat(views(opened.inputs), asked(1000, 0ns))->iterations.size(), 1u);
  const auto iterations =
      opened.session->repeat(views(opened.inputs), asked(std::size_t{1} << 40, 400ms));
  ASSERT_TRUE(iterations);
  EXPECT_GE(iterations->iterations.back().start + iterations->iterations.back().latency, 100ms);
}

TEST_P(Repeat, StopsWhenTheUserAsks) {
  EDGEPROBE_NEED_ENGINE("litert");
  Opened opened = open_signs(GetParam());
  ASSERT_TRUE(opened.session);
  std::atomic<bool> stop{false};
  std::size_t told = 0;
  RepeatOptions options;
  options.count = std::size_t{1} << 40;
  const Control control{&stop, [&](std::size_t done, std::size_t, const std::string&) {
                          told = done;
                          stop = true;
                        }};
  const auto iterations = opened.session->repeat(views(opened.inputs), options, control);
  ASSERT_TRUE(iterations);
  EXPECT_TRUE(iterations->stopped);
  EXPECT_GT(told, 0u);
  EXPECT_GE(iterations->iterations.size(), told);
}

TEST_P(Repeat, RefusesInputsThatDoNotFit) {
  EDGEPROBE_NEED_ENGINE("litert");
  Opened opened = open_signs(GetParam());
  ASSERT_TRUE(opened.session);
  EXPECT_EQ(opened.session->repeat({}, {}).error().kind, ErrorKind::kUsage);
}

INSTANTIATE_TEST_SUITE_P(Where, Repeat, ::testing::Values(false, true), [](const auto& where) {
  return std::string(where.param ? "Supervised" : "InProcess");
});

TEST(Memory, OfTheEngineProcessGrowsWithTheModel) {
  EDGEPROBE_NEED_ENGINE("litert");
  Opened opened = open_signs(true);
  ASSERT_TRUE(opened.session);
  ASSERT_TRUE(opened.session->infer(views(opened.inputs)));
  const MemoryUse use = opened.session->memory();
  ASSERT_TRUE(use.peak_before_load && use.peak_after_load && use.peak && use.resident);
  EXPECT_GT(*use.peak_before_load, 1'000'000u);
  EXPECT_GE(*use.peak_after_load, *use.peak_before_load);
  EXPECT_GE(*use.peak, *use.peak_after_load);
  const auto startup = opened.engine->startup();
  ASSERT_TRUE(startup);
  EXPECT_GT(startup->process, 0ns);
  EXPECT_GT(startup->open, 0ns);
}

}  // namespace
}  // namespace edgeprobe::engine::testing
