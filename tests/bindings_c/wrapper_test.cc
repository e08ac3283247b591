// SPDX-License-Identifier: Apache-2.0
// edgeprobe.hpp over the shared library, read back by our reader.
#include "edgeprobe.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <list>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "readback.h"

using namespace edgeprobe;

namespace {

using Dimensions = std::vector<std::int64_t>;

class Wrapper : public testing::Test {
 protected:
  Wrapper() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "edgeprobe_wrapper_XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~Wrapper() override { std::filesystem::remove_all(folder_); }
  std::string path() const { return folder_ + "/app.mcap"; }
  readback::Trace read() const {
    readback::Trace trace = readback::read(path());
    EXPECT_EQ(trace.problem, "");
    return trace;
  }
  template <class T>
  static std::string raw(const std::vector<T>& values) {
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
  }

  std::string folder_;
};

TEST_F(Wrapper, FourLinesMakeATraceOfOneFrame) {
  std::vector<std::uint8_t> rgb(4 * 6 * 3);
  std::iota(rgb.begin(), rgb.end(), std::uint8_t{0});
  const std::vector<float> input{0.5f, -1.0f}, scores{0.25f, 0.75f};
  {
    Probe probe(path(), Level::io);
    ASSERT_TRUE(probe.ok()) << probe.error();
    const auto frame = probe.frame();
    frame.image("camera", rgb, 4, 6);
    frame.input("in", input, {1, 2});
    EXPECT_EQ(frame.start(), Status::ok);
    EXPECT_EQ(frame.stop(), Status::ok);
    frame.output("scores", scores, {1, 2});
    frame.sample("cat/1.png");
    frame.label(3);
    EXPECT_EQ(frame.annotation("class_set", "[3, 17]"), Status::ok);
    EXPECT_EQ(frame.annotation("class_set", "[3,"), Status::usage);
  }
  const auto trace = read();
  EXPECT_EQ(trace.bytes("raw_input/camera"), raw(rgb));
  EXPECT_EQ(trace.find("raw_input/camera")->shape, (Dimensions{4, 6, 3}));
  EXPECT_EQ(trace.bytes("model_input/in"), raw(input));
  EXPECT_EQ(trace.find("model_input/in")->shape, (Dimensions{1, 2}));
  EXPECT_EQ(trace.bytes("model_output/scores"), raw(scores));
  ASSERT_EQ(trace.frames.size(), 1u);
  EXPECT_EQ(trace.samples[0], "cat/1.png");
  EXPECT_EQ(trace.labels[0], 3);
  EXPECT_TRUE(trace.latencies_ns[0].has_value());
}

TEST_F(Wrapper, EveryArithmeticTypeHasItsDtype) {
  {
    Probe probe(path());
    const auto frame = probe.frame();
    frame.tensor("f32", std::vector<float>{1});
    frame.tensor("f64", std::array<double, 2>{1, 2});
    frame.tensor("i8", std::vector<std::int8_t>{-1});
    frame.tensor("u8", std::vector<std::uint8_t>{1});
    frame.tensor("i16", std::vector<std::int16_t>{-1});
    frame.tensor("u16", std::vector<std::uint16_t>{1});
    frame.tensor("i32", std::vector<int>{-1});
    frame.tensor("u32", std::vector<unsigned>{1});
    frame.tensor("i64", std::vector<long long>{-1});
    frame.tensor("u64", std::vector<std::size_t>{1});
    frame.tensor("bool", std::array<bool, 3>{true, false, true});
    frame.tensor("bytes", std::array<std::byte, 2>{});
    const short plain[] = {1, 2, 3, 4, 5, 6};
    frame.tensor("array", plain, {2, 3});
    const std::size_t rows = 3;
    frame.tensor("pointer", &plain[0], {rows, 2}, Stage::variable);
    frame.tensor("scalar", &plain[0], Shape{});
  }
  const auto trace = read();
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"f32", "float32"}, {"f64", "float64"}, {"i8", "int8"},   {"u8", "uint8"},
      {"i16", "int16"},   {"u16", "uint16"},  {"i32", "int32"}, {"u32", "uint32"},
      {"i64", "int64"},   {"u64", "uint64"},  {"bool", "bool"}, {"bytes", "uint8"}};
  for (const auto& [name, dtype] : expected) {
    ASSERT_NE(trace.find("intermediate/" + name), nullptr) << name;
    EXPECT_EQ(trace.find("intermediate/" + name)->dtype, dtype) << name;
  }
  EXPECT_EQ(trace.bytes("intermediate/array"), raw(std::vector<short>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(trace.find("intermediate/array")->shape, (Dimensions{2, 3}));
  EXPECT_EQ(trace.bytes("variable/pointer"), raw(std::vector<short>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(trace.find("variable/pointer")->shape, (Dimensions{3, 2}));
  EXPECT_EQ(trace.bytes("intermediate/scalar"), raw(std::vector<short>{1}));
  EXPECT_EQ(trace.find("intermediate/scalar")->shape, Dimensions{});
}

TEST_F(Wrapper, AWrongSizeOrShapeIsRefusedInASentence) {
  Probe probe(path());
  const auto frame = probe.frame();
  EXPECT_EQ(frame.tensor("t", std::vector<float>(5), {2, 3}), Status::usage);
  EXPECT_STRNE(last_error(), "");
  const float one = 1;
  EXPECT_EQ(frame.tensor("t", &one, {-1}), Status::usage);
  EXPECT_EQ(frame.tensor("t", &one, {std::int64_t{1} << 40, std::int64_t{1} << 40}), Status::usage);
  EXPECT_EQ(frame.tensor("t", &one, Shape(std::vector<int>(40, 1))), Status::usage);
  EXPECT_EQ(frame.image("camera", std::vector<std::uint8_t>(10), 4, 4), Status::usage);
}

TEST_F(Wrapper, QuantisationIsKept) {
  const std::array<float, 2> scale{0.5f, 0.25f};
  const std::array<std::int64_t, 2> zero{3, -4};
  {
    Probe probe(path());
    const auto frame = probe.frame();
    frame.input("q", std::vector<std::int8_t>(4), {2, 2}, 1,
                Quantization{scale.data(), zero.data(), 2, 1});
  }
  const auto trace = read();
  EXPECT_EQ(trace.bytes("model_input/q"), std::string(4, '\0'));
  EXPECT_EQ(trace.find("model_input/q")->scale, (std::vector<float>{0.5f, 0.25f}));
  EXPECT_EQ(trace.find("model_input/q")->zero_point, (std::vector<std::int64_t>{3, -4}));
  EXPECT_EQ(trace.find("model_input/q")->axis, 1);
  EXPECT_EQ(trace.find("model_input/q")->position, 1);
}

TEST_F(Wrapper, VariablesSpansMarksAndSensorsAreThere) {
  {
    Probe probe(path());
    probe.describe("model", "net.tflite");
    probe.mark("restarted", "the camera");
    probe.sensor("accelerometer", {0.0, 9.81, 0.5}, "m/s^2");
    probe.sensor("light", std::vector<double>{120}, "lx");
    EXPECT_EQ(probe.sensor_ago("light", std::vector<double>{110}, "lx", 5'000'000), Status::ok);
    probe.sensor_absent("gyroscope", "rad/s", "absent");
    const auto frame = probe.frame();
    frame.variable("lux", 120);
    frame.variable("box", {1.0, 2.5});
    frame.variable("boxes", std::vector<double>{4, 5});
    frame.variable("ids", std::vector<int>{7, 8});
    frame.variable("class", std::string("cat"));
    frame.variable("name", "dog");
    frame.json("all", R"({"a": 1})");
    {
      const auto outer = frame.span("all of it");
      auto inner = frame.span("resize");
      EXPECT_EQ(inner.end(), Status::ok);
      EXPECT_EQ(inner.end(), Status::off);
    }
  }
  const auto trace = read();
  EXPECT_EQ(trace.run.at("model"), "net.tflite");
  EXPECT_EQ(trace.bytes("variable/lux"), raw(std::vector<double>{120}));
  EXPECT_EQ(trace.bytes("variable/box"), raw(std::vector<double>{1, 2.5}));
  EXPECT_EQ(trace.bytes("variable/boxes"), raw(std::vector<double>{4, 5}));
  EXPECT_EQ(trace.bytes("variable/ids"), raw(std::vector<int>{7, 8}));
  EXPECT_EQ(trace.bytes("variable/class"), "cat");
  EXPECT_EQ(trace.bytes("variable/name"), "dog");
  EXPECT_EQ(trace.bytes("variable/all"), R"({"a": 1})");
  EXPECT_EQ(trace.bytes("span/resize").size(), 16u);
  EXPECT_EQ(trace.bytes("span/all of it").size(), 16u);
  EXPECT_EQ(trace.events,
            (std::vector<std::string>{"mark restarted the camera",
                                      "sensor accelerometer 0.000000 9.810000 0.500000 m/s^2",
                                      "sensor light 120.000000 lx", "sensor light 110.000000 lx",
                                      "sensor gyroscope rad/s absent"}));
}

TEST_F(Wrapper, AnAnswerHasThePartsThatWereGiven) {
  {
    Probe probe(path());
    const auto first = probe.frame();
    const std::vector<std::string> names{"cat", "dog"};
    const std::vector<float> scores{0.75f, 0.25f};
    EXPECT_EQ(first.answer(Answer().labels(names).scores(scores)), Status::ok) << last_error();
    EXPECT_EQ(first.answer(Answer()
                               .name("all")
                               .labels({"a", "b"})
                               .classes(std::vector<int>{3, -1})
                               .scores({0.5f, 2})
                               .boxes(std::vector<std::array<float, 4>>{{0, 1, 2, 3}, {9, 8, 7, 6}})
                               .mask(std::vector<std::uint8_t>{0, 1, 2, 3, 4, 255}, 2, 3)
                               .points(std::array<float, 6>{1, 2, 0.5f, 3, 4, 1})
                               .vector(scores)
                               .score(1.5f)
                               .alarm(false)
                               .text("it")),
              Status::ok)
        << last_error();
    EXPECT_EQ(first.text("prompt", "gr\u00fcn"), Status::ok);
    const auto second = probe.frame();
    EXPECT_EQ(second.begin_sequence(), Status::ok);
    EXPECT_EQ(
        second.answer(Answer().boxes(std::vector<float>{}).labels(std::vector<const char*>{})),
        Status::ok);
    const auto third = probe.frame();
    EXPECT_EQ(third.answer(Answer().labels({"a", "b"}).scores({0.5f})), Status::usage);
    EXPECT_NE(std::string(last_error()).find("give one for each"), std::string::npos);
    EXPECT_EQ(third.answer(Answer().boxes(std::vector<float>(7))), Status::usage);
    EXPECT_EQ(third.answer(Answer().mask(std::vector<std::int32_t>(5), 2, 3)), Status::usage);
    EXPECT_EQ(third.text("prompt", "\xff"), Status::usage);
  }
  const auto trace = read();
  EXPECT_EQ(trace.bytes("answer/answer", 0), R"({"labels":["cat","dog"],"scores":[0.75,0.25]})");
  EXPECT_EQ(trace.bytes("answer/all", 0),
            R"({"labels":["a","b"],"classes":[3,-1],"scores":[0.5,2],)"
            R"("boxes":[[0,1,2,3],[9,8,7,6]],)"
            R"("mask":{"height":2,"width":3,"classes":[0,1,2,3,4,255]},)"
            R"("points":[[1,2,0.5],[3,4,1]],"vector":[0.75,0.25],"score":1.5,"alarm":false,)"
            R"("text":"it"})");
  EXPECT_EQ(trace.bytes("answer/answer", 1), R"({"labels":[],"boxes":[]})");
  EXPECT_EQ(trace.bytes("answer/answer", 2), "absent");
  EXPECT_EQ(trace.bytes("raw_input/prompt", 0), "gr\u00fcn");
  EXPECT_EQ(trace.bytes("raw_input/prompt", 2), "absent");
  EXPECT_EQ(trace.sequence_begins, (std::vector<std::uint32_t>{1}));
}

TEST_F(Wrapper, AProbeThatCannotBeOpenedLeavesTheAppAlone) {
  Probe probe(folder_ + "/no/such/folder/app.mcap");
  EXPECT_FALSE(probe.ok());
  EXPECT_NE(probe.error(), "");
  auto frame = probe.frame();
  EXPECT_FALSE(frame.ok());
  EXPECT_EQ(frame.start(), Status::off);
  EXPECT_EQ(frame.tensor("t", std::vector<float>(5), {2, 3}), Status::off);
  EXPECT_EQ(frame.image("camera", nullptr, 10, 10), Status::off);
  EXPECT_EQ(frame.variable("v", 1), Status::off);
  EXPECT_FALSE(frame.wants(Stage::model_input));
  auto span = frame.span("s");
  EXPECT_EQ(span.end(), Status::off);
  EXPECT_EQ(frame.end(), Status::off);
  EXPECT_EQ(probe.mark("m"), Status::off);
  EXPECT_EQ(probe.statistics().frames, 0u);
  EXPECT_EQ(probe.close(), Status::off);
}

TEST_F(Wrapper, AnExistingFileIsRefusedAndKept) {
  { Probe first(path()); }
  const auto size = std::filesystem::file_size(path());
  const Probe second(path());
  EXPECT_FALSE(second.ok());
  EXPECT_EQ(std::filesystem::file_size(path()), size);
}

TEST_F(Wrapper, OpeningThatFailsSaysSoOnceOnStandardError) {
  testing::internal::CaptureStderr();
  { Probe first(path()); }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");

  testing::internal::CaptureStderr();
  const Probe taken(path());
  for (int i = 0; i < 3; ++i) taken.frame().start();  // Later frames print no further line.
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "edgeprobe: nothing is recorded: " + taken.error() + "\n");
  EXPECT_NE(taken.error().find(path()), std::string::npos);

  testing::internal::CaptureStderr();
  const Probe nowhere(folder_ + "/no/such/folder/app.mcap");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "edgeprobe: nothing is recorded: " + nowhere.error() + "\n");

  // Two cases print nothing: a probe that should not record, and a caller that reads the status.
  testing::internal::CaptureStderr();
  edgeprobe_probe* quiet = nullptr;
  (void)Probe().frame();
  EXPECT_EQ(edgeprobe_try_open(path().c_str(), nullptr, &quiet), EDGEPROBE_USAGE);
  EXPECT_EQ(edgeprobe_last_error(), taken.error());
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(Wrapper, AFrameAndASpanMayOutliveTheirProbe) {
  auto probe = std::make_unique<Probe>(path());
  auto frame = std::make_unique<Frame>(probe->frame());
  auto span = frame->span("late");
  probe.reset();
  // The recording lasts as long as its last frame.
  EXPECT_EQ(frame->tensor("t", std::vector<float>{1}), Status::ok);
  EXPECT_EQ(span.end(), Status::ok);
  frame.reset();
  const auto trace = read();
  EXPECT_EQ(trace.bytes("intermediate/t").size(), 4u);
}

TEST_F(Wrapper, AfterCloseWhatIsStillOpenRecordsNothing) {
  Probe probe(path());
  auto frame = probe.frame();
  auto span = frame.span("late");
  Statistics statistics;
  EXPECT_EQ(probe.close(&statistics), Status::ok);
  EXPECT_EQ(statistics.frames, 1u);
  EXPECT_EQ(frame.tensor("t", std::vector<float>{1}), Status::off);
  EXPECT_EQ(span.end(), Status::off);
  EXPECT_EQ(frame.end(), Status::off);
  EXPECT_FALSE(probe.ok());
}

TEST_F(Wrapper, ProbesAndFramesMove) {
  Probe first(path());
  Probe second = std::move(first);
  EXPECT_FALSE(first.ok());
  EXPECT_TRUE(second.ok());
  Frame a = second.frame();
  Frame b = std::move(a);
  EXPECT_FALSE(a.ok());
  EXPECT_TRUE(b.ok());
  b = second.frame();
  EXPECT_EQ(b.number(), 1u);
  std::list<Frame> many;
  for (int i = 0; i < 100; ++i) many.push_back(second.frame());
  many.clear();
  EXPECT_EQ(second.statistics().frames, 102u);
}

TEST_F(Wrapper, RedactionSeesACopyAndAThrowingOneKeepsNothing) {
  std::vector<std::uint8_t> rgb(12, 200);
  {
    Options options;
    int calls = 0;
    options.redact = [calls](const char*, void* data, std::size_t size) mutable {
      if (++calls == 2) throw std::runtime_error("cannot blur");
      std::memset(data, 7, size);
    };
    Probe probe(path(), options);
    for (int i = 0; i < 2; ++i) {
      const auto frame = probe.frame();
      EXPECT_EQ(frame.image("camera", rgb, 2, 2), Status::ok);
    }
  }
  EXPECT_EQ(rgb, std::vector<std::uint8_t>(12, 200));
  const auto trace = read();
  EXPECT_EQ(trace.bytes("raw_input/camera", 0), std::string(12, '\7'));
  EXPECT_EQ(trace.bytes("raw_input/camera", 1), std::string(12, '\0'));
}

TEST_F(Wrapper, TheTotalIsThatOfTheHeader) {
  edgeprobe_options options;
  edgeprobe_options_init(&options);
  EXPECT_EQ(Options{}.total_bytes, options.total_bytes);
}

TEST_F(Wrapper, OptionsReachTheLibrary) {
  Options options(Level::io);
  options.every = 2;
  options.exclude = "intermediate/secret*";
  options.raw = Raw::none;
  {
    Probe probe(path(), options);
    for (int i = 0; i < 4; ++i) {
      const auto frame = probe.frame();
      frame.image("camera", std::vector<std::uint8_t>(12), 2, 2);
      frame.tensor("secret 1", std::vector<float>{1});
      frame.tensor("open", std::vector<float>{1});
    }
  }
  const auto trace = read();
  EXPECT_EQ(trace.bytes("raw_input/camera"), "absent");
  EXPECT_EQ(trace.bytes("intermediate/secret 1"), "absent");
  EXPECT_EQ(trace.bytes("intermediate/open", 0).size(), 4u);
  EXPECT_EQ(trace.bytes("intermediate/open", 1), "absent");
  EXPECT_EQ(trace.bytes("intermediate/open", 2).size(), 4u);
}

TEST_F(Wrapper, SeveralThreadsShareAProbe) {
  {
    const Probe probe(path());
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&probe, t] {
        for (int i = 0; i < 200; ++i) {
          const auto frame = probe.frame();
          const auto span = frame.span("work");
          frame.tensor("t", std::vector<int>{t, i});
        }
      });
    }
    for (auto& thread : threads) thread.join();
  }
  EXPECT_EQ(read().frames.size(), 800u);
}

// Nothing here may throw: the app's own noexcept functions may call it.
static_assert(noexcept(Probe("x")) && noexcept(std::declval<Probe&>().frame()) && noexcept(
    std::declval<Probe&>().close()));
static_assert(noexcept(std::declval<Frame&>().tensor("x", std::declval<std::vector<float>&>(),
                                                     Shape{1})));
static_assert(noexcept(std::declval<Frame&>().answer(
    std::declval<Answer&>().labels(std::declval<std::vector<std::string>&>()))));
static_assert(
    noexcept(std::declval<Frame&>().start()) && noexcept(std::declval<Frame&>().span("x")));
static_assert(!std::is_copy_constructible_v<Probe> && !std::is_copy_constructible_v<Frame> &&
              !std::is_copy_constructible_v<Span>);
static_assert(std::is_nothrow_move_constructible_v<Frame> &&
              std::is_nothrow_move_assignable_v<Frame>);
static_assert(DtypeOf<char>::value == EDGEPROBE_INT8 || DtypeOf<char>::value == EDGEPROBE_UINT8);

}  // namespace
