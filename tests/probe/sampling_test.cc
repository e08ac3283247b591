// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "support.h"

namespace edgeprobe::test {
namespace {

using trace::Stage;

// Records frames whose outputs have these confidences; returns the frames with tensors in the file.
std::string recorded(edgeprobe_options options, const std::vector<float>& confidences,
                     const std::set<int>& tripped = {}) {
  const Folder folder;
  edgeprobe_probe* const probe = opened(folder / "t.mcap", options);
  for (std::size_t i = 0; i < confidences.size(); ++i) {
    edgeprobe_frame* const frame = begun(probe);
    edgeprobe_log_encoded(frame, "camera", "jpeg", 4);
    edgeprobe_log_tensor(frame, Floats(EDGEPROBE_STAGE_MODEL_INPUT, "in", {static_cast<float>(i)}));
    edgeprobe_log_tensor(frame, Floats(EDGEPROBE_STAGE_MODEL_OUTPUT, "out", {0.f, confidences[i]}));
    if (tripped.count(static_cast<int>(i))) {
      EXPECT_EQ(edgeprobe_frame_trip(frame, "odd"), EDGEPROBE_OK);
    }
    EXPECT_EQ(edgeprobe_frame_end(frame), EDGEPROBE_OK);
  }
  EXPECT_EQ(edgeprobe_close(probe, nullptr), EDGEPROBE_OK);
  const auto reader = read(folder / "t.mcap");
  EXPECT_EQ(reader.frames().size(), confidences.size());  // every frame has its record
  std::string text;
  for (std::uint32_t i = 0; i < confidences.size(); ++i) {
    const auto in = floats(reader, i, Stage::kModelInput, "in");
    if (in.empty()) continue;
    EXPECT_EQ(in[0], static_cast<float>(i));
    text += std::to_string(i);
    if (bytes(reader, i, Stage::kRawInput, "camera") == "jpeg") text += "r";
    text += " ";
  }
  return text;
}

const std::vector<float> kSure(12, .9f);

TEST(ProbeSampling, EveryNthFromTheFirst) {
  edgeprobe_options options = defaults();
  options.every = 5;
  EXPECT_EQ(recorded(options, kSure), "0r 5r 10r ");
}

TEST(ProbeSampling, RandomIsOneInSoManyAndTheSameForASeed) {
  edgeprobe_options options = defaults();
  options.sampling = EDGEPROBE_SAMPLE_RANDOM;
  options.raw = EDGEPROBE_RAW_NONE;
  options.every = 4;
  options.seed = 11;
  const std::vector<float> many(400, .9f);
  const std::string first = recorded(options, many);
  EXPECT_EQ(first, recorded(options, many));
  const auto count = std::count(first.begin(), first.end(), ' ');
  EXPECT_GT(count, 70);  // 100 expected, standard deviation 8.7
  EXPECT_LT(count, 130);
  options.seed = 12;
  EXPECT_NE(first, recorded(options, many));
}

TEST(ProbeSampling, ATriggerKeepsItsFrameAndThoseBefore) {
  edgeprobe_options options = defaults();
  options.sampling = EDGEPROBE_SAMPLE_TRIGGER;
  options.before = 2;
  options.raw = EDGEPROBE_RAW_ALL;
  options.below_confidence = .5;
  std::vector<float> confidences = kSure;
  confidences[5] = .3f;
  confidences[6] = .2f;
  EXPECT_EQ(recorded(options, confidences), "3r 4r 5r 6r ");
  EXPECT_EQ(recorded(options, kSure), "");
  EXPECT_EQ(recorded(options, kSure, {1, 10}), "0r 1r 8r 9r 10r ");
}

TEST(ProbeSampling, RawInputsAreTheFirstAndThoseThatTrip) {
  edgeprobe_options options = defaults();
  options.raw_frames = 2;
  options.below_confidence = .5;
  std::vector<float> confidences = kSure;
  confidences[7] = .4f;
  EXPECT_EQ(recorded(options, confidences), "0r 1r 2 3 4 5 6 7r 8 9 10 11 ");
  options.raw_bytes = 8;  // two pictures
  EXPECT_EQ(recorded(options, confidences), "0r 1r 2 3 4 5 6 7 8 9 10 11 ");
  options.raw_bytes = 0;
  options.raw = EDGEPROBE_RAW_NONE;
  EXPECT_EQ(recorded(options, confidences), "0 1 2 3 4 5 6 7 8 9 10 11 ");
  options.raw = EDGEPROBE_RAW_ALL;
  EXPECT_EQ(recorded(options, confidences), "0r 1r 2r 3r 4r 5r 6r 7r 8r 9r 10r 11r ");
}

// After an application's first trip(), raw inputs are kept for the next one; with `before`, for the
// first one too.
TEST(ProbeSampling, TheApplicationsOwnTriggerKeepsRawInputsToo) {
  edgeprobe_options options = defaults();
  options.raw_frames = 1;
  EXPECT_EQ(recorded(options, kSure, {0, 6}), "0r 1 2 3 4 5 6r 7 8 9 10 11 ");
  EXPECT_EQ(recorded(options, kSure, {4, 6}), "0r 1 2 3 4 5 6r 7 8 9 10 11 ");
  options.before = 1;
  EXPECT_EQ(recorded(options, kSure, {4, 6}), "0r 1 2 3 4r 5 6r 7 8 9 10 11 ");
}

// A frame that sampling omits is recorded in full if it trips a trigger.
TEST(ProbeSampling, ATriggerKeepsWhatSamplingLeavesOut) {
  for (const edgeprobe_raw raw : {EDGEPROBE_RAW_SAMPLE, EDGEPROBE_RAW_ALL}) {
    edgeprobe_options options = defaults();
    options.raw = raw;
    options.every = 10;
    options.below_confidence = .5;
    std::vector<float> confidences = kSure;
    for (const int i : {3, 4, 11}) confidences[static_cast<std::size_t>(i)] = .2f;
    EXPECT_EQ(recorded(options, confidences), "0r 3r 4r 10r 11r ");
    options.sampling = EDGEPROBE_SAMPLE_RANDOM;
    options.every = 1u << 30;
    EXPECT_EQ(recorded(options, confidences), "3r 4r 11r ");
  }
}

TEST(ProbeSampling, FramesBeforeATriggerThatSamplingLeftOut) {
  edgeprobe_options options = defaults();
  options.raw = EDGEPROBE_RAW_ALL;
  options.every = 6;
  options.before = 2;
  EXPECT_EQ(recorded(options, kSure, {4}), "0r 2r 3r 4r 6r ");
  EXPECT_EQ(recorded(options, kSure, {7}), "0r 5r 6r 7r ");  // not frame 4: frame 6 is one of the
                                                             // two before frame 7
  options.before = 0;
  EXPECT_EQ(recorded(options, kSure), "0r 6r ");
  // The first trip() is unexpected: raw inputs are kept only from then on, so for the second one.
  EXPECT_EQ(recorded(options, kSure, {4, 8}), "0r 6r 8r ");
}

TEST(ProbeSampling, WhatATriggerMayKeepIsWanted) {
  const Folder folder;
  edgeprobe_options options = defaults();
  options.every = 10;
  const auto wants = [&](const char* name) {
    edgeprobe_probe* const probe = opened(folder / name, options);
    edgeprobe_frame_end(begun(probe));
    edgeprobe_frame* const frame = begun(probe);
    const int wanted = edgeprobe_frame_wants(frame, EDGEPROBE_STAGE_MODEL_OUTPUT);
    edgeprobe_frame_end(frame);
    edgeprobe_close(probe, nullptr);
    return wanted;
  };
  EXPECT_EQ(wants("bare.mcap"), 0);
  options.below_confidence = .5;
  EXPECT_EQ(wants("confidence.mcap"), 1);
}

// Frames of an SSD with boxes, classes and a count in addition to the scores; returns the frames
// that trip.
TEST(ProbeSampling, BoxesClassesAndCountsAreNoConfidence) {
  const Folder folder;
  edgeprobe_options options = defaults();
  options.below_confidence = .5;
  const auto trips = [&](const std::string& name, float score) {
    edgeprobe_probe* const probe = opened(folder / name, options);
    for (const float box : {120.f, .9f}) {
      edgeprobe_frame* const frame = begun(probe);
      edgeprobe_log_tensor(frame,
                           Floats(EDGEPROBE_STAGE_MODEL_OUTPUT, "boxes", {.125f, .25f, .5f, box}));
      edgeprobe_log_tensor(frame, Floats(EDGEPROBE_STAGE_MODEL_OUTPUT, "classes", {0, 1, 0}));
      edgeprobe_log_tensor(
          frame, Floats(EDGEPROBE_STAGE_MODEL_OUTPUT, "scores", {score, score / 2, .03125f}));
      edgeprobe_log_tensor(frame, Floats(EDGEPROBE_STAGE_MODEL_OUTPUT, "count", {1}));
      edgeprobe_frame_end(frame);
    }
    edgeprobe_close(probe, nullptr);
    return events(folder / name).size();
  };
  EXPECT_EQ(trips("unsure.mcap", .125f), 2u);
  EXPECT_EQ(trips("sure.mcap", .75f), 0u);
}

// Logits can be judged, too: with a limit that no score can have.
TEST(ProbeSampling, ALimitOutsideZeroToOneIsForLogits) {
  edgeprobe_options options = defaults();
  options.sampling = EDGEPROBE_SAMPLE_TRIGGER;
  options.below_confidence = .5;
  EXPECT_EQ(recorded(options, {-3.5f, 6.5f, 1.5f}), "");
  options.below_confidence = 2.5;
  EXPECT_EQ(recorded(options, {-3.5f, 6.5f, 1.5f}), "0r 2r ");
}

TEST(ProbeSampling, ATripIsAMarkWithItsReason) {
  const Folder folder;
  edgeprobe_options options = defaults();
  options.below_confidence = .5;
  edgeprobe_probe* const probe = opened(folder / "t.mcap", options);
  edgeprobe_frame* const frame = begun(probe);
  // int8 scores: 0.00390625 * (20 + 128) = 0.578; the second tensor is not quantised.
  const signed char scores[3] = {-128, 20, -5};
  const std::int64_t shape = 3, zero = -128;
  const float scale = 0.00390625f;
  edgeprobe_tensor tensor = Floats(EDGEPROBE_STAGE_MODEL_OUTPUT, "scores", {}).tensor;
  tensor.dtype = EDGEPROBE_INT8;
  tensor.shape = &shape;
  tensor.data = scores;
  tensor.size = 3;
  tensor.scale_count = 1;
  tensor.scale = &scale;
  tensor.zero_point = &zero;
  edgeprobe_log_tensor(frame, &tensor);
  edgeprobe_log_tensor(frame, Floats(EDGEPROBE_STAGE_MODEL_OUTPUT, "other", {.75f}));
  edgeprobe_frame_end(frame);
  edgeprobe_frame* const low = begun(probe);
  edgeprobe_log_tensor(low, Floats(EDGEPROBE_STAGE_MODEL_OUTPUT, "other", {.25f}));
  edgeprobe_frame_end(low);
  edgeprobe_close(probe, nullptr);
  const auto seen = events(folder / "t.mcap");
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].stream.name, "trip");
  EXPECT_EQ(seen[0].event.text, "confidence 0.25 is below 0.5");
  EXPECT_EQ(seen[0].event.frame, 1u);
}

}  // namespace
}  // namespace edgeprobe::test
