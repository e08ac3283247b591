// SPDX-License-Identifier: Apache-2.0
#include "report/words/hints.h"

#include "core/text.h"

namespace edgeprobe::report {

std::string unlike_text(const Values& values) {
  std::string text;
  const std::pair<std::string, const char*> shapes[] = {{"input", "model input"},
                                                        {"output", "output"}};
  for (const auto& [key, title] : shapes) {
    if (!values.has(key.c_str())) continue;
    text += (text.empty() ? "its " : ", its ") + std::string(title) + " is " +
            values.text(key.c_str()) + " and the reference's " +
            values.text(("reference_" + key).c_str());
  }
  return text;
}

std::string sizes_text(const Values& values) {
  const std::string shapes = unlike_text(values);
  if (values.has("batch"))
    return "the target feeds " + std::to_string(values.whole("batch")) +
           " samples in one inference and the reference one: " + shapes;
  if (!values.has("model")) return "the trace is of another model than the reference: " + shapes;
  return (values.text("model") == "same" ? "one model was fed at two sizes: "
                                         : "the reference's model has open axes, and was fed at "
                                           "another size than the target's: ") +
         shapes;
}

std::string hint_text(const diagnose::Hint& hint) {
  const Values values(hint);
  switch (hint.kind) {
    using enum diagnose::HintKind;
    case kRecordModelInput: return "the trace contains no model input; record it with --level io";
    case kGivePictures:
      return "there is no raw input to search from; give the pictures with --data DIR";
    case kGiveReferenceRecipe:
      return "there is no reference recipe to search from; give --reference MODEL "
             "--reference-recipe R";
    case kRecordInputAndPicture: return "no frame has both a raw input and a recorded model input";
    case kGiveReferenceOfThisModel:
      if (values.has("batch"))
        return "one sample in each frame: the elements of a batch are not judged one by one";
      if (values.has("model"))
        return "both sides fed at one size: a recipe that makes the target's, or --input-shape and "
               "--reference-input-shape; here " +
               unlike_text(values);
      return "a reference for this model: the trace is of another one, " + unlike_text(values);
    case kRecordOutputs:
      return "outputs of the same frames in target and reference; record both with --level io";
    case kMakeComparable: return values.text("why");
    case kGiveLabelsForGate: return "true classes (--labels) for --gate accuracy";
    case kGiveLabelsForRounding:
      return "true classes (--labels), to tell whether rounding that adds up costs answers";
    case kGiveLabelsForAnswers:
      return "true classes (--labels), to tell whether the answers that changed are wrong";
    case kGiveMoreFrames:
      return std::to_string(values.whole("frames")) +
             " frames or more: that many reveal a fault that affects one frame in " +
             (values.real("rate") == 0.05 ? "twenty" : number(1 / values.real("rate"), 3)) +
             " with a probability of " + percent(values.real("probability"), 0);
    case kMendOrJudgeByAccuracy:
      return "the cause is fully known: fix it, or use --gate accuracy with --labels if a fault "
             "that costs no answers may pass";
    case kGiveFramesOrLabels:
      return "more frames, or labels, to tell whether the unnamed difference of the input does "
             "harm";
    case kGiveFramesOrLabelsAndGate:
      return "more frames, or labels and --gate accuracy, to tell whether that difference does "
             "harm";
    case kGiveTrainingRecipe:
      return "the recipe that the model was trained with: --reference-recipe R";
  }
  return "";
}

std::vector<std::string> hint_texts(const std::vector<diagnose::Hint>& hints) {
  std::vector<std::string> texts;
  for (const diagnose::Hint& hint : hints) texts.push_back(hint_text(hint));
  return texts;
}

std::string unavailable_text(const std::optional<diagnose::Unavailable>& reason) {
  if (!reason) return "";
  const Values values(*reason);
  switch (reason->kind) {
    using enum diagnose::UnavailableKind;
    case kNoTargetModel: return "the target's own model is not at hand; give it with --model";
    case kReferenceInputDoesNotFit: return "the reference's input does not fit the target's model";
    case kRepairedModelFails: return "the repaired model does not run: " + values.text("error");
    case kKernelsAtOnce: return "all kernels are replaced at once; see the last of them";
    case kWithNextFix: return "fixed together with the next one";
    case kFramesNotReplayed:
      return "these frames were not replayed: the other frames have a fault of their own";
    case kOutputsNotComparable:
      return "the outputs of target and reference cannot be compared, or do not differ";
    case kOnlyReferenceWeights: return "only the reference's weights can fix it";
    case kOnlyQuantisingAgain: return "only quantising the model again can fix it";
    case kLouderKernel: return "another kernel is off by far more, and all are repaired at once";
    case kNoRepairHelps: return "no repair brings the outputs back";
    case kNotRepaired: return values.text("why");
    case kComparedAsTheyAre:
      return "the outputs were compared as what they are, not as what they are called";
    case kNoOutputDistance: return "the outputs have no distance";
    case kBehindTheModel: return "it acts after the model's outputs, which are compared";
  }
  return "";
}

}  // namespace edgeprobe::report
