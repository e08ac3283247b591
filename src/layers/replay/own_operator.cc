// SPDX-License-Identifier: Apache-2.0
#include "layers/replay/own_operator.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <utility>

#include "compare/align/channel_scale.h"
#include "compare/align/converted.h"
#include "compare/align/weighted.h"
#include "core/index.h"
#include "core/text.h"
#include "layers/capture/logits.h"
#include "layers/capture/order.h"
#include "model/edit.h"
#include "model/qdq.h"

namespace edgeprobe::layers {
namespace {

// A single layer in a separate file that can be edited.
struct Alone {
  Bytes file;
  model::Graph graph;
  model::Part part;  // In the order of the model's own part, whose tensors may have other indices.
  int layer = -1, output = -1;
};

// The tensor's index in a cut file; -1 if absent. A format keeps either indices or names.
int in_cut(const model::Graph& cut, const ModelFile& model, int tensor) {
  const std::string& name = model.spec(tensor).name;
  if (at(tensor) < cut.tensors.size() && cut.tensors[at(tensor)].spec.name == name) return tensor;
  for (std::size_t i = 0; i < cut.tensors.size(); ++i)
    if (cut.tensors[i].spec.name == name) return static_cast<int>(i);
  return -1;
}

Result<Alone> alone(const ModelFile& model, const model::Part& part, int output) {
  EP_TRY(auto file, model::cut(*model.graph, model.bytes, part));
  EP_TRY(auto graph, model::read_model(file, "a layer alone", {}));
  Alone one{std::move(file), std::move(graph), {}, -1, -1};
  for (const model::Layer& layer : one.graph.layers) one.part.layers.push_back(layer.index);
  for (const int tensor : part.inputs) one.part.inputs.push_back(in_cut(one.graph, model, tensor));
  for (const int tensor : part.outputs)
    one.part.outputs.push_back(in_cut(one.graph, model, tensor));
  one.output = in_cut(one.graph, model, output);
  const bool known = std::count(one.part.inputs.begin(), one.part.inputs.end(), -1) +
                         std::count(one.part.outputs.begin(), one.part.outputs.end(), -1) ==
                     0;
  if (one.output >= 0) one.layer = makers(one.graph)[at(one.output)];
  if (!known || one.layer < 0)
    return Error{ErrorKind::kUnsupported, "the layer does not show its output"};
  return one;
}

Status set_values(const model::Graph& graph, Bytes& file, int tensor,
                  const std::vector<float>& values) {
  return model::set_constant(
      graph, file, tensor,
      ByteView(reinterpret_cast<const std::byte*>(values.data()), values.size() * sizeof(float)));
}

// Makes batch norms, products and sums after the operator neutral: the target's constants already
// include them. The first one that adds something adds the bias, if the operator has no place for
// one.
Status without_scales(const ModelFile& reference, const model::Part& part, int counterpart,
                      std::vector<float> bias, Bytes& file) {
  const model::Graph& graph = *reference.graph;
  const model::Layer& op = graph.layers[at(counterpart)];
  const Shape& made = graph.tensors[at(op.outputs[0])].spec.shape;
  if ((op.type != "Conv" && op.type != "ConvTranspose") || made.size() < 3 || made[1] < 1)
    return {};
  const compare::ChannelPlace place{static_cast<std::size_t>(made[1]), made.size() - 2};
  for (const int layer : part.layers) {
    if (layer <= counterpart) continue;
    EP_TRY(auto scale,
           compare::channel_scale(graph, reference.bytes, graph.layers[at(layer)], place));
    if (!scale) continue;
    for (auto& [tensor, values] : scale->neutral) {
      if (tensor == scale->added && bias.size() == values.size())
        for (std::size_t c = 0; c < values.size(); ++c) values[c] += std::exchange(bias[c], 0.0f);
      EP_CHECK(set_values(graph, file, tensor, values));
    }
  }
  return {};
}

// with_constants_of() for two formats, which store weights in different orders.
Result<std::optional<Bytes>> with_converted_constants(const Workspace& workspace,
                                                      const OpPair& pair,
                                                      const model::Part& its_part) {
  const compare::WeightedGraph from{*workspace.target.graph, workspace.target.bytes},
      to{*workspace.reference.graph, workspace.reference.bytes};
  const model::Layer* const own = compare::weighted_in(from, target_part(workspace, pair).layers);
  const model::Layer* const its = compare::weighted_in(to, its_part.layers);
  if (!own || !its) return std::optional<Bytes>{};
  EP_TRY(auto constants, compare::converted_constants(from, *own, to, *its));
  if (!constants) return std::optional<Bytes>{};
  Bytes file = workspace.reference.bytes.copy();
  for (const auto& [tensor, values] : *constants)
    EP_CHECK(set_values(*workspace.reference.graph, file, tensor, values));
  return std::optional(std::move(file));
}

// Stored tensors that a target layer reads, in the order of the operator on real numbers;
// -1: absent.
std::vector<int> tensors_of(const Workspace& workspace, int target_layer) {
  if (const auto found = workspace.dynamic.find(target_layer); found != workspace.dynamic.end())
    return {found->second.input, found->second.weights, found->second.bias};
  const model::Layer& layer = workspace.target.graph->layers[at(target_layer)];
  const std::vector<int> forms = model::stored_forms(*workspace.target.graph);
  std::vector<int> tensors;
  for (const std::size_t slot : compare::tensor_slots(layer)) {
    const int read = slot < layer.inputs.size() ? layer.inputs[slot] : -1;
    tensors.push_back(read < 0 ? -1 : forms[at(read)]);
  }
  return tensors;
}

// The reference's file with the weights and the bias of the target's layer, as real numbers.
// Nothing if there are none to insert.
Result<std::optional<Bytes>> with_constants_of(const Workspace& workspace, const OpPair& pair,
                                               const model::Part& its_part) {
  std::vector<float> bias;  // A bias for which the reference's operator has no place.
  const bool of_two_formats = workspace.target.graph->format != workspace.reference.graph->format;
  if (of_two_formats) return with_converted_constants(workspace, pair, its_part);
  const model::Layer& to = workspace.reference.graph->layers[at(pair.counterpart)];
  std::optional<Bytes> file;
  const std::vector<int> stored_tensors = tensors_of(workspace, pair.target_layer);
  for (std::size_t slot = 0; slot < stored_tensors.size(); ++slot) {
    const int own = stored_tensors[slot];
    if (own < 0) continue;
    if (slot >= to.inputs.size() || to.inputs[slot] < 0) {
      if (slot != 2 || !workspace.target.graph->tensors[at(own)].is_constant) continue;
      EP_TRY(const auto stored,
             model::constant(*workspace.target.graph, workspace.target.bytes, own));
      EP_TRY(bias, to_float(stored));
      continue;
    }
    const model::ModelTensor &r = workspace.reference.graph->tensors[at(to.inputs[slot])],
                             &t = workspace.target.graph->tensors[at(own)];
    if (!r.is_constant || !t.is_constant || r.spec.dtype != DType::kFloat32 ||
        r.spec.shape != t.spec.shape)
      continue;
    EP_TRY(const auto stored,
           model::constant(*workspace.target.graph, workspace.target.bytes, own));
    EP_TRY(const auto values, to_float(stored));
    if (!file) file = workspace.reference.bytes.copy();
    EP_CHECK(set_values(*workspace.reference.graph, *file, to.inputs[slot], values));
  }
  if (file && pair.counterpart != pair.reference_layer)
    EP_CHECK(
        without_scales(workspace.reference, its_part, pair.counterpart, std::move(bias), *file));
  return file;
}

using Feed = std::function<Result<Tensor>(std::size_t input, std::size_t frame)>;

Result<std::vector<float>> answer(Fragment& fragment, int shown, std::size_t frame,
                                  const Feed& feed) {
  std::vector<Tensor> inputs;
  for (std::size_t i = 0; i < fragment.part().inputs.size(); ++i) {
    EP_TRY(auto value, feed(i, frame));
    inputs.push_back(std::move(value));
  }
  EP_TRY(auto answered, fragment.run({inputs.begin(), inputs.end()}));
  const auto& outputs = fragment.part().outputs;
  const auto place =
      static_cast<std::size_t>(std::find(outputs.begin(), outputs.end(), shown) - outputs.begin());
  if (place >= answered.size())
    return Error{ErrorKind::kTarget, "the layer does not show its output"};
  return to_float(answered[place]);
}

}  // namespace

bool keeps_scale(const std::string& type) {
  static const std::set<std::string> kTypes{"AVERAGE_POOL_2D",
                                            "MAX_POOL_2D",
                                            "RESHAPE",
                                            "SQUEEZE",
                                            "EXPAND_DIMS",
                                            "PAD",
                                            "PADV2",
                                            "MIRROR_PAD",
                                            "CONCATENATION",
                                            "PACK",
                                            "STRIDED_SLICE",
                                            "SLICE",
                                            "SPLIT",
                                            "SPLIT_V",
                                            "UNPACK",
                                            "TRANSPOSE",
                                            "GATHER",
                                            "TILE",
                                            "MAXIMUM",
                                            "MINIMUM",
                                            "RELU",
                                            "RELU6",
                                            "RESIZE_BILINEAR",
                                            "RESIZE_NEAREST_NEIGHBOR",
                                            "SPACE_TO_DEPTH",
                                            "DEPTH_TO_SPACE",
                                            "SPACE_TO_BATCH_ND",
                                            "BATCH_TO_SPACE_ND",
                                            "REVERSE_V2",
                                            "SELECT",
                                            "SELECT_V2",
                                            "SOFTMAX",
                                            "LOG_SOFTMAX",
                                            "LOGISTIC",
                                            "TANH",
                                            "L2_NORMALIZATION"};
  return kTypes.count(type) > 0;
}

Result<Fragment> own_layer(const Host& host, const ModelFile& target, int layer, int output,
                           const std::optional<Affine>& stored, const std::vector<Shape>& shapes) {
  model::Part part = model::one_op(*target.graph, layer);
  if (!stored) return Fragment::open(host, target, std::move(part), shapes);
  EP_TRY(auto one, alone(target, part, output));
  const bool real = keeps_scale(target.graph->layers[at(layer)].type);
  EP_CHECK(
      real ? model::set_real(one.graph, one.file, one.layer)
           : model::set_scale(one.graph, one.file, one.output, stored->scale, stored->zero_point));
  EP_TRY(one.graph, model::read_model(one.file, "a layer with another scale", {}));
  auto fragment = Fragment::open(host, {&one.graph, one.file}, one.part, shapes);
  if (fragment) fragment->number_as(std::move(part));
  return fragment;
}

Result<OwnOperator> own_operator(const Workspace& workspace, const OpPair& pair,
                                 const Values& reference, const std::optional<Affine>& stored) {
  const ModelFile& target = workspace.target;
  const bool real_numbers = stored && keeps_scale(target.graph->layers[at(pair.target_layer)].type);
  // Input of both operators: the reference's values, in its order, rounded as in the target.
  const auto rounded = [&](int tensor, std::size_t frame) -> Result<std::vector<float>> {
    const auto partner = workspace.reference_of.find(workspace.origins[at(tensor)]);
    if (partner == workspace.reference_of.end())
      return Error{ErrorKind::kNotFound, "its input '" + sanitized(target.spec(tensor).name, 60) +
                                             "' has no partner in the reference"};
    EP_TRY(const auto value, reference.read(partner->second, frame));
    EP_TRY(const auto values, to_float(value));
    EP_TRY(const auto codes, stored_as(target.spec(tensor), value.spec.shape, values));
    return to_float(codes);
  };
  const auto shape_of = [&](int tensor) -> Result<Shape> {
    const TensorSpec* spec = reference.find(tensor);
    if (!spec) return Error{ErrorKind::kNotFound, "an input was not captured"};
    return spec->shape;
  };
  const model::Part own_part = stored ? model::one_op(*target.graph, pair.target_layer)
                                      : target_part(workspace, pair),
                    its_part = reference_part(workspace, pair);
  std::vector<Shape> own_shapes, its_order_shapes, its_shapes;
  std::vector<int> own_reads, its_reads;  // Tensors of the target.
  for (const int tensor : own_part.inputs) {
    const auto partner = workspace.reference_of.find(workspace.origins[at(tensor)]);
    EP_TRY(auto shape, partner == workspace.reference_of.end()
                           ? Result<Shape>(Error{ErrorKind::kNotFound, "an input has no partner"})
                           : shape_of(partner->second));
    own_shapes.push_back(shape_of_target(workspace, tensor, shape));
    its_order_shapes.push_back(std::move(shape));
    own_reads.push_back(tensor);
  }
  for (const int tensor : its_part.inputs) {
    const auto partner = workspace.pairing.target_of.find(tensor);
    EP_TRY(auto shape, partner == workspace.pairing.target_of.end()
                           ? Result<Shape>(Error{ErrorKind::kNotFound, "an input has no partner"})
                           : shape_of(tensor));
    its_shapes.push_back(std::move(shape));
    its_reads.push_back(partner->second);
  }
  EP_TRY(auto own, stored ? own_layer(workspace.host, target, pair.target_layer, pair.target,
                                      stored, own_shapes)
                          : Fragment::open(workspace.host, target, own_part, own_shapes));
  EP_TRY(const auto constants, with_constants_of(workspace, pair, its_part));
  const ModelFile its_file{workspace.reference.graph,
                           constants ? ByteView(*constants) : workspace.reference.bytes};
  EP_TRY(auto its, Fragment::open(workspace.reference_host, its_file, its_part, its_shapes));
  const auto fed_to_own = [&](std::size_t i, std::size_t frame) -> Result<Tensor> {
    EP_TRY(auto values, rounded(own_reads[i], frame));
    EP_TRY(values,
           in_target_order(std::move(values), its_order_shapes[i],
                           workspace.pairing.order_of(workspace.origins[at(own_reads[i])])));
    TensorSpec spec = target.spec(own_reads[i]);
    if (real_numbers) spec = {spec.name, DType::kFloat32, spec.shape, {}};
    return stored_as(spec, own_shapes[i], values);
  };
  const auto fed_to_its = [&](std::size_t i, std::size_t frame) -> Result<Tensor> {
    EP_TRY(const auto values, rounded(its_reads[i], frame));
    return stored_as(workspace.reference.spec(its.part().inputs[i]), its_shapes[i], values);
  };
  Spread error, otherwise;
  for (std::size_t frame = 0; frame < reference.frames(); ++frame) {
    EP_TRY(const auto expected, real(reference, pair.reference, frame));
    EP_TRY(const auto made, answer(own, pair.target, frame, fed_to_own));
    EP_TRY(const auto wanted, answer(its, pair.reference, frame, fed_to_its));
    if (made.size() != expected.size() || wanted.size() != expected.size())
      return Error{ErrorKind::kUnsupported, "its output has another size in the reference"};
    EP_TRY(const auto moved, in_reference_order(made, reference.find(pair.reference)->shape,
                                                workspace.pairing.order_of(pair.target)));
    error.add(expected, moved);
    otherwise.add(wanted, moved);
  }
  const double deviation = std::sqrt(std::max(error.variance(), 1e-24));
  return OwnOperator{std::min(1e9, std::sqrt(error.mean_squared()) / deviation),
                     std::min(1e9, std::sqrt(otherwise.mean_squared()) / deviation)};
}

}  // namespace edgeprobe::layers
