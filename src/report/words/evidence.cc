// SPDX-License-Identifier: Apache-2.0
#include "report/words/evidence.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/text.h"
#include "report/words/sentence.h"

namespace edgeprobe::report {
namespace {

using diagnose::Evidence;
using diagnose::EvidenceKind;

std::string left_with_differences(const Values& v) {
  return std::string("with the difference") + (v.whole("differences") == 1 ? "" : "s") +
         filled(" put into the reference {left} steps are left: {%explained:2} explained", v);
}

std::string lines(const std::vector<double>& gain, const std::vector<double>& offset) {
  std::string text;
  for (std::size_t c = 0; c < std::min(gain.size(), offset.size()); ++c)
    text += (c ? "; " : "") + number(gain[c], 5) + " x " + (offset[c] < 0 ? "- " : "+ ") +
            number(std::abs(offset[c]), 5);
  return text;
}

std::string value_lines(const Values& v) {
  return "stored value = " + lines(v.list("gain"), v.list("offset")) +
         " by channel for pixels x in 0..255; the reference's is " +
         lines(v.list("reference_gain"), v.list("reference_offset"));
}

std::string neighbour_variance(const Values& v) {
  const double share = v.real("share"), own = v.real("reference_share");
  return filled(
             "spectrum: neighbouring pixels differ with {%share:2} of the variance, the "
             "reference's with {%reference_share:2}",
             v) +
         (share < 0.9 * own   ? " (the target is smoother)"
          : share > 1.1 * own ? " (the target is rougher)"
                              : "");
}

std::string target_reproduced(const Values& v) {
  return "the target's own model, fed with the reconstructed input, gives the recorded outputs " +
         (v.real("distance") == 0 ? "exactly" : filled("to {distance:2} ({'kind:40})", v));
}

std::string stage_title(const Values& v) {
  return v.has("stage") ? filled("stage '{'stage:60}'", v) : "the model input";
}

std::string stage_distance(const Values& v) {
  if (v.has("shape"))
    return filled("its size is {'shape}, in the reference {'reference_shape}", v) +
           (v.whole("unlike_frames") == v.whole("frames")
                ? ""
                : filled(" (on {#unlike_frames} of {#frames} frames)", v));
  if (v.text("state") == "equal") return filled("equal on {#frames:frame}", v);
  if (v.has("values"))
    return filled(
        "{#values} of {#of} values differ, first at frame {#frame}: value {#place} is {'target}, "
        "the reference's {'reference}",
        v);
  std::string text = v.has("rmse") ? filled("rmse {rmse}", v) : "values that are not finite";
  if (v.has("rmse_over_range"))
    text += filled(v.real("rmse_over_range") < 0.01 ? " ({%rmse_over_range:2} of its range)"
                                                    : " ({%rmse_over_range:1} of its range)",
                   v);
  if (v.has("max_abs")) text += filled(", at most {max_abs}", v);
  return text + filled(" on {#frames:frame}", v);
}

std::string stage(const Values& v) {
  return stage_title(v) + ": " + stage_distance(v) +
         (v.text("state") == "rounding" ? "; no more than rounding" : "");
}

std::string first_stage(const Values& v) {
  return stage_title(v) + " is the first that differs: " + stage_distance(v);
}

std::string codes_lose(const Values& v) {
  return "what its codes lose of the reference's input is " +
         filled(v.has("lost_steps") ? "{lost_steps} gray steps (RMS), where another decoder makes "
                                      "at most {decoder_limit:2}"
                                    : "{lost} (RMS)",
                v);
}

std::string fitting_codes(const Values& v) {
  return filled(
             "calibrated with {#frames} of these pictures, the reference in int8 (emulated) is "
             "{distance:2} from itself in float32 ({'kind:40})",
             v) +
         (v.has("same") ? filled(" and gives {%same} of its answers", v) : "") +
         filled(", the target {target_distance:2}", v) +
         (v.has("target_same") ? filled(" and {%target_same}", v) : "") +
         filled(
             "; with the target's own codes it is {unexplained:2} from the target: its codes "
             "cause the difference",
             v);
}

std::string kernel_residue(const Values& v) {
  const std::string alone =
      "replayed alone on the host's built-in kernels, " +
      (v.whole("layers") > 1 ? filled("the worst of them is layer {#layer}: ", v) : "");
  if (v.has("not_finite"))
    return alone + filled("{#not_finite} values are NaN or infinite on one side only", v);
  const std::string on =
      " on the very inputs that the target recorded, where healthy kernels stay ";
  if (v.text("unit") != "lsb")
    return alone + filled("its output is off by up to {largest} of its RMS", v) + on +
           "below 0.0001";
  if (v.real("largest") <= 1)
    return alone + filled("its output is off by {mean:2} steps on average", v) + on + "below 0.25";
  return alone +
         filled("its output is off by up to {largest} steps ({%differing} of the values differ)",
                v) +
         on + "within 1";
}

std::string activation_codes(const Values& v) {
  return filled("its codes reach from {least} to {most}; the step is ", v) +
         (v.has("step_ratio") ? filled("{step_ratio}", v) : "") +
         filled(
             " times what the reference's values of these frames need, and {cut_off:2} of their "
             "standard deviation is cut off",
             v);
}

std::string calibrated_ranges(const Values& v) {
  return filled(v.has("cut_off")
                    ? "of {#layers} of {#of} layers the codes end before the values do; the worst "
                      "cuts off {cut_off} of the standard deviation"
                    : "of {#layers} of {#of} layers the step is wider than the values need, the "
                      "worst {step_ratio} times",
                v);
}

std::string gap_share(const Values& v) {
  return filled(
             "finished by the reference from the target's tensors, {%share} of the squared gap "
             "arises in this layer",
             v) +
         (v.has("injection")
              ? filled(
                    "; put into the reference as the only fault, it makes {injection} of the gap",
                    v)
              : "");
}

/// How a repair was made, placed before its effect on the logits.
const char* repair_text(std::string_view how) {
  if (how == "rest_by_reference") return "with it repaired and the rest computed by the reference,";
  if (how == "reference_biases")
    return "with the reference's biases inside the target's own model,";
  if (how == "fitting_scales")
    return "with scales that fit in all of them, and their own operators, inside the target's own "
           "model,";
  if (how == "own_attributes")
    return "with its own operator, weights and scales, and that set, inside the target's own "
           "model,";
  if (how == "fitting_scale")
    return "with a scale that fits, and its own operator, inside the target's own model,";
  return "with it computed by the reference's operator inside the target's own model,";
}

std::string repaired(const Values& v) {
  if (v.text("of") == "outputs")
    return filled(
        "with it computed by the reference's operator inside the target's own model, the outputs "
        "are {after} of their standard deviation from the reference's, not {before}",
        v);
  if (v.text("how") == "scale_in_reference")
    return filled(
        "with a scale that fits, inside the reference's own model, its logits are {after} of their "
        "standard deviation from the target's, not {before}",
        v);
  return repair_text(v.text("how")) +
         filled(
             " the logits are {after} of their standard deviation from the reference's, not "
             "{before}",
             v);
}

std::string changes(const Values& v) {
  return v.whole("changes") == 1 ? "with this change" : filled("with these {#changes} changes", v);
}

std::string answers_reproduced(const Values& v) {
  return changes(v) + filled(" it gives exactly the app's answers in {#frames:frame}", v);
}

std::string text_reproduced(const Values& v) {
  return changes(v) + filled(" they make exactly the recorded inputs in {#frames:frame}", v);
}

std::string answer_decides(const Values& v) {
  const std::string what = v.text("what");
  if (what == "class")
    return filled("an answer with class {#class} ('{'name:40}') would decide", v);
  const std::string name = filled("{'name:80}", v);
  if (what == "recorded")
    return filled("frame {#frame}", v) + (name.empty() ? "" : " ('" + name + "')") +
           " would decide: its outputs are recorded, and what the app makes of them is not";
  if (what == "property") return name + " would decide";
  if (what == "nothing")
    return "no frame that was tried or synthesised distinguishes the explanations: they seem to "
           "mean the same";
  if (what == "count") return "frames with more, and with fewer, good scores would decide";
  if (what == "scores") return "frames with less sure, and different, scores would decide";
  if (what == "pictures")
    return "more pictures would decide, of other shapes and with other things in them";
  if (what == "lengths") return "inputs of other lengths, with more padding, would decide";
  if (what == "alarms")
    return "frames with scores nearer to the threshold, on both sides, would decide";
  return "more frames would decide, with other classes and less sure scores";
}

/// A sentence template, or a function if its words depend on the values.
struct Wording {
  constexpr Wording(EvidenceKind of, const char* words) : kind(of), sentence(words) {}
  constexpr Wording(EvidenceKind of, std::string (*making)(const Values&))
      : kind(of), make(making) {}

  EvidenceKind kind;
  const char* sentence = nullptr;
  std::string (*make)(const Values&) = nullptr;
};

constexpr auto kWordings = [] {
  using enum EvidenceKind;
  return std::to_array<Wording>({
      {kInputDistance,
       "the target is {distance} gray steps (RMS) from the reference's input over "
       "{#frames:frame}"},
      {kLeftWithDifferences, left_with_differences},
      {kLeftWithFault,
       "the target is {distance} gray steps (RMS) from the reference's input; with that, {left} "
       "are left"},
      {kFramesAgree, "{#agreeing} of {#frames} frames agree"},
      {kValueLines, value_lines},
      {kGrayPictures, "the pictures are gray: RGB and BGR cannot be distinguished on them"},
      {kTargetPixelsWhole,
       "the target's pixels are whole numbers, the reference's are not: the app resizes in 8 bits"},
      {kReferencePixelsWhole,
       "the reference's pixels are whole numbers, the target's are not: the app resizes without "
       "rounding to 8 bits"},
      {kDistinctValues, "only {#values} distinct values are left of the picture"},
      {kOtherDecoder, "the recorded pixels are those of another decoder: {'decoder}"},
      {kDecoderRounding,
       "a difference of this size comes from another image decoder or its rounding"},
      {kStoredValues,
       "range of the stored values: {least:4}..{most:4}, mean {mean:4}, deviation {deviation:4}; "
       "the reference's: {reference_least:4}..{reference_most:4}, mean {reference_mean:4}, "
       "deviation {reference_deviation:4}"},
      {kInputCorrelation, "correlation with the reference's input: {correlation}"},
      {kNeighbourVariance, neighbour_variance},
      {kMovedPlaces,
       "the reference's values, moved so, are {left:2} gray steps (RMS) from the recorded ones"},
      {kOwnRanges, "every frame is exact by itself: {left:2} gray steps (RMS) are left"},
      {kValueTable,
       "each stored value is a function of the pixel value: {left:2} steps are left of it, "
       "{line_left} of the best straight line"},
      {kOtherPictures,
       "these frames are {distance} gray steps (RMS) from the reference's input of their own "
       "picture and {from_other} from those of the other"},
      {kBytesReordered,
       "with the bytes of each value in the other order, the recorded inputs are {left:2} gray "
       "steps "
       "(RMS) from the reference's in {#frames:frame}"},
      {kDifferencePlace, "where: {'sentence:400}"},
      {kReferenceWithFaultAccuracy,
       "the reference replayed with this change is right on {%accuracy}; the target, as recorded, "
       "on {%target_accuracy}"},
      {kReferenceWithFaultDistance,
       "replayed with this change, the reference's outputs are {distance} from the target's "
       "({'kind:40}); without it, {without}"},
      {kTargetReproduced, target_reproduced},
      {kOnRecordedInputs,
       "on the inputs that the target recorded, the reference's model gives its answers to "
       "{distance:2} ({'kind:40}); on its own inputs, to {on_own_inputs:2}"},
      {kOnReferenceInputs,
       "on the reference's inputs the target's own model gives other outputs, by {distance:2} "
       "({'kind:40})"},
      {kEffectUnderFloor,
       "its effect on the outputs ({effect:2}) stays under the floor ({limit:2})"},
      {kStage, stage},
      {kFirstStage, first_stage},
      {kCodesLose, codes_lose},
      {kCodesNotReplayed,
       "the reference could not be replayed through these codes, so nothing shows that they are "
       "the cause"},
      {kThroughCodes,
       "fed through these codes, the reference's outputs are {distance} from the target's "
       "({'kind:40}); without them, {without}"},
      {kGiveTrainingRecipe, "give the recipe that the model was trained with (--reference-recipe)"},
      {kQuantiseAgain,
       "quantise the model again, with calibration data that went through the recipe it is used "
       "with"},
      {kFittingCodes, fitting_codes},
      {kKernelResidue, kernel_residue},
      {kKernelsReplaced,
       "with every kernel replaced by the host's, the logits are {after} of their standard "
       "deviation from the reference's, not {before}"},
      {kOtherLayersRight, "{#layers} other {'type} layers are right on their own inputs"},
      {kSegmentAlone,
       "that part of the target's model ({#operators:operator}), run on the reference's values, "
       "gives "
       "a result that is {distance:2} (relative L2) from the reference's and {recorded:2} from the "
       "target's recording"},
      {kSegmentRelation, "that explains {%explained} of the squared difference"},
      {kRestRestored,
       "with the reference's values of '{'layer:60}' the rest of the target's model gives outputs "
       "{after:2} ({'kind:40}) from the reference's, not {before:2}"},
      {kActivationCodes, activation_codes},
      {kFittingScale,
       "a scale of {scale:4} with zero point {#zero_point} fits them; the file has "
       "{scale_in_file:4} and {#zero_point_in_file}"},
      {kWeightsDiffer,
       "its weights differ by up to {steps} quantisation steps, where rounding gives at most 0.5"},
      {kWeightsShape, "its weights have another shape"},
      {kBiasDiffers,
       "its bias differs by up to {%share} of the largest one, where rounding gives at most 5 %"},
      {kRescaleBiases,
       "divide them by the input's new scale over its old one, or convert the model again: a bias "
       "counts in steps of input scale times weight scale"},
      {kWidenWeightScale,
       "their weights are so small that the step of the bias, input scale times weight scale, is "
       "too: give these channels a wider weight scale, or remove them before the model is "
       "quantised"},
      {kAttributeDiffers,
       "attribute {'name:40}: {'target:60} in the target's file, {'reference:60} in the "
       "reference's"},
      {kSetAttribute,
       "set `{'attribute:40}` of {'type:40} layer {#layer} of the target ('{'node:60}') to "
       "{'value:60}"},
      {kOperatorsApart,
       "run alone on the same inputs, with the target's weights where there are any and a scale "
       "that fits, the two operators are {distance} of the standard deviation apart, which "
       "quantisation does not explain"},
      {kStepWidth,
       "for nine of ten channels the step is up to {times} times the ideal one; quantise its "
       "weights per channel"},
      {kCalibratedRanges, calibrated_ranges},
      {kOwnOperatorError,
       "run alone on the reference's inputs, its own operator is off by {error} of the standard "
       "deviation of its output with a scale that fits"},
      {kLocalError,
       "run alone on the reference's inputs it is off by {error} of the standard deviation of its "
       "output, {times} times the unavoidable cost of rounding"},
      {kGapShare, gap_share},
      {kRepaired, repaired},
      {kGapBelowLimit,
       "on the same model input the logits are {gap} of their standard deviation from the "
       "reference's, below the limit of {limit:2}"},
      {kRestBelowLimit,
       "with all that was found before it repaired, the logits are {gap} of their standard "
       "deviation from the reference's, below the limit of {limit:2}"},
      {kRepairFinite,
       "on the same model input the outputs of {#frames} frames contain NaN or infinity; with it "
       "repaired, of none"},
      {kRepairRestores,
       "on the same model input the outputs are {before:2} from the reference's ({'kind:40}, floor "
       "{floor:2}); with it repaired, {after:2}"},
      {kRepairWithoutEffect,
       "with it repaired the outputs are still {after} from the reference's ({'kind:40}), not "
       "nearer than before ({before})"},
      {kStoredPrecision,
       "every value of {#layers} of {#of} recorded float32 layers is a {'format} number"},
      {kPrecisionLayers,
       "{#layers} of {#of} steps with recorded inputs and outputs are no farther from float32 than "
       "{'format} moves them"},
      {kPrecisionReplayed,
       "the reference emulated in {'format} on the target's inputs is {distance:2} from itself "
       "in float32 ({'kind:40}), the target {target_distance:2}"},
      {kPrecisionBreaks,
       "the reference emulated in {'format} gives NaN or infinity in {#frames} of {#of} frames, "
       "the target in {#target_frames}"},
      {kPrecisionNearest,
       "emulated in {'format} on their recorded inputs, {#layers} layers are {distance:2} of their "
       "size from what was recorded (root mean square), and {moved:2} from float32"},
      {kPrecisionUndecided,
       "undecided between {'format} and {'other}: the recorded values do not distinguish them"},
      {kPrecisionDenormal,
       "of {#values} values that float16 stores as denormal numbers, {#zeros} were recorded as 0"},
      {kPrecisionSteps,
       "{#layers} of {#of} steps with recorded inputs and outputs give what {'format} makes of "
       "their inputs, or, where it rounds nothing, float32"},
      {kPrecisionLands,
       "the reference emulated like this is {distance:2} from the target's outputs ({'kind:40})"},
      {kStateSteps,
       "exactly so in {#steps} of {#of} recorded steps, input against output; the first is frame "
       "{#first_frame}"},
      {kStatesCarried,
       "with the states fed back as meant, the target's model is {distance:2} from the "
       "reference's answers ({'kind:40}); as recorded, {without:2}"},
      {kEachIsTheOther,
       "by shape and values each is the other; compared as such they differ by {distance:2}, but "
       "code that reads them by name or place gets the other one"},
      {kOutputsExchanged,
       "exchanged, the distance of the outputs falls from {before:2} to {after:2} (floor "
       "{floor:2})"},
      {kAnswersUnlike,
       "the reference's recipe gives other answers for the recorded outputs in {#frames} of {#of} "
       "frames ({'parts:60})"},
      {kAnswersReproduced, answers_reproduced},
      {kAnswersFit,
       "that may be luck: of what it predicts and the reference's recipe does not, too little was "
       "recorded ({bits:2} bits)"},
      {kAnswerDecides, answer_decides},
      {kAnswerTies, "some labels are right only because their scores are equal to another class's"},
      {kTextUnlike,
       "the reference's recipe and tokenizer make other inputs of the recorded texts in {#frames} "
       "of {#of} frames ({'inputs:60})"},
      {kTextReproduced, text_reproduced},
      {kTextFit, "that may be luck: too few ids distinguish it from the reference ({bits:2} bits)"},
      {kTextDecides, "{'text:80} would decide"},
      {kTextFirstDifference,
       "frame {#frame}: token {#place} is {'target:100}, the reference's {'reference:100}, in "
       "'{'text:100}'"},
  });
}();

constexpr bool is_in_order() {
  for (std::size_t i = 0; i < std::size(kWordings); ++i)
    if (kWordings[i].kind != static_cast<EvidenceKind>(i)) return false;
  return std::size(kWordings) == std::size(diagnose::kEvidenceKindNames);
}
static_assert(is_in_order());

}  // namespace

std::string evidence_text(const Evidence& evidence) {
  const Values values(evidence);
  const Wording& wording = kWordings[static_cast<std::size_t>(evidence.kind)];
  return wording.make ? wording.make(values) : filled(wording.sentence, values);
}

std::vector<std::string> evidence_texts(const std::vector<Evidence>& evidence) {
  std::vector<std::string> texts;
  for (const Evidence& one : evidence) texts.push_back(evidence_text(one));
  return texts;
}

}  // namespace edgeprobe::report
