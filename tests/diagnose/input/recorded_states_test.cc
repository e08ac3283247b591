// SPDX-License-Identifier: Apache-2.0
#include "diagnose/case/recorded_states.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support.h"

namespace edgeprobe::diagnose {
namespace {

using ::testing::ElementsAre;

TEST(Stored, ValuesHaveTheBitsOfTheirType) {
  const auto bytes = [](DType dtype, double value) {
    return stored({"h", dtype, {1}, {}}, {value}).bytes;
  };
  EXPECT_EQ(bytes(DType::kFloat32, 1.5), bytes_of<std::uint8_t>({0, 0, 0xC0, 0x3F}));
  EXPECT_EQ(bytes(DType::kFloat64, -2), bytes_of<std::uint8_t>({0, 0, 0, 0, 0, 0, 0, 0xC0}));
  EXPECT_EQ(bytes(DType::kFloat16, 1.5), bytes_of<std::uint8_t>({0, 0x3E}));
  EXPECT_EQ(bytes(DType::kBFloat16, 1.5), bytes_of<std::uint8_t>({0xC0, 0x3F}));
  EXPECT_EQ(bytes(DType::kInt8, -5), bytes_of<std::uint8_t>({0xFB}));
  EXPECT_EQ(bytes(DType::kUInt8, 250), bytes_of<std::uint8_t>({0xFA}));
  EXPECT_EQ(bytes(DType::kInt16, -2), bytes_of<std::uint8_t>({0xFE, 0xFF}));
  EXPECT_EQ(bytes(DType::kInt64, 258), bytes_of<std::uint8_t>({2, 1, 0, 0, 0, 0, 0, 0}));
}

/// A state h of one element over frames 0, 1, 2 and 4: frame 3 was lost; frame 2 begins a sequence.
RecordedStates states() {
  RecordedStates made;
  made.pairs = {{"h_out", "h"}};
  made.recording.frames = {0, 1, 2, 4};
  made.recording.begins = {true, false, true, false};
  made.recording.outputs = {{"h_out", {{{1}}, {{2}}, {{3}}, {{4}}}}};
  made.recording.states = {{"h", 0, {1}, {{{0}}, {{1}}, {{7}}, {{3}}}, {0.5}}};
  return made;
}

pipeline::TraceSamples samples() {
  pipeline::TraceSamples made;
  for (const std::uint32_t frame : {0, 1, 2, 4}) {
    dataset::Sample sample;
    sample.load = [frame]() -> Result<dataset::Loaded> {
      dataset::Loaded loaded;
      loaded.input =
          dataset::Arrays{{{{"x", DType::kFloat32, {1}, {}}, bytes_of<float>({9})},
                           {{"h", DType::kFloat32, {1}, {}}, bytes_of<float>({float(frame)})}},
                          {}};
      return loaded;
    };
    made.samples.push_back(sample);
    made.frames.push_back(frame);
  }
  return made;
}

std::vector<std::string> names(const dataset::Sample& sample) {
  std::vector<std::string> found;
  const auto loaded = sample.load();
  for (const Tensor& one : std::get<dataset::Arrays>(loaded->input).arrays)
    found.push_back(one.spec.name);
  return found;
}

TEST(WithBeginnings, SequencesBeginWhereTheyDoAndAfterALostFrame) {
  const auto marked = with_beginnings(samples(), states(), false);
  std::vector<bool> begins;
  for (const dataset::Sample& sample : marked.samples) begins.push_back(sample.begins_sequence);
  EXPECT_THAT(begins, ElementsAre(true, false, true, true));
  EXPECT_THAT(names(marked.samples[1]), ElementsAre("x", "h")) << "what was recorded stays";
}

TEST(WithBeginnings, AsMeantABeginningHasTheInitialValueAndOthersCarryTheirOwn) {
  const auto meant = with_beginnings(samples(), states(), true);
  const auto begin = meant.samples[2].load();
  EXPECT_EQ(std::get<dataset::Arrays>(begin->input).arrays.at(1).bytes, bytes_of<float>({0.5F}));
  EXPECT_THAT(names(meant.samples[1]), ElementsAre("x"));
  EXPECT_THAT(names(meant.samples[3]), ElementsAre("x", "h"))
      << "nobody knows what came before: what was recorded stays";
}

}  // namespace
}  // namespace edgeprobe::diagnose
