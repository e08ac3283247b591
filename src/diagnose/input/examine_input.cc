// SPDX-License-Identifier: Apache-2.0
#include "diagnose/input/examine_input.h"

#include <algorithm>
#include <numeric>

#include "core/evenly_spaced.h"
#include "core/text.h"
#include "diagnose/input/examine_readings.h"
#include "diagnose/input/examine_sound.h"
#include "diagnose/input/extent.h"
#include "diagnose/input/no_picture.h"
#include "diagnose/input/other_frames.h"
#include "diagnose/input/tensor_inputs.h"
#include "diagnose/input/text_inputs.h"
#include "diagnose/preprocessing/answer/without_raw.h"
#include "diagnose/preprocessing/diagnosis.h"
#include "diagnose/replay/counterfactual.h"
#include "pipeline/inputs/picture.h"

namespace edgeprobe::diagnose {
namespace {

struct HeldFrame {
  std::string sample;
  preprocess::Image image;
  Tensor input;
  Bytes encoded;  // What the picture was read from; empty when only pixels are known.
  std::optional<preprocess::YuvFrame> frame;
};

// Of these samples, those whose model input is at hand too, evenly spread.
Result<std::vector<HeldFrame>> held_frames(const Case& known, const trace::ReadChannel& input,
                                           const std::vector<std::size_t>& of) {
  std::vector<HeldFrame> held;
  for (const std::size_t k : evenly_spaced(of.size(), known.input_frames)) {
    const std::size_t i = of[k];
    const auto message = known.target->read(known.raw->frames[i], input.id);
    if (!message) return message.error();
    if (!*message) continue;
    auto loaded = known.raw->samples[i].load();
    if (!loaded) return std::move(loaded.error());
    dataset::Picture* const recorded = dataset::picture_of(loaded->input);
    if (!recorded) continue;
    auto picture = pipeline::picture_for(known.reference_pipeline->recipe, *recorded);
    if (!picture)
      return std::move(picture.error()).during("'" + sanitized(known.raw->samples[i].name) + "'");
    held.push_back({known.raw->samples[i].name, *std::move(picture), (*message)->copy(),
                    std::move(recorded->encoded), recorded->frame});
  }
  return held;
}

// A uint8 model may take the pixels themselves, with a recipe that ends in whole values and says no
// more. The search reads stored values by the recipe's last step, so it is told what apply() does.
preprocess::Recipe with_stored_type(preprocess::Recipe recipe, const TensorSpec& input) {
  const bool stated =
      std::any_of(recipe.steps.begin(), recipe.steps.end(), [](const preprocess::Step& step) {
        return std::holds_alternative<preprocess::Quantize>(step) ||
               std::holds_alternative<preprocess::Cast>(step);
      });
  if (input.dtype == DType::kUInt8 && !stated)
    recipe.steps.push_back(preprocess::Cast{DType::kUInt8});
  return recipe;
}

// The search works on pictures; what it found is replayed from the recorded bytes, decoded as the
// reference decodes them.
void put_first(const preprocess::Decode& how, InputDiagnosis& diagnosis) {
  if (diagnosis.as_recorded) return;
  const auto put = [&](preprocess::Recipe& recipe) {
    recipe.steps.insert(recipe.steps.begin(), how);
  };
  put(diagnosis.target_recipe);
  for (InputFault& fault : diagnosis.faults) put(fault.without_it);
}

// What lies between the app and a recipe that nobody gave is no fault of the app: it is its own
// recipe.
void doubt_guess(const Case& known, InputEvidence& evidence) {
  using State = InputDiagnosis::Status;
  InputDiagnosis& diagnosis = *evidence.diagnosis;
  if (diagnosis.status == State::kEqual) return;
  const auto of_range = [](const InputFault& fault) {
    return fault.kind == CauseKind::kValueRange || fault.kind == CauseKind::kInputQuantization;
  };
  const bool found = diagnosis.status == State::kFound;
  if (found && known.stated_range &&
      std::all_of(diagnosis.faults.begin(), diagnosis.faults.end(), of_range))
    return;
  evidence.against_guess = true;
  if (!found) return;
  if (!diagnosis.as_recorded)
    evidence.app_recipe = preprocess::to_text(preprocess::without_decode(diagnosis.target_recipe));
  diagnosis.status = State::kPartial;
}

}  // namespace

Result<InputEvidence> examine_input(const Study& study, const Control& control) {
  const Case& known = study.known;
  InputEvidence evidence;
  const trace::ReadChannel* input = input_channel(*known.target);
  if (!input) {
    evidence.undecided = Hint{HintKind::kRecordModelInput};
    return evidence;
  }
  if (are_tensors(known) || is_text(known)) return examine_tensors(study);
  auto empty = no_picture(study, control);
  if (!empty) return std::move(empty.error());
  if (empty->everywhere()) return evidence_of(*empty, study);
  if (is_sound(known)) return examine_sound(study, control);
  if (is_of_readings(known)) return examine_readings(study, control);
  const bool has_recipe = known.reference_pipeline && known.reference_pipeline->has_recipe();
  if (!known.raw || known.raw->samples.empty() || !has_recipe) {
    evidence.undecided =
        Hint{has_recipe ? HintKind::kGivePictures : HintKind::kGiveReferenceRecipe};
    std::vector<Tensor> tensors;
    for (const std::size_t i : evenly_spaced(known.target->frames().size(), known.input_frames)) {
      const auto message = known.target->read(known.target->frames()[i], input->id);
      if (message && *message) tensors.push_back((*message)->copy());
    }
    evidence.without_raw = describe_without_raw({tensors.begin(), tensors.end()});
    if (empty->frames.empty()) return evidence;
    // Of the other frames nothing is known.
    InputEvidence only = evidence_of(*empty, study);
    only.without_raw = std::move(evidence.without_raw);
    only.undecided = std::move(evidence.undecided);
    return only;
  }
  // A fault may lie in some frames alone (turned pictures, one of two cameras): they are the ones
  // to search in.
  auto steps = input_steps(study, control);
  if (!steps) return steps.error();
  const auto is_empty = [&](const InputStep& step) {
    return empty->holds(known.raw->frames[step.sample]);
  };
  InputSteps without_picture = *steps;
  std::erase_if(without_picture.frames, std::not_fn(is_empty));
  std::erase_if(steps->frames, is_empty);
  std::vector<std::size_t> differing, every;
  for (const InputStep& step : steps->frames)
    if (step.steps > steps->same) differing.push_back(step.sample);
  for (std::size_t i = 0; i < known.raw->samples.size(); ++i)
    if (!empty->holds(known.raw->frames[i])) every.push_back(i);
  if (!empty->frames.empty() && differing.empty() && !steps->frames.empty())
    return evidence_of(*empty, study);
  const bool some = !differing.empty() && differing.size() < steps->frames.size();
  const auto held = held_frames(known, *input, some ? differing : every);
  if (!held) return held.error();
  std::vector<InputFrame> frames;
  for (const HeldFrame& frame : *held) {
    std::optional<preprocess::Source> source;
    if (!frame.encoded.empty()) source = preprocess::Source{frame.encoded, frame.frame};
    frames.push_back({frame.sample, &frame.image, frame.input, source});
  }
  if (frames.empty()) {
    evidence.undecided = Hint{HintKind::kRecordInputAndPicture};
    return evidence;
  }
  const TensorSpec& reference_input = known.reference_pipeline->input();
  const preprocess::Recipe& recipe = known.reference_pipeline->recipe;
  auto diagnosis =
      diagnose_input(frames, with_stored_type(preprocess::without_decode(recipe), reference_input),
                     reference_input, input->channel.spec);
  if (!diagnosis) return std::move(diagnosis.error()).during("diagnosis of the model input");
  evidence.diagnosis = *std::move(diagnosis);
  if (evidence.diagnosis->status == InputDiagnosis::Status::kPartial && empty->frames.empty()) {
    auto other = other_frames(study, control);
    if (!other) return std::move(other.error());
    if (*other) return **std::move(other);
  }
  if (const preprocess::Decode* how = preprocess::decode_step(recipe))
    put_first(*how, *evidence.diagnosis);
  if (known.guessed_recipe) doubt_guess(known, evidence);
  const auto in_frames = [](std::size_t n, std::size_t all) {
    return "in " + std::to_string(n) + " of " + std::to_string(all) + " frames";
  };
  using State = InputDiagnosis::Status;
  if (some && evidence.diagnosis->status != State::kEqual)
    evidence.where = in_frames(differing.size(), steps->frames.size());
  if (!empty->frames.empty()) {
    // What is found may make one value of those pictures too: integers of small real values are all
    // 0.
    bool made = false;
    if (evidence.diagnosis->status == State::kFound && !without_picture.frames.empty()) {
      const auto extent = extent_of(study, without_picture, *evidence.diagnosis, control);
      if (!extent) return extent.error();
      made = extent->not_with.empty();
    }
    if (!made) evidence.empty = empty->faults;
  }
  if (evidence.diagnosis->status != State::kFound || differing.empty()) return evidence;
  const auto extent = extent_of(study, *steps, *evidence.diagnosis, control);
  if (!extent) return extent.error();
  // When the recipe holds nowhere beyond the frames that were searched, nothing is known of the
  // others.
  if (extent->with == 0) return evidence;
  // Frames that show no fault may be unable to: a gray picture has no order of channels.
  evidence.where = extent->not_with.empty() ? "" : in_frames(extent->with, extent->all());
  evidence.not_with = extent->not_with;
  if (!evidence.empty.empty()) {
    evidence.not_with.insert(evidence.not_with.end(), empty->frames.begin(), empty->frames.end());
    std::sort(evidence.not_with.begin(), evidence.not_with.end());
  }
  if (extent->otherwise > 0)
    evidence.otherwise = in_frames(extent->otherwise, extent->all()) +
                         " the model input differs otherwise, as of '" +
                         sanitized(extent->example, 80) + "'";
  return evidence;
}

}  // namespace edgeprobe::diagnose
