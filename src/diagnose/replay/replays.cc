// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/evenly_spaced.h"
#include "core/text.h"
#include "diagnose/case/rerun.h"
#include "diagnose/input/input_scale.h"
#include "diagnose/replay/crossed.h"
#include "diagnose/replay/replays.h"

namespace edgeprobe::diagnose {
namespace {

// Adapts the target's recipe to the reference's model: at most the step to integers is removed or
// added. Nothing if the two inputs differ in more than that.
class ForReference {
 public:
  ForReference(DType target, const TensorSpec& reference)
      : target_(target), reference_(reference) {}

  std::optional<preprocess::Recipe> operator()(const audio::FrontEnd* front_end) const {
    const bool are_faulty =
        front_end->codes == audio::Codes::kWrap || front_end->codes == audio::Codes::kFloor;
    return in_codes(*front_end, are_faulty);
  }
  std::optional<preprocess::Recipe> operator()(const edgeprobe::sensor::FrontEnd* front_end) const {
    return in_codes(*front_end, front_end->codes != edgeprobe::sensor::Codes::kNearest);
  }
  /// Recorded integers are compared directly, without a recipe.
  std::optional<preprocess::Recipe> operator()(const text::FrontEnd*) const { return std::nullopt; }
  std::optional<preprocess::Recipe> operator()(const preprocess::Recipe* steps) const {
    preprocess::Recipe recipe = *steps;
    const auto to_codes = [](const preprocess::Step& step) {
      return std::holds_alternative<preprocess::Quantize>(step);
    };
    const auto quantize = std::find_if(recipe.steps.begin(), recipe.steps.end(), to_codes);
    if (is_float(target_) && is_float(reference_.dtype)) return recipe;
    if (is_float(target_) && quantize == recipe.steps.end() &&
        preprocess::stated_range(reference_)) {
      recipe.steps.push_back(preprocess::Quantize{});
      return recipe;
    }
    if (quantize == recipe.steps.end()) return std::nullopt;
    const auto& step = std::get<preprocess::Quantize>(*quantize);
    // The quantize step itself has a fault.
    if (step.scale || step.zero_point || step.sign_flipped) return std::nullopt;
    // Quantises with the reference model's own scale.
    if (!is_float(reference_.dtype)) return recipe;
    recipe.steps.erase(quantize);
    return recipe;
  }

 private:
  template <class FrontEnd>
  std::optional<preprocess::Recipe> in_codes(FrontEnd front_end, bool are_faulty) const {
    // Only the recorded input shows a fault of the codes themselves.
    if (are_faulty || front_end.code_scale || front_end.code_zero || front_end.sign_flipped)
      return std::nullopt;
    front_end.quantize = !is_float(reference_.dtype);
    return preprocess::recipe_of(front_end);
  }

  DType target_;
  const TensorSpec& reference_;
};

std::optional<preprocess::Recipe> for_reference(const Study& study,
                                                const preprocess::Recipe& recipe) {
  if (!study.known.reference_pipeline) return std::nullopt;
  const DType target = study.input.target->channel.spec.dtype;
  const TensorSpec& reference = study.known.reference_pipeline->input();
  if (target == reference.dtype) return recipe;
  return std::visit(ForReference(target, reference), kinds::front_end_of(recipe));
}

}  // namespace

Result<Replays> replay_fixes(const Study& study, const InputEvidence& input,
                             const layers::Analysis* inside, const Control& control) {
  const Case& known = study.known;
  Replays replays;
  const bool found = input.diagnosis && input.diagnosis->status == InputDiagnosis::Status::kFound;
  const auto partner = partners(study);

  // Frames that can be replayed and compared: in both traces, with a raw input if one is needed.
  std::vector<std::size_t> able;
  for (std::size_t i = 0; known.raw && i < known.raw->frames.size(); ++i)
    if (partner.count(known.raw->frames[i])) able.push_back(i);
  const bool as_recorded_only = found && input.diagnosis->as_recorded;
  // Recorded tensors need no raw input.
  const bool are_tensors = study.input.kind->id == kinds::InputId::kTensors && !input.diagnosis;
  if (able.empty() && !inside && !as_recorded_only && !input.scale && !are_tensors) return replays;
  std::vector<std::size_t> which;
  std::vector<std::uint32_t> frames, reference_frames;
  for (const std::size_t k : evenly_spaced(able.size(), known.max_replay)) {
    which.push_back(able[k]);
    frames.push_back(known.raw->frames[able[k]]);
  }
  if (able.empty())
    for (const std::size_t k : evenly_spaced(study.agreement.frames.size(), known.max_replay))
      frames.push_back(study.agreement.frames[k].target);
  for (const std::uint32_t frame : frames) reference_frames.push_back(partner.at(frame));
  auto reference = recorded(*known.reference, reference_frames);
  if (!reference) return std::move(reference.error()).during("reference trace");
  auto target = recorded(*known.target, frames);
  if (!target) return std::move(target.error()).during("target trace");
  replays.reference = *std::move(reference);
  replays.reference.frames = frames;  // Identified by the target's frame numbers from here on.
  replays.target = *std::move(target);

  if (inside) {
    auto repaired = repaired_answers(study, input, *inside, frames, which, control);
    if (!repaired && repaired.error().kind == ErrorKind::kInterrupted)
      return std::move(repaired.error());
    if (repaired) replays.repaired_steps = *std::move(repaired);
    else
      replays.not_repaired =
          Unavailable{UnavailableKind::kRepairedModelFails, {{"error", repaired.error().what}}};
  }
  if (input.scale) {
    EP_TRY(auto through, reference_through(*input.scale, study, frames, control));
    if (!through.frames.empty()) replays.through_codes = std::move(through);
  }
  if (!found) {
    EP_TRY(replays.same_input, reference_on_recorded(study, frames, control));
    return replays;
  }
  const InputDiagnosis& diagnosis = *input.diagnosis;
  // Frames without the fault keep their recorded answers.
  const auto as_recorded = [&](const Answers& recorded, Answers& answers) {
    for (std::size_t i = 0; i < answers.frames.size(); ++i)
      if (std::binary_search(input.not_with.begin(), input.not_with.end(), answers.frames[i]))
        answers.outputs[i] = recorded.outputs[i];
  };
  if (diagnosis.as_recorded) {
    EP_TRY(auto answers, reference_on_recorded(study, frames, control));
    if (!answers.outputs.empty()) {
      as_recorded(replays.reference, answers);
      replays.faulty_reference = std::move(answers);
    }
    EP_TRY(auto repaired, on_reference_input(study, frames, control));
    replays.together = diagnosis.faults.size() - 1;
    if (repaired) {
      as_recorded(replays.target, *repaired);
      replays.after.push_back(*repaired);
      replays.fixed = replays.after.back();
    } else {
      replays.unavailable = known.target_model
                                ? Unavailable{UnavailableKind::kReferenceInputDoesNotFit}
                                : Unavailable{UnavailableKind::kNoTargetModel};
    }
    return replays;
  }
  // Codes cut off values that a recipe in real values would keep.
  const auto faulty =
      diagnosis.is_saturated ? std::nullopt : for_reference(study, diagnosis.target_recipe);
  const bool repeats_reference = !known.reference_replayed && known.reference_pipeline &&
                                 known.reference_pipeline->has_recipe();
  if (!faulty) {
    // If no recipe fits the other side's type, uses the recorded input itself.
    EP_TRY(auto answers, reference_on_recorded(study, frames, control));
    as_recorded(replays.reference, answers);
    if (!answers.frames.empty()) replays.faulty_reference = std::move(answers);
  }
  std::optional<Rerun> reference_rerun, target_rerun;
  if (known.reference_pipeline) reference_rerun.emplace(known, partner, *known.reference_pipeline);
  if (known.target_model) target_rerun.emplace(known, partner, *known.target_model);
  // All of them in one pass over the pictures.
  std::vector<Replay> runs;
  std::optional<std::size_t> with_fault, without, as_fed;
  const auto add = [&](Rerun& rerun, const preprocess::Recipe& recipe) {
    runs.push_back({&rerun, &recipe});
    return runs.size() - 1;
  };
  if (faulty) with_fault = add(*reference_rerun, *faulty);
  if (repeats_reference && (faulty || replays.faulty_reference))
    without = add(*reference_rerun, known.reference_pipeline->recipe);
  if (target_rerun) {
    as_fed = add(*target_rerun, diagnosis.target_recipe);
    for (const InputFault& fault : diagnosis.faults) add(*target_rerun, fault.without_it);
  }
  EP_CHECK(replay(runs, *known.raw, which, "frames replayed with and without the faults", control));
  if (with_fault) {
    as_recorded(replays.reference, runs[*with_fault].answers);
    replays.faulty_reference = std::move(runs[*with_fault].answers);
  }
  if (without) replays.own_reference = std::move(runs[*without].answers);
  if (!as_fed) {
    replays.unavailable = Unavailable{UnavailableKind::kNoTargetModel};
    return replays;
  }
  as_recorded(replays.target, runs[*as_fed].answers);
  replays.reproduced =
      mean_distance(study.agreement.output_distance_kind, replays.target, runs[*as_fed].answers);
  for (std::size_t i = *as_fed + 1; i < runs.size(); ++i) {
    as_recorded(replays.target, runs[i].answers);
    replays.after.push_back(std::move(runs[i].answers));
  }
  if (!replays.after.empty()) replays.fixed = replays.after.back();
  return replays;
}

}  // namespace edgeprobe::diagnose
