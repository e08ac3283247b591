// SPDX-License-Identifier: Apache-2.0
#include "report/words/evidence.h"

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "report/words/statement_values.h"

namespace edgeprobe::report {
namespace {

using diagnose::Evidence;
using diagnose::EvidenceKind;

// Values of one evidence as words: numbers of three significant digits, unless said.
struct Sentence {
  explicit Sentence(const Evidence& evidence) : values(evidence) {}

  std::string by(const char* name, int digits = 3) const {
    return number(values.real(name), digits);
  }
  std::string count(const char* name) const { return std::to_string(values.whole(name)); }
  std::string share(const char* name, int places = 1) const {
    return percent(values.real(name), places);
  }
  std::string kind() const { return sanitized(values.text("kind"), 40); }
  std::string frames() const {
    return count("frames") + (values.whole("frames") == 1 ? " frame" : " frames");
  }

  const Values values;
};

std::string lines(const std::vector<double>& gain, const std::vector<double>& offset) {
  std::string text;
  for (std::size_t c = 0; c < std::min(gain.size(), offset.size()); ++c)
    text += (c ? "; " : "") + number(gain[c], 5) + " x " + (offset[c] < 0 ? "- " : "+ ") +
            number(std::abs(offset[c]), 5);
  return text;
}

std::string answer_decides(const Sentence& s) {
  const std::string what = s.values.text("what");
  if (what == "class")
    return "an answer with class " + s.count("class") + " ('" +
           sanitized(s.values.text("name"), 40) + "') would decide";
  const std::string name = sanitized(s.values.text("name"), 80);
  if (what == "recorded")
    return "frame " + s.count("frame") + (name.empty() ? "" : " ('" + name + "')") +
           " would decide: its outputs are recorded, and what the app makes of them is not";
  if (what == "property") return name + " would decide";
  if (what == "nothing")
    return "no frame that was tried or made up tells the explanations apart: they seem to be the "
           "same thing in other words";
  if (what == "count") return "frames with more, and with fewer, good scores would decide";
  if (what == "scores") return "frames with less sure, and different, scores would decide";
  if (what == "pictures")
    return "more pictures would decide, of other shapes and with other things in them";
  if (what == "lengths") return "inputs of other lengths, with more padding, would decide";
  if (what == "alarms")
    return "frames with scores nearer to the threshold, on both sides, would decide";
  return "more frames would decide, with other classes and less sure scores";
}

std::string value_lines(const Sentence& s) {
  return "stored value = " + lines(s.values.list("gain"), s.values.list("offset")) +
         " by channel for pixels x in 0..255; the reference's is " +
         lines(s.values.list("reference_gain"), s.values.list("reference_offset"));
}

std::string stored_values(const Sentence& s) {
  const auto range = [&](const std::string& whose) {
    const auto at = [&](const char* what) { return s.by((whose + what).c_str(), 4); };
    return at("least") + ".." + at("most") + ", mean " + at("mean") + ", deviation " +
           at("deviation");
  };
  return "range of the stored values: " + range("") + "; the reference's: " + range("reference_");
}

std::string neighbour_variance(const Sentence& s) {
  const double share = s.values.real("share"), own = s.values.real("reference_share");
  return "spectrum: neighbouring pixels differ with " + s.share("share", 2) +
         " of the variance, the reference's with " + s.share("reference_share", 2) +
         (share < 0.9 * own   ? " (the target is smoother)"
          : share > 1.1 * own ? " (the target is rougher)"
                              : "");
}

std::string stage_title(const Sentence& s) {
  if (!s.values.has("stage")) return "the model input";
  return "stage '" + sanitized(s.values.text("stage"), 60) + "'";
}

std::string stage_distance(const Sentence& s) {
  const std::string of = " of " + s.count("frames") + " frames)";
  if (s.values.has("shape"))
    return "its size is " + s.values.text("shape") + ", in the reference " +
           s.values.text("reference_shape") +
           (s.values.whole("unlike_frames") == s.values.whole("frames")
                ? ""
                : " (on " + s.count("unlike_frames") + of);
  if (s.values.text("state") == "equal") return "equal on " + s.frames();
  if (s.values.has("values"))
    return s.count("values") + " of " + s.count("of") + " values differ, first at frame " +
           s.count("frame") + ": value " + s.count("place") + " is " + s.values.text("target") +
           ", the reference's " + s.values.text("reference");
  std::string text = s.values.has("rmse") ? "rmse " + s.by("rmse") : "values that are not finite";
  if (s.values.has("rmse_over_range")) {
    const int places = s.values.real("rmse_over_range") < 0.01 ? 2 : 1;
    text += " (" + s.share("rmse_over_range", places) + " of its range)";
  }
  if (s.values.has("max_abs")) text += ", at most " + s.by("max_abs");
  return text + " on " + s.frames();
}

std::string from_to(const Sentence& s) {
  return "the logits lie " + s.by("after") +
         " of their standard deviation from the reference's, not " + s.by("before");
}

std::string kernel_residue(const Sentence& s) {
  const std::string alone =
      "replayed alone on the host's built-in kernels, " +
      (s.values.whole("layers") > 1 ? "the worst of them is layer " + s.count("layer") + ": "
                                    : std::string());
  if (s.values.has("not_finite"))
    return alone + s.count("not_finite") + " values are NaN or infinite on one side only";
  const std::string on =
      " on the very inputs that the target recorded, where healthy kernels stay ";
  if (s.values.text("unit") != "lsb")
    return alone + "its output is off by up to " + s.by("largest") + " of its RMS" + on +
           "below 0.0001";
  if (s.values.real("largest") <= 1)
    return alone + "its output is off by " + s.by("mean", 2) + " steps on average" + on +
           "below 0.25";
  return alone + "its output is off by up to " + s.by("largest") + " steps (" +
         s.share("differing") + " of the values differ)" + on + "within 1";
}

std::string repaired(const Sentence& s) {
  if (s.values.text("of") == "outputs")
    return "with it computed by the reference's operator inside the target's own model, the "
           "outputs lie " +
           s.by("after") + " of their standard deviation from the reference's, not " +
           s.by("before");
  const std::string how = s.values.text("how");
  const char* const inside = " inside the target's own model, ";
  if (how == "rest_by_reference")
    return "with it repaired and the rest computed by the reference, " + from_to(s);
  if (how == "scale_in_reference")
    return "with a scale that fits, inside the reference's own model, its logits lie " +
           s.by("after") + " of their standard deviation from the target's, not " + s.by("before");
  if (how == "reference_biases")
    return std::string("with the reference's biases") + inside + from_to(s);
  if (how == "fitting_scales")
    return std::string("with scales that fit in all of them, and their own operators,") + inside +
           from_to(s);
  if (how == "own_attributes")
    return std::string("with its own operator, weights and scales, and that set,") + inside +
           from_to(s);
  if (how == "fitting_scale")
    return std::string("with a scale that fits, and its own operator,") + inside + from_to(s);
  return std::string("with it computed by the reference's operator") + inside + from_to(s);
}

}  // namespace

std::string evidence_text(const Evidence& evidence) {
  const Sentence s(evidence);
  const std::string of_logits = " of their standard deviation from the reference's";
  switch (evidence.kind) {
    using enum EvidenceKind;
    case kInputDistance:
      return "the target lies " + s.by("distance") +
             " gray steps (RMS) from the reference's input over " + s.frames();
    case kLeftWithDifferences:
      return std::string("with the difference") + (s.values.whole("differences") == 1 ? "" : "s") +
             " put into the reference " + s.by("left") +
             " steps are left: " + s.share("explained", 2) + " explained";
    case kLeftWithFault:
      return "the target lies " + s.by("distance") +
             " gray steps (RMS) from the reference's input; with that, " + s.by("left") +
             " are left";
    case kFramesAgree: return s.count("agreeing") + " of " + s.count("frames") + " frames agree";
    case kValueLines: return value_lines(s);
    case kGrayPictures: return "the pictures are gray: RGB and BGR cannot be told apart on them";
    case kTargetPixelsWhole:
      return "the target's pixels are whole numbers, the reference's are not: the app resizes in "
             "8 bits";
    case kReferencePixelsWhole:
      return "the reference's pixels are whole numbers, the target's are not: the app resizes "
             "without rounding to 8 bits";
    case kDistinctValues:
      return "only " + s.count("values") + " distinct values are left of the picture";
    case kOtherDecoder:
      return "the recorded pixels are those of another decoder: " + s.values.text("decoder");
    case kDecoderRounding:
      return "a difference of this size comes from another image decoder or its rounding";
    case kStoredValues: return stored_values(s);
    case kInputCorrelation: return "correlation with the reference's input: " + s.by("correlation");
    case kNeighbourVariance: return neighbour_variance(s);
    case kMovedPlaces:
      return "the reference's values, moved so, lie " + s.by("left", 2) +
             " gray steps (RMS) from the recorded ones";
    case kOwnRanges:
      return "every frame is exact by itself: " + s.by("left", 2) + " gray steps (RMS) are left";
    case kValueTable:
      return "each stored value is a function of the pixel value: " + s.by("left", 2) +
             " steps are left of it, " + s.by("line_left") + " of the best straight line";
    case kOtherPictures:
      return "these frames lie " + s.by("distance") +
             " gray steps (RMS) from the reference's input of their own picture and " +
             s.by("from_other") + " from those of the other";
    case kReferenceWithFaultAccuracy:
      return "the reference replayed with this change is right on " + s.share("accuracy") +
             "; the target, as recorded, on " + s.share("target_accuracy");
    case kReferenceWithFaultDistance:
      return "replayed with this change, the reference's outputs lie " + s.by("distance") +
             " from the target's (" + s.kind() + "); without it, " + s.by("without");
    case kTargetReproduced:
      return "the target's own model, fed with the reconstructed input, gives the recorded "
             "outputs " +
             (s.values.real("distance") == 0 ? std::string("exactly")
                                             : "to " + s.by("distance", 2) + " (" + s.kind() + ")");
    case kOnRecordedInputs:
      return "on the inputs that the target recorded, the reference's model gives its answers to " +
             s.by("distance", 2) + " (" + s.kind() + "); on its own inputs, to " +
             s.by("on_own_inputs", 2);
    case kOnReferenceInputs:
      return "on the reference's inputs the target's own model answers otherwise by " +
             s.by("distance", 2) + " (" + s.kind() + ")";
    case kEffectUnderFloor:
      return "its effect on the outputs (" + s.by("effect", 2) + ") stays under the floor (" +
             s.by("limit", 2) + ")";
    case kStage:
      return stage_title(s) + ": " + stage_distance(s) +
             (s.values.text("state") == "rounding" ? "; no more than rounding" : "");
    case kFirstStage: return stage_title(s) + " is the first that differs: " + stage_distance(s);
    case kCodesLose:
      return "what its codes lose of the reference's input is " +
             (s.values.has("lost_steps")
                  ? s.by("lost_steps") + " gray steps (RMS), where another decoder makes at most " +
                        s.by("decoder_limit", 2)
                  : s.by("lost") + " (RMS)");
    case kCodesNotReplayed:
      return "the reference could not be replayed through these codes, so nothing shows that they "
             "are the cause";
    case kThroughCodes:
      return "fed through these codes, the reference's outputs lie " + s.by("distance") +
             " from the target's (" + s.kind() + "); without them, " + s.by("without");
    case kGiveTrainingRecipe:
      return "give the recipe that the model was trained with (--reference-recipe)";
    case kQuantiseAgain:
      return "quantise the model again, with calibration data that went through the recipe it is "
             "used with";
    case kFittingCodes:
      return "calibrated with " + s.count("frames") +
             " of these pictures, the reference in int8 (emulated) lies " + s.by("distance", 2) +
             " from itself in float32 (" + s.kind() + ")" +
             (s.values.has("same") ? " and gives " + s.share("same") + " of its answers" : "") +
             ", the target " + s.by("target_distance", 2) +
             (s.values.has("target_same") ? " and " + s.share("target_same") : "") +
             "; with the target's own codes it lies " + s.by("unexplained", 2) +
             " from the target: its codes are what sets it apart";
    case kKernelResidue: return kernel_residue(s);
    case kKernelsReplaced: return "with every kernel replaced by the host's, " + from_to(s);
    case kOtherLayersRight:
      return s.count("layers") + " other " + s.values.text("type") +
             " layers are right on their own inputs";
    case kActivationCodes:
      return "its codes reach from " + s.by("least") + " to " + s.by("most") + "; the step is " +
             (s.values.has("step_ratio") ? s.by("step_ratio") : std::string()) +
             " times what the reference's values of these frames need, and " + s.by("cut_off", 2) +
             " of their standard deviation is cut off";
    case kFittingScale:
      return "a scale of " + s.by("scale", 4) + " with zero point " + s.count("zero_point") +
             " fits them; the file has " + s.by("scale_in_file", 4) + " and " +
             s.count("zero_point_in_file");
    case kWeightsDiffer:
      return "its weights differ by up to " + s.by("steps") +
             " quantisation steps, where rounding gives at most 0.5";
    case kWeightsShape: return "its weights have another shape";
    case kBiasDiffers:
      return "its bias differs by up to " + s.share("share") +
             " of the largest one, where rounding gives at most 5 %";
    case kRescaleBiases:
      return "divide them by the input's new scale over its old one, or convert the model again: a "
             "bias counts in steps of input scale times weight scale";
    case kWidenWeightScale:
      return "their weights are so small that the step of the bias, input scale times weight "
             "scale, is too: give these channels a wider weight scale, or remove them before the "
             "model is quantised";
    case kAttributeDiffers:
      return "attribute " + sanitized(s.values.text("name"), 40) + ": " +
             sanitized(s.values.text("target"), 60) + " in the target's file, " +
             sanitized(s.values.text("reference"), 60) + " in the reference's";
    case kSetAttribute:
      return "set `" + sanitized(s.values.text("attribute"), 40) + "` of " +
             sanitized(s.values.text("type"), 40) + " layer " + s.count("layer") +
             " of the target ('" + sanitized(s.values.text("node"), 60) + "') to " +
             sanitized(s.values.text("value"), 60);
    case kOperatorsApart:
      return "run alone on the same inputs, with the target's weights where there are any and a "
             "scale that fits, the two operators lie " +
             s.by("distance") + " of the standard deviation apart: no matter of quantisation";
    case kStepWidth:
      return "for nine of ten channels the step is up to " + s.by("times") +
             " times the ideal one; quantise its weights per channel";
    case kCalibratedRanges:
      return s.values.has("cut_off")
                 ? "of " + s.count("layers") + " of " + s.count("of") +
                       " layers the codes end before the values do; the worst cuts off " +
                       s.by("cut_off") + " of the standard deviation"
                 : "of " + s.count("layers") + " of " + s.count("of") +
                       " layers the step is wider than the values need, the worst " +
                       s.by("step_ratio") + " times";
    case kOwnOperatorError:
      return "run alone on the reference's inputs, its own operator is off by " + s.by("error") +
             " of the standard deviation of its output with a scale that fits";
    case kLocalError:
      return "run alone on the reference's inputs it is off by " + s.by("error") +
             " of the standard deviation of its output, " + s.by("times") +
             " times what rounding has to cost";
    case kGapShare:
      return "finished by the reference from the target's tensors, " + s.share("share") +
             " of the squared gap arises in this layer" +
             (s.values.has("injection")
                  ? "; put into the reference alone, it makes " + s.by("injection") + " of the gap"
                  : "");
    case kRepaired: return repaired(s);
    case kGapBelowLimit:
      return "on the same model input the logits lie " + s.by("gap") + of_logits +
             ", below the limit of " + s.by("limit", 2);
    case kRestBelowLimit:
      return "with all that was found before it repaired, the logits lie " + s.by("gap") +
             of_logits + ", below the limit of " + s.by("limit", 2);
    case kRepairFinite:
      return "on the same model input the outputs of " + s.count("frames") +
             " frames hold NaN or infinity; with it repaired, of none";
    case kRepairRestores:
      return "on the same model input the outputs lie " + s.by("before", 2) +
             " from the reference's (" + s.kind() + ", floor " + s.by("floor", 2) +
             "); with it repaired, " + s.by("after", 2);
    case kRepairWithoutEffect:
      return "with it repaired the outputs still lie " + s.by("after") + " from the reference's (" +
             s.kind() + "), not nearer than before (" + s.by("before") + ")";
    case kStoredPrecision:
      return "every value of " + s.count("layers") + " of " + s.count("of") +
             " recorded float32 layers is a " + s.values.text("format") + " number";
    case kPrecisionLayers:
      return s.count("layers") + " of " + s.count("of") +
             " steps with recorded inputs and outputs lie no farther from float32 than " +
             s.values.text("format") + " moves them";
    case kPrecisionReplayed:
      return "the reference emulated in " + s.values.text("format") +
             " on the target's inputs lies " + s.by("distance", 2) + " from itself in float32 (" +
             s.kind() + "), the target " + s.by("target_distance", 2);
    case kPrecisionBreaks:
      return "the reference emulated in " + s.values.text("format") + " gives NaN or infinity in " +
             s.count("frames") + " of " + s.count("of") + " frames, the target in " +
             s.count("target_frames");
    case kPrecisionNearest:
      return "emulated in " + s.values.text("format") + " on their recorded inputs, " +
             s.count("layers") + " layers lie " + s.by("distance", 2) +
             " of their size from what was recorded (root mean square), and " + s.by("moved", 2) +
             " from float32";
    case kPrecisionUndecided:
      return "undecided between " + s.values.text("format") + " and " + s.values.text("other") +
             ": the recorded values do not tell them apart";
    case kPrecisionDenormal:
      return "of " + s.count("values") + " values that float16 stores as denormal numbers, " +
             s.count("zeros") + " were recorded as 0";
    case kPrecisionSteps:
      return s.count("layers") + " of " + s.count("of") +
             " steps with recorded inputs and outputs give what " + s.values.text("format") +
             " makes of their inputs, or, where it rounds nothing, float32";
    case kPrecisionLands:
      return "the reference so emulated lies " + s.by("distance", 2) +
             " from the target's outputs (" + s.kind() + ")";
    case kStateSteps:
      return "exactly so in " + s.count("steps") + " of " + s.count("of") +
             " recorded steps, input against output; the first is frame " + s.count("first_frame");
    case kStatesCarried:
      return "with the states fed back as meant, the target's model lies " + s.by("distance", 2) +
             " from the reference's answers (" + s.kind() + "); as recorded, " + s.by("without", 2);
    case kEachIsTheOther:
      return "by shape and values each is the other; compared like that they differ by " +
             s.by("distance", 2) + ", but whoever reads them by name or place gets the other one";
    case kOutputsExchanged:
      return "exchanged, the distance of the outputs falls from " + s.by("before", 2) + " to " +
             s.by("after", 2) + " (floor " + s.by("floor", 2) + ")";
    case kAnswersUnlike:
      return "the reference's recipe gives other answers for the recorded outputs in " +
             s.count("frames") + " of " + s.count("of") + " frames (" +
             sanitized(s.values.text("parts"), 60) + ")";
    case kAnswersReproduced:
      return "with " +
             (s.values.whole("changes") == 1 ? std::string("this change")
                                             : "these " + s.count("changes") + " changes") +
             " it gives exactly the app's answers in " + s.frames();
    case kAnswersFit:
      return "that may be luck: of what it predicts and the reference's recipe does not, too "
             "little "
             "was recorded (" +
             s.by("bits", 2) + " bits)";
    case kAnswerDecides: return answer_decides(s);
    case kAnswerTies:
      return "some labels are right only because their scores are equal to another class's";
    case kTextUnlike:
      return "the reference's recipe and tokenizer make other inputs of the recorded texts in " +
             s.count("frames") + " of " + s.count("of") + " frames (" +
             sanitized(s.values.text("inputs"), 60) + ")";
    case kTextReproduced:
      return "with " +
             (s.values.whole("changes") == 1 ? std::string("this change")
                                             : "these " + s.count("changes") + " changes") +
             " they make exactly the recorded inputs in " + s.frames();
    case kTextFit:
      return "that may be luck: too few ids tell it from the reference (" + s.by("bits", 2) +
             " bits)";
    case kTextDecides: return sanitized(s.values.text("text"), 80) + " would decide";
    case kTextFirstDifference:
      return "frame " + s.count("frame") + ": token " + s.count("place") + " is " +
             sanitized(s.values.text("target"), 100) + ", the reference's " +
             sanitized(s.values.text("reference"), 100) + ", in '" +
             sanitized(s.values.text("text"), 100) + "'";
  }
  return "";
}

std::vector<std::string> evidence_texts(const std::vector<Evidence>& evidence) {
  std::vector<std::string> texts;
  for (const Evidence& one : evidence) texts.push_back(evidence_text(one));
  return texts;
}

}  // namespace edgeprobe::report
