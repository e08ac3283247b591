// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compare/first_difference.h"
#include "compare/metrics/kind_counts.h"
#include "compare/metrics/metrics.h"
#include "compare/outputs/agreement.h"
#include "diagnose/verdict/evidence.h"
#include "diagnose/verdict/frames.h"
#include "diagnose/verdict/hints.h"
#include "diagnose/verdict/words.h"
#include "diagnose/verdict/written_fix.h"
#include "stats/interval.h"

namespace edgeprobe::diagnose {

/// The answer of check and diagnose, as values: report/ renders it, cli/ turns it into an exit
/// code.

/// Ends the sentence of an unknown cause whose difference can be seen; who writes the page names it
/// in place of FILE.
inline constexpr std::string_view kSeePictures = "; see the pictures: --html FILE";

enum class Outcome { kAgrees, kDiffers, kUndecided };
/// "agrees", "differs", "undecided".
inline const char* name(Outcome outcome) {
  switch (outcome) {
    case Outcome::kAgrees: return "agrees";
    case Outcome::kDiffers: return "differs";
    case Outcome::kUndecided: break;
  }
  return "undecided";
}

using stats::Interval;  ///< 95 %.

struct Cause {
  CauseKind kind = CauseKind::kUnknown;
  CauseStatus status = CauseStatus::kPartial;
  std::optional<CauseStage> stage;  ///< Nothing when it is not known.
  std::string detail;               ///< "the app feeds BGR; the reference feeds RGB".
  /// The reference's name of the (first) layer to blame; empty unless there is one.
  std::string layer;
  std::string op_type;              ///< Of that layer: "CONV_2D".
  std::optional<CauseScope> scope;  ///< Nothing without a layer.
  std::vector<int> layers;          ///< Operator indices in the reference's graph, ascending.
  /// Share of the distance on the model input that disappears: 1 - residual² / residual before².
  std::optional<double> explained_variance;
  /// Causes that `explains` belongs to: it is said once, of all of them.
  std::size_t together = 1;
  /// What comes back (u8 steps) when only this one is reverted.
  std::optional<double> contribution;
  /// Task metric, or share of the output distance that disappears, with this and all earlier fixes
  /// applied.
  std::optional<double> restored;
  std::optional<RestoredUnit> restored_unit;
  std::optional<Unavailable> restored_unavailable;  ///< Why `restored` is null.
  /// Which of Replays::repaired_steps repairs it; not part of a report.
  int repaired_by = -1;
  std::vector<Evidence> evidence;
  std::vector<std::string> alternatives;  ///< Other names that these data cannot tell apart.
  std::string fix_step;                   ///< Recipe step that mends it.
  /// "opencv", "android", "numpy" -> the usual line of code.
  std::map<std::string, std::string> fix_code;
};

struct TaskResult {
  std::string metric = "top1_accuracy";
  std::optional<double> reference, target, fixed;
  std::optional<Interval> reference_ci95, target_ci95, fixed_ci95;
  std::optional<double> p_value;  ///< Of the paired test of target against reference.
  std::uint64_t n = 0;
  std::size_t classes = 0;  ///< Scores of the output that answers; 0: not known.
  /// Target against reference; nothing when neither labels nor probabilities say that the values
  /// are classes.
  std::optional<double> top1_agreement;
  std::string test = "McNemar";  ///< Of p_value.
  bool of_answers = false;       ///< From what the apps recorded, not from outputs.
  bool lower_is_better = false;  ///< Of the metric: an error rate.
};

/// Of the layer analysis, on the target's own model input (src/layers/analysis.h); nothing
/// where it was not measured.
struct LayerFigures {
  std::optional<double> error_gain, kernel_error, kernel_error_mean, local_error, floor, share,
      single_layer_error;
  std::optional<KernelErrorUnit> kernel_error_unit;
  std::optional<LayerClass> layer_class;  ///< Nothing: not judged.
};

struct LayerDrift : LayerFigures {
  int index = -1;  ///< Operator index in the reference graph; -1 for the input.
  std::string name, type;
  std::string target_name;
  compare::Distances distances;
  compare::Moments moments;
  compare::KindCounts reference_kinds, target_kinds;
  std::optional<int> worst_channel;
};

/// The first layer that differs by more than rounding, both sides given the same model input.
struct FirstLayer {
  int index = -1;  ///< As LayerDrift::index.
  std::string name, type;
  std::size_t before = 0;  ///< Layers that were compared before it.
  compare::FirstDifference difference;
};

/// A layer that could not be replayed.
struct UncheckedLayer {
  int layer = -1;
  std::string name, type, reason;
};

/// A figure of a layer that could not be measured.
struct Unmeasured {
  int layer = -1;  ///< Of the reference.
  std::string name, type;
  std::string what;  ///< "local_error", "share", "injection": as in `layers`.
  std::string reason;
};

/// What the layer analysis could look at.
struct LayerFaultSummary {
  std::uint64_t frames = 0;
  /// RMS difference of the logits over the reference's standard deviation, on the same model input.
  std::optional<double> logit_nrmse;
  std::uint64_t checked = 0;  ///< Layers replayed on their own inputs.
  std::vector<UncheckedLayer> not_checked;
  std::string skipped;      ///< What was not done, and why.
  bool of_answers = false;  ///< `logit_nrmse` is that of the outputs: the logits are the same.
  std::vector<UncheckedLayer> not_captured =
      {};  ///< Of the reference: its engine does not show them.
  std::vector<Unmeasured> not_measured = {};
  /// Operators that have a partner in the other model, of those of the side that has fewer.
  std::uint64_t paired = 0, operators = 0;
  bool poorly_paired = false;  ///< None is named for that; `skipped` says so.
};

/// One logged number between the frames that fail and the others.
struct ScalarTest {
  std::string name;  ///< "lux".
  ScalarKind kind = ScalarKind::kVariable;
  std::string unit;                       ///< "lx".
  std::uint64_t failing = 0, others = 0;  ///< Frames that have a value.
  double failing_median = 0, other_median = 0;
  /// Rank-biserial correlation, -1..1: above 0 when failing frames have larger values.
  double effect = 0;
  double p = 1, p_corrected = 1;  ///< Mann-Whitney, two-sided; Holm over all tests.
  bool tells = false;             ///< p_corrected < .05 and |effect| >= .3.
};

/// One logged text between the frames that fail and the others.
struct CategoryTest {
  std::string name;                       ///< "driver".
  std::uint64_t failing = 0, others = 0;  ///< Frames that have a value.
  std::uint64_t categories = 0;           ///< Values apart, the rare ones as one.
  /// The value whose frames fail most unlike the others.
  std::string value;
  std::uint64_t value_failing = 0, value_frames = 0;  ///< Frames with this value.
  double effect = 0;                                  ///< Cramer's V, 0..1.
  double p = 1, p_corrected = 1;  ///< Holm over all tests, those of numbers among them.
  bool exact = true;              ///< False: estimated from permutations.
  bool tells = false;             ///< p_corrected < .05 and effect >= .3.
};

/// Which of the numbers and texts that the app logged goes with the frames that fail. That it
/// causes them is not said.
struct ScalarStudy {
  /// "wrong class", "another class than the reference", "output distance above 0.3".
  std::string failing;
  std::uint64_t failing_frames = 0, other_frames = 0;
  std::vector<ScalarTest> tests;  ///< Those that tell first, then by size of the effect.
  std::string skipped;            ///< Why there are no tests.
  std::string sentence;
  std::vector<CategoryTest> categories = {};  ///< In the order of `tests`.
};

/// What the search behind the model found.
enum class AnswerStatus { kAgrees, kExplained, kSomeFrames, kPartial, kUnknown, kNotJudged };
inline constexpr const char* kAnswerStatusNames[] = {"agrees",  "explained", "some_frames",
                                                     "partial", "unknown",   "not_judged"};
constexpr const char* name(AnswerStatus status) { return kAnswerStatusNames[std::size_t(status)]; }

/// What the app made of the outputs, judged by the half of the reference's recipe behind "||".
struct AnswerStudy {
  AnswerStatus status = AnswerStatus::kNotJudged;
  std::uint64_t frames = 0;             ///< With an answer and all outputs.
  std::uint64_t unlike = 0;             ///< Of these: with another answer than the reference's.
  std::string recipe;                   ///< Canonical; empty: the reference has none.
  std::vector<std::string> judged;      ///< Parts of the answers: "labels", "classes", "scores".
  std::vector<std::string> not_judged;  ///< Parts that are recorded, and no more: "boxes", …
  std::string skipped;                  ///< Why nothing, or not everything, was judged.
  /// Names in the reference's label file are not those of its classes: the answers that it recorded
  /// say nothing about the app's.
  bool has_wrong_names = false;
};

struct Coverage {
  std::uint64_t frames = 0, frames_compared = 0;
  std::uint64_t layers_reference = 0, layers_target = 0, layers_matched = 0;
  std::vector<std::string> unmatched;  ///< Names, reference first.
};

/// The pictures of one frame for the HTML page: model input as a person sees it.
struct Picture {
  std::string role;
  std::string sample;
  int height = 0, width = 0;
  std::vector<std::uint8_t> rgb;
};

/// Class of the output that answers, and its score as the model gave it: a probability or a logit.
struct ClassScore {
  int index = -1;
  double score = 0;
};

/// Sample whose inputs are shown, with the best classes of both sides, best first.
struct ShownSample {
  std::string name;
  std::uint32_t frame = 0;  ///< Of the target.
  std::vector<int> labels;  ///< True classes, ascending; none where the truth is not known.
  std::vector<ClassScore> target, reference;  ///< Empty where the outputs are not those of classes.
  /// What the app made of the outputs, as it recorded it: a JSON object, and one line. Empty where
  /// it recorded no answer.
  std::string app_json = {}, app_text = {};
  /// What the reference's recipe makes of the same outputs, in the same forms.
  std::string expected_json = {}, expected_text = {};
};

struct Verdict {
  Outcome outcome = Outcome::kUndecided;
  Headline headline;               ///< The first line that a person reads.
  std::string before_headline;     ///< Words in front of it, of who asked for the verdict.
  std::vector<Hint> would_decide;  ///< For kUndecided: what is missing.
  TaskResult task;
  std::optional<compare::AnswerAgreement> answer_agreement;  ///< Where the target recorded any.
  std::vector<Cause> causes;                                 ///< By contribution, largest first.
  std::vector<LayerDrift> layers;  ///< In execution order; the model input and outputs among them.
  std::optional<FirstLayer> first_layer;          ///< Nothing: none, or the model inputs differ.
  std::optional<LayerFaultSummary> layer_faults;  ///< Nothing when no layer analysis was made.
  std::optional<ScalarStudy> scalars;             ///< Nothing when the app logged no number.
  std::optional<AnswerStudy> answers;             ///< Nothing when the app recorded no answer.
  std::optional<WrittenFix> written_fix;          ///< Nothing: --write-fix was not asked for.
  Coverage coverage;
  /// Mean total-variation distance of outputs, or relative L2.
  std::optional<double> output_distance;
  std::optional<double> output_floor;
  std::string output_distance_kind;  ///< "total_variation" or "relative_l2".
  /// Tool version, hashes, engines, recipes, command.
  std::map<std::string, std::string> provenance;
  std::vector<std::string> warnings;
  std::vector<ShownSample> samples;
  std::vector<Picture> pictures;  ///< Of these samples.
  FrameDistances frame_distances;
  std::optional<ComparedAnswers> compared_answers;  ///< Nothing: no classes, labels or boxes.
};

}  // namespace edgeprobe::diagnose
