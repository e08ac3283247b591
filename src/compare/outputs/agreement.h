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
#include "trace/channel.h"

namespace edgeprobe::compare {

/// How far one tensor of the target lies from the reference's, over all frames.
struct LayerAgreement {
  trace::Stage stage = trace::Stage::kLayer;
  std::int32_t position = -1;     ///< Of the reference.
  std::string name, target_name;  ///< Untrusted text.
  /// Operator, of the reference or else of the target; may be empty.
  std::string type;
  Shape shape;  ///< Of the reference.
  DType reference_dtype = DType::kFloat32, target_dtype = DType::kFloat32;
  bool in_codes = false;  ///< One side quantises it, or computes it in integers.
  Match how = Match::kName;
  bool transposed = false;   ///< The target was brought into the reference's layout.
  std::uint64_t frames = 0;  ///< That both sides have, in one shape.
  /// Frames in which it has another shape on the other side, as a list of what was detected may:
  /// no distance is known of these. The first of them, and its shapes.
  std::uint64_t unlike = 0;
  std::uint32_t unlike_frame = 0;
  Shape unlike_reference, unlike_target;
  Moments moments;
  Distances distances;
  KindCounts reference_kinds, target_kinds;  ///< Of the frames that both sides have.
  std::optional<int> worst_channel;          ///< Owns the largest sum of squared differences.
  /// Its part of that sum: 1/channels when all are alike.
  std::optional<double> worst_channel_share;
  /// Reference's number of the frame with the largest sum.
  std::uint32_t worst_frame = 0;
  double worst_frame_rmse = 0;
};

/// One frame that both traces have.
struct FrameAgreement {
  std::uint32_t reference = 0, target = 0;  ///< Frame numbers.
  std::optional<task::Annotation> annotation;
  /// Nothing where one side lacks outputs that the task reads.
  std::optional<task::Answer> reference_answer, target_answer;
  float output_distance = -1;  ///< In the kind of the whole; -1: outputs missing or not finite.
  /// Of all values of the model inputs; -1: not compared. Infinite where one side has NaN or
  /// infinity and the other has not.
  double input_rmse = -1;
};

/// How both sides do a task, when the outputs are those of one.
struct TaskAgreement {
  const task::Task* task = nullptr;
  std::string output;      ///< Name of the first of the reference's outputs that the task reads.
  task::Figure agreement;  ///< Over the frames that the reference answered.
  /// Scores of the frames among these whose annotation the task can score; n is the same.
  task::Figure reference, target;
  task::PairedTest test;  ///< Of the scores.
  /// The reference's values sum to one in every frame: without annotations, the only sign that they
  /// are scores of classes.
  bool probabilities = false;
  std::size_t k = 0;             ///< Of the next one; fewer when there are fewer classes.
  std::uint64_t same_top_k = 0;  ///< Frames whose k best classes are the same set.
};

/// How the answers that the apps recorded agree, and what they are worth.
struct AnswerAgreement {
  const task::AnswerTask* task = nullptr;
  std::uint64_t frames = 0;    ///< That both answered.
  std::uint64_t compared = 0;  ///< Of these: answers that can be compared.
  std::uint64_t equal = 0;     ///< Of these: both answers are the same.
  double mean = 0;             ///< Agreement over these frames, 0..1.
  stats::Interval ci95;        ///< Bootstrap.
  double worst = 1;            ///< Of one frame, and its number in the target.
  std::uint32_t worst_frame = 0;
  double floor = 0;  ///< 1 minus a mean agreement that is no finding (task::answer_floor()).
  /// Where frames have annotations that the task reads; the target alone where the reference
  /// recorded no answer.
  std::optional<task::Evaluation> evaluation;
  std::vector<std::string> problems;  ///< One sentence each.

  bool differs() const { return compared > 0 && 1 - mean > floor; }
};

enum class OutputDistance {
  /// sum |p - q| / 2, 0..1: when all outputs of the reference are probabilities in every frame.
  kTotalVariation,
  /// |t - r| / |r| otherwise, |r| at least its RMS over the frames. No softmax: whether values are
  /// logits cannot be known.
  kRelativeL2,
};
const char* name(OutputDistance kind);  ///< "total_variation", "relative_l2".

/// Mean output distance that is no finding: .02 for float models, .10 when either side computes in
/// integers, times 1 + 1/sqrt(frames), for a mean over few pictures is a poor mean. Healthy pairs
/// of real models stay below (docs/benchmarks.md).
double output_floor(bool quantized, std::uint64_t frames);

enum class JoinedBy { kSample, kFrameNumber, kNothing };
const char* name(JoinedBy how);  ///< "sample", "frame_number", "nothing".

/// Two outputs of the target that stand in each other's place.
struct SwappedOutputs {
  std::string first, second;  ///< Names of the reference's outputs.
  /// The target's outputs that hold the values of `first` and of `second`.
  std::string first_target, second_target;
  /// True: the target carries them under each other's name, or under the same name with each
  /// other's values. False: it lists its outputs in another order, which nothing but an app that
  /// counts them would notice.
  bool mistake = false;
};

struct Agreement {
  JoinedBy joined_by = JoinedBy::kNothing;
  std::uint64_t frames_reference = 0, frames_target = 0;
  std::vector<FrameAgreement> frames;             ///< In the order of the reference.
  std::uint64_t raw_compared = 0, raw_equal = 0;  ///< Raw inputs: same bytes or not.

  std::uint64_t tensors_reference = 0, tensors_target = 0, tensors_matched = 0;
  /// Alignment::coverage() over model inputs, layers and outputs.
  double coverage = 0;
  std::vector<std::string> unmatched_reference, unmatched_target;  ///< Names; untrusted text.
  /// Fused operators.
  std::vector<std::pair<std::vector<std::string>, std::vector<std::string>>> groups;
  /// Layers and intermediates: paired, and left by CompareOptions::layers.
  std::uint64_t layers_paired = 0, layers_chosen = 0;

  std::vector<LayerAgreement> layers;  ///< Model inputs, layers in execution order, outputs.
  std::vector<SwappedOutputs> swapped;
  std::optional<TaskAgreement> task;
  std::optional<AnswerAgreement> answers;
  std::optional<double> output_distance;                ///< Mean over the frames that have one.
  std::optional<stats::Interval> output_distance_ci95;  ///< Bootstrap.
  OutputDistance output_distance_kind = OutputDistance::kRelativeL2;

  bool exact = false;        ///< Every compared tensor is equal, and at least one was compared.
  bool interrupted = false;  ///< The numbers are those of the frames so far.
  std::vector<std::string> problems;  ///< One sentence each.
};

}  // namespace edgeprobe::compare
