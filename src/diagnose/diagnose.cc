// SPDX-License-Identifier: Apache-2.0
#include "diagnose/diagnose.h"

#include <algorithm>

#include "compare/align/constants.h"
#include "compare/recording.h"
#include "core/text.h"
#include "diagnose/culprits.h"
#include "diagnose/decide.h"
#include "diagnose/drift.h"
#include "diagnose/output_order.h"
#include "diagnose/pictures.h"
#include "diagnose/scalars.h"
#include "diagnose/stages.h"

namespace edgeprobe::diagnose {
namespace {

bool quantized(const trace::Reader& reader) {
  for (const trace::ReadChannel& channel : reader.channels()) {
    const bool computed = channel.channel.stage == trace::Stage::kModelInput ||
                          channel.channel.stage == trace::Stage::kLayer ||
                          channel.channel.stage == trace::Stage::kModelOutput;
    if (computed && size_of(channel.channel.spec.dtype) == 1) return true;
  }
  return false;
}

// Are the two model files two forms of one set of weights? Only when both files are at hand.
Status add_constants(const Case& known, Verdict& verdict) {
  if (!known.target_model || !known.reference_pipeline) return {};
  const pipeline::Pipeline& target = *known.target_model;
  const pipeline::Pipeline& reference = *known.reference_pipeline;
  if (target.graph.sha256 == reference.graph.sha256) return {};
  auto constants =
      compare::compare_constants(reference.graph, reference.file, target.graph, target.file);
  if (!constants) return std::move(constants.error()).during("constants of the two models");
  if (!constants->other_model) return {};
  Cause cause;
  cause.kind = CauseKind::kOtherModel;
  cause.status = CauseStatus::kConfirmed;
  cause.stage = CauseStage::kModel;
  cause.detail = "the target runs another model than the reference: " + constants->sentence;
  cause.restored_unavailable = Unavailable{UnavailableKind::kOnlyReferenceWeights};
  verdict.causes.push_back(std::move(cause));
  return {};
}

// When nothing but the app's word says how the bytes of its pictures stand, they may stand the
// other way round.
void add_logged_order(const Case& known, std::vector<Cause>& causes) {
  if (!known.raw || known.raw->logged_as.empty()) return;
  const std::string& order = known.raw->logged_as;
  for (Cause& cause : causes)
    if (cause.kind == CauseKind::kChannelOrder)
      cause.alternatives.push_back("the picture was logged as " + order + " but holds " +
                                   (order.substr(0, 3) == "bgr" ? "RGB" : "BGR") +
                                   " (with --data DIR it is compared with the file of its name)");
}

}  // namespace

Result<Verdict> diagnose(const Case& known, const Control& control) {
  Verdict verdict;
  const auto study = diagnose::study(known, control);
  if (!study) return study.error();
  add_drift(study->agreement, verdict);
  auto input = examine_input(*study, control);
  if (!input) return std::move(input.error());
  auto scale =
      examine_input_scale(*study, input->diagnosis ? input->diagnosis->gray_step : 0, control);
  if (!scale) return std::move(scale.error());
  input->scale = *std::move(scale);
  // Codes that cannot hold what a guess makes may be right, and the guess wrong.
  if (known.guessed_recipe && input->scale) input->against_guess = true;
  const bool integers = quantized(*known.target) || quantized(*known.reference);
  const double floor = floor_of(*study, *input, integers);
  auto order = examine_output_order(*study, floor, control);
  if (!order) return std::move(order.error());
  // Outputs that are merely exchanged would pass for faulty last layers.
  const bool exchanged = *order && (*order)->cause.status == CauseStatus::kConfirmed;
  auto layers = exchanged ? Result<std::optional<culprit::Analysis>>(std::nullopt)
                          : examine_layers(*study, control);
  if (!layers) return std::move(layers.error());
  if (input->diagnosis) verdict.causes = input_causes(*input);
  add_logged_order(known, verdict.causes);
  if (*layers) {
    const bool input_differs =
        std::any_of(verdict.causes.begin(), verdict.causes.end(),
                    [](const Cause& c) { return c.status != CauseStatus::kNote; });
    for (Cause& cause : model_causes(known, **layers, !input_differs && accuracy_lost(*study)))
      verdict.causes.push_back(std::move(cause));
    add_culprits(known, **layers, verdict);
  }
  // A note is worth a replay when the outputs are off.
  const bool off = study->agreement.output_distance.value_or(0) > floor ||
                   std::any_of(study->agreement.layers.begin(), study->agreement.layers.end(),
                               [](const compare::LayerAgreement& layer) {
                                 return layer.stage == trace::Stage::kModelOutput &&
                                        layer.moments.non_finite_mismatch > 0;
                               });
  const bool inside =
      std::any_of(verdict.causes.begin(), verdict.causes.end(), [&](const Cause& c) {
        return c.mended_by >= 0 && (c.status == CauseStatus::kConfirmed || off);
      });
  auto replays = replay_fixes(*study, *input, inside ? &**layers : nullptr, control);
  if (!replays) return std::move(replays.error());
  promote(verdict.causes, *study, *replays, floor);
  if (input->scale)
    verdict.causes.insert(verdict.causes.begin(),
                          input_scale_cause(*input->scale, *study, *replays, floor));
  if (auto done = add_stages(*study, *input, *replays, verdict, control); !done)
    return std::move(done.error());
  add_restored(verdict.causes, *study, *replays);
  if (input->diagnosis) {
    if (input->diagnosis->status == InputDiagnosis::Status::kUndecidable && input->where.empty())
      verdict.warnings.push_back("the model input could not be diagnosed: " +
                                 input->diagnosis->reason);
  }
  for (const std::string& said : input->without_raw)
    verdict.warnings.push_back("model input: " + said);
  if (auto done = add_constants(known, verdict); !done) return std::move(done.error());
  if (*order) verdict.causes.push_back((*order)->cause);
  for (const compare::CrossedOutputs& crossed : study->agreement.crossed)
    if (!crossed.mistake)
      verdict.warnings.push_back(
          "the target lists its outputs in another order: '" + printable(crossed.first, 60) +
          "' is its '" + printable(crossed.first_target, 60) + "', '" +
          printable(crossed.second, 60) + "' its '" + printable(crossed.second_target, 60) +
          "'; an app that reads them by number gets the other one");
  verdict.task = task_result(*study, *replays);
  verdict.output_distance_kind = name(study->agreement.output_distance_kind);
  Effect effect = effect_of(*study, *input, *replays, verdict.task, floor);
  if (exchanged && !effect.moved) {
    effect.rest = (*order)->rest;
    effect.moved = effect.gap;
  }
  effect.only_rounding = *layers && is_only_rounding(**layers);
  if (!effect.gap) effect.uncompared = compare::why_uncompared(*known.reference, *known.target);
  decide(verdict, effect, *input, known.gate);
  if (auto done = add_scalars(*study, floor, verdict); !done) return std::move(done.error());
  auto pictures = input_pictures(known, *input);
  if (!pictures) return std::move(pictures.error()).during("pictures");
  verdict.pictures = *std::move(pictures);
  auto samples = shown_samples(*study);
  if (!samples) return std::move(samples.error()).during("answers of the samples");
  verdict.samples = *std::move(samples);
  return verdict;
}

}  // namespace edgeprobe::diagnose
