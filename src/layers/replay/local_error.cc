// SPDX-License-Identifier: Apache-2.0
#include "layers/replay/local_error.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include "core/index.h"
#include "core/text.h"
#include "layers/capture/logits.h"
#include "layers/capture/order.h"
#include "layers/replay/kernel_error.h"
#include "model/edit.h"

namespace edgeprobe::layers {
namespace {

// With an error this small, both sides have the same constant.
constexpr double kSameConstant = 0.05, kLeastConstant = 1e-6;

struct Range {
  double low, high;
};
std::optional<Range> codes_of(const TensorSpec& spec) {
  if (spec.quantization.scale.size() != 1) return std::nullopt;
  switch (spec.dtype) {
    case DType::kInt8: return Range{-128, 127};
    case DType::kUInt8: return Range{0, 255};
    case DType::kInt16: return Range{-32768, 32767};
    default: return std::nullopt;
  }
}

using Feed = std::function<Result<Tensor>(int tensor, std::size_t frame)>;

// The layer's first output in every frame. `shown`: the tensor of this output.
Result<std::vector<std::vector<float>>> outputs_of(Fragment& fragment, int shown,
                                                   std::size_t frames, const Feed& feed) {
  std::vector<std::vector<float>> out;
  const auto& outputs = fragment.part().outputs;
  const auto place =
      static_cast<std::size_t>(std::find(outputs.begin(), outputs.end(), shown) - outputs.begin());
  for (std::size_t frame = 0; frame < frames; ++frame) {
    std::vector<Tensor> inputs;
    for (const int tensor : fragment.part().inputs) {
      EP_TRY(auto value, feed(tensor, frame));
      inputs.push_back(std::move(value));
    }
    EP_TRY(auto answered, fragment.run({inputs.begin(), inputs.end()}));
    if (place >= answered.size())
      return Error{ErrorKind::kTarget, "the layer does not show its output"};
    EP_TRY(auto values, to_float(answered[place]));
    out.push_back(std::move(values));
  }
  return out;
}

Result<Fragment> open_for(const Workspace& workspace, const ModelFile& model, model::Part part,
                          const Feed& feed) {
  if (part.inputs.empty()) return Error{ErrorKind::kUnsupported, "it computes a constant"};
  std::vector<Shape> shapes;
  for (const int tensor : part.inputs) {
    EP_TRY(const auto value, feed(tensor, 0));
    shapes.push_back(value.spec.shape);
  }
  return Fragment::open(
      model.graph == workspace.reference.graph ? workspace.reference_host : workspace.host, model,
      std::move(part), shapes);
}

double rms(const std::vector<std::vector<float>>& a, const std::vector<std::vector<float>>& b) {
  Spread sums;
  for (std::size_t i = 0; i < a.size(); ++i) sums.add(a[i], b[i]);
  return std::sqrt(sums.mean_squared());
}

bool multiplies(const std::string& type) {
  static const std::set<std::string> kTypes{
      "CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED", "TRANSPOSE_CONV",
      "Conv",    "ConvTranspose",     "MatMul",          "Gemm"};
  return kTypes.count(type) > 0;
}

// Axis of the output channels in a layer's weights; nothing for layers without multiplied weights.
std::optional<std::size_t> channel_axis(const model::Graph& graph, const model::Layer& layer,
                                        const Shape& weights) {
  const std::string& type = layer.type;
  if (weights.empty()) return std::nullopt;
  if (type == "CONV_2D" || type == "FULLY_CONNECTED" || type == "TRANSPOSE_CONV" || type == "Conv")
    return 0;
  if (type == "DEPTHWISE_CONV_2D") return 3;
  if (type == "ConvTranspose") return 1;
  if (type == "MatMul") return weights.size() - 1;
  if (!multiplies(type)) return std::nullopt;
  // The matrix of a Gemm may be transposed; the output has a column for each channel.
  const Shape& made = graph.tensors[at(layer.outputs[0])].spec.shape;
  return !made.empty() && made.back() == weights[0] ? 0 : 1;
}

// Rounds a layer's weights in place, like an ideal conversion. False if it has none in real
// numbers, or if they are not plain bytes of the file.
Result<bool> round_weights(const model::Graph& graph, int layer, Bytes& file) {
  const model::Layer& op = graph.layers[at(layer)];
  if (op.inputs.size() < 2 || op.inputs[1] < 0) return false;
  const model::ModelTensor& weights = graph.tensors[at(op.inputs[1])];
  const Shape& shape = weights.spec.shape;
  const auto axis = channel_axis(graph, op, shape);
  if (!axis || *axis >= shape.size() || !weights.is_constant ||
      weights.spec.dtype != DType::kFloat32)
    return false;
  EP_TRY(const auto stored, model::constant(graph, file, op.inputs[1]));
  EP_TRY(auto values, to_float(stored));
  std::size_t inner = 1;
  for (std::size_t d = *axis + 1; d < shape.size(); ++d)
    inner *= static_cast<std::size_t>(shape[d]);
  const auto channels = static_cast<std::size_t>(shape[*axis]);
  std::vector<double> largest(channels);
  for (std::size_t i = 0; i < values.size(); ++i)
    largest[i / inner % channels] =
        std::max(largest[i / inner % channels], std::fabs(double{values[i]}));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double step = largest[i / inner % channels] / 127;
    if (step > 0) values[i] = static_cast<float>(std::nearbyint(values[i] / step) * step);
  }
  const ByteView bytes(reinterpret_cast<const std::byte*>(values.data()),
                       values.size() * sizeof(float));
  auto done = model::set_constant(graph, file, op.inputs[1], bytes);
  if (!done && done.error().kind == ErrorKind::kUnsupported) return false;
  if (!done) return std::move(done.error());
  return true;
}

// The reference's file with the weights of some layers rounded by round_weights(). Nothing if they
// have none.
Result<std::optional<Bytes>> with_ideal_weights(const ModelFile& reference,
                                                const std::vector<int>& layers) {
  std::optional<Bytes> file;
  for (const int layer : layers) {
    if (!multiplies(reference.graph->layers[at(layer)].type)) continue;
    if (!file) file = reference.bytes.copy();
    EP_CHECK(round_weights(*reference.graph, layer, *file));
  }
  return file;
}

bool has_partner(const Workspace& workspace, int tensor) {
  return workspace.reference_of.count(workspace.origins[at(tensor)]) > 0;
}

}  // namespace

Workspace workspace_of(Host host, ModelFile reference, ModelFile target, Pairing pairing,
                       const Values* recorded) {
  Workspace workspace{host, host, reference, target, std::move(pairing), {}, {}, {}, {}};
  for (const auto& [r, t] : workspace.pairing.target_of) workspace.reference_of.emplace(t, r);
  if (!target.graph) return workspace;
  workspace.origins = origins(*target.graph);
  for (const model::DynamicOperator& one : model::dynamic_operators(*target.graph))
    workspace.dynamic.emplace(one.last, one);
  for (std::size_t t = 0; recorded && t < target.graph->tensors.size(); ++t)
    if (const TensorSpec* spec = recorded->find(static_cast<int>(t)))
      workspace.shapes.emplace(static_cast<int>(t), spec->shape);
  return workspace;
}

Shape shape_of_target(const Workspace& workspace, int target, const Shape& reference) {
  const int stored = workspace.origins[at(target)];
  const std::vector<int>& order = workspace.pairing.order_of(stored);
  if (!order.empty()) return shape_in_target(reference, order);
  // Two formats may store the same values with different dimensions of 1.
  const auto recorded = workspace.shapes.find(target);
  const Shape& own =
      recorded != workspace.shapes.end() ? recorded->second : workspace.target.spec(target).shape;
  const bool of_two_formats = workspace.reference.graph &&
                              workspace.reference.graph->format != workspace.target.graph->format;
  return of_two_formats && element_count(own) == element_count(reference) ? own : reference;
}

model::Part target_region(const Workspace& workspace, const OpPair& pair) {
  const model::Graph& graph = *workspace.target.graph;
  std::vector<bool> fed(graph.tensors.size());
  for (const int tensor : model::capturable(graph))
    fed[at(tensor)] = has_partner(workspace, tensor);
  // Codes whose scale is computed at run time correspond to no recorded values.
  for (const auto& [last, whole] : workspace.dynamic)
    for (const int tensor : whole.inner) fed[at(tensor)] = false;
  for (const int tensor : graph.inputs) fed[at(tensor)] = true;
  fed[at(pair.target)] = false;
  return model::part_for(graph, {pair.target}, fed);
}

model::Part target_part(const Workspace& workspace, const OpPair& pair) {
  const model::Graph& graph = *workspace.target.graph;
  model::Part one = model::one_op(graph, pair.target_layer);
  if (!workspace.dynamic.count(pair.target_layer) &&
      (workspace.reference.graph->format == graph.format ||
       std::all_of(one.inputs.begin(), one.inputs.end(),
                   [&](int tensor) { return has_partner(workspace, tensor); })))
    return one;
  return target_region(workspace, pair);
}

model::Part reference_part(const Workspace& workspace, const OpPair& pair) {
  const model::Graph& graph = *workspace.reference.graph;
  std::vector<bool> fed(graph.tensors.size());
  for (const int tensor : model::capturable(graph))
    fed[at(tensor)] = workspace.pairing.target_of.count(tensor) > 0;
  for (const int tensor : graph.inputs) fed[at(tensor)] = true;
  fed[at(pair.reference)] = false;
  return model::part_for(graph, {pair.reference}, fed);
}

Result<Local> local_error(const Workspace& workspace, const OpPair& pair, const Values& reference) {
  const std::size_t frames = reference.frames();
  // The input of the target's layer if everything before it were right.
  const Feed rounded = [&](int tensor, std::size_t frame) -> Result<Tensor> {
    const auto partner = workspace.reference_of.find(workspace.origins[at(tensor)]);
    if (partner == workspace.reference_of.end())
      return Error{ErrorKind::kNotFound, "its input '" +
                                             sanitized(workspace.target.spec(tensor).name, 60) +
                                             "' has no partner in the reference"};
    EP_TRY(const auto value, reference.read(partner->second, frame));
    EP_TRY(auto values, to_float(value));
    EP_TRY(const auto moved,
           in_target_order(std::move(values), value.spec.shape,
                           workspace.pairing.order_of(workspace.origins[at(tensor)])));
    return handed_on(workspace.target.spec(tensor),
                     shape_of_target(workspace, tensor, value.spec.shape), moved);
  };
  std::vector<std::vector<float>> expected;
  Spread range;
  for (std::size_t frame = 0; frame < frames; ++frame) {
    EP_TRY(auto values, real(reference, pair.reference, frame));
    range.add(values, values);
    expected.push_back(std::move(values));
  }
  EP_TRY(auto fragment,
         open_for(workspace, workspace.target, target_part(workspace, pair), rounded));
  EP_TRY(auto own, outputs_of(fragment, pair.target, frames, rounded));
  for (std::size_t frame = 0; frame < frames; ++frame)
    if (own[frame].size() != expected[frame].size())
      return Error{ErrorKind::kUnsupported, "its output has another size in the reference"};
  for (std::vector<float>& values : own) {
    EP_TRY(values, in_reference_order(std::move(values), reference.find(pair.reference)->shape,
                                      workspace.pairing.order_of(pair.target)));
  }

  Local local;
  local.error = rms(expected, own);
  // A constant value has no deviation to which an error could be compared.
  if (!(range.high() > range.low()) &&
      local.error <= kSameConstant * std::max(std::fabs(range.high()), kLeastConstant))
    return Error{ErrorKind::kUnsupported,
                 "cannot tell: constant: it has one value on these inputs"};
  const double deviation = std::sqrt(std::max(range.variance(), 1e-24));
  local.relative = std::min(1e9, local.error / deviation);
  local.outputs = std::move(own);
  const TensorSpec& spec = workspace.target.spec(pair.target);
  const auto codes = codes_of(spec);
  if (!codes) return local;

  const double needed = std::max(
      (std::max(0.0, range.high()) - std::min(0.0, range.low())) / (codes->high - codes->low),
      1e-12);
  const double scale = spec.quantization.scale[0],
               zero = static_cast<double>(spec.quantization.zero_point_at(0));
  local.scale_ratio = scale / needed;
  const double low = (codes->low - zero) * scale, high = (codes->high - zero) * scale;
  double cut = 0;
  for (const auto& frame : expected)
    for (const float value : frame) {
      const double off = value - std::clamp<double>(value, low, high);
      cut += off * off;
    }
  local.clip =
      range.elements() ? std::sqrt(cut / static_cast<double>(range.elements())) / deviation : 0;

  // Rounds the inputs with the target's own steps: an input's fault is attributed to the layer that
  // computed it.
  const Feed through_target = [&](int tensor, std::size_t frame) -> Result<Tensor> {
    EP_TRY(const auto value, reference.read(tensor, frame));
    const auto partner = workspace.pairing.target_of.find(tensor);
    if (partner == workspace.pairing.target_of.end()) return value;
    EP_TRY(const auto values, to_float(value));
    const auto stored = stored_as(workspace.target.spec(partner->second), value.spec.shape, values);
    if (!stored) return value;
    EP_TRY(const auto back, to_float(*stored));
    return stored_as(workspace.reference.spec(tensor), value.spec.shape, back);
  };
  const Feed as_it_is = [&](int tensor, std::size_t frame) {
    return reference.read(tensor, frame);
  };
  const model::Part exact_part = reference_part(workspace, pair);
  double inputs = 0, weights = 0;
  EP_TRY(auto exact, open_for(workspace, workspace.reference, exact_part, as_it_is));
  EP_TRY(const auto with_inputs, outputs_of(exact, pair.reference, frames, through_target));
  inputs = rms(expected, with_inputs);
  EP_TRY(const auto ideal, with_ideal_weights(workspace.reference, exact_part.layers));
  if (ideal) {
    const ModelFile edited{workspace.reference.graph, *ideal};
    EP_TRY(auto rounded_weights, open_for(workspace, edited, exact_part, as_it_is));
    EP_TRY(const auto with_weights, outputs_of(rounded_weights, pair.reference, frames, as_it_is));
    weights = rms(expected, with_weights);
  }
  local.floor = std::sqrt(needed * needed / 12 + inputs * inputs + weights * weights);
  local.score = local.error / std::max(local.floor, 1e-12);
  return local;
}

}  // namespace edgeprobe::layers
