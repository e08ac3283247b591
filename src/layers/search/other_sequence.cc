// SPDX-License-Identifier: Apache-2.0
#include "layers/search/other_sequence.h"

#include <algorithm>

#include "compare/align/attribute_differences.h"
#include "compare/align/op_kind.h"
#include "core/index.h"

namespace edgeprobe::layers {
namespace {

/// Longer sequences indicate another model.
constexpr std::size_t kLongest = 12;

/// The operators of a part, without conversions between real values and codes, which compute
/// nothing.
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

/// Returns nothing if they cannot be read.
std::optional<std::vector<compare::AttributeDifference>> differences_of(
    const Workspace& workspace, const model::Layer& reference, const model::Layer& target) {
  auto found = compare::attribute_differences(*workspace.reference.graph, workspace.reference.bytes,
                                              reference.index, *workspace.target.graph,
                                              workspace.target.bytes, target.index);
  return found ? std::optional(*std::move(found)) : std::nullopt;
}

bool are_of_same_types(const Workspace& workspace, const OtherSequence& both) {
  return std::ranges::equal(both.reference, both.target, [&](int r, int t) {
    return workspace.reference.graph->layers[at(r)].type ==
           workspace.target.graph->layers[at(t)].type;
  });
}

/// For operators of the same types in the same order: keeps the sequence if exactly one operator,
/// not the last, has different attributes.
std::optional<OtherSequence> with_unlike(const Workspace& workspace, OtherSequence both) {
  for (std::size_t k = 0; k < both.target.size(); ++k) {
    auto differences =
        differences_of(workspace, workspace.reference.graph->layers[at(both.reference[k])],
                       workspace.target.graph->layers[at(both.target[k])]);
    if (differences && differences->empty()) continue;
    if (!differences || both.unlike >= 0 || k + 1 == both.target.size()) return std::nullopt;
    both.unlike = both.target[k];
    both.differences = *std::move(differences);
  }
  return both.unlike >= 0 ? std::optional(std::move(both)) : std::nullopt;
}

/// Number of layers of `reference` that have an equal layer in `target`, each used once.
std::size_t count_equals(const Workspace& workspace, const OtherSequence& both) {
  const ModelFile &r = workspace.reference, &t = workspace.target;
  std::vector<int> left = both.target;
  for (const int layer : both.reference) {
    const auto equal = std::ranges::find_if(left, [&](int other) {
      const model::Layer &of_r = r.graph->layers[at(layer)], &of_t = t.graph->layers[at(other)];
      if (of_r.type != of_t.type || !same_constants(r, of_r, t, of_t)) return false;
      const auto differences = differences_of(workspace, of_r, of_t);
      return differences && differences->empty();
    });
    if (equal != left.end()) left.erase(equal);
  }
  return both.target.size() - left.size();
}

}  // namespace

std::optional<OtherSequence> other_sequence(const Workspace& workspace, const OpPair& pair) {
  const ModelFile &reference = workspace.reference, &target = workspace.target;
  if (!reference.graph || !target.graph || reference.graph->format != target.graph->format)
    return std::nullopt;
  OtherSequence both{operators(*reference.graph, reference_part(workspace, pair)),
                     operators(*target.graph, target_region(workspace, pair))};
  const std::size_t shorter = std::min(both.reference.size(), both.target.size());
  if (shorter == 0 || std::max(both.reference.size(), both.target.size()) > kLongest)
    return std::nullopt;
  if (are_of_same_types(workspace, both)) return with_unlike(workspace, std::move(both));
  return count_equals(workspace, both) == shorter ? std::optional(std::move(both)) : std::nullopt;
}

}  // namespace edgeprobe::layers
