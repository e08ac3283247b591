#include "model/cut.h"

#include <algorithm>
#include <set>

#include "model/onnx_cut.h"
#include "model/patch.h"
#include "model/tflite_schema.h"

namespace edgeprobe::model {
namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

// Where the file keeps what a cut changes.
struct Places {
  std::size_t inputs_slot = 0, outputs_slot = 0;
  std::size_t operators = 0;            // The first reference of the list; its length stands 4 bytes before.
  std::vector<std::size_t> tables;      // Of each operator.
};

Result<Places> places_of(ByteView file) {
  FlatReader reader(file, "the model");
  const Table model = reader.root();
  const Vector subgraphs = reader.vector(model, schema::model::kSubgraphs, 4);
  if (!subgraphs || subgraphs.count == 0) return Error{Fault::kUnsupported, "the model has no main graph to cut"};
  const Table graph = reader.table_at(subgraphs, 0);
  Places places;
  places.inputs_slot = reader.slot(graph, schema::subgraph::kInputs, 4);
  places.outputs_slot = reader.slot(graph, schema::subgraph::kOutputs, 4);
  const Vector operators = reader.vector(graph, schema::subgraph::kOperators, 4);
  places.operators = operators.at;
  for (std::size_t i = 0; i < operators.count && !reader.failed(); ++i)
    places.tables.push_back(reader.table_at(operators, i).at);
  if (reader.failed()) return reader.error();
  if (places.inputs_slot == 0 || places.outputs_slot == 0 || places.operators == 0)
    return Error{Fault::kUnsupported, "the model's main graph lacks its list of inputs, outputs or operators"};
  return places;
}

bool is_tensor(const Graph& graph, int tensor) { return tensor >= 0 && at(tensor) < graph.tensors.size(); }

Status check(const Graph& graph, const Part& part) {
  const auto refuse = [](const std::string& what) { return Error{Fault::kUsage, "a part of a model " + what}; };
  if (part.layers.empty()) return refuse("needs at least one layer");
  if (part.outputs.empty()) return refuse("needs at least one output");
  for (std::size_t i = 0; i < part.layers.size(); ++i) {
    if (part.layers[i] < 0 || at(part.layers[i]) >= graph.layers.size())
      return refuse("names layer " + std::to_string(part.layers[i]) + ", the graph has " + std::to_string(graph.layers.size()));
    if (i > 0 && part.layers[i] <= part.layers[i - 1]) return refuse("needs its layers in ascending order");
  }
  for (const auto* list : {&part.inputs, &part.outputs})
    for (const int tensor : *list)
      if (!is_tensor(graph, tensor))
        return refuse("names tensor " + std::to_string(tensor) + ", the graph has " + std::to_string(graph.tensors.size()));
  return {};
}

bool is_cut(const Graph& before, const Graph& after, const Part& part) {
  if (after.inputs != part.inputs || after.outputs != part.outputs || !after.signatures.empty() ||
      after.subgraph_count != before.subgraph_count || after.metadata != before.metadata ||
      !same_all(after.tensors, before.tensors) || after.layers.size() != part.layers.size())
    return false;
  for (std::size_t i = 0; i < part.layers.size(); ++i)
    if (!same(after.layers[i], before.layers[at(part.layers[i])])) return false;
  return true;
}

// The layer that makes each tensor; -1: none.
std::vector<int> makers(const Graph& graph) {
  std::vector<int> maker(graph.tensors.size(), -1);
  for (const Layer& layer : graph.layers)
    for (const int output : layer.outputs)
      if (is_tensor(graph, output)) maker[at(output)] = layer.index;
  return maker;
}

// Tensors that a trace or a capture can hold, of the layers up to `last`.
std::vector<bool> held_up_to(const Graph& graph, int last) {
  std::vector<bool> held(graph.tensors.size());
  const std::vector<int> maker = makers(graph);
  for (const int tensor : capturable(graph)) held[at(tensor)] = maker[at(tensor)] <= last;
  for (const int tensor : graph.inputs) held[at(tensor)] = true;
  return held;
}

}  // namespace

Part part_for(const Graph& graph, const std::vector<int>& outputs, const std::vector<bool>& fed) {
  const std::vector<int> maker = makers(graph);
  std::set<int> layers, inputs;
  std::vector<int> wanted;
  const auto is_stored = [&](int tensor) {
    return graph.tensors[at(tensor)].is_constant || graph.tensors[at(tensor)].is_variable;
  };
  const auto take = [&](int input) {
    if (!is_tensor(graph, input) || is_stored(input)) return;
    const bool given = (at(input) < fed.size() && fed[at(input)]) || maker[at(input)] < 0;
    if (given) inputs.insert(input);
    else wanted.push_back(input);
  };
  for (const int output : outputs) {
    if (maker[at(output)] >= 0) wanted.push_back(output);
    else if (!is_stored(output)) inputs.insert(output);
  }
  while (!wanted.empty()) {
    const int layer = maker[at(wanted.back())];
    wanted.pop_back();
    if (!layers.insert(layer).second) continue;
    for (const int input : graph.layers[at(layer)].inputs) take(input);
    for (const int input : graph.layers[at(layer)].implicit_inputs) take(input);
  }
  // What a kept layer makes is not fed as well, even when another kept layer reads it.
  for (const int layer : layers)
    for (const int output : graph.layers[at(layer)].outputs) inputs.erase(output);
  return {{layers.begin(), layers.end()}, {inputs.begin(), inputs.end()}, outputs};
}

Part one_op(const Graph& graph, int layer) {
  std::vector<int> outputs;
  for (const int output : graph.layers[at(layer)].outputs)
    if (is_tensor(graph, output)) outputs.push_back(output);
  return part_for(graph, outputs, held_up_to(graph, layer - 1));
}

Part rest_after(const Graph& graph, int layer, const std::vector<int>& outputs) {
  return part_for(graph, outputs, held_up_to(graph, layer));
}

Result<Bytes> cut(const Graph& graph, ByteView file, const Part& part) {
  if (auto checked = check(graph, part); !checked) return std::move(checked).error();
  if (graph.format == "onnx") return cut_onnx(graph, file, part);
  auto parsed = parse_tflite(file, "the model");
  if (!parsed) return std::move(parsed).error();
  const auto places = places_of(file);
  if (!places) return places.error();
  if (places->tables.size() != graph.layers.size())
    return Error{Fault::kUsage, "the graph has " + std::to_string(graph.layers.size()) + " layers, the file " +
                                    std::to_string(places->tables.size()) + ": they do not belong together"};
  const std::size_t added = 4 * (part.inputs.size() + part.outputs.size()) + parsed->vtable_size + 48;
  if (file.size + added > kMostBytes)
    return Error{Fault::kUnsupported, "the model has " + std::to_string(file.size) +
                                          " bytes, a part of it would pass the format's 2 GB"};
  Bytes bytes;
  bytes.reserve(file.size + added);
  bytes.assign(file.begin(), file.end());
  // References only point forwards: the list cannot be appended. Shortened in place, entry i comes to stand at or before
  // the old place of the operator it names, so its distance stays positive.
  for (std::size_t i = 0; i < part.layers.size(); ++i) {
    const std::size_t slot = places->operators + 4 * i;
    put(bytes, slot, static_cast<std::uint32_t>(places->tables[at(part.layers[i])] - slot));
  }
  put(bytes, places->operators - 4, static_cast<std::uint32_t>(part.layers.size()));
  append_indices(bytes, places->inputs_slot, part.inputs);
  append_indices(bytes, places->outputs_slot, part.outputs);
  drop_signatures(bytes, *parsed);
  align(bytes, 16);
  auto again = parse_tflite(bytes, "a part of the model");
  if (!again) return std::move(again).error();
  if (!is_cut(graph, again->graph, part))
    return Error{Fault::kUnsupported, "the model's tables overlap, so that cutting it changes more than its lists"};
  return bytes;
}

}  // namespace edgeprobe::model
