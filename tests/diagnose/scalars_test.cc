// SPDX-License-Identifier: Apache-2.0
#include "diagnose/detectors/app/scalars.h"

#include <cmath>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "trace/record/writer.h"

namespace edgeprobe::diagnose {
namespace {

// Frames 0, 3, 6, … fail; of 60 frames 20.
std::vector<bool> every_third() {
  std::vector<bool> fails(60);
  for (std::size_t i = 0; i < fails.size(); ++i) fails[i] = i % 3 == 0;
  return fails;
}

TEST(Scalars, WhatGoesWithTheFailingFramesIsToldWithItsEffect) {
  ScalarColumn lux{"light", logged::Source::kSensor, "lx", {}},
      other{"temperature", logged::Source::kSensor, "Cel", {}};
  for (int i = 0; i < 60; ++i) {
    lux.values.push_back(i % 3 == 0 ? 10 + i % 7 : 300 + i % 11);
    other.values.push_back(20 + (i * 37 % 60) * 0.1);
  }
  const auto study = test_scalars({other, lux}, every_third(), "wrong class");
  ASSERT_EQ(study.tests.size(), 2u);
  EXPECT_EQ(study.tests[0].name, "light");
  EXPECT_EQ(study.tests[0].effect, -1) << "each failing frame has less light than each other one";
  EXPECT_TRUE(study.tests[0].tells);
  EXPECT_LT(study.tests[0].p_corrected, 1e-6);
  EXPECT_DOUBLE_EQ(study.tests[0].p_corrected, 2 * study.tests[0].p);
  EXPECT_FALSE(study.tests[1].tells);
  EXPECT_THAT(
      study.sentence,
      testing::AllOf(testing::HasSubstr("(wrong class: 20 of 60) have less 'light'"),
                     testing::HasSubstr("lx against"), testing::HasSubstr("for 2 scalars")));
  EXPECT_THAT(study.sentence, testing::Not(testing::HasSubstr("temperature")));
}

TEST(Scalars, ChanceIsNoFinding) {
  std::uint64_t state = 5;
  int told = 0;
  for (int round = 0; round < 50; ++round) {
    std::vector<ScalarColumn> columns;
    for (int c = 0; c < 10; ++c) {
      ScalarColumn column{"noise" + std::to_string(c), logged::Source::kVariable, "", {}};
      for (int i = 0; i < 60; ++i) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        column.values.push_back(static_cast<double>(state % 1000));
      }
      columns.push_back(std::move(column));
    }
    for (const auto& test : test_scalars(columns, every_third(), "wrong class").tests)
      told += test.tells;
  }
  EXPECT_LE(told, 5) << "5 % of 50 families of tests are 2.5";
}

// A slow drift, and failures in one run at its end: 20 consecutive frames are much weaker evidence
// than 20 scattered ones.
TEST(Scalars, FramesInARowCountForLess) {
  ScalarColumn slow{"temperature", logged::Source::kSensor, "Cel", {}};
  std::vector<bool> run(60), scattered = every_third();
  ScalarColumn follows = slow;
  for (std::size_t i = 0; i < 60; ++i) {
    run[i] = i >= 40;
    slow.values.push_back(20 + std::sin(static_cast<double>(i) / 19));
    follows.values.push_back(scattered[i] ? 21 + 0.01 * static_cast<double>(i % 5)
                                          : 20 + 0.01 * static_cast<double>(i % 5));
  }
  EXPECT_GT(test_scalars({slow}, run, "x").tests.at(0).p,
            10 * test_scalars({follows}, scattered, "x").tests.at(0).p);
}

TEST(Scalars, TooFewFramesMakeNoTest) {
  ScalarColumn column{"light", logged::Source::kSensor, "lx",
                      std::vector<double>(60, std::nan(""))};
  for (std::size_t i = 0; i < 8; ++i) column.values[i] = static_cast<double>(i);  // 3 of them fail
  const auto study = test_scalars({column}, every_third(), "wrong class");
  EXPECT_TRUE(study.tests.empty());
  EXPECT_THAT(study.sentence, testing::HasSubstr("cannot be determined"));
}

std::uint64_t next(std::uint64_t& state) {
  return state ^= state << 13, state ^= state >> 7, state ^= state << 17;
}

CategoryColumn random_texts(const std::string& name, std::size_t values, std::uint64_t& state) {
  CategoryColumn column{name, {}};
  for (int i = 0; i < 60; ++i)
    column.values.push_back("v" + std::to_string((next(state) >> 20) % values));
  return column;
}

TEST(Categories, OneDriverAmongSixAndTwentyNumbersIsNamed) {
  std::uint64_t state = 9;
  std::vector<ScalarColumn> noise;
  for (int c = 0; c < 20; ++c) {
    noise.push_back({"noise" + std::to_string(c), logged::Source::kVariable, "", {}});
    for (int i = 0; i < 60; ++i)
      noise.back().values.push_back(static_cast<double>(next(state) % 1000));
  }
  std::vector<CategoryColumn> texts;
  for (int c = 0; c < 5; ++c) texts.push_back(random_texts("text" + std::to_string(c), 4, state));
  CategoryColumn driver = random_texts("driver", 3, state);
  for (std::size_t i = 0; i < 60; i += 3)
    if (i % 12) driver.values[i] = "535.2";  // 15 of the 20 that fail, and no other frame
  texts.insert(texts.begin() + 2, driver);
  const auto study = test_scalars(noise, every_third(), "wrong class", texts);
  ASSERT_EQ(study.tests.size() + study.categories.size(), 26u);
  const CategoryTest& first = study.categories.front();
  EXPECT_EQ(first.name, "driver");
  EXPECT_EQ(first.value, "535.2");
  EXPECT_EQ(first.value_failing, 15u);
  EXPECT_EQ(first.value_frames, 15u);
  EXPECT_TRUE(first.tells);
  for (std::size_t i = 1; i < study.categories.size(); ++i)
    EXPECT_FALSE(study.categories[i].tells) << study.categories[i].name;
  EXPECT_THAT(study.sentence,
              testing::HasSubstr("the text 'driver' goes with the frames that fail"));
  EXPECT_THAT(study.sentence,
              testing::HasSubstr("'535.2' 15 of 15 frames fail, with other values 5 of 45"));
  EXPECT_THAT(study.sentence, testing::HasSubstr("20 scalars and 6 texts"));
  EXPECT_THAT(study.sentence, testing::Not(testing::HasSubstr("cause")));
}

TEST(Categories, ChanceIsNoFinding) {
  std::uint64_t state = 17;
  int families = 0;
  for (int round = 0; round < 200; ++round) {
    std::vector<ScalarColumn> numbers;
    for (int c = 0; c < 5; ++c) {
      numbers.push_back({"noise" + std::to_string(c), logged::Source::kVariable, "", {}});
      for (int i = 0; i < 60; ++i)
        numbers.back().values.push_back(static_cast<double>(next(state) % 1000));
    }
    std::vector<CategoryColumn> texts;
    for (std::size_t c = 0; c < 6; ++c)
      texts.push_back(random_texts("text" + std::to_string(c), 2 + c, state));
    const auto study = test_scalars(numbers, every_third(), "wrong class", texts);
    bool any = false;
    for (const auto& test : study.tests) any = any || test.tells;
    for (const auto& test : study.categories) any = any || test.tells;
    families += any;
  }
  EXPECT_LE(families, 10) << "5 % of 200 families";
}

TEST(Categories, RunsInTimeCountForLess) {
  std::vector<bool> late(60);
  CategoryColumn build{"build", {}}, scattered{"camera", {}};
  for (std::size_t i = 0; i < 60; ++i) {
    late[i] = i >= 40;
    build.values.push_back(i >= 40 ? "new" : "old");
    scattered.values.push_back(every_third()[i] ? "b" : "a");
  }
  EXPECT_FALSE(test_scalars({}, late, "x", {build}).categories.at(0).tells)
      << "one change in time is one event, not 60";
  EXPECT_TRUE(test_scalars({}, every_third(), "x", {scattered}).categories.at(0).tells);
}

TEST(Categories, OneValueManyValuesAndFewFramesMakeNoTest) {
  CategoryColumn one{"one", {}}, missing{"missing", {}}, distinct{"distinct", {}};
  std::vector<bool> fails(1000);
  for (std::size_t i = 0; i < fails.size(); ++i) {
    fails[i] = i % 3 == 0;
    one.values.push_back("same");
    missing.values.push_back(i < 10 ? std::optional<std::string>(i % 2 ? "a" : "b") : std::nullopt);
    distinct.values.push_back("id" + std::to_string(i));
  }
  const auto study = test_scalars({}, fails, "x", {one, missing, distinct});
  EXPECT_TRUE(study.categories.empty());
  EXPECT_THAT(study.sentence, testing::HasSubstr("cannot be determined"));
}

class Recorded : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "edgeprobe-scalars-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path folder_;
};

TEST_F(Recorded, EveryScalarOfATraceBecomesAColumn) {
  const auto path = folder_ / "t.mcap";
  auto writer = trace::Writer::open(path);
  ASSERT_TRUE(writer);
  trace::Channel lux, pose, text, span;
  lux.stage = pose.stage = text.stage = trace::Stage::kVariable;
  lux.spec.name = "lux";
  pose.spec.name = "pose";
  pose.spec.dtype = DType::kInt16;
  pose.spec.shape = {2};
  text.spec.name = "mode";
  text.spec.dtype = DType::kUInt8;
  text.spec.shape = {-1};
  text.encoding = "utf8";
  span.stage = trace::Stage::kSpan;
  span.spec.name = "resize";
  span.spec.dtype = DType::kInt64;
  span.spec.shape = {2};
  const auto ids = std::array{writer->add_channel(lux), writer->add_channel(pose),
                              writer->add_channel(text), writer->add_channel(span)};
  for (const auto& id : ids) ASSERT_TRUE(id);
  const std::uint64_t start = 1'700'000'000'000'000'000;
  std::vector<std::uint32_t> frames;
  for (std::uint32_t i = 0; i < 10; ++i) {
    const std::uint32_t frame = i < 5 ? i : i + 2;  // frames 5 and 6 were dropped
    frames.push_back(frame);
    const std::uint64_t now = start + frame * 100'000'000ull;
    const float light = static_cast<float>(i) * 0.5f;
    const std::int16_t two[] = {7, static_cast<std::int16_t>(-frame)};
    const std::int64_t times[] = {5, 1'000'000 * (1 + std::int64_t{i})};
    ASSERT_TRUE(writer->write(*ids[0], frame, now,
                              ByteView(reinterpret_cast<const std::byte*>(&light), 4)));
    ASSERT_TRUE(
        writer->write(*ids[1], frame, now, ByteView(reinterpret_cast<const std::byte*>(two), 4)));
    ASSERT_TRUE(writer->write(*ids[2], frame, now, view_of("night")));
    ASSERT_TRUE(writer->write(*ids[3], frame, now,
                              ByteView(reinterpret_cast<const std::byte*>(times), 16)));
    trace::FrameRecord record;
    record.frame = frame;
    record.time_ns = now;
    record.latency_ns = 2'000'000 + frame;
    ASSERT_TRUE(writer->frame(record));
    // A sensor with its own times: 30 ms after each frame; silent from frame 9 on, and once without
    // values.
    if (frame < 9) {
      ASSERT_TRUE(
          writer->stream("/sensor/accelerometer", now + 30'000'000,
                         "{\"values\":[0," + std::to_string(frame) + ",4],\"unit\":\"m/s^2\"}"));
    }
    ASSERT_TRUE(writer->stream("/sensor/thermal", now,
                               "{\"values\":null,\"reason\":\"absent\",\"unit\":\"Cel\"}"));
  }
  ASSERT_TRUE(writer->close());
  const auto reader = trace::Reader::open(path);
  ASSERT_TRUE(reader);
  std::vector<std::string> warnings;
  const auto logged = logged::scalars_of(*reader, frames, warnings);
  ASSERT_TRUE(logged) << logged.error().what;
  const auto columns = logged::changing(*logged);
  std::map<std::string, const ScalarColumn*> by_name;
  for (const auto& column : columns) by_name[column.name] = &column;
  std::vector<std::string> names;
  for (const auto& [name, column] : by_name) names.push_back(name);
  EXPECT_THAT(names, testing::ElementsAre("accelerometer[1]", "frames dropped before", "latency",
                                          "lux", "pose[1]", "resize", "|accelerometer|"))
      << "what never changes is left out";
  EXPECT_TRUE(logged::changing(*logged::categories_of(*reader, frames, warnings)).empty())
      << "'night' in every frame";
  EXPECT_EQ(by_name["lux"]->values[3], 1.5);
  EXPECT_EQ(by_name["pose[1]"]->values[9], -11);
  EXPECT_EQ(by_name["resize"]->values[2], 3);
  EXPECT_EQ(by_name["latency"]->unit, "ms");
  EXPECT_EQ(by_name["frames dropped before"]->values[5], 2);
  EXPECT_EQ(by_name["frames dropped before"]->values[6], 0);
  const auto& y = by_name["accelerometer[1]"]->values;
  EXPECT_EQ(y[0], 0);
  // The reading after frame 4 (430 ms) is nearer to frame 4 (400 ms) than any other; frame 7 (700
  // ms) has its own reading at 730 ms.
  EXPECT_EQ(y[4], 4);
  EXPECT_EQ(y[5], 7);
  EXPECT_EQ(by_name["accelerometer[1]"]->unit, "m/s^2");
  EXPECT_DOUBLE_EQ(by_name["|accelerometer|"]->values[3], 5);
}

}  // namespace
}  // namespace edgeprobe::diagnose
