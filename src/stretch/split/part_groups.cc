// SPDX-License-Identifier: Apache-2.0
#include "stretch/split/part_groups.h"

#include <algorithm>

#include "core/index.h"
#include "stretch/fit.h"
#include "stretch/split/find.h"
#include "stretch/split/split.h"
#include "stretch/split/written_parts.h"

namespace edgeprobe::stretch {

Result<std::vector<std::vector<std::vector<int>>>> part_layers(const SplitSubject& subject,
                                                               const std::vector<Split>& splits) {
  std::vector<std::vector<std::vector<int>>> layers;
  for (const Split& split : splits) {
    auto& parts = layers.emplace_back();
    for (std::size_t part = 0; part < split.parts.size(); ++part) {
      auto found = layers_between(subject, split.from, part_name(split.to, part));
      if (!found) return std::move(found).error();
      parts.push_back(*std::move(found));
    }
  }
  return layers;
}

std::vector<Group> groups_of(const SplitSubject& subject,
                             const std::vector<std::vector<std::vector<int>>>& parts) {
  const Flow& flow = subject.flow;
  const std::size_t layers = subject.graph.layers.size();
  std::vector<int> home(flow.before.size(), -1);
  for (std::size_t i = 0; i < parts.size(); ++i)
    for (const std::vector<int>& part : parts[i])
      for (const int layer : part) home[at(layer)] = static_cast<int>(i);
  // How many splits have to end before a layer can run; what is in none runs as early as it can.
  std::vector<int> passed(flow.before.size());
  std::vector<std::vector<int>> between(parts.size() + 1);
  for (const int node : flow.order) {
    for (const int before : flow.before[at(node)])
      passed[at(node)] =
          std::max(passed[at(node)], home[at(before)] >= 0 && home[at(before)] != home[at(node)]
                                         ? home[at(before)] + 1
                                         : passed[at(before)]);
    if (at(node) < layers && home[at(node)] < 0) between[at(passed[at(node)])].push_back(node);
  }
  std::vector<Group> groups;
  for (std::size_t i = 0; i <= parts.size(); ++i) {
    std::sort(between[i].begin(), between[i].end());
    if (!between[i].empty()) groups.push_back({"between " + std::to_string(i), between[i], 0});
    for (std::size_t part = 0; i < parts.size() && part < parts[i].size(); ++part)
      groups.push_back({"split " + std::to_string(i + 1) + " part " + std::to_string(part + 1),
                        parts[i][part], part});
  }
  return groups;
}

Result<Plan> plan_of_splits(const model::Graph& graph, ByteView file,
                            const std::vector<Split>& splits,
                            const std::vector<Processor>& processors) {
  const auto bytes = split(graph, file, splits);
  if (!bytes) return bytes.error();
  const auto made = model::read_model(*bytes, "the split model", graph.folder);
  if (!made) return made.error();
  const auto subject = subject_of(*made, *bytes);
  if (!subject) return subject.error();
  const auto parts = part_layers(*subject, splits);
  if (!parts) return parts.error();
  const auto check = [&](std::size_t pieces) -> Status {
    if (pieces <= kMostPieces) return {};
    return Error{ErrorKind::kUnsupported,
                 std::to_string(splits.size()) + " splits need " + std::to_string(pieces) +
                     " pieces or more; a plan has at most " + std::to_string(kMostPieces)};
  };
  // Each part is a piece at least; what is between them is known when the plan is there.
  std::size_t least = 0;
  for (const Split& split : splits) least += split.parts.size();
  if (auto few = check(least); !few) return std::move(few).error();
  Plan plan = plan_of(*made, subject->flow, processors, groups_of(*subject, *parts));
  if (auto few = check(plan.pieces.size()); !few) return std::move(few).error();
  plan.layers = layer_texts(graph);
  plan.splits = splits;
  return plan;
}

Result<Plan> plan_of_all_splits(const model::Graph& graph, ByteView file, bool by_rows,
                                const std::vector<Processor>& processors) {
  if (processors.size() < 2)
    return Error{ErrorKind::kUsage, "to split layers takes two processors; there is one"};
  const auto subject = subject_of(graph, file);
  if (!subject) return subject.error();
  std::vector<double> shares;
  for (const Processor& processor : processors) shares.push_back(1 / processor.emulated_slowdown);
  std::vector<Split> splits;
  for (const Splittable& one : chosen(find_splits(*subject), by_rows))
    if (Split split = most_split_of(*subject, one, shares); !split.parts.empty())
      splits.push_back(std::move(split));
  if (splits.empty())
    return Error{ErrorKind::kUnsupported,
                 "no layers can be split; 'edgeprobe stretch split' tells why"};
  return plan_of_splits(graph, file, splits, processors);
}

}  // namespace edgeprobe::stretch
