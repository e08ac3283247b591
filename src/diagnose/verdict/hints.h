// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnose/verdict/evidence.h"

namespace edgeprobe::diagnose {

/// Actions by which the user can decide an undecided verdict. docs/reference/report.md lists the
/// values.
enum class HintKind {
  kRecordModelInput,
  kGivePictures,
  kGiveReferenceRecipe,
  kRecordInputAndPicture,
  kGiveReferenceOfThisModel,
  kRecordOutputs,
  kMakeComparable,
  kGiveLabelsForGate,
  kGiveLabelsForRounding,
  kGiveMoreFrames,
  kMendOrJudgeByAccuracy,
  kGiveFramesOrLabels,
  kGiveFramesOrLabelsAndGate,
  kGiveTrainingRecipe,
  kGiveLabelsForAnswers,
};
inline constexpr const char* kHintKindNames[] = {"record_model_input",
                                                 "give_pictures",
                                                 "give_reference_recipe",
                                                 "record_input_and_picture",
                                                 "give_reference_of_this_model",
                                                 "record_outputs",
                                                 "make_comparable",
                                                 "give_labels_for_gate",
                                                 "give_labels_for_rounding",
                                                 "give_more_frames",
                                                 "mend_or_judge_by_accuracy",
                                                 "give_frames_or_labels",
                                                 "give_frames_or_labels_and_gate",
                                                 "give_training_recipe",
                                                 "give_labels_for_answers"};
static_assert(std::size(kHintKindNames) == std::size_t(HintKind::kGiveLabelsForAnswers) + 1);
constexpr const char* name(HintKind kind) { return kHintKindNames[std::size_t(kind)]; }
using Hint = Statement<HintKind>;

/// Reason why Cause::restored is not known.
enum class UnavailableKind {
  kNoTargetModel,
  kReferenceInputDoesNotFit,
  kRepairedModelFails,
  kKernelsAtOnce,
  kWithNextFix,
  kFramesNotReplayed,
  kOutputsNotComparable,
  kOnlyReferenceWeights,
  kOnlyQuantisingAgain,
  kLouderKernel,
  kNoRepairHelps,
  kNotRepaired,
  kComparedAsTheyAre,
  kNoOutputDistance,
  kBehindTheModel,
};
inline constexpr const char* kUnavailableKindNames[] = {
    "no_target_model",        "reference_input_does_not_fit",
    "repaired_model_fails",   "kernels_at_once",
    "with_next_fix",          "frames_not_replayed",
    "outputs_not_comparable", "only_reference_weights",
    "only_quantising_again",  "louder_kernel",
    "no_repair_helps",        "not_repaired",
    "compared_as_they_are",   "no_output_distance",
    "behind_the_model"};
static_assert(std::size(kUnavailableKindNames) ==
              std::size_t(UnavailableKind::kBehindTheModel) + 1);
constexpr const char* name(UnavailableKind kind) {
  return kUnavailableKindNames[std::size_t(kind)];
}
using Unavailable = Statement<UnavailableKind>;

/// Main finding, for the first line of a verdict; its causes and figures are the verdict's.
enum class HeadlineKind {
  kNone,          ///< The first line states only the outcome.
  kAnotherModel,  ///< The trace was recorded with another model than the reference.
  kNotEnough,     ///< Something is missing: see the first hint.
  kCauses,        ///< The confirmed causes, and how much their fixes restore.
  kNearly,        ///< Causes reproduced except for a small remainder.
  kUnknownCause,  ///< The nearest explanation.
  kUnexplained,
  /// Every layer is right up to rounding, but no labels show whether that costs accuracy.
  kRoundingAddsUp,
  kHarmless,      ///< A known fault of the input that hardly changes the outputs.
  kUnnamedInput,  ///< The input differs, but the outputs do not.
  kInputsApart,   ///< kUnnamedInput for inputs that could not be searched.
  kAgrees,
  kAgreesByRounding,  ///< kRoundingAddsUp with labels that show no loss.
  kAccuracyAgrees,    ///< The accuracy equals the reference's, although the input does not.
  kRecipeGuessed,     ///< The reference's recipe was guessed, and the target uses another one.
  /// The outputs are close, but too many answers differ, and there are no labels.
  kAnswersChanged,
  kCutShort,  ///< The check ended before it was complete: see Coverage::cut_short.
};
inline constexpr const char* kHeadlineKindNames[] = {"none",
                                                     "another_model",
                                                     "not_enough",
                                                     "causes",
                                                     "nearly",
                                                     "unknown_cause",
                                                     "unexplained",
                                                     "rounding_adds_up",
                                                     "harmless",
                                                     "unnamed_input",
                                                     "inputs_apart",
                                                     "agrees",
                                                     "agrees_by_rounding",
                                                     "accuracy_agrees",
                                                     "recipe_guessed",
                                                     "answers_changed",
                                                     "cut_short"};
static_assert(std::size(kHeadlineKindNames) == std::size_t(HeadlineKind::kCutShort) + 1);
constexpr const char* name(HeadlineKind kind) { return kHeadlineKindNames[std::size_t(kind)]; }
using Headline = Statement<HeadlineKind>;

}  // namespace edgeprobe::diagnose
