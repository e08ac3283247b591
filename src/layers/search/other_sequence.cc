// SPDX-License-Identifier: Apache-2.0
#include "layers/search/other_sequence.h"

#include <algorithm>

#include "compare/align/attribute_differences.h"
#include "compare/align/op_kind.h"
#include "core/index.h"

namespace edgeprobe::layers {
namespace {

/// Longer ones are other models.
constexpr std::size_t kLongest = 12;

/// Between real values and codes nothing is computed.
std::vector<int> operators(const model::Graph& graph, const model::Part& part) {
  std::vector<int> layers = part.layers;
  std::erase_if(layers,
                [&](int layer) { return compare::is_conversion(graph.layers[at(layer)].type); });
  return layers;
}

bool same_constants(const ModelFile& a, const model::Layer& of_a, const ModelFile& b,
                    const model::Layer& of_b) {
  const auto constants = [](const ModelFile& file, const model::Layer& layer) {
    std::vector<int> tensors = layer.inputs;
    std::erase_if(tensors, [&](int t) { return t < 0 || !file.graph->tensors[at(t)].is_constant; });
    return tensors;
  };
  return std::ranges::equal(constants(a, of_a), constants(b, of_b), [&](int in_a, int in_b) {
    const auto value_a = model::constant(*a.graph, a.bytes, in_a),
               value_b = model::constant(*b.graph, b.bytes, in_b);
    return value_a && value_b && value_a->spec.shape == value_b->spec.shape &&
           value_a->bytes == value_b->bytes;
  });
}

bool has_other_attributes(const Workspace& workspace, int reference, int target) {
  const auto differences = compare::attribute_differences(
      *workspace.reference.graph, workspace.reference.bytes, reference, *workspace.target.graph,
      workspace.target.bytes, target);
  return !differences || !differences->empty();
}

/// Whether one operator in front of the last, and no other, has other attributes.
bool has_unlike(const Workspace& workspace, OtherSequence& both) {
  if (both.reference.size() != both.target.size()) return false;
  for (std::size_t k = 0; k < both.target.size(); ++k) {
    const model::Layer &r = workspace.reference.graph->layers[at(both.reference[k])],
                       &t = workspace.target.graph->layers[at(both.target[k])];
    if (r.type != t.type) return false;
    if (!has_other_attributes(workspace, r.index, t.index)) continue;
    if (both.unlike_target >= 0 || k + 1 == both.target.size()) return false;
    both.unlike_reference = r.index;
    both.unlike_target = t.index;
  }
  return both.unlike_target >= 0;
}

/// Places in `target` of the equals of the layers of `reference`; one without an equal is left out.
std::vector<std::size_t> places(const Workspace& workspace, const std::vector<int>& reference,
                                const std::vector<int>& target) {
  const ModelFile &r = workspace.reference, &t = workspace.target;
  std::vector<std::size_t> found;
  for (const int layer : reference)
    for (std::size_t k = 0; k < target.size(); ++k) {
      if (std::count(found.begin(), found.end(), k) > 0) continue;
      const model::Layer &of_r = r.graph->layers[at(layer)], &of_t = t.graph->layers[at(target[k])];
      if (of_r.type != of_t.type || !same_constants(r, of_r, t, of_t)) continue;
      if (has_other_attributes(workspace, of_r.index, of_t.index)) continue;
      found.push_back(k);
      break;
    }
  return found;
}

}  // namespace

std::optional<OtherSequence> other_sequence(const Workspace& workspace, const OpPair& pair) {
  const ModelFile &reference = workspace.reference, &target = workspace.target;
  if (!reference.graph || !target.graph || reference.graph->format != target.graph->format)
    return std::nullopt;
  OtherSequence both{operators(*reference.graph, reference_part(workspace, pair)),
                     operators(*target.graph, target_region(workspace, pair)), -1, -1};
  const std::size_t shorter = std::min(both.reference.size(), both.target.size());
  if (shorter == 0 || std::max(both.reference.size(), both.target.size()) > kLongest)
    return std::nullopt;
  if (has_unlike(workspace, both)) return both;
  const auto equals = places(workspace, both.reference, both.target);
  if (equals.size() < shorter) return std::nullopt;
  const bool same = both.reference.size() == both.target.size() && std::ranges::is_sorted(equals);
  return same ? std::nullopt : std::optional(std::move(both));
}

}  // namespace edgeprobe::layers
