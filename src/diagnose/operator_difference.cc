// SPDX-License-Identifier: Apache-2.0
#include "diagnose/operator_difference.h"

#include <algorithm>
#include <map>

#include "compare/align/op_kind.h"
#include "core/index.h"
#include "core/text.h"
#include "diagnose/layers/pairing.h"

namespace edgeprobe::diagnose {
namespace {

// Which layers an operator reads, -1 for inputs of the graph; constants are left out.
std::vector<int> read_layers(const model::Graph& graph, const model::Layer& layer) {
  const std::vector<int> maker = layers::makers(graph);
  std::vector<int> read;
  for (const int tensor : layer.inputs)
    if (tensor >= 0)
      if (const int from = layers::origin(graph, tensor); !graph.tensors[at(from)].is_constant)
        read.push_back(maker[at(from)]);
  return read;
}

// "reads its inputs in another order"; empty when both read the same layers in one order, or when
// one of them has no partner.
std::string rewired(const Case& known, const layers::Analysis& analysis, const layers::Row& row) {
  const model::Graph &reference = known.reference_pipeline->graph,
                     &target = known.target_model->graph;
  std::map<int, int> target_of{{-1, -1}};
  for (const layers::Row& one : analysis.rows)
    if (one.reference_layer >= 0) target_of[one.reference_layer] = one.target_layer;
  std::vector<int> expected;
  for (const int layer : read_layers(reference, reference.layers[at(row.counterpart)])) {
    const auto partner = target_of.find(layer);
    if (partner == target_of.end() || (partner->second < 0 && layer >= 0)) return "";
    expected.push_back(partner->second);
  }
  std::vector<int> read = read_layers(target, target.layers[at(row.target_layer)]);
  if (read == expected || read.size() != expected.size()) return "";
  for (std::size_t i = 0; i < read.size(); ++i)
    if (!std::count(expected.begin(), expected.end(), read[i])) {
      const auto name = [&](int layer) {
        return layer < 0 ? std::string("the model input")
                         : "'" + sanitized(layers::output_name(target, layer), 60) + "'";
      };
      return "reads " + name(read[i]) + " in the target instead of " + name(expected[i]);
    }
  return "reads its inputs in another order in the target than in the reference";
}

}  // namespace

OperatorDifference operator_difference(const Case& known, const layers::Analysis& analysis,
                                       const layers::Row& row) {
  const pipeline::Pipeline &reference = *known.reference_pipeline, &target = *known.target_model;
  const model::Layer& r = reference.graph.layers[at(row.counterpart)];
  const model::Layer& t = target.graph.layers[at(row.target_layer)];
  if (compare::op_kind(r.type) != compare::op_kind(t.type))
    return {"is " + t.type + " in the target, " + r.type + " in the reference", {}};
  auto different = compare::attribute_differences(reference.graph, reference.file, row.counterpart,
                                                  target.graph, target.file, row.target_layer);
  OperatorDifference said;
  if (different) said.attributes = *std::move(different);
  for (const compare::AttributeDifference& one : said.attributes)
    said.text += (said.text.empty() ? "has " : ", ") + one.name + " " + one.target +
                 " in the target (" + one.reference + " in the reference)";
  if (said.text.empty()) said.text = rewired(known, analysis, row);
  return said;
}

}  // namespace edgeprobe::diagnose
