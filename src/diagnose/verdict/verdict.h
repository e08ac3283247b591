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
#include "core/result.h"
#include "diagnose/verdict/evidence.h"
#include "diagnose/verdict/frames.h"
#include "diagnose/verdict/hints.h"
#include "diagnose/verdict/words.h"
#include "diagnose/verdict/written_fix.h"
#include "stats/interval.h"

namespace edgeprobe::diagnose {

/// Result of check and diagnose, as values: report/ renders it, cli/ turns it into an exit code.

/// Appended to an unknown cause whose difference is visible; the page writer replaces FILE by its
/// name.
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

using stats::Interval;  ///< 95 % intervals.

struct Cause {
  CauseKind kind = CauseKind::kUnknown;
  CauseStatus status = CauseStatus::kPartial;
  std::optional<CauseStage> stage;  ///< Unset if unknown.
  std::string detail;               ///< "the app feeds BGR; the reference feeds RGB".
  /// The reference's name of the (first) faulty layer; empty if there is none.
  std::string layer;
  std::string op_type;              ///< Type of that layer: "CONV_2D".
  std::optional<CauseScope> scope;  ///< Unset without a layer.
  std::vector<int> layers;          ///< Operator indices in the reference's graph, ascending.
  /// Fraction of the squared distance on the model input that disappears: 1 - residual² / residual
  /// before².
  std::optional<double> explained_variance;
  /// Number of causes that share `explains`, which is reported once for all of them.
  std::size_t together = 1;
  /// Distance in gray steps that returns if only this cause is put back.
  std::optional<double> contribution;
  /// Task metric, or fraction of the output distance that disappears, with this and all earlier
  /// fixes.
  std::optional<double> restored;
  std::optional<RestoredUnit> restored_unit;
  std::optional<Unavailable> restored_unavailable;  ///< Reason if `restored` is null.
  /// Index in Replays::repaired_steps of its repair; not part of a report.
  int repaired_by = -1;
  std::vector<Evidence> evidence;
  std::vector<std::string> alternatives;  ///< Other causes that these data cannot rule out.
  /// The app may be right and its log of the pictures wrong; not part of a report.
  bool may_be_the_log = false;
  std::string fix_step;  ///< Recipe step that fixes it.
  /// "opencv", "android", "numpy" -> the usual line of code.
  std::map<std::string, std::string> fix_code;
};

struct TaskResult {
  std::string metric = "top1_accuracy";
  std::optional<double> reference, target, fixed;
  std::optional<Interval> reference_ci95, target_ci95, fixed_ci95;
  std::optional<double> p_value;  ///< From the paired test of target against reference.
  std::uint64_t n = 0;
  std::size_t classes = 0;  ///< Number of scores in the scored output; 0: not known.
  /// Agreement of target and reference; unset if neither labels nor probabilities show that the
  /// values are classes.
  std::optional<double> top1_agreement;
  std::string test = "McNemar";  ///< Name of the test for p_value.
  /// The figures come from answers recorded by the apps, not from outputs.
  bool of_answers = false;
  bool lower_is_better = false;  ///< The metric is an error rate.
  bool of_plugin = false;        ///< The metric is the user's; its name is untrusted text.
};

/// From the layer analysis on the target's own model input (src/layers/analysis.h); unset if not
/// measured.
struct LayerFigures {
  std::optional<double> error_gain, kernel_error, kernel_error_mean, local_error, floor, share,
      single_layer_error;
  std::optional<KernelErrorUnit> kernel_error_unit;
  std::optional<LayerClass> layer_class;  ///< Unset: not judged.
};

struct LayerDrift : LayerFigures {
  int index = -1;  ///< Operator index in the reference graph; -1 for the input.
  std::string name, type;
  std::string target_name;
  compare::Distances distances;
  compare::Moments moments;
  compare::KindCounts reference_kinds, target_kinds;
  std::optional<int> worst_channel;
  std::uint64_t frames = 0;  ///< Number of frames that were compared.
};

/// The first layer that differs by more than rounding if both sides get the same model input.
struct FirstLayer {
  int index = -1;  ///< As LayerDrift::index.
  std::string name, type;
  std::size_t before = 0;  ///< Number of earlier layers that were compared.
  compare::FirstDifference difference;
};

/// A layer that could not be replayed.
struct UncheckedLayer {
  int layer = -1;
  std::string name, type, reason;
};

/// A figure of a layer that could not be measured.
struct Unmeasured {
  int layer = -1;  ///< Index in the reference.
  std::string name, type;
  std::string what;  ///< "local_error", "share", "injection": as in `layers`.
  std::string reason;
};

/// Extent of the layer analysis.
struct LayerFaultSummary {
  std::uint64_t frames = 0;
  /// RMS difference of the logits over the reference's standard deviation, on the same model input.
  std::optional<double> logit_nrmse;
  std::uint64_t checked = 0;  ///< Number of layers replayed on their own inputs.
  std::vector<UncheckedLayer> not_checked;
  std::string skipped;  ///< The skipped parts, with the reasons.
  /// `logit_nrmse` is computed on the outputs, since the logits are equal.
  bool of_answers = false;
  std::vector<UncheckedLayer> not_captured =
      {};  ///< For the reference: its engine does not expose them.
  std::vector<Unmeasured> not_measured = {};
  /// Number of operators with a partner in the other model, and of all operators of the model with
  /// fewer.
  std::uint64_t paired = 0, operators = 0;
  bool poorly_paired = false;  ///< No layer is named for that reason; `skipped` states it.
};

/// Comparison of one logged number between the failing frames and the others.
struct ScalarTest {
  std::string name;  ///< "lux".
  ScalarKind kind = ScalarKind::kVariable;
  std::string unit;                       ///< "lx".
  std::uint64_t failing = 0, others = 0;  ///< Number of frames with a value.
  double failing_median = 0, other_median = 0;
  /// Rank-biserial correlation, -1..1: above 0 when failing frames have larger values.
  double effect = 0;
  double p = 1, p_corrected = 1;  ///< Mann-Whitney, two-sided; Holm over all tests.
  bool tells = false;             ///< p_corrected < .05 and |effect| >= .3.
};

/// Comparison of one logged text between the failing frames and the others.
struct CategoryTest {
  std::string name;                       ///< "driver".
  std::uint64_t failing = 0, others = 0;  ///< Number of frames with a value.
  std::uint64_t categories = 0;           ///< Number of distinct values; rare ones count as one.
  /// The value whose failure rate differs most from the others'.
  std::string value;
  std::uint64_t value_failing = 0, value_frames = 0;  ///< Number of frames with this value.
  double effect = 0;                                  ///< Cramer's V, 0..1.
  double p = 1, p_corrected = 1;  ///< Holm over all tests, including those of numbers.
  bool exact = true;              ///< False: estimated from permutations.
  bool tells = false;             ///< p_corrected < .05 and effect >= .3.
};

/// Which logged numbers and texts correlate with failing frames. Correlation does not prove a
/// cause.
struct ScalarStudy {
  /// "wrong class", "another class than the reference", "output distance above 0.3".
  std::string failing;
  std::uint64_t failing_frames = 0, other_frames = 0;
  std::vector<ScalarTest> tests;  ///< Significant ones first, then by effect size.
  std::string skipped;            ///< Reason if there are no tests.
  std::string sentence;
  std::vector<CategoryTest> categories = {};  ///< In the same order as `tests`.
};

/// Result of the post-processing search.
enum class AnswerStatus { kAgrees, kExplained, kSomeFrames, kPartial, kUnknown, kNotJudged };
inline constexpr const char* kAnswerStatusNames[] = {"agrees",  "explained", "some_frames",
                                                     "partial", "unknown",   "not_judged"};
constexpr const char* name(AnswerStatus status) { return kAnswerStatusNames[std::size_t(status)]; }

/// The app's answers, judged by the part of the reference's recipe after "||".
struct AnswerStudy {
  AnswerStatus status = AnswerStatus::kNotJudged;
  std::uint64_t frames = 0;  ///< Number of frames with an answer and all outputs.
  /// Number of these frames whose answer differs from the reference's.
  std::uint64_t unlike = 0;
  std::string recipe;                   ///< In canonical form; empty: the reference has none.
  std::vector<std::string> judged;      ///< Parts of the answers: "labels", "classes", "scores".
  std::vector<std::string> not_judged;  ///< Parts that were recorded but not judged: "boxes", …
  std::string skipped;                  ///< Reason why nothing, or not everything, was judged.
  /// The reference's label file does not match its classes: its recorded answers prove nothing
  /// about the app's.
  bool has_wrong_names = false;
};

/// Why a verdict covers only a part of what was asked: it is undecided and names no cause.
struct CutShort {
  Error error;                      ///< kInterrupted: the user stopped it.
  bool during_diagnosis = false;    ///< All frames were compared, but the causes are not known.
  std::uint64_t frames_wanted = 0;  ///< Number of samples that were asked for.
};

struct Coverage {
  std::uint64_t frames = 0, frames_compared = 0;
  std::uint64_t frames_with_layers = 0;  ///< Those of the compared frames with layers.
  /// These are a random sample: one frame of each of as many equal parts.
  bool layers_sampled = false;
  std::uint64_t layers_reference = 0, layers_target = 0, layers_matched = 0;
  std::vector<std::string> unmatched;  ///< Names, reference first.
  std::optional<CutShort> cut_short = {};
};

/// One picture of a frame for the HTML page: the model input as people see it.
struct Picture {
  std::string role;
  std::string sample;
  int height = 0, width = 0;
  std::vector<std::uint8_t> rgb;
};

/// A class of the scored output, with the score that the model returned: a probability or a logit.
struct ClassScore {
  int index = -1;
  double score = 0;
};

/// A sample with shown inputs, and the best classes of both sides, best first.
struct ShownSample {
  std::string name;
  std::uint32_t frame = 0;                    ///< The target's frame number.
  std::vector<int> labels;                    ///< True classes, ascending; empty if not known.
  std::vector<ClassScore> target, reference;  ///< Empty if the outputs are not classes.
  /// The app's recorded answer: as a JSON object, and as one line. Empty if it recorded none.
  std::string app_json = {}, app_text = {};
  /// The reference recipe's answer for the same outputs, in the same forms.
  std::string expected_json = {}, expected_text = {};
};

struct Verdict {
  Outcome outcome = Outcome::kUndecided;
  Headline headline;               ///< The first line of a report.
  std::string before_headline;     ///< Text before the headline, set by the caller.
  std::vector<Hint> would_decide;  ///< For kUndecided: what is missing.
  TaskResult task;
  /// Set if the target recorded answers.
  std::optional<compare::AnswerAgreement> answer_agreement;
  std::vector<Cause> causes;  ///< By contribution, largest first.
  /// In execution order; includes the model input and the outputs.
  std::vector<LayerDrift> layers;
  /// Unset: no layer differs, or the model inputs differ.
  std::optional<FirstLayer> first_layer;
  std::optional<LayerFaultSummary> layer_faults;  ///< Unset without a layer analysis.
  std::optional<ScalarStudy> scalars;             ///< Unset if the app logged no number.
  std::optional<AnswerStudy> answers;             ///< Unset if the app recorded no answer.
  std::optional<WrittenFix> written_fix;          ///< Unset without --write-fix.
  Coverage coverage;
  /// Mean total-variation distance of outputs, or relative L2.
  std::optional<double> output_distance;
  std::optional<double> output_floor;
  std::string output_distance_kind;  ///< "total_variation" or "relative_l2".
  /// Tool version, hashes, engines, recipes, command.
  std::map<std::string, std::string> provenance;
  std::vector<std::string> warnings;
  std::vector<ShownSample> samples;
  std::vector<Picture> pictures;  ///< Pictures of these samples.
  FrameDistances frame_distances;
  std::optional<ComparedAnswers> compared_answers;  ///< Unset without classes, labels or boxes.
};

}  // namespace edgeprobe::diagnose
