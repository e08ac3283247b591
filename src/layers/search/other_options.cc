// SPDX-License-Identifier: Apache-2.0
#include "layers/search/other_options.h"

#include <algorithm>
#include <set>

#include "compare/align/layout.h"
#include "compare/options/options.h"
#include "core/index.h"

namespace edgeprobe::layers {
namespace {

// By tensor of the target: true if it has a partner.
std::vector<bool> paired_tensors(const Workspace& workspace) {
  const model::Graph& graph = *workspace.target.graph;
  std::vector<bool> paired(graph.tensors.size());
  for (const int tensor : model::capturable(graph))
    paired[at(tensor)] = workspace.reference_of.count(workspace.origins[at(tensor)]) > 0;
  for (const int tensor : graph.inputs) paired[at(tensor)] = true;
  return paired;
}

// The target's layers that compute this tensor from paired tensors.
std::vector<int> layers_to(const model::Graph& graph, int output, std::vector<bool> paired) {
  paired[at(output)] = false;
  return model::part_for(graph, {output}, paired).layers;
}

// Positions of the target's axes in the reference.
std::vector<int> order_of(const Workspace& workspace, const OpPair& pair) {
  const Shape &r = workspace.reference.spec(pair.reference).shape,
              &t = workspace.target.spec(pair.target).shape;
  if (workspace.reference.graph->format == workspace.target.graph->format) return {};
  const auto orders = compare::layouts_of(r, t);
  // Equal dimensions may hide the order: formats have their channels in different places.
  for (const auto& order : orders)
    if (!order.empty()) return order;
  return {};
}

// The changes take the reference's own value, if its file has the attribute, because padding that
// no window reaches can have many correct values.
std::vector<model::Change> as_in_reference(const compare::OptionSource& r,
                                           const compare::OperatorOptions& in_r,
                                           const compare::OptionSource& t,
                                           const compare::OperatorOptions& in_t,
                                           std::vector<model::Change> changes) {
  const model::Layer &of_r = r.graph.layers[at(in_r.layer)], &of_t = t.graph.layers[at(in_t.layer)];
  if (r.graph.format != t.graph.format || of_r.type != of_t.type || in_r.padding_layer >= 0)
    return changes;
  const auto said = [&](const std::string& name) -> const model::AttributeValue* {
    for (const model::Attribute& one : r.attributes[at(in_r.layer)])
      if (one.name == name) return &one.value;
    return nullptr;
  };
  const model::AttributeValue* const automatic = said("auto_pad");
  const bool by_word = automatic && *automatic != model::AttributeValue(std::string("NOTSET"));
  for (model::Change& change : changes) {
    const model::AttributeValue* const value = said(change.name);
    if (change.layer == in_t.layer && change.input < 0 && value &&
        !(change.name == "pads" && by_word))
      change.value = *value;
  }
  return changes;
}

// Puts the reference's operator into the target's node, for kinds that read the same tensors: a
// pool of another kind, an inverted comparison. Attributes cannot be removed, so the reference's
// operator must have all those of the target's.
std::vector<model::Change> exchanged(const compare::OptionSource& r,
                                     const compare::OperatorOptions& in_r,
                                     const compare::OptionSource& t,
                                     const compare::OperatorOptions& in_t) {
  const model::Layer &of_r = r.graph.layers[at(in_r.layer)], &of_t = t.graph.layers[at(in_t.layer)];
  const bool of_standard =
      of_r.type.find(':') == std::string::npos && of_t.type.find(':') == std::string::npos;
  if (r.graph.format != "onnx" || t.graph.format != "onnx" || !of_standard ||
      in_r.padding_layer >= 0 || in_t.padding_layer >= 0 ||
      of_r.inputs.size() != of_t.inputs.size() || of_r.outputs.size() != of_t.outputs.size())
    return {};
  const model::Attributes &wanted = r.attributes[at(in_r.layer)],
                          &stated = t.attributes[at(in_t.layer)];
  const auto named = [](const model::Attributes& attributes, const std::string& name) {
    return std::find_if(attributes.begin(), attributes.end(),
                        [&](const model::Attribute& one) { return one.name == name; });
  };
  for (const model::Attribute& one : stated)
    if (named(wanted, one.name) == wanted.end()) return {};
  std::vector<model::Change> changes{{in_t.layer, model::kOperatorType, of_r.type}};
  for (const model::Attribute& one : wanted)
    if (const auto now = named(stated, one.name); now == stated.end() || now->value != one.value)
      changes.push_back({in_t.layer, one.name, one.value});
  return changes;
}

std::string said_now(const compare::OptionSource& source, const model::Change& change,
                     const model::AttributeValue& word) {
  if (change.input >= 0 || change.name == model::kOperatorType)
    return change.name == model::kOperatorType ? source.graph.layers[at(change.layer)].type
                                               : model::to_text(word);
  for (const model::Attribute& one : source.attributes[at(change.layer)])
    if (one.name == change.name) return model::to_text(one.value);
  const auto absent =
      model::default_attribute(source.graph, source.graph.layers[at(change.layer)], change.name);
  return absent ? model::to_text(*absent) : "the default";
}

}  // namespace

Result<std::vector<OtherOption>> other_options(const Workspace& workspace) {
  std::vector<OtherOption> found;
  if (!workspace.reference.graph || !workspace.target.graph) return found;
  EP_TRY(const auto of_r, model::attributes(*workspace.reference.graph, workspace.reference.bytes));
  EP_TRY(const auto of_t, model::attributes(*workspace.target.graph, workspace.target.bytes));
  const compare::OptionSource r{*workspace.reference.graph, workspace.reference.bytes, of_r},
      t{*workspace.target.graph, workspace.target.bytes, of_t};
  const std::vector<bool> paired = paired_tensors(workspace);
  for (std::size_t i = 0; i < workspace.pairing.ops.size(); ++i) {
    const OpPair& pair = workspace.pairing.ops[i];
    if (pair.target_layer < 0 || pair.reference_layer < 0) continue;
    const auto in_r = compare::options_of_part(r, reference_part(workspace, pair).layers);
    const auto in_t = compare::options_of_part(t, layers_to(t.graph, pair.target, paired));
    if (!in_r || !in_t) continue;
    for (compare::OptionDifference& one :
         compare::option_differences(r, *in_r, t, *in_t, order_of(workspace, pair))) {
      OtherOption other{i, in_r->layer, in_t->layer, std::move(one), {}, "", {}};
      auto changes =
          compare::changes_for(t, *in_t, other.difference.name, other.difference.reference);
      if (changes) {
        other.changes = as_in_reference(r, *in_r, t, *in_t, *std::move(changes));
      } else {
        other.not_said = changes.error().what;
        if (other.difference.name == "operator") other.changes = exchanged(r, *in_r, t, *in_t);
      }
      for (const model::Change& change : other.changes)
        other.now.push_back(said_now(t, change, other.difference.target));
      found.push_back(std::move(other));
    }
  }
  return found;
}

}  // namespace edgeprobe::layers
