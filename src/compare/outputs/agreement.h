// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compare/align/align.h"
#include "compare/metrics/kind_counts.h"
#include "compare/metrics/moments.h"
#include "stats/interval.h"
#include "task/answers/evaluate.h"
#include "task/task.h"
#include "task/user_metric.h"
#include "trace/channel.h"

namespace edgeprobe::compare {

/// Distance of one tensor of the target from the reference's, over all frames.
struct LayerAgreement {
  trace::Stage stage = trace::Stage::kLayer;
  std::int32_t position = -1;     ///< Position in the reference.
  std::string name, target_name;  ///< Untrusted text.
  /// Operator type in the reference, else in the target; may be empty.
  std::string type;
  Shape shape;  ///< Shape in the reference.
  DType reference_dtype = DType::kFloat32, target_dtype = DType::kFloat32;
  bool in_codes = false;  ///< True if one side quantises the tensor, or computes it in integers.
  Match how = Match::kName;
  bool transposed = false;   ///< The target was converted to the reference's layout.
  std::uint64_t frames = 0;  ///< Number of frames with the tensor on both sides, in the same shape.
  /// Number of frames in which the sides have different shapes, as for a list of detections: these
  /// frames have no distance. Also the first of them, and its shapes.
  std::uint64_t unlike = 0;
  std::uint32_t unlike_frame = 0;
  Shape unlike_reference, unlike_target;
  Moments moments;
  Distances distances;
  KindCounts reference_kinds, target_kinds;  ///< Counts over the frames that both sides have.
  /// Channel with the largest sum of squared differences.
  std::optional<int> worst_channel;
  /// Its fraction of the total: 1/channels if all are equal.
  std::optional<double> worst_channel_share;
  /// The reference's number of the frame with the largest sum.
  std::uint32_t worst_frame = 0;
  double worst_frame_rmse = 0;
};

/// A frame in both traces.
struct FrameAgreement {
  std::uint32_t reference = 0, target = 0;  ///< Frame numbers.
  std::optional<task::Annotation> annotation;
  /// Unset if a side lacks outputs that the task reads.
  std::optional<task::Answer> reference_answer, target_answer;
  /// Distance of the kind that applies to all frames; -1: outputs missing or not finite.
  float output_distance = -1;
  /// RMS difference over all values of the model inputs; -1: not compared. Infinite if only one
  /// side has NaN or infinity.
  double input_rmse = -1;
};

/// Performance of both sides on a task, if the outputs belong to one.
struct TaskAgreement {
  const task::Task* task = nullptr;
  std::string output;      ///< Name of the reference's first output that the task reads.
  task::Figure agreement;  ///< Agreement over the frames with an answer of the reference.
  /// Scores of those frames whose annotation the task can score; n is the same for both.
  task::Figure reference, target;
  task::PairedTest test;  ///< Test of the scores.
  /// The reference's values sum to one in every frame: without annotations, the only evidence of
  /// class scores.
  bool probabilities = false;
  /// Number of classes in `same_top_k`; smaller if there are fewer classes.
  std::size_t k = 0;
  std::uint64_t same_top_k = 0;  ///< Number of frames whose k best classes are the same set.
};

/// Agreement of the apps' recorded answers, and their quality.
struct AnswerAgreement {
  const task::AnswerTask* task = nullptr;
  std::uint64_t frames = 0;    ///< Number of frames that both answered.
  std::uint64_t compared = 0;  ///< Number of these frames whose answers can be compared.
  std::uint64_t equal = 0;     ///< Number of these frames whose answers are equal.
  double mean = 0;             ///< Agreement over the compared frames, 0..1.
  stats::Interval ci95;        ///< By bootstrap.
  double worst = 1;            ///< Agreement of the worst frame, and its number in the target.
  std::uint32_t worst_frame = 0;
  /// 1 minus the mean agreement that is still acceptable (task::answer_floor()).
  double floor = 0;
  /// Set if frames have annotations that the task reads; covers only the target if the reference
  /// recorded no answer.
  std::optional<task::Evaluation> evaluation;
  std::vector<std::string> problems;  ///< One sentence each.

  bool differs() const { return compared > 0 && 1 - mean > floor; }
};

enum class OutputDistance {
  /// sum |p - q| / 2, 0..1: if all outputs of the reference are probabilities in every frame.
  kTotalVariation,
  /// Else |t - r| / |r|, with |r| at least its RMS over the frames. No softmax, since it is unknown
  /// whether values are logits.
  kRelativeL2,
};
const char* name(OutputDistance kind);  ///< "total_variation", "relative_l2".

/// Mean output distance that is still acceptable: .02 for float models, .10 if either side computes
/// in integers, times 1 + 1/sqrt(frames), since a mean over few pictures is imprecise. Healthy
/// pairs of real models stay below it (docs/benchmarks.md).
double output_floor(bool quantized, std::uint64_t frames);

enum class JoinedBy { kSample, kFrameNumber, kNothing };
const char* name(JoinedBy how);  ///< "sample", "frame_number", "nothing".

/// Two exchanged outputs of the target.
struct SwappedOutputs {
  std::string first, second;  ///< Names of the reference's outputs.
  /// The target's outputs with the values of `first` and `second`.
  std::string first_target, second_target;
  /// True: the target has them under each other's name, or with each other's values. False: it only
  /// lists its outputs in another order, which affects only an app that uses their index.
  bool mistake = false;
};

struct Agreement {
  JoinedBy joined_by = JoinedBy::kNothing;
  std::uint64_t frames_reference = 0, frames_target = 0;
  std::vector<FrameAgreement> frames;  ///< In the reference's order.
  /// Number of raw inputs that were compared, and of those with equal bytes.
  std::uint64_t raw_compared = 0, raw_equal = 0;

  std::uint64_t tensors_reference = 0, tensors_target = 0, tensors_matched = 0;
  /// Alignment::coverage() over model inputs, layers and outputs.
  double coverage = 0;
  std::vector<std::string> unmatched_reference, unmatched_target;  ///< Names; untrusted text.
  /// Fused operators.
  std::vector<std::pair<std::vector<std::string>, std::vector<std::string>>> groups;
  /// Number of layers and intermediates that were paired, and of those selected by
  /// CompareOptions::layers.
  std::uint64_t layers_paired = 0, layers_chosen = 0;

  std::vector<LayerAgreement> layers;  ///< Model inputs, layers in execution order, outputs.
  std::vector<SwappedOutputs> swapped;
  std::optional<TaskAgreement> task;
  std::optional<AnswerAgreement> answers;
  std::optional<task::MetricResult> metric;             ///< By CompareOptions::metric.
  std::optional<double> output_distance;                ///< Mean over the frames with a distance.
  std::optional<stats::Interval> output_distance_ci95;  ///< By bootstrap.
  OutputDistance output_distance_kind = OutputDistance::kRelativeL2;

  bool exact = false;        ///< Every compared tensor is equal, and at least one was compared.
  bool interrupted = false;  ///< Figures cover only the frames so far.
  std::vector<std::string> problems;  ///< One sentence each.
};

}  // namespace edgeprobe::compare
