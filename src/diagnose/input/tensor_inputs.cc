// SPDX-License-Identifier: Apache-2.0
#include "diagnose/input/tensor_inputs.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "diagnose/case/counterfactual.h"
#include "pipeline/inputs/recorded_inputs.h"

namespace edgeprobe::diagnose {
namespace {

using State = TensorInput::State;

/// Fraction of the value range by which two engines' libraries may round the same conversion
/// differently.
constexpr double kSameFloat = 1e-6;
/// Fraction of a code step: rounding takes half a step, plus a margin for the computation.
constexpr double kHalfStep = 0.51;
/// Inputs that a trace declares as states: "out=in,out=in".
std::set<std::string> states_of(const trace::Reader& reader) {
  std::set<std::string> names;
  const std::string list = reader.declared("states").value_or("");
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    const std::string pair = list.substr(at, end - at);
    if (const std::size_t equals = pair.find('='); equals != std::string::npos)
      names.insert(pair.substr(equals + 1));
    at = end + 1;
  }
  return names;
}

std::set<std::string> all_states(const Study& study) {
  std::set<std::string> states = states_of(*study.known.target);
  states.merge(states_of(*study.known.reference));
  if (study.states)
    for (const pipeline::CarriedState& pair : study.states->pairs) states.insert(pair.input);
  return states;
}

double step_of(const trace::ReadChannel* channel) {
  const bool has = channel && channel->channel.spec.quantization.scale.size() == 1;
  return has ? double(channel->channel.spec.quantization.scale[0]) : 0;
}

}  // namespace

const trace::ReadChannel* input_of(const trace::Reader& reader, const std::string& name) {
  for (const trace::ReadChannel& channel : reader.channels())
    if (channel.channel.stage == trace::Stage::kModelInput && channel.messages > 0 &&
        channel.channel.spec.name == name)
      return &channel;
  return nullptr;
}

double tolerance(const Study& study, const TensorInput& input) {
  const double step = std::max(step_of(input_of(*study.known.target, input.target_name)),
                               step_of(input_of(*study.known.reference, input.name)));
  const compare::Moments& m = input.moments;
  return std::max(kHalfStep * step,
                  kSameFloat * (std::max(m.max_r, m.max_t) - std::min(m.min_r, m.min_t)));
}

std::vector<std::string> differing_states(const Study& study) {
  const std::set<std::string> states = all_states(study);
  std::vector<std::string> differing;
  for (const compare::LayerAgreement& layer : study.agreement.layers)
    if (layer.stage == trace::Stage::kModelInput && states.count(layer.name) &&
        !layer.distances.exact)
      differing.push_back(layer.name);
  return differing;
}

std::vector<TensorInput> tensor_inputs(const Study& study) {
  const std::set<std::string> states = all_states(study);
  std::vector<TensorInput> inputs;
  for (const compare::LayerAgreement& layer : study.agreement.layers) {
    if (layer.stage != trace::Stage::kModelInput || states.count(layer.name) ||
        states.count(layer.target_name))
      continue;
    auto at = std::find_if(inputs.begin(), inputs.end(),
                           [&](const TensorInput& one) { return one.name == layer.name; });
    if (at == inputs.end()) {
      at = inputs.emplace(inputs.end());
      at->name = layer.name;
      at->target_name = layer.target_name.empty() ? layer.name : layer.target_name;
    }
    at->moments.merge(layer.moments);
    at->frames += layer.frames;
  }
  for (TensorInput& input : inputs) {
    input.distances = compare::distances(input.moments);
    const bool broken = input.moments.non_finite_mismatch + input.moments.overflow > 0;
    input.state = input.distances.exact                                           ? State::kEqual
                  : !broken && input.moments.max_abs_d <= tolerance(study, input) ? State::kRounding
                                                                                  : State::kDiffers;
  }
  return inputs;
}

}  // namespace edgeprobe::diagnose
