// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "core/index.h"
#include "core/text.h"
#include "family/count.h"
#include "family/export.h"
#include "stretch/flow.h"
#include "stretch/groups.h"

namespace edgeprobe::family {
namespace {

/// The place of a layer in the network: sections in a row are one group if nothing runs parallel to
/// them.
struct Place {
  std::size_t stage = 0;
  int branch = 0;

  auto operator<=>(const Place&) const = default;
};

/// The layer that makes each tensor of the file, by the tensor's name.
std::map<std::string, std::size_t> layers_by_tensor(const Network& network) {
  std::map<std::string, std::size_t> by_name;
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const Layer& layer = network.layers[i];
    by_name[i + 1 == network.layers.size() ? "scores" : layer.name] = i;
    for (const char* const helper : {"/sigmoid", "/flat", "/apart", "/turned"})
      by_name[layer.name + helper] = i;
  }
  return by_name;
}

std::string group_name(const Network& network, const Place& place, std::size_t branches) {
  if (place.stage == 0) return "stem";
  if (place.stage == network.stages + 1) return "head";
  const std::string stage = "stage " + std::to_string(place.stage);
  if (place.branch < 0) return stage + " join";
  return branches > 1 ? stage + " branch " + std::to_string(place.branch + 1) : stage;
}

}  // namespace

Result<stretch::Plan> plan_of(const Network& network, const model::Graph& graph,
                              const std::vector<stretch::Processor>& processors) {
  std::vector<stretch::Processor> distinct;
  std::vector<std::size_t> index_of;
  for (const stretch::Processor& one : processors) {
    const auto found = std::find(distinct.begin(), distinct.end(), one);
    index_of.push_back(static_cast<std::size_t>(found - distinct.begin()));
    if (found == distinct.end()) distinct.push_back(one);
  }
  const auto by_tensor = layers_by_tensor(network);
  std::map<Place, stretch::Group> groups;
  std::map<std::size_t, std::size_t> branches;
  for (const Section& section : sections_of(network)) ++branches[section.stage];
  EP_TRY(const auto flow, stretch::flow_of(graph));
  for (const int node : flow.order) {
    if (at(node) >= graph.layers.size()) continue;
    const model::Layer& stored = graph.layers[at(node)];
    const std::string& tensor = graph.tensors[at(stored.outputs.front())].spec.name;
    const auto found = by_tensor.find(tensor);
    if (found == by_tensor.end())
      return Error{ErrorKind::kUsage, "layer '" + sanitized(stored.name, 80) +
                                          "' of the model is not one of the network"};
    const Layer& layer = network.layers[found->second];
    const Place place{layer.stage,
                      layer.branch < 0 ? static_cast<int>(kMostBranches) : layer.branch};
    stretch::Group& group = groups[place];
    if (group.layers.empty()) {
      group.name = group_name(network, {layer.stage, layer.branch}, branches[layer.stage]);
      group.processor = index_of[layer.processor];
    }
    group.layers.push_back(node);
  }
  std::vector<stretch::Group> list;
  bool is_alone = false;  // Nothing runs parallel to the last group.
  for (auto& [place, group] : groups) {
    const bool alone = branches[place.stage] <= 1;
    if (alone && is_alone && list.back().processor == group.processor) {
      list.back().layers.insert(list.back().layers.end(), group.layers.begin(), group.layers.end());
      list.back().name += ", " + group.name;
    } else {
      list.push_back(std::move(group));
    }
    is_alone = alone;
  }
  for (stretch::Group& group : list) std::sort(group.layers.begin(), group.layers.end());
  return stretch::plan_of(graph, flow, distinct, std::move(list));
}

}  // namespace edgeprobe::family
