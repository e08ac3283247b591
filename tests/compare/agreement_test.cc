// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <random>

#include "compare/compare_traces.h"
#include "compare/metrics/metrics.h"
#include "compare/outputs/agreement.h"
#include "compare/outputs/join.h"
#include "task/tasks.h"
#include "trace/record/writer.h"

namespace edgeprobe::compare {
namespace {

namespace fs = std::filesystem;
using trace::Channel;
using trace::FrameRecord;
using trace::Stage;

struct Folder {
  fs::path path = fs::temp_directory_path() / ("edgeprobe_agreement_" + std::to_string(::getpid()));
  Folder() { fs::create_directories(path); }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
};

template <class T>
ByteView bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const std::byte*>(values.data()), values.size() * sizeof(T)};
}

struct Message {
  std::size_t channel;
  std::vector<float> values;  ///< As the channel stores them: codes for int8.
};
struct Frame {
  FrameRecord record;
  std::vector<Message> messages;
};

trace::Reader record(const fs::path& path, const std::vector<Channel>& channels,
                     const std::vector<Frame>& frames) {
  auto writer = trace::Writer::open(path, {}, true);
  EXPECT_TRUE(writer);
  std::vector<trace::ChannelId> ids;
  for (const Channel& channel : channels) ids.push_back(*writer->add_channel(channel));
  for (const Frame& frame : frames) {
    for (const Message& message : frame.messages) {
      if (channels[message.channel].spec.dtype == DType::kInt8) {
        const std::vector<std::int8_t> codes(message.values.begin(), message.values.end());
        EXPECT_TRUE(writer->write(ids[message.channel], frame.record.frame, 1, bytes_of(codes)));
      } else {
        EXPECT_TRUE(
            writer->write(ids[message.channel], frame.record.frame, 1, bytes_of(message.values)));
      }
    }
    EXPECT_TRUE(writer->frame(frame.record));
  }
  EXPECT_TRUE(writer->close());
  auto reader = trace::Reader::open(path);
  EXPECT_TRUE(reader) << reader.error().what;
  return *std::move(reader);
}

Channel channel(Stage stage, std::string name, Shape shape, std::string type = "",
                int position = 0) {
  Channel c;
  c.stage = stage;
  c.spec = {std::move(name), DType::kFloat32, std::move(shape), {}};
  c.layer_type = std::move(type);
  c.position = position;
  return c;
}

FrameRecord sample(std::uint32_t frame, std::string name, std::optional<int> label = {},
                   std::string hash = "") {
  FrameRecord r;
  r.frame = frame;
  r.sample = std::move(name);
  r.label = label;
  r.sha256 = std::move(hash);
  return r;
}

class Traces : public testing::Test {
 protected:
  Agreement compare(const std::vector<Channel>& rc, const std::vector<Frame>& rf,
                    const std::vector<Channel>& tc, const std::vector<Frame>& tf,
                    const CompareOptions& options = {}, const Control& control = {}) {
    const auto r = record(folder_.path / "r.mcap", rc, rf),
               t = record(folder_.path / "t.mcap", tc, tf);
    auto result = compare_traces(r, t, options, control);
    EXPECT_TRUE(result) << result.error().what;
    return result ? *std::move(result) : Agreement{};
  }
  Folder folder_;
};

const Channel kScores = channel(Stage::kModelOutput, "probabilities", {1, 3});

TEST_F(Traces, EqualTracesAreExact) {
  const std::vector<Frame> frames{{sample(0, "a", 1), {{0, {0.1f, 0.7f, 0.2f}}}},
                                  {sample(1, "b", 0), {{0, {0.6f, 0.3f, 0.1f}}}}};
  const auto a = compare({kScores}, frames, {kScores}, frames);
  EXPECT_TRUE(a.exact);
  EXPECT_EQ(a.joined_by, JoinedBy::kSample);
  EXPECT_EQ(a.coverage, 1);
  EXPECT_EQ(a.output_distance_kind, OutputDistance::kTotalVariation);
  EXPECT_EQ(*a.output_distance, 0);
  ASSERT_TRUE(a.task);
  EXPECT_EQ(a.task->task, &task::kClassification);
  EXPECT_EQ(a.task->agreement.sum, 2);
  EXPECT_EQ(a.task->reference.sum, 2);
  EXPECT_EQ(a.task->test.p_value, 1);
  EXPECT_TRUE(a.problems.empty());
}

TEST_F(Traces, CountsAnswersAgainstLabels) {
  const std::vector<Frame> reference{{sample(0, "a", 1), {{0, {0.1f, 0.7f, 0.2f}}}},
                                     {sample(1, "b", 0), {{0, {0.6f, 0.3f, 0.1f}}}},
                                     {sample(2, "c", 2), {{0, {0.2f, 0.2f, 0.6f}}}}};
  const std::vector<Frame> target{{sample(10, "c"), {{0, {0.2f, 0.2f, 0.6f}}}},
                                  {sample(11, "a"), {{0, {0.5f, 0.3f, 0.2f}}}},
                                  {sample(12, "b"), {{0, {0.5f, 0.4f, 0.1f}}}},
                                  {sample(13, "d"), {{0, {0.5f, 0.4f, 0.1f}}}}};
  const auto a = compare({kScores}, reference, {kScores}, target);
  EXPECT_FALSE(a.exact);
  ASSERT_EQ(a.frames.size(), 3u);
  EXPECT_EQ(a.frames_target, 4u);
  EXPECT_EQ(a.frames[0].target, 11u);
  EXPECT_EQ(a.frames[2].target, 10u);
  // |p - q| / 2: a .4 .4 0 -> .4; b .1 .1 0 -> .1; c 0. Mean .5 / 3.
  EXPECT_NEAR(a.frames[0].output_distance, 0.4, 1e-6);
  EXPECT_NEAR(*a.output_distance, 0.5 / 3, 1e-6);
  EXPECT_EQ(a.task->agreement.n, 3u);
  EXPECT_EQ(a.task->agreement.sum, 2);
  EXPECT_EQ(a.task->reference.n, 3u);
  EXPECT_EQ(a.task->reference.sum, 3);
  EXPECT_EQ(a.task->target.sum, 2);
  EXPECT_EQ(a.task->test.reference_better, 1u);
  EXPECT_EQ(a.task->test.target_better, 0u);
  EXPECT_EQ(a.task->test.p_value, 1);
  EXPECT_TRUE(a.task->test.required_sample_size);
  EXPECT_EQ(a.layers[0].worst_frame, 0u);
  EXPECT_EQ(a.layers[0].worst_channel, 0);  // Channel 0 has .4^2 + .1^2, as much as channel 1: the
                                            // first one counts.
}

TEST_F(Traces, DequantisesTheTargetAndBringsItsLayoutBack) {
  Channel conv_r = channel(Stage::kLayer, "conv", {1, 2, 2, 3}, "CONV_2D"),
          conv_t = channel(Stage::kLayer, "conv", {1, 3, 2, 2}, "Conv");
  conv_t.spec.dtype = DType::kInt8;
  conv_t.spec.quantization = {{0.5f}, {-1}, 0};
  // NHWC values (code + 1) * .5 of NCHW codes 0..11: pixel p channel c has code 4 c + p.
  std::vector<float> values, codes;
  for (int p = 0; p < 4; ++p)
    for (int c = 0; c < 3; ++c) values.push_back(static_cast<float>(4 * c + p + 1) * 0.5f);
  for (int code = 0; code < 12; ++code) codes.push_back(static_cast<float>(code));
  values[5] += 2;  // pixel 1, channel 2
  const auto a = compare({conv_r}, {{sample(0, ""), {{0, values}}}}, {conv_t},
                         {{sample(0, ""), {{0, codes}}}});
  EXPECT_EQ(a.joined_by, JoinedBy::kFrameNumber);
  ASSERT_EQ(a.layers.size(), 1u);
  const LayerAgreement& layer = a.layers[0];
  EXPECT_TRUE(layer.transposed);
  EXPECT_EQ(layer.moments.equal, 11u);
  EXPECT_EQ(layer.moments.max_abs_d, 2);
  EXPECT_EQ(layer.moments.max_index, 5u);
  EXPECT_EQ(layer.worst_channel, 2);
  EXPECT_EQ(*layer.worst_channel_share, 1);
  EXPECT_FALSE(a.output_distance);
  EXPECT_FALSE(a.task);
}

TEST_F(Traces, AnAnswerOfNanIsNeverRightAndALabelBeyondTheClassesDoesNotCount) {
  const float nan = std::nanf("");
  const std::vector<Frame> reference{{sample(0, "a", 1), {{0, {0.1f, 0.7f, 0.2f}}}},
                                     {sample(1, "b", 0), {{0, {nan, nan, nan}}}},
                                     {sample(2, "c", 3), {{0, {0.2f, 0.2f, 0.6f}}}}};
  const std::vector<Frame> target{{sample(0, "a"), {{0, {nan, nan, nan}}}},
                                  {sample(1, "b"), {{0, {0.5f, 0.3f, 0.2f}}}},
                                  {sample(2, "c"), {{0, {0.2f, 0.2f, 0.6f}}}}};
  const auto a = compare({kScores}, reference, {kScores}, target);
  ASSERT_TRUE(a.task);
  EXPECT_EQ(a.task->agreement.n, 2u);
  EXPECT_EQ(a.task->agreement.sum, 1);
  EXPECT_EQ(a.task->reference.n, 1u);
  EXPECT_EQ(a.task->reference.sum, 1);
  EXPECT_EQ(a.task->target.sum, 0);
  EXPECT_THAT(a.problems, testing::Contains(testing::HasSubstr(
                              "1 labels lie outside the classes of output 'probabilities'")));
}

TEST_F(Traces, LogitsAreComparedByRelativeL2) {
  const Channel logits = channel(Stage::kModelOutput, "logits", {1, 2});
  const auto a = compare({logits}, {{sample(0, "a"), {{0, {3, 4}}}}}, {logits},
                         {{sample(0, "a"), {{0, {3, 5}}}}});
  EXPECT_EQ(a.output_distance_kind, OutputDistance::kRelativeL2);
  EXPECT_NEAR(*a.output_distance, 0.2, 1e-6);  // |(0, 1)| / |(3, 4)|
}

TEST_F(Traces, AnAnswerNearZeroIsMeasuredByTheOthers) {
  const Channel value = channel(Stage::kModelOutput, "sine", {1, 1});
  const std::vector<Frame> reference{{sample(0, "a"), {{0, {0.001f}}}},
                                     {sample(1, "b"), {{0, {1.0f}}}},
                                     {sample(2, "c"), {{0, {-2.0f}}}}};
  const std::vector<Frame> target{{sample(0, "a"), {{0, {0.021f}}}},
                                  {sample(1, "b"), {{0, {1.02f}}}},
                                  {sample(2, "c"), {{0, {-2.0f}}}}};
  const auto a = compare({value}, reference, {value}, target);
  // By itself the first frame would be off by a factor of 20. RMS of the reference: sqrt((1e-6 + 1
  // + 4) / 3) = 1.29099.
  EXPECT_NEAR(a.frames[0].output_distance, 0.02 / 1.29099, 1e-5);
  EXPECT_NEAR(a.frames[1].output_distance, 0.02 / 1.29099, 1e-5);
  EXPECT_NEAR(*a.output_distance, 2 * 0.02 / 1.29099 / 3, 1e-5);
}

TEST_F(Traces, FramesThatAreNotFiniteLeaveTheOthersTheirScale) {
  const Channel logits = channel(Stage::kModelOutput, "logits", {1, 2}),
                boxes = channel(Stage::kModelOutput, "boxes", {1, 1}, "", 1);
  const std::vector<Frame> reference{{sample(0, "a"), {{0, {3, 4}}, {1, {10}}}},
                                     {sample(1, "b"), {{0, {3, 4}}, {1, {std::nanf("")}}}},
                                     {sample(2, "c"), {{0, {3, 4}}, {1, {10}}}}};
  const std::vector<Frame> target{{sample(0, "a"), {{0, {3, 5}}, {1, {10}}}},
                                  {sample(1, "b"), {{0, {3, 9}}, {1, {1}}}},
                                  {sample(2, "c"), {{0, {3, 4}}, {1, {14}}}}};
  const auto a = compare({logits, boxes}, reference, {logits, boxes}, target);
  EXPECT_NEAR(a.frames[0].output_distance, 0.1, 1e-6);  // (1/5 + 0) / 2
  EXPECT_EQ(a.frames[1].output_distance, -1);
  EXPECT_NEAR(a.frames[2].output_distance, 0.2, 1e-6);  // (0 + 4/10) / 2
}

TEST_F(Traces, ValuesOfNanOnBothSidesAlikeAreEqual) {
  const float nan = std::nanf("");
  const Channel roots = channel(Stage::kModelOutput, "roots", {1, 3});
  const std::vector<Frame> reference{{sample(0, "a"), {{0, {3, nan, 4}}}},
                                     {sample(1, "b"), {{0, {nan, nan, nan}}}}};
  const auto same = compare({roots}, reference, {roots}, reference);
  EXPECT_EQ(same.frames[0].output_distance, 0);
  EXPECT_EQ(same.frames[1].output_distance, -1);  // No tensor distinguishes them.
  const auto other =
      compare({roots}, reference, {roots},
              {{sample(0, "a"), {{0, {3, 1, 4}}}}, {sample(1, "b"), {{0, {nan, nan, nan}}}}});
  EXPECT_EQ(other.frames[0].output_distance, -1);
}

TEST_F(Traces, OnlyProbabilitiesAreTakenForClasses) {
  const Channel logits = channel(Stage::kModelOutput, "code", {1, 3});
  const std::vector<Frame> code{{sample(0, "a"), {{0, {3, 4, 5}}}}},
      scores{{sample(0, "a"), {{0, {0.2f, 0.3f, 0.5f}}}}};
  EXPECT_FALSE(compare({logits}, code, {logits}, code).task->probabilities);
  EXPECT_TRUE(compare({kScores}, scores, {kScores}, scores).task->probabilities);
}

TEST_F(Traces, NanAndMissingTensorsAreProblemsNotNumbers) {
  const Channel layer = channel(Stage::kLayer, "x", {1, 2}, "ADD");
  const std::vector<Frame> r{{sample(0, "a", 9), {{0, {0.5f, 0.2f, 0.3f}}, {1, {1, 2}}}},
                             {sample(1, "b"), {{0, {0.5f, 0.2f, 0.3f}}}}};
  const std::vector<Frame> t{{sample(0, "a"), {{0, {NAN, 0.2f, 0.3f}}, {1, {1, 2}}}},
                             {sample(1, "b"), {{1, {1, 2}}}}};
  const auto a = compare({kScores, layer}, r, {kScores, layer}, t);
  EXPECT_FALSE(a.exact);
  EXPECT_FALSE(a.output_distance);
  ASSERT_EQ(a.layers.size(), 2u);
  EXPECT_EQ(a.layers[0].name, "x");  // layers before outputs
  EXPECT_EQ(a.layers[0].frames, 1u);
  EXPECT_TRUE(a.layers[0].distances.exact);
  EXPECT_EQ(a.layers[1].moments.non_finite_mismatch, 1u);
  ASSERT_EQ(a.problems.size(), 2u);
  EXPECT_EQ(
      a.problems[0],
      "2 frames lack outputs or hold values that are not finite; they have no output distance");
  EXPECT_EQ(a.problems[1],
            "1 labels lie outside the classes of output 'probabilities' and do not count");
}

TEST_F(Traces, ListWhatHasNoPartner) {
  const auto a =
      compare({channel(Stage::kLayer, "x", {1, 2}, "ADD", 0),
               channel(Stage::kLayer, "y", {1, 5}, "MUL", 1)},
              {{sample(0, "a"), {{0, {1, 2}}, {1, {1, 2, 3, 4, 5}}}}},
              {channel(Stage::kLayer, "x", {1, 2}, "ADD", 0)}, {{sample(0, "a"), {{0, {1, 2}}}}});
  EXPECT_EQ(a.coverage, 0.5);
  EXPECT_EQ(a.unmatched_reference, std::vector<std::string>{"y"});
  EXPECT_TRUE(a.unmatched_target.empty());
}

TEST_F(Traces, NothingInCommonIsSaid) {
  const std::vector<Frame> r{{sample(0, "a"), {{0, {1, 0, 0}}}}},
      t{{sample(0, "b"), {{0, {1, 0, 0}}}}};
  const auto a = compare({kScores}, r, {kScores}, t);
  EXPECT_EQ(a.joined_by, JoinedBy::kNothing);
  EXPECT_FALSE(a.exact);
  EXPECT_TRUE(a.layers.empty());
  CompareOptions options;
  options.join_by_frame_number = true;
  EXPECT_TRUE(compare({kScores}, r, {kScores}, t, options).exact);
}

TEST_F(Traces, AnyClassOfASetIsRightAndUnknownKindsAreSaidOnce) {
  std::vector<Frame> frames, others;
  for (std::uint32_t i = 0; i < 4; ++i) {
    FrameRecord about = sample(i, std::to_string(i));
    about.annotation = trace::FrameAnnotation{"class_set", "[0,2]"};
    if (i == 3) about.annotation = trace::FrameAnnotation{"boxes", "[]"};
    frames.push_back({about, {{0, {1, 0, 0}}}});
    std::vector<float> scores(3, 0.f);
    scores[i % 3] = 1;
    others.push_back({sample(i, std::to_string(i)), {{0, scores}}});
  }
  const auto a = compare({kScores}, frames, {kScores}, others);
  ASSERT_TRUE(a.task);
  EXPECT_EQ(a.task->reference.n, 3u);
  EXPECT_EQ(a.task->reference.sum, 3);  // Class 0 each time.
  EXPECT_EQ(a.task->target.sum, 2);     // Classes 0 and 2 are right, class 1 is wrong.
  ASSERT_EQ(a.problems.size(), 1u);
  EXPECT_EQ(a.problems[0],
            "1 frame has an annotation that this version does not read ('boxes'): it counts in no "
            "score");
}

TEST_F(Traces, StopsWhenAskedAndKeepsWhatIsDone) {
  std::vector<Frame> frames;
  for (std::uint32_t i = 0; i < 10; ++i)
    frames.push_back({sample(i, std::to_string(i)), {{0, {1, 0, 0}}}});
  std::atomic<bool> stop{false};
  const Control control{&stop, [&](std::size_t done, std::size_t all, const std::string&) {
                          EXPECT_EQ(all, 10u);
                          stop = done == 4;
                        }};
  const auto a = compare({kScores}, frames, {kScores}, frames, {}, control);
  EXPECT_TRUE(a.interrupted);
  EXPECT_EQ(a.frames.size(), 4u);
  EXPECT_EQ(a.layers[0].frames, 4u);
}

TEST_F(Traces, RawInputsAreComparedByteByByte) {
  Channel raw = channel(Stage::kRawInput, "image", {-1});
  raw.spec.dtype = DType::kUInt8;
  raw.encoding = "encoded";
  const auto write = [&](const fs::path& path, const std::vector<std::string>& pictures,
                         const char* encoding = "encoded") {
    raw.encoding = encoding;
    auto writer = trace::Writer::open(path, {}, true);
    const auto id = *writer->add_channel(raw);
    for (std::uint32_t i = 0; i < pictures.size(); ++i) {
      EXPECT_TRUE(writer->write(id, i, 1, view_of(pictures[i])));
      EXPECT_TRUE(writer->frame(sample(i, std::to_string(i))));
    }
    EXPECT_TRUE(writer->close());
    return *trace::Reader::open(path);
  };
  const auto r = write(folder_.path / "r", {"one", "two", "three"}),
             t = write(folder_.path / "t", {"one", "owt", "threes"});
  const auto a = compare_traces(r, t);
  ASSERT_TRUE(a);
  EXPECT_EQ(a->raw_compared, 3u);
  EXPECT_EQ(a->raw_equal, 1u);
  // A picture in another encoding is not another picture.
  const auto texts = write(folder_.path / "u", {"one", "two", "three"}, "utf8");
  EXPECT_EQ(compare_traces(r, texts)->raw_compared, 0u);
}

TEST_F(Traces, ManyRandomLayersEqualTheMetricsOfTheWhole) {
  std::mt19937 random(3);
  std::normal_distribution<float> normal(1, 2);
  const std::vector<Channel> channels{channel(Stage::kLayer, "a", {1, 5, 5, 7}, "CONV_2D", 0),
                                      channel(Stage::kLayer, "b", {1, 40}, "ADD", 1)};
  std::vector<Frame> r, t;
  std::vector<float> all_r, all_t;
  for (std::uint32_t f = 0; f < 9; ++f) {
    r.push_back({sample(f, ""), {}});
    t.push_back({sample(f, ""), {}});
    for (const std::size_t c : {0u, 1u}) {
      std::vector<float> x(c == 0 ? 175 : 40), y(x.size());
      for (std::size_t i = 0; i < x.size(); ++i)
        y[i] = (x[i] = normal(random)) + 0.1f * normal(random);
      if (c == 0) {
        all_r.insert(all_r.end(), x.begin(), x.end());
        all_t.insert(all_t.end(), y.begin(), y.end());
      }
      r.back().messages.push_back({c, x});
      t.back().messages.push_back({c, y});
    }
  }
  const auto a = compare(channels, r, channels, t);
  Moments whole;
  const auto n = static_cast<std::int64_t>(all_r.size());
  ASSERT_TRUE(accumulate(make_tensor("r", {n}, all_r), make_tensor("t", {n}, all_t), whole));
  const Moments& m = a.layers[0].moments;
  EXPECT_EQ(m.n, whole.n);
  EXPECT_NEAR(m.m2_r, whole.m2_r, 1e-6 * whole.m2_r);
  EXPECT_NEAR(m.c_rt, whole.c_rt, 1e-6 * whole.m2_r);
  EXPECT_NEAR(m.sum_sq_d, whole.sum_sq_d, 1e-6 * whole.sum_sq_d);
  EXPECT_EQ(m.max_abs_d, whole.max_abs_d);
  EXPECT_EQ(m.max_index, whole.max_index % 175);
}

// An output of seeded values, like those of two branches of a detector.
std::vector<float> values_of(unsigned seed, std::size_t count) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (float& value : values) value = normal(generator);
  return values;
}

TEST_F(Traces, OutputsUnderEachOthersNameAreNamed) {
  const std::vector<Channel> channels{channel(Stage::kModelOutput, "left", {1, 40}, "", 0),
                                      channel(Stage::kModelOutput, "right", {1, 40}, "", 1)};
  const auto left = values_of(1, 40), right = values_of(2, 40);
  const auto a = compare(channels, {{sample(0, "a"), {{0, left}, {1, right}}}}, channels,
                         {{sample(0, "a"), {{0, right}, {1, left}}}});
  ASSERT_EQ(a.swapped.size(), 1u);
  EXPECT_TRUE(a.swapped[0].mistake);
  EXPECT_EQ(a.swapped[0].first, "left");
  EXPECT_EQ(a.swapped[0].first_target, "right");
  EXPECT_EQ(a.swapped[0].second_target, "left");
  EXPECT_GT(*a.output_distance, 0.5) << "they stay a difference";
  CompareOptions exchanged;
  exchanged.mapping = {{"left", "right"}, {"right", "left"}};
  const auto b = compare(channels, {{sample(0, "a"), {{0, left}, {1, right}}}}, channels,
                         {{sample(0, "a"), {{0, right}, {1, left}}}}, exchanged);
  EXPECT_EQ(*b.output_distance, 0);
}

TEST_F(Traces, OutputsOfOtherShapesUnderEachOthersNameAreNamed) {
  const std::vector<Channel> r{channel(Stage::kModelOutput, "scores", {1, 40}, "", 0),
                               channel(Stage::kModelOutput, "boxes", {1, 80}, "", 1)};
  const std::vector<Channel> t{channel(Stage::kModelOutput, "boxes", {1, 40}, "", 0),
                               channel(Stage::kModelOutput, "scores", {1, 80}, "", 1)};
  const std::vector<Frame> frames{{sample(0, "a"), {{0, values_of(1, 40)}, {1, values_of(2, 80)}}}};
  const auto a = compare(r, frames, t, frames);
  ASSERT_EQ(a.swapped.size(), 1u);
  EXPECT_TRUE(a.swapped[0].mistake);
  EXPECT_EQ(compare(r, frames, r, frames).swapped.size(), 0u);
}

TEST_F(Traces, HealthyOutputsAreNotCrossed) {
  const std::vector<Channel> channels{channel(Stage::kModelOutput, "left", {1, 40}, "", 0),
                                      channel(Stage::kModelOutput, "right", {1, 40}, "", 1)};
  const auto left = values_of(1, 40);
  // Two equal outputs also match crosswise.
  const std::vector<Frame> twins{{sample(0, "a"), {{0, left}, {1, left}}}};
  EXPECT_TRUE(compare(channels, twins, channels, twins).swapped.empty());
  // Outputs that match nowhere are another fault.
  const auto a = compare(channels, {{sample(0, "a"), {{0, left}, {1, values_of(2, 40)}}}}, channels,
                         {{sample(0, "a"), {{0, values_of(3, 40)}, {1, values_of(4, 40)}}}});
  EXPECT_TRUE(a.swapped.empty());
}

// TFLite: a convolution with the activation inside, channels last. ONNX: both, channels first,
// outputs in another order.
TEST_F(Traces, TwoFormatsArePairedByValues) {
  constexpr std::size_t kSide = 4, kChannels = 3, kAll = kSide * kSide * kChannels;
  const auto before = values_of(5, kAll);
  auto after = before;
  for (float& value : after) value = std::max(0.f, value);
  const auto channels_first = [](const std::vector<float>& last) {
    std::vector<float> first(last.size());
    for (std::size_t p = 0; p < kSide * kSide; ++p)
      for (std::size_t c = 0; c < kChannels; ++c)
        first[c * kSide * kSide + p] = last[p * kChannels + c];
    return first;
  };
  const auto one = values_of(6, 20), two = values_of(7, 20);
  const std::vector<Channel> r{
      channel(Stage::kLayer, "a", {1, 4, 4, 3}, "CONV_2D", 0),
      channel(Stage::kLayer, "b", {1, 48}, "RESHAPE", 1),
      channel(Stage::kModelOutput, "Identity", {1, 20}, "FULLY_CONNECTED", 0),
      channel(Stage::kModelOutput, "Identity_1", {1, 20}, "SOFTMAX", 1)};
  const std::vector<Channel> t{channel(Stage::kLayer, "conv", {1, 3, 4, 4}, "Conv", 0),
                               channel(Stage::kLayer, "relu", {1, 3, 4, 4}, "Relu", 1),
                               channel(Stage::kLayer, "to_last", {1, 4, 4, 3}, "Transpose", 2),
                               channel(Stage::kModelOutput, "p", {1, 20}, "Softmax", 0),
                               channel(Stage::kModelOutput, "q", {1, 20}, "Gemm", 1)};
  const auto a = compare(r, {{sample(0, "x"), {{0, after}, {1, after}, {2, one}, {3, two}}}}, t,
                         {{sample(0, "x"),
                           {{0, channels_first(before)},
                            {1, channels_first(after)},
                            {2, after},
                            {3, two},
                            {4, one}}}});
  EXPECT_LT(*a.output_distance, 1e-6);
  for (const LayerAgreement& layer : a.layers)
    EXPECT_TRUE(layer.distances.exact) << layer.name << " with " << layer.target_name;
  ASSERT_EQ(a.swapped.size(), 1u);
  EXPECT_FALSE(a.swapped[0].mistake) << "another order between two formats is no mistake";
  EXPECT_TRUE(a.unmatched_target.empty()) << a.unmatched_target[0];
}

TEST(Join, ByHashWhenNamesMovedAndNeverAcrossContents) {
  const std::vector<FrameRecord> r{sample(0, "x/a", {}, "h1"), sample(1, "x/b", {}, "h2")},
      t{sample(5, "y/b", {}, "h2"), sample(6, "y/a", {}, "h1")};
  const auto by_hash = join_frames(r, t, false);
  EXPECT_EQ(by_hash.frames, (std::vector<std::pair<std::size_t, std::size_t>>{{0, 1}, {1, 0}}));
  const auto other = join_frames({sample(0, "a", {}, "h1"), sample(1, "b", {}, "h2")},
                                 {sample(0, "a", {}, "h9"), sample(1, "b", {}, "h2")}, false);
  EXPECT_EQ(other.frames, (std::vector<std::pair<std::size_t, std::size_t>>{{1, 1}}));
  ASSERT_EQ(other.problems.size(), 1u);
  EXPECT_EQ(other.problems[0],
            "1 samples have the same name but other content, such as 'a'; they were not compared");
}

TEST(Join, RepeatedSamplesPairInOrder) {
  const std::vector<FrameRecord> twice{sample(0, "a"), sample(1, "a")};
  EXPECT_EQ(join_frames(twice, twice, false).frames,
            (std::vector<std::pair<std::size_t, std::size_t>>{{0, 0}, {1, 1}}));
}

}  // namespace
}  // namespace edgeprobe::compare
