// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <optional>
#include <string>

#include "core/index.h"
#include "model/same.h"
#include "model/tflite/patch.h"
#include "model/tflite/schema.h"
#include "model/tflite/tflite.h"

namespace edgeprobe::model {
namespace {

// Offsets of the data that a cut changes.
struct Places {
  std::size_t inputs_slot = 0, outputs_slot = 0;
  // The first reference of the list, which follows its 4-byte length.
  std::size_t operators = 0;
  std::vector<std::size_t> tables;  // For each operator.
  std::vector<std::size_t> names;   // For each tensor; 0: it has none.
};

Result<Places> places_of(ByteView file) {
  FlatReader reader(file, "the model");
  const Table model = reader.root();
  const Vector subgraphs = reader.vector(model, schema::model::kSubgraphs, 4);
  if (!subgraphs || subgraphs.count == 0)
    return Error{ErrorKind::kUnsupported, "the model has no main graph to cut"};
  const Table graph = reader.table_at(subgraphs, 0);
  Places places;
  places.inputs_slot = reader.slot(graph, schema::subgraph::kInputs, 4);
  places.outputs_slot = reader.slot(graph, schema::subgraph::kOutputs, 4);
  const Vector operators = reader.vector(graph, schema::subgraph::kOperators, 4);
  places.operators = operators.at;
  for (std::size_t i = 0; i < operators.count && !reader.failed(); ++i)
    places.tables.push_back(reader.table_at(operators, i).at);
  const Vector tensors = reader.vector(graph, schema::subgraph::kTensors, 4);
  for (std::size_t i = 0; i < tensors.count && !reader.failed(); ++i)
    places.names.push_back(reader.slot(reader.table_at(tensors, i), schema::tensor::kName, 4));
  if (reader.failed()) return reader.error();
  if (places.inputs_slot == 0 || places.outputs_slot == 0 || places.operators == 0)
    return Error{ErrorKind::kUnsupported,
                 "the model's main graph lacks its list of inputs, outputs or operators"};
  return places;
}

// New names for inputs and outputs of the part that share a name: LiteRT finds them by name, and a
// duplicate name crashes its process.
std::map<int, std::string> names_apart(const Graph& graph, const Part& part) {
  std::map<int, std::string> renamed;
  std::map<std::string, int> taken;
  for (const std::vector<int>* const tensors : {&part.inputs, &part.outputs})
    for (const int tensor : *tensors) {
      const std::string& name = graph.tensors[at(tensor)].spec.name;
      const auto [place, fresh] = taken.emplace(name, tensor);
      if (!fresh && place->second != tensor)
        renamed.emplace(tensor, name + "#" + std::to_string(tensor));
    }
  return renamed;
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

}  // namespace

Result<Bytes> cut_tflite(const Graph& graph, ByteView file, const Part& part) {
  EP_TRY(auto parsed, parse_tflite(file, "the model"));
  EP_TRY(const auto places, places_of(file));
  if (places.tables.size() != graph.layers.size())
    return Error{ErrorKind::kUsage,
                 "the graph has " + std::to_string(graph.layers.size()) + " layers, the file " +
                     std::to_string(places.tables.size()) + ": they do not belong together"};
  const auto renamed = names_apart(graph, part);
  std::size_t added = 4 * (part.inputs.size() + part.outputs.size()) + parsed.vtable_size + 48;
  for (const auto& [tensor, name] : renamed) added += name.size() + 12;
  if (file.size + added > kMostBytes)
    return Error{ErrorKind::kUnsupported,
                 "the model has " + std::to_string(file.size) +
                     " bytes, a part of it would exceed the format's 2 GB"};
  Bytes bytes;
  bytes.reserve(file.size + added);
  bytes.assign(file.begin(), file.end());
  // References only point forwards, so the list cannot be appended. If it is shortened in place,
  // entry i is at or before the old position of its operator, so its distance stays positive.
  for (std::size_t i = 0; i < part.layers.size(); ++i) {
    const std::size_t slot = places.operators + 4 * i;
    put(bytes, slot, static_cast<std::uint32_t>(places.tables[at(part.layers[i])] - slot));
  }
  put(bytes, places.operators - 4, static_cast<std::uint32_t>(part.layers.size()));
  append_indices(bytes, places.inputs_slot, part.inputs);
  append_indices(bytes, places.outputs_slot, part.outputs);
  std::optional<Graph> expected;
  for (const auto& [tensor, name] : renamed) {
    if (at(tensor) >= places.names.size() || places.names[at(tensor)] == 0) continue;
    append_text(bytes, places.names[at(tensor)], name);
    if (!expected) expected = graph;
    expected->tensors[at(tensor)].spec.name = name;
  }
  drop_signatures(bytes, parsed);
  align(bytes, 16);
  EP_TRY(auto again, parse_tflite(bytes, "a part of the model"));
  if (!is_cut(expected ? *expected : graph, again.graph, part))
    return Error{ErrorKind::kUnsupported,
                 "the model's tables overlap, so that cutting it changes more than its lists"};
  return bytes;
}

}  // namespace edgeprobe::model
