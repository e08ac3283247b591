// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace edgeprobe::diagnose {

/// A statement's number, list of numbers or text. Texts may be names from files: untrusted.
class Value {
 public:
  using Held = std::variant<std::int64_t, double, std::string, std::vector<double>>;

  template <std::integral Integer>
  Value(Integer number) : held_(static_cast<std::int64_t>(number)) {}
  Value(double number) : held_(number) {}
  Value(std::string text) : held_(std::move(text)) {}
  Value(const char* text) : held_(std::string(text)) {}
  Value(std::vector<double> numbers) : held_(std::move(numbers)) {}

  const Held& held() const { return held_; }
  bool operator==(const Value&) const = default;

 private:
  Held held_;
};

/// A sentence before it is put into words: its kind, and its values by name. src/report/ words it,
/// so that other programs or languages can word it differently.
template <class Kind>
struct Statement {
  Kind kind{};
  std::map<std::string, Value> values;

  Statement() = default;
  Statement(Kind said, std::map<std::string, Value> with = {})
      : kind(said), values(std::move(with)) {}
  bool operator==(const Statement&) const = default;
};

/// Observation that supports a cause. docs/reference/report.md lists the values of each kind;
/// distances of inputs are RMS in gray steps, gaps of logits RMS over their standard deviation.
enum class EvidenceKind {
  // From the search for pre-processing faults.
  kInputDistance,
  kLeftWithDifferences,
  kLeftWithFault,
  kFramesAgree,
  kValueLines,
  kGrayPictures,
  kTargetPixelsWhole,
  kReferencePixelsWhole,
  kDistinctValues,
  kOtherDecoder,
  kDecoderRounding,
  kStoredValues,
  kInputCorrelation,
  kNeighbourVariance,
  kMovedPlaces,
  kOwnRanges,
  kValueTable,
  kOtherPictures,
  kBytesReordered,
  kDifferencePlace,
  // From replays with the fault or with the fix.
  kReferenceWithFaultAccuracy,
  kReferenceWithFaultDistance,
  kTargetReproduced,
  kOnRecordedInputs,
  kOnReferenceInputs,
  kEffectUnderFloor,
  kStage,
  kFirstStage,
  // About the codes of the model's input.
  kCodesLose,
  kCodesNotReplayed,
  kThroughCodes,
  kGiveTrainingRecipe,
  kQuantiseAgain,
  kFittingCodes,
  // About layers.
  kKernelResidue,
  kKernelsReplaced,
  kOtherLayersRight,
  kSegmentAlone,
  kSegmentRelation,
  kRestRestored,
  kActivationCodes,
  kFittingScale,
  kWeightsDiffer,
  kWeightsShape,
  kBiasDiffers,
  kRescaleBiases,
  kWidenWeightScale,
  kAttributeDiffers,
  kSetAttribute,
  kOperatorsApart,
  kStepWidth,
  kCalibratedRanges,
  kOwnOperatorError,
  kLocalError,
  kGapShare,
  kRepaired,
  kGapBelowLimit,
  kRestBelowLimit,
  kRepairFinite,
  kRepairRestores,
  kRepairWithoutEffect,
  // About the target's arithmetic precision.
  kStoredPrecision,
  kPrecisionLayers,
  kPrecisionReplayed,
  kPrecisionBreaks,
  kPrecisionNearest,
  kPrecisionUndecided,
  kPrecisionDenormal,
  kPrecisionSteps,
  kPrecisionLands,
  // About carried states.
  kStateSteps,
  kStatesCarried,
  // About exchanged outputs.
  kEachIsTheOther,
  kOutputsExchanged,
  // About the app's own answers.
  kAnswersUnlike,
  kAnswersReproduced,
  kAnswersFit,
  kAnswerDecides,
  kAnswerTies,
  // About the app's processing of texts.
  kTextUnlike,
  kTextReproduced,
  kTextFit,
  kTextDecides,
  kTextFirstDifference,
};
inline constexpr const char* kEvidenceKindNames[] = {"input_distance",
                                                     "left_with_differences",
                                                     "left_with_fault",
                                                     "frames_agree",
                                                     "value_lines",
                                                     "gray_pictures",
                                                     "target_pixels_whole",
                                                     "reference_pixels_whole",
                                                     "distinct_values",
                                                     "other_decoder",
                                                     "decoder_rounding",
                                                     "stored_values",
                                                     "input_correlation",
                                                     "neighbour_variance",
                                                     "moved_places",
                                                     "own_ranges",
                                                     "value_table",
                                                     "other_pictures",
                                                     "bytes_reordered",
                                                     "difference_place",
                                                     "reference_with_fault_accuracy",
                                                     "reference_with_fault_distance",
                                                     "target_reproduced",
                                                     "on_recorded_inputs",
                                                     "on_reference_inputs",
                                                     "effect_under_floor",
                                                     "stage",
                                                     "first_stage",
                                                     "codes_lose",
                                                     "codes_not_replayed",
                                                     "through_codes",
                                                     "give_training_recipe",
                                                     "quantise_again",
                                                     "fitting_codes",
                                                     "kernel_residue",
                                                     "kernels_replaced",
                                                     "other_layers_right",
                                                     "segment_alone",
                                                     "segment_relation",
                                                     "rest_restored",
                                                     "activation_codes",
                                                     "fitting_scale",
                                                     "weights_differ",
                                                     "weights_shape",
                                                     "bias_differs",
                                                     "rescale_biases",
                                                     "widen_weight_scale",
                                                     "attribute_differs",
                                                     "set_attribute",
                                                     "operators_apart",
                                                     "step_width",
                                                     "calibrated_ranges",
                                                     "own_operator_error",
                                                     "local_error",
                                                     "gap_share",
                                                     "repaired",
                                                     "gap_below_limit",
                                                     "rest_below_limit",
                                                     "repair_finite",
                                                     "repair_restores",
                                                     "repair_without_effect",
                                                     "stored_precision",
                                                     "precision_layers",
                                                     "precision_replayed",
                                                     "precision_breaks",
                                                     "precision_nearest",
                                                     "precision_undecided",
                                                     "precision_denormal",
                                                     "precision_steps",
                                                     "precision_lands",
                                                     "state_steps",
                                                     "states_carried",
                                                     "each_is_the_other",
                                                     "outputs_exchanged",
                                                     "answers_unlike",
                                                     "answers_reproduced",
                                                     "answers_fit",
                                                     "answer_decides",
                                                     "answer_ties",
                                                     "text_unlike",
                                                     "text_reproduced",
                                                     "text_fit",
                                                     "text_decides",
                                                     "text_first_difference"};
static_assert(std::size(kEvidenceKindNames) == std::size_t(EvidenceKind::kTextFirstDifference) + 1);
constexpr const char* name(EvidenceKind kind) { return kEvidenceKindNames[std::size_t(kind)]; }

using Evidence = Statement<EvidenceKind>;

}  // namespace edgeprobe::diagnose
