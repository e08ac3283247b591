// SPDX-License-Identifier: Apache-2.0
// What replays are judged by: answers of a trace, frames that broke, and distances.
#include "diagnose/case/counterfactual.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "diagnose/replay/crossed.h"
#include "trace/read/reader.h"
#include "trace/record/memory_sink.h"
#include "trace/record/writer.h"

namespace edgeprobe::diagnose {
namespace {

using compare::OutputDistance;
using ::testing::ElementsAre;

Bytes bytes_of(const std::vector<float>& values) {
  Bytes bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

/// A trace with an input and two outputs, the second one first; frame 2 has no output.
Bytes recording() {
  Bytes bytes;
  auto writer = trace::Writer::open(std::make_unique<trace::MemorySink>(bytes));
  EXPECT_TRUE(writer);
  const auto channel = [&](trace::Stage stage, const char* name, Shape shape, int position) {
    trace::Channel made;
    made.stage = stage;
    made.spec = {name, DType::kFloat32, std::move(shape), {}};
    made.position = position;
    return *writer->add_channel(made);
  };
  const auto second = channel(trace::Stage::kModelOutput, "boxes", {1, 1}, 1),
             first = channel(trace::Stage::kModelOutput, "scores", {1, 2}, 0),
             input = channel(trace::Stage::kModelInput, "image", {1, 3}, 0);
  channel(trace::Stage::kModelInput, "never recorded", {1, 3}, 1);
  for (std::uint32_t frame = 0; frame < 3; ++frame) {
    const float f = static_cast<float>(frame);
    EXPECT_TRUE(writer->write(input, frame, frame, bytes_of({f, f + 1, f + 2})));
    if (frame == 2) continue;
    EXPECT_TRUE(writer->write(second, frame, frame, bytes_of({10 + f})));
    EXPECT_TRUE(writer->write(first, frame, frame, bytes_of({f, -f})));
  }
  EXPECT_TRUE(writer->close());
  return bytes;
}

Answers answers(std::vector<Outputs> outputs) {
  Answers made;
  for (std::uint32_t i = 0; i < outputs.size(); ++i) made.frames.push_back(i);
  made.outputs = std::move(outputs);
  return made;
}

TEST(Recorded, OutputsStandInTheOrderOfTheirPositions) {
  const Bytes bytes = recording();
  const auto reader = trace::Reader::open(bytes);
  ASSERT_TRUE(reader);
  const auto told = recorded(*reader, {1, 2});
  ASSERT_TRUE(told) << told.error().what;
  EXPECT_THAT(told->frames, ElementsAre(1, 2));
  EXPECT_THAT(told->outputs[0], ElementsAre(ElementsAre(1, -1), ElementsAre(11)));
  EXPECT_TRUE(told->outputs[1].empty()) << "a frame without outputs";
}

TEST(Recorded, InputsAreThoseWithMessages) {
  const Bytes bytes = recording();
  const auto reader = trace::Reader::open(bytes);
  ASSERT_TRUE(reader);
  EXPECT_THAT(input_names(*reader), ElementsAre("image"));
}

TEST(Recorded, InputsAreGivenAsAModelTakesThemOrNotAtAll) {
  const Bytes bytes = recording();
  const auto reader = trace::Reader::open(bytes);
  ASSERT_TRUE(reader);
  const auto inputs = recorded_inputs(*reader, 1, {{"image", DType::kFloat32, {1, 3}, {}}});
  ASSERT_TRUE(inputs) << inputs.error().what;
  ASSERT_TRUE(*inputs);
  EXPECT_EQ((**inputs)[0].bytes, bytes_of({1, 2, 3}));
  const auto larger = recorded_inputs(*reader, 1, {{"image", DType::kFloat32, {1, 4}, {}}});
  ASSERT_TRUE(larger);
  EXPECT_FALSE(*larger);
}

TEST(BrokenFrames, AreThoseThatOnlyTheTargetBreaks) {
  const float nan = std::nanf("");
  const Answers reference = answers({{{1, 2}}, {{1, nan}}, {{1, 2}}, {}});
  EXPECT_EQ(broken_frames(reference, reference), 0u);
  EXPECT_EQ(
      broken_frames(reference, answers({{{nan, 2}}, {{nan, nan}}, {{1, HUGE_VALF}}, {{nan}}})), 2u);
}

TEST(MeanDistance, OfProbabilitiesIsTheirTotalVariation) {
  const Answers reference = answers({{{0.5f, 0.5f}}, {{1, 0}}}),
                target = answers({{{0.25f, 0.75f}}, {{0, 1}}});
  EXPECT_NEAR(*mean_distance(OutputDistance::kTotalVariation, reference, target), (0.25 + 1) / 2,
              1e-9);
  EXPECT_EQ(*mean_distance(OutputDistance::kTotalVariation, reference, reference), 0);
}

TEST(MeanDistance, OfOtherValuesIsRelativeToTheirSize) {
  const Answers reference = answers({{{3, 4}}, {{6, 8}}}),
                target = answers({{{3, 4.5f}}, {{6, 9}}});
  // |t - r| / |r|, |r| at least its RMS over the frames: sqrt((25 + 100) / 2).
  const double rms = std::sqrt(125 / 2.0);
  EXPECT_NEAR(*mean_distance(OutputDistance::kRelativeL2, reference, target),
              (0.5 / rms + 1 / 10.0) / 2, 1e-9);
}

TEST(MeanDistance, LeavesOutFramesThatCannotBeCompared) {
  const Answers reference = answers({{{1, 0}}, {}, {{1, 0}}, {{1, 0}}}),
                target = answers({{{0, 1}}, {{1, 0}}, {{1, 0, 0}}, {{std::nanf(""), 0}}});
  EXPECT_NEAR(*mean_distance(OutputDistance::kTotalVariation, reference, target), 1, 1e-9);
  EXPECT_FALSE(mean_distance(OutputDistance::kTotalVariation, answers({{}}), answers({{}})));
}

}  // namespace
}  // namespace edgeprobe::diagnose
