// SPDX-License-Identifier: Apache-2.0
#include "diagnose/layer_causes/layer_causes.h"

#include <algorithm>
#include <map>

#include "compare/align/op_kind.h"
#include "compare/align/weighted.h"
#include "compare/options/options.h"
#include "core/index.h"
#include "core/text.h"
#include "layers/pairing/pairing.h"
#include "layers/replay/local_error.h"

namespace edgeprobe::diagnose {
namespace {

// Layers that an operator reads; -1 for graph inputs. Leaves out constants.
std::vector<int> read_layers(const model::Graph& graph, const model::Layer& layer) {
  const std::vector<int> maker = layers::makers(graph);
  std::vector<int> read;
  for (const int tensor : layer.inputs)
    if (tensor >= 0)
      if (const int from = layers::origin(graph, tensor); !graph.tensors[at(from)].is_constant)
        read.push_back(maker[at(from)]);
  return read;
}

// "reads its inputs in another order"; empty if both read the same layers in the same order, or a
// layer has no partner.
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
  if (std::is_permutation(read.begin(), read.end(), expected.begin()))
    return "reads its inputs in another order in the target than in the reference";
  const auto name = [&](int layer) {
    return layer < 0 ? std::string("the model input")
                     : in_quotes(layers::output_name(target, layer), 60);
  };
  const auto first = std::mismatch(read.begin(), read.end(), expected.begin());
  return "reads " + name(*first.first) + " in the target instead of " + name(*first.second);
}

std::string listed_types(const model::Graph& graph, const std::vector<int>& layers) {
  return joined(layers, ", ",
                [&](int layer) { return sanitized(graph.layers[at(layer)].type, 40); });
}

// True for two formats, or an operator and its integer form: their attributes have different names.
bool in_other_words(const model::Graph& reference, const model::Layer& r,
                    const model::Graph& target, const model::Layer& t) {
  return reference.format != target.format ||
         (r.type != t.type && compare::in_real_numbers(r.type) == compare::in_real_numbers(t.type));
}

bool in_codes(const model::Graph& graph, int tensor) {
  return !graph.tensors[at(tensor)].spec.quantization.empty();
}

// Options of the layers between two paired tensors, in names common to all formats; empty if they
// are equal, or more than one operator is between.
OperatorDifference by_options(const Case& known, const layers::Analysis& analysis,
                              const layers::Row& row) {
  const pipeline::Pipeline &reference = *known.reference_pipeline, &target = *known.target_model;
  const layers::OpPair* pair = nullptr;
  for (const layers::OpPair& one : analysis.pairing.ops)
    if (one.reference_layer == row.reference_layer && one.target_layer == row.target_layer)
      pair = &one;
  const auto all_r = model::attributes(reference.graph, reference.file),
             all_t = model::attributes(target.graph, target.file);
  if (!pair || !all_r || !all_t) return {};
  const layers::Workspace workspace =
      layers::workspace_of({}, {&reference.graph, reference.file}, {&target.graph, target.file},
                           analysis.pairing, nullptr);
  const compare::OptionSource r{reference.graph, reference.file, *all_r},
      t{target.graph, target.file, *all_t};
  const auto of_r = compare::options_of_part(r, layers::reference_part(workspace, *pair).layers),
             of_t = compare::options_of_part(t, layers::target_part(workspace, *pair).layers);
  if (!of_r || !of_t) return {};
  OperatorDifference said;
  for (const compare::OptionDifference& one :
       compare::option_differences(r, *of_r, t, *of_t, analysis.pairing.order_of(pair->target))) {
    const std::string in_r = model::to_text(one.reference), in_t = model::to_text(one.target);
    // The range of codes may imply an activation that the file does not mention.
    const bool held = one.name == "activation" &&
                      ((in_r == "none" && in_codes(reference.graph, pair->reference)) ||
                       (in_t == "none" && in_codes(target.graph, pair->target)));
    if (held) continue;
    said.text += (said.text.empty() ? "has " : ", ") + one.name + " " + in_t + " in the target (" +
                 in_r + " in the reference)";
    said.attributes.push_back({one.name, in_r, in_t});
  }
  return said;
}

}  // namespace

std::string sequence_text(const Case& known, const layers::OtherSequence& sequence) {
  const model::Graph& target = known.target_model->graph;
  if (sequence.unlike >= 0) {
    const auto has = [](const compare::AttributeDifference& one) {
      return one.name + " " + one.target + " (" + one.reference + " in the reference)";
    };
    return "the target's " + sanitized(target.layers[at(sequence.unlike)].type, 40) + " layer " +
           std::to_string(sequence.unlike) + " has " + joined(sequence.differences, ", ", has);
  }
  return "the target computes " + listed_types(target, sequence.target) + " and the reference " +
         listed_types(known.reference_pipeline->graph, sequence.reference);
}

OperatorDifference operator_difference(const Case& known, const layers::Analysis& analysis,
                                       const layers::Row& row) {
  const pipeline::Pipeline &reference = *known.reference_pipeline, &target = *known.target_model;
  const model::Layer& r = reference.graph.layers[at(row.counterpart)];
  const model::Layer& t = target.graph.layers[at(row.target_layer)];
  if (in_other_words(reference.graph, r, target.graph, t)) return by_options(known, analysis, row);
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
