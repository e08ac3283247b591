// SPDX-License-Identifier: Apache-2.0
#include "diagnose/detectors/app/stages.h"

#include <algorithm>
#include <map>
#include <set>

#include "compare/align/align.h"
#include "core/text.h"
#include "diagnose/examination/decide.h"
#include "diagnose/replay/crossed.h"

namespace edgeprobe::diagnose {
namespace {

using compare::LayerAgreement;
using trace::Stage;
using State = StageDrift::State;

constexpr double kLevels = 255;  // One step of an 8-bit picture is 1/255 of its range.

State state_of(const compare::Distances& distances) {
  if (distances.exact) return State::kEqual;
  // Without a range there is no rounding step: any difference counts.
  return distances.rmse_over_range && *distances.rmse_over_range * kLevels < 1 ? State::kRounding
                                                                               : State::kDiffers;
}

std::vector<const trace::ReadChannel*> channels_of(const trace::Reader& reader,
                                                   const std::string& name) {
  std::vector<const trace::ReadChannel*> channels;
  for (const trace::ReadChannel& channel : reader.channels())
    if (channel.channel.stage == Stage::kIntermediate && channel.channel.spec.name == name &&
        channel.messages > 0)
      channels.push_back(&channel);
  return channels;
}

// The stage's channel in this frame; null if there is none.
Result<const trace::ReadChannel*> in_frame(const trace::Reader& reader,
                                           const std::vector<const trace::ReadChannel*>& channels,
                                           std::uint32_t frame) {
  for (const trace::ReadChannel* channel : channels) {
    EP_TRY(const auto value, reader.read(frame, channel->id));
    if (value) return channel;
  }
  return nullptr;
}

// Adds stages of the same name whose shapes differ in some frame, so that those frames could not be
// compared: for instance a picture that one side rotates, even if both sides have the same shapes
// in other frames.
Status add_unlike(const Study& study, std::vector<StageDrift>& stages) {
  const trace::Reader &reference = *study.known.reference, &target = *study.known.target;
  std::set<std::string> names;
  for (const trace::ReadChannel& channel : reference.channels())
    if (channel.channel.stage == Stage::kIntermediate && channel.messages > 0)
      names.insert(channel.channel.spec.name);
  for (const std::string& name : names) {
    const auto there = channels_of(reference, name), here = channels_of(target, name);
    if (here.empty() || (there.size() == 1 && here.size() == 1 &&
                         there[0]->channel.spec.shape == here[0]->channel.spec.shape))
      continue;
    std::uint64_t both = 0, unlike = 0;
    std::string shape, reference_shape;
    for (const compare::FrameAgreement& frame : study.agreement.frames) {
      EP_TRY(const auto r, in_frame(reference, there, frame.reference));
      EP_TRY(const auto t, in_frame(target, here, frame.target));
      if (!r || !t) continue;
      ++both;
      const Shape &shape_r = r->channel.spec.shape, &shape_t = t->channel.spec.shape;
      if (shape_r == shape_t || compare::layout_of(shape_r, shape_t)) continue;
      if (unlike++ > 0) continue;
      shape = to_text(shape_t);
      reference_shape = to_text(shape_r);
    }
    if (unlike == 0) continue;
    auto stage = std::find_if(stages.begin(), stages.end(),
                              [&](const StageDrift& s) { return s.name == name; });
    if (stage == stages.end()) {
      stage = stages.emplace(stages.end());
      stage->name = name;
    }
    stage->frames = both;
    stage->state = State::kDiffers;
    stage->unlike = unlike;
    stage->shape = shape;
    stage->reference_shape = reference_shape;
  }
  return {};
}

// Positions of the reference's stages by name.
std::map<std::string, std::int32_t> order_of(const trace::Reader& reference) {
  std::map<std::string, std::int32_t> order;
  for (const trace::ReadChannel& channel : reference.channels())
    if (channel.channel.stage == Stage::kIntermediate)
      order.emplace(channel.channel.spec.name, channel.channel.position);
  return order;
}

// True if a user's function made the trace: there is no recipe to search from, so only the model
// input can be compared.
bool declares_function(const trace::Reader& reader) {
  return reader.declared("pipeline").has_value();
}

std::string title(const StageDrift& stage) {
  return stage.is_model_input ? "the model input" : "stage '" + sanitized(stage.name, 60) + "'";
}

std::string unlike_text(const StageDrift& stage) {
  return "its size is " + stage.shape + ", in the reference " + stage.reference_shape +
         (stage.unlike == stage.frames ? ""
                                       : " (on " + std::to_string(stage.unlike) + " of " +
                                             std::to_string(stage.frames) + " frames)");
}

Evidence evidence_of(const StageDrift& stage, EvidenceKind kind) {
  static constexpr const char* kStates[] = {"equal", "rounding", "differs"};
  Evidence seen{
      kind, {{"frames", stage.frames}, {"state", kStates[static_cast<std::size_t>(stage.state)]}}};
  if (!stage.is_model_input) seen.values.emplace("stage", stage.name);
  if (stage.unlike > 0) {
    seen.values.emplace("unlike_frames", stage.unlike);
    seen.values.emplace("shape", stage.shape);
    seen.values.emplace("reference_shape", stage.reference_shape);
    return seen;
  }
  const compare::Distances& d = stage.distances;
  if (d.exact) return seen;
  if (d.rmse) seen.values.emplace("rmse", *d.rmse);
  if (d.rmse_over_range) seen.values.emplace("rmse_over_range", *d.rmse_over_range);
  if (d.max_abs) seen.values.emplace("max_abs", *d.max_abs);
  return seen;
}

}  // namespace

Result<std::vector<StageDrift>> stages_of(const Study& study) {
  struct Sum {
    compare::Moments moments;
    std::uint64_t frames = 0;
  };
  std::vector<std::string> names;
  std::map<std::string, Sum> sums;  // The same name may have several shapes.
  Sum input;
  for (const LayerAgreement& layer : study.agreement.layers) {
    if (layer.stage != Stage::kIntermediate && layer.stage != Stage::kModelInput) continue;
    Sum& sum = layer.stage == Stage::kModelInput ? input : sums[layer.name];
    if (layer.stage == Stage::kIntermediate && sum.frames == 0) names.push_back(layer.name);
    sum.moments.merge(layer.moments);
    sum.frames += layer.frames;
  }
  std::vector<StageDrift> stages;
  const auto add = [&](const std::string& name, const Sum& sum) {
    StageDrift stage;
    stage.name = name;
    stage.frames = sum.frames;
    stage.distances = compare::distances(sum.moments);
    stage.state = state_of(stage.distances);
    stages.push_back(std::move(stage));
  };
  if (input.frames == 0) return stages;
  for (const std::string& name : names) add(name, sums[name]);
  EP_CHECK(add_unlike(study, stages));
  const auto order = order_of(*study.known.reference);
  std::stable_sort(stages.begin(), stages.end(), [&](const StageDrift& a, const StageDrift& b) {
    return order.at(a.name) < order.at(b.name);
  });
  add("", input);
  stages.back().is_model_input = true;
  return stages;
}

std::optional<std::size_t> first_difference(const std::vector<StageDrift>& stages) {
  const auto first = std::find_if(stages.begin(), stages.end(),
                                  [](const StageDrift& s) { return s.state == State::kDiffers; });
  if (first == stages.end()) return std::nullopt;
  return static_cast<std::size_t>(first - stages.begin());
}

Result<Findings> find_stages(const Examination& examined, const Control& control) {
  const Study& study = examined.study;
  const Case& known = study.known;
  const InputEvidence& input = examined.input;
  const Replays& replays = examined.replays;
  Findings findings;
  EP_TRY(const auto stages, stages_of(study));
  const bool by_function = known.reference_pipeline ? known.reference_pipeline->function &&
                                                          !known.reference_pipeline->has_recipe()
                                                    : declares_function(*known.reference);
  if (stages.size() < 2 && !by_function) return findings;
  const auto first = first_difference(stages);
  if (!first) return findings;
  std::vector<Evidence> evidence;
  for (const StageDrift& stage : stages)
    evidence.push_back(evidence_of(stage, EvidenceKind::kStage));
  const bool is_named =
      std::any_of(examined.suspected_input.begin(), examined.suspected_input.end(),
                  [](const Cause& c) { return c.status == CauseStatus::kConfirmed; });
  if (is_named) {
    findings.of_input_cause.push_back(evidence_of(stages[*first], EvidenceKind::kFirstStage));
    return findings;
  }
  if (input.against_guess ||
      (input.diagnosis && input.diagnosis->status == InputDiagnosis::Status::kEqual))
    return findings;

  Cause cause;
  cause.kind = CauseKind::kPipelineStage;
  cause.stage = CauseStage::kPreprocessing;
  const StageDrift& found = stages[*first];
  cause.detail = (found.is_model_input ? "" : "the ") + title(found) +
                 " is the first that differs from the reference's" +
                 (found.unlike == 0 ? "" : ": " + unlike_text(found));
  cause.evidence = std::move(evidence);
  const compare::OutputDistance kind = study.agreement.output_distance_kind;
  const auto gap = mean_distance(kind, replays.reference, replays.target);
  const auto& integers = known.target->channels();
  const bool quantized = std::any_of(
      integers.begin(), integers.end(),
      [](const trace::ReadChannel& c) { return c.channel.spec.quantization.scale.size() > 0; });
  const double floor = compare::output_floor(quantized, study.agreement.frames.size());
  if (replays.same_input) {
    const auto left = mean_distance(kind, *replays.same_input, replays.target);
    if (left && gap) {
      cause.evidence.push_back(
          {EvidenceKind::kOnRecordedInputs,
           {{"distance", *left}, {"on_own_inputs", *gap}, {"kind", name(kind)}}});
      if (*left <= floor) cause.status = CauseStatus::kConfirmed;
    }
  }
  EP_TRY(auto fixed, on_reference_input(study, replays.target.frames, control));
  if (fixed) {
    if (const auto moved = mean_distance(kind, *fixed, replays.target)) {
      cause.evidence.push_back(
          {EvidenceKind::kOnReferenceInputs, {{"distance", *moved}, {"kind", name(kind)}}});
      if (*moved > kNoticeable) cause.status = CauseStatus::kConfirmed;
    }
    if (cause.status == CauseStatus::kConfirmed) findings.repaired_input = *std::move(fixed);
  } else if (cause.status == CauseStatus::kConfirmed) {
    cause.restored_unavailable = known.target_model
                                     ? Unavailable{UnavailableKind::kReferenceInputDoesNotFit}
                                     : Unavailable{UnavailableKind::kNoTargetModel};
  }
  findings.causes.push_back(std::move(cause));
  return findings;
}

}  // namespace edgeprobe::diagnose
