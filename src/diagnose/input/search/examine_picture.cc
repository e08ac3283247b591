// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/evenly_spaced.h"
#include "core/text.h"
#include "diagnose/input/extent.h"
#include "diagnose/input/parts/examine_parts.h"
#include "diagnose/input/search/examiners.h"
#include "diagnose/input/search/other_frames.h"
#include "diagnose/input/search/search_input.h"
#include "diagnose/preprocessing/answer/without_raw.h"

namespace edgeprobe::diagnose {
namespace {

// The search works on pictures; replays start from the recorded bytes, so the reference's decoding
// step goes first.
void put_first(const preprocess::Decode& how, InputDiagnosis& diagnosis) {
  if (diagnosis.as_recorded) return;
  const auto put = [&](preprocess::Recipe& recipe) {
    recipe.steps.insert(recipe.steps.begin(), how);
  };
  put(diagnosis.target_recipe);
  for (InputFault& fault : diagnosis.faults) put(fault.without_it);
}

// A deviation from a guessed recipe is the app's own recipe, not its fault.
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

std::string in_frames(std::size_t n, std::size_t all) {
  return "in " + std::to_string(n) + " of " + std::to_string(all) + " frames";
}

bool is_never_meant(CauseKind kind) {
  return kind == CauseKind::kIncompleteInput || kind == CauseKind::kOtherFrame;
}

// Without raw pictures or a recipe: uses only the model inputs.
Result<InputEvidence> by_inputs_alone(const Study& study, const NoPicture& empty, Hint undecided,
                                      const Control& control) {
  const Case& known = study.known;
  std::vector<Tensor> tensors;
  for (const std::size_t i : evenly_spaced(known.target->frames().size(), known.input_frames)) {
    const auto message = known.target->read(known.target->frames()[i], study.input.target->id);
    if (message && *message) tensors.push_back((*message)->copy());
  }
  // With both inputs recorded, an empty or stale part needs no recipe. Other orders of channels or
  // pixels may be the ones the target's own model expects.
  if (empty.frames.empty() && !known.guessed_recipe) {
    EP_TRY(auto parts, examine_parts(study, control));
    if (parts.named && is_never_meant(parts.named->diagnosis->faults.front().kind))
      return *std::move(parts.named);
  }
  InputEvidence evidence;
  // Nothing is known about the frames with a picture.
  if (!empty.frames.empty()) evidence = evidence_of(empty, study);
  evidence.without_raw = describe_without_raw({tensors.begin(), tensors.end()});
  evidence.undecided = std::move(undecided);
  return evidence;
}

/// The frames to search. If only some frames have a fault (rotated pictures, one of two cameras),
/// searches those.
struct Searched {
  InputSteps steps;                           ///< Frames with a picture in the model input.
  InputSteps without_picture;                 ///< All other frames.
  std::vector<std::size_t> differing, every;  ///< Indices of samples.

  bool in_some() const { return !differing.empty() && differing.size() < steps.frames.size(); }
};

Result<Searched> searched_frames(const Study& study, const NoPicture& empty,
                                 const Control& control) {
  EP_TRY(auto steps, input_steps(study, control));
  const pipeline::TraceSamples& raw = *study.known.raw;
  Searched out;
  for (InputSteps* const kept : {&out.steps, &out.without_picture}) {
    *kept = steps;
    std::erase_if(kept->frames, [&](const InputStep& step) {
      return empty.holds(raw.frames[step.sample]) == (kept == &out.steps);
    });
  }
  for (const InputStep& step : out.steps.frames)
    if (step.steps > out.steps.same) out.differing.push_back(step.sample);
  for (std::size_t i = 0; i < raw.samples.size(); ++i)
    if (!empty.holds(raw.frames[i])) out.every.push_back(i);
  return out;
}

// Nothing if no frame has both its picture and its model input.
Result<std::optional<InputDiagnosis>> search(const Study& study, const Searched& searched,
                                             const Control& control) {
  const Case& known = study.known;
  const trace::ReadChannel& input = *study.input.target;
  const std::vector<std::size_t>& among = searched.in_some() ? searched.differing : searched.every;
  std::vector<std::size_t> samples;
  for (const std::size_t k : evenly_spaced(among.size(), known.input_frames))
    samples.push_back(among[k]);
  EP_TRY(const auto observed, observed_inputs(*known.target, input, *known.raw, samples));
  EP_TRY(auto found, search_input({study.input.front_end, known.reference_pipeline->input(),
                                   input.channel.spec, searched.steps.unit},
                                  observed, control));
  if (!found) return std::optional<InputDiagnosis>();
  return std::optional(std::move(found->diagnosis));
}

// Adds the frames in which the diagnosis holds, including those without a picture.
Status add_extent(const Study& study, const NoPicture& empty, const Searched& searched,
                  const Control& control, InputEvidence& evidence) {
  using State = InputDiagnosis::Status;
  const InputDiagnosis& diagnosis = *evidence.diagnosis;
  if (searched.in_some() && diagnosis.status != State::kEqual)
    evidence.where = in_frames(searched.differing.size(), searched.steps.frames.size());
  if (!empty.frames.empty()) {
    // The fault may also explain the constant inputs: small real values cast to integers are all 0.
    bool made = false;
    if (diagnosis.status == State::kFound && !searched.without_picture.frames.empty()) {
      EP_TRY(const auto extent, extent_of(study, searched.without_picture, diagnosis, control));
      made = extent.not_with.empty();
    }
    if (!made) evidence.empty = empty.faults;
  }
  if (diagnosis.status != State::kFound || searched.differing.empty()) return {};
  EP_TRY(const auto extent, extent_of(study, searched.steps, diagnosis, control));
  // If the recipe holds in none of these frames, the others are unknown.
  if (extent.with == 0) return {};
  // Frames without the fault may be unable to show it: a gray picture has no channel order.
  evidence.where = extent.not_with.empty() ? "" : in_frames(extent.with, extent.all());
  evidence.not_with = extent.not_with;
  if (!evidence.empty.empty()) {
    evidence.not_with.insert(evidence.not_with.end(), empty.frames.begin(), empty.frames.end());
    std::sort(evidence.not_with.begin(), evidence.not_with.end());
  }
  if (extent.otherwise > 0)
    evidence.otherwise = in_frames(extent.otherwise, extent.all()) +
                         " the model input differs in another way, as of '" +
                         sanitized(extent.example, 80) + "'";
  return {};
}

bool holds_pictures(const pipeline::TraceSamples& raw) {
  auto first = raw.samples.front().load();
  return first && dataset::picture_of(first->input);
}

}  // namespace

Result<InputEvidence> examine_picture(const Study& study, const NoPicture& empty,
                                      const Control& control) {
  const Case& known = study.known;
  const bool has_recipe = known.reference_pipeline && known.reference_pipeline->has_recipe();
  if (!has_recipe)
    return by_inputs_alone(study, empty, Hint{HintKind::kGiveReferenceRecipe}, control);
  if (!known.raw || known.raw->samples.empty())
    return by_inputs_alone(study, empty, Hint{HintKind::kGivePictures}, control);
  // A guessed recipe proves nothing about inputs that a recorded reference shares.
  if (known.guessed_recipe && !known.reference_replayed &&
      (has_equal_inputs(study.agreement) || !holds_pictures(*known.raw)))
    return by_inputs_alone(study, empty, Hint{HintKind::kGiveReferenceRecipe}, control);
  EP_TRY(const auto searched, searched_frames(study, empty, control));
  if (!empty.frames.empty() && searched.differing.empty() && !searched.steps.frames.empty())
    return evidence_of(empty, study);
  EP_TRY(auto diagnosis, search(study, searched, control));
  InputEvidence evidence;
  if (!diagnosis) {
    evidence.undecided = Hint{HintKind::kRecordInputAndPicture};
    return evidence;
  }
  evidence.diagnosis = *std::move(diagnosis);
  // Too little of the picture is left for other explanations: many would fit.
  const bool is_saturated = evidence.diagnosis->is_saturated;
  const bool is_partial =
      evidence.diagnosis->status == InputDiagnosis::Status::kPartial && !is_saturated;
  if (is_partial) {
    EP_TRY(auto other, other_frames(study, control));
    if (other) {
      other->empty = empty.faults;
      return *std::move(other);
    }
  }
  if (is_partial && empty.frames.empty()) {
    EP_TRY(auto parts, examine_parts(study, control));
    if (parts.named && !known.guessed_recipe) return *std::move(parts.named);
    auto& said = evidence.diagnosis->evidence;
    said.insert(said.end(), parts.where.begin(), parts.where.end());
    evidence.place = std::move(parts.sentence);
  }
  const auto& faults = evidence.diagnosis->faults;
  if (evidence.diagnosis->status == InputDiagnosis::Status::kFound && !known.guessed_recipe &&
      !is_saturated && std::any_of(faults.begin(), faults.end(), [](const InputFault& fault) {
        return fault.kind == CauseKind::kValueRange || fault.kind == CauseKind::kIncompleteInput;
      })) {
    EP_TRY(auto channels, examine_channels(study, control));
    if (channels) return *std::move(channels);
  }
  if (const preprocess::Decode* how = preprocess::decode_step(known.reference_pipeline->recipe))
    put_first(*how, *evidence.diagnosis);
  if (known.guessed_recipe) doubt_guess(known, evidence);
  EP_CHECK(add_extent(study, empty, searched, control, evidence));
  return evidence;
}

}  // namespace edgeprobe::diagnose
