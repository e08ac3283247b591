// SPDX-License-Identifier: Apache-2.0
#include "diagnose/quantised/fitting_codes.h"

#include <algorithm>

#include "core/evenly_spaced.h"
#include "core/index.h"
#include "diagnose/replay/emulated.h"
#include "model/state.h"
#include "precision/steps.h"

namespace edgeprobe::diagnose {
namespace {

constexpr std::size_t kFrames = 16;  // The same number as in the layer analysis.
/// Largest fraction of the target's distance from the reference that its own codes may leave
/// unexplained.
constexpr double kReproduced = 0.5;

using precision::Ranges;
using precision::Scheme;
using precision::Values;

std::optional<Ranges::mapped_type> reached(const TensorSpec& spec) {
  const bool is_signed = spec.dtype == DType::kInt8;
  if (spec.quantization.scale.size() != 1 || !(spec.quantization.scale[0] > 0) ||
      (!is_signed && spec.dtype != DType::kUInt8))
    return std::nullopt;
  const double scale = spec.quantization.scale[0],
               zero = static_cast<double>(spec.quantization.zero_point_at(0)),
               least = is_signed ? -128 : 0;
  return std::pair(static_cast<float>((least - zero) * scale),
                   static_cast<float>((least + 255 - zero) * scale));
}

/// Codes in which `tensor` is stored: its own, or those of the QuantizeLinear that reads it.
std::optional<Ranges::mapped_type> codes_behind(const model::Graph& graph, int tensor) {
  if (auto own = reached(graph.tensors[at(tensor)].spec)) return own;
  for (const model::Layer& layer : graph.layers)
    if ((layer.type == "QUANTIZE" || layer.type == "QuantizeLinear") && !layer.inputs.empty() &&
        layer.inputs[0] == tensor && !layer.outputs.empty())
      return reached(graph.tensors[at(layer.outputs[0])].spec);
  return std::nullopt;
}

/// Value ranges of the target's codes for the reference's tensors.
Ranges ranges_of_target(const Case& known, const layers::Pairing& pairing) {
  const model::Graph &target = known.target_model->graph,
                     &reference = known.reference_pipeline->graph;
  Ranges ranges;
  for (const auto& [of_reference, of_target] : pairing.target_of)
    if (const auto range = codes_behind(target, of_target)) ranges[of_reference] = *range;
  if (const auto range = codes_behind(target, target.inputs.front()))
    ranges[reference.inputs.front()] = *range;
  return ranges;
}

/// Whether the target's weights mostly have one scale or one per channel.
precision::WeightScales weight_scales(const model::Graph& target) {
  std::size_t several = 0, one = 0;
  for (const model::ModelTensor& tensor : target.tensors) {
    if (!tensor.is_constant || size_of(tensor.spec.dtype) != 1 || tensor.spec.shape.size() < 2)
      continue;
    several += tensor.spec.quantization.scale.size() > 1;
    one += tensor.spec.quantization.scale.size() == 1;
  }
  return one > several ? precision::WeightScales::kOne : precision::WeightScales::kByChannel;
}

Result<std::vector<Values>> fed(const Study& study, const std::vector<std::uint32_t>& frames) {
  const Case& known = study.known;
  const model::Graph& graph = known.reference_pipeline->graph;
  const int input = graph.inputs.front();
  const trace::ReadChannel* const channel = study.input.reference;
  std::vector<Values> all;
  for (const std::uint32_t frame : frames) {
    EP_TRY(const auto read, known.reference->read(frame, channel->id));
    if (!read || read->spec->dtype != DType::kFloat32)
      return Error{ErrorKind::kUnsupported, "a frame has no recorded input of the reference"};
    TensorSpec spec = graph.tensors[at(input)].spec;
    spec.shape = read->spec->shape;
    Values& values = all.emplace_back();
    values[input] = Tensor{spec, read->bytes.copy()};
  }
  return all;
}

/// Fraction of frames with the same answer on both sides; nothing if the outputs are not answers.
std::optional<double> same_answers(const Study& study, const Answers& reference,
                                   const Answers& other) {
  if (!study.task) return std::nullopt;
  std::vector<double> same;
  for (std::size_t i = 0; i < reference.outputs.size(); ++i) {
    const auto a = task::answer_of(*study.task, reference.outputs[i]),
               b = task::answer_of(*study.task, other.outputs[i]);
    if (a && b && study.task->task->is_given(*a))
      same.push_back(study.task->task->agreement(*a, *b));
  }
  return study.task->task->aggregate(same).mean();
}

bool is_possible(const Case& known, const Study& study, double floor) {
  return known.target_model && known.reference_pipeline && !known.guessed_recipe &&
         study.agreement.output_distance && *study.agreement.output_distance > floor &&
         layers::rounds_to_codes(known.target_model->graph) &&
         !layers::rounds_to_codes(known.reference_pipeline->graph) &&
         known.target_model->graph.inputs.size() == 1 &&
         known.reference_pipeline->graph.inputs.size() == 1 &&
         model::state_of(known.reference_pipeline->graph).empty() && study.input.reference;
}

Result<FittingCodes> measure(const Study& study, const layers::Pairing& pairing,
                             const Control& control) {
  const Case& known = study.known;
  pipeline::Pipeline& reference = *known.reference_pipeline;
  std::vector<std::uint32_t> frames, target_frames;
  for (const std::size_t i : evenly_spaced(study.agreement.frames.size(), kFrames)) {
    frames.push_back(study.agreement.frames[i].reference);
    target_frames.push_back(study.agreement.frames[i].target);
  }
  FittingCodes out;
  out.frames = frames.size();
  const layers::Host host{reference.engine.get(), reference.spec.session};
  const layers::ModelFile model{&reference.graph, reference.file};
  EP_TRY(auto runner, precision::StepRunner::open(host, model));
  EP_TRY(const auto inputs, fed(study, frames));
  EP_TRY(const auto right, recorded(*known.reference, frames));
  EP_TRY(const auto wrong, recorded(*known.target, target_frames));
  EP_TRY(auto ranges, precision::ranges_of(*runner, inputs, precision::RangeRule::kEnds, control));
  EP_CHECK(runner->calibrate(std::move(ranges)));
  EP_TRY(const auto fitting,
         emulated_answers(*runner, model, inputs, frames, Scheme::kInt8, {}, control));
  const Ranges of_target = ranges_of_target(known, pairing);
  out.taken = of_target.size();
  EP_CHECK(runner->recalibrate(of_target, weight_scales(known.target_model->graph)));
  EP_TRY(const auto own,
         emulated_answers(*runner, model, inputs, frames, Scheme::kInt8, {}, control));
  const compare::OutputDistance kind = study.agreement.output_distance_kind;
  const auto gap = mean_distance(kind, right, wrong), made = mean_distance(kind, right, fitting),
             left = mean_distance(kind, own, wrong);
  if (!gap || !made || !left)
    return Error{ErrorKind::kUnsupported, "its outputs have no distance from the reference's"};
  out.target = *gap;
  out.fitting = *made;
  out.unexplained = *left;
  out.target_same = same_answers(study, right, wrong);
  out.fitting_same = same_answers(study, right, fitting);
  return out;
}

}  // namespace

bool FittingCodes::reproduces() const {
  return skipped.empty() && unexplained <= kReproduced * target;
}

Result<std::optional<FittingCodes>> fitting_codes(const Study& study,
                                                  const layers::Pairing& pairing, double floor,
                                                  const Control& control) {
  if (!is_possible(study.known, study, floor)) return std::optional<FittingCodes>{};
  auto measured = measure(study, pairing, control);
  if (measured) return std::optional(*std::move(measured));
  if (measured.error().kind == ErrorKind::kInterrupted) return std::move(measured.error());
  FittingCodes none;
  none.skipped = measured.error().what;
  return std::optional(std::move(none));
}

}  // namespace edgeprobe::diagnose
