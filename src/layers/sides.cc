// SPDX-License-Identifier: Apache-2.0
#include "layers/sides.h"

#include <algorithm>
#include <map>

#include "compare/recorded_tensor.h"
#include "model/graph.h"
#include "pipeline/inputs/feed.h"
#include "pipeline/same_computation.h"
#include "pipeline/sized_engine.h"

namespace edgeprobe::layers {
namespace {

std::vector<const trace::ReadChannel*> computed_channels(const trace::Reader& reader) {
  std::vector<const trace::ReadChannel*> channels;
  for (const trace::ReadChannel& channel : reader.channels())
    if (channel.messages > 0 && trace::of_model(channel.channel.stage))
      channels.push_back(&channel);
  return channels;
}

// The target's model input channels in the order of the reference's inputs, by name; for a model
// with one input, the only one.
Result<std::vector<const trace::ReadChannel*>> input_channels(const trace::Reader& reader,
                                                              const engine::Session& reference) {
  std::vector<const trace::ReadChannel*> channels;
  std::vector<TensorSpec> specs;
  for (const trace::ReadChannel& channel : reader.channels())
    if (channel.channel.stage == trace::Stage::kModelInput && channel.messages > 0) {
      channels.push_back(&channel);
      specs.push_back(channel.channel.spec);
    }
  if (channels.empty())
    return Error{ErrorKind::kNotFound, "the target's trace contains no model input"};
  if (reference.inputs().size() == 1) return std::vector{channels.front()};
  const auto places = pipeline::arrays_of_inputs(specs, reference.inputs(), {});
  if (!places) return Error{ErrorKind::kNotFound, places.error().what};
  std::vector<const trace::ReadChannel*> ordered;
  for (const auto& place : *places) ordered.push_back(channels[*place]);
  return ordered;
}

// The recorded model inputs of each frame in the reference's form.
Result<std::vector<std::vector<Tensor>>> inputs_for(const Deployment& deployment,
                                                    const std::vector<std::uint32_t>& frames) {
  std::vector<std::vector<Tensor>> inputs;
  const engine::Session& session = *deployment.reference->session;
  EP_TRY(const auto channels, input_channels(*deployment.target, session));
  for (const std::uint32_t frame : frames) {
    inputs.emplace_back();
    for (std::size_t i = 0; i < channels.size(); ++i) {
      EP_TRY(const auto message,
             compare::read_in_any_shape(*deployment.target, frame, *channels[i]));
      if (!message)
        return Error{ErrorKind::kNotFound,
                     "frame " + std::to_string(frame) + " has no model input"};
      EP_TRY(auto input, as_input(*message, pipeline::sized(deployment.reference->open_inputs[i],
                                                            message->spec->shape)));
      inputs.back().push_back(std::move(input));
    }
  }
  return inputs;
}

bool of_two_formats(const Deployment& deployment) {
  return deployment.reference && deployment.target_model &&
         deployment.reference->graph.format != deployment.target_model->graph.format;
}

compare::GraphPairs by_graph_of(const Deployment& deployment) {
  const pipeline::Pipeline &r = *deployment.reference, &t = *deployment.target_model;
  if (r.graph.sha256 == t.graph.sha256) return {};
  return compare::pairs_by_graph({r.graph, r.file}, {t.graph, t.file}, deployment.mapping);
}

// Frames on which the reference runs if all of its layers are recorded.
constexpr std::size_t kTriedFrames = 2;

bool are_equal(const Values& a, const Values& b, int tensor, std::size_t frames) {
  for (std::size_t frame = 0; frame < frames; ++frame) {
    const auto one = a.read(tensor, frame), other = b.read(tensor, frame);
    if (!one || !other || one->spec.shape != other->spec.shape ||
        one->spec.dtype != other->spec.dtype || one->bytes != other->bytes)
      return false;
  }
  return true;
}

// The layers of the reference on these inputs, as the target's trace holds them because it recorded
// the same computation; nothing if that is not so.
Result<std::unique_ptr<Values>> recorded_layers(
    const Deployment& deployment, const std::vector<std::uint32_t>& frames,
    std::vector<std::vector<Tensor>> inputs,
    const std::map<int, const trace::ReadChannel*>& channels, const Values& target,
    const Control& control) {
  std::unique_ptr<Values> none;
  if (!deployment.target_ran_here || !deployment.target_model || inputs.size() <= kTriedFrames ||
      !pipeline::are_same_computation(*deployment.reference, *deployment.target_model))
    return none;
  inputs.resize(kTriedFrames);
  auto tried = capture(*deployment.reference, inputs,
                       model::capturable(deployment.reference->graph), deployment.budget, control);
  if (!tried && tried.error().kind == ErrorKind::kInterrupted) return std::move(tried.error());
  // The capture of all frames reports what is wrong.
  if (!tried || !tried->missing.empty()) return none;
  std::map<int, const trace::ReadChannel*> captured;
  const model::Graph& graph = deployment.reference->graph;
  for (int tensor = 0; tensor < static_cast<int>(graph.tensors.size()); ++tensor) {
    if (!tried->values.find(tensor)) continue;
    const auto channel = channels.find(tensor);
    if (channel == channels.end() || !are_equal(tried->values, target, tensor, kTriedFrames))
      return none;
    captured.insert(*channel);
  }
  none = std::make_unique<TraceValues>(*deployment.target, frames, std::move(captured));
  return none;
}

}  // namespace

Result<Sides> both_sides(const Deployment& deployment, const std::vector<std::uint32_t>& frames,
                         const Control& control) {
  Sides sides;
  std::map<int, const trace::ReadChannel*> channels;
  if (deployment.target_model) {
    channels = channels_of(*deployment.target, deployment.target_model->graph);
    if (deployment.reference && !of_two_formats(deployment)) {
      const auto by_graph = by_graph_of(deployment);
      sides.pairing = pair_up(deployment.reference->graph, deployment.target_model->graph, nullptr,
                              nullptr, &by_graph);
    }
  } else {
    const auto computed = computed_channels(*deployment.target);
    for (std::size_t i = 0; i < computed.size(); ++i) channels[static_cast<int>(i)] = computed[i];
    if (deployment.reference) sides.pairing = pair_up(deployment.reference->graph, computed);
  }
  sides.target = std::make_unique<TraceValues>(*deployment.target, frames, channels);
  if (!deployment.reference) {
    sides.unavailable = "the reference's model is not available";
    return sides;
  }
  auto inputs = inputs_for(deployment, frames);
  if (!inputs && inputs.error().kind == ErrorKind::kCorrupt) return std::move(inputs.error());
  if (!inputs) {
    sides.unavailable = "the reference cannot be run on the recorded input: " + inputs.error().what;
    return sides;
  }
  EP_TRY(sides.reference,
         recorded_layers(deployment, frames, *inputs, channels, *sides.target, control));
  if (sides.reference) {
    sides.pairing.mapping = deployment.mapping;
    return sides;
  }
  auto captured =
      capture(*deployment.reference, *inputs, model::capturable(deployment.reference->graph),
              deployment.budget, control);
  if (!captured) return std::move(captured.error()).during("capture of the reference's layers");
  sides.reference = std::make_unique<HeldValues>(std::move(captured->values));
  sides.missing = std::move(captured->missing);
  if (of_two_formats(deployment))
    sides.pairing = pair_up(deployment.reference->graph, deployment.target_model->graph,
                            sides.reference.get(), sides.target.get());
  sides.pairing.mapping = deployment.mapping;
  return sides;
}

}  // namespace edgeprobe::layers
