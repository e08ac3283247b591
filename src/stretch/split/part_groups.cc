// SPDX-License-Identifier: Apache-2.0
#include "stretch/split/part_groups.h"

#include <algorithm>

#include "core/index.h"
#include "stretch/split/find.h"
#include "stretch/split/fit.h"
#include "stretch/split/split.h"
#include "stretch/split/written_parts.h"

namespace edgeprobe::stretch {

namespace {

/// Part n runs on processor n; layers between two splits run on the first processor.
std::vector<Group> groups_of(const SplitModel& made) {
  const Flow& flow = made.flow;
  const auto& parts = made.layers;
  const std::size_t layers = made.graph.layers.size();
  std::vector<int> home(flow.before.size(), -1);
  for (std::size_t i = 0; i < parts.size(); ++i)
    for (const std::vector<int>& part : parts[i])
      for (const int layer : part) home[at(layer)] = static_cast<int>(i);
  // Number of splits that must finish before a layer can run; layers outside of splits run as early
  // as possible.
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

}  // namespace

Result<SplitModel> split_model(const model::Graph& graph, ByteView file,
                               std::vector<Split> splits) {
  EP_TRY(auto bytes, split(graph, file, splits));
  EP_TRY(auto read, model::read_model(bytes, "the split model", graph.folder));
  EP_TRY(auto subject, subject_of(read, bytes));
  SplitModel made;
  for (const Split& one : splits) {
    auto& parts = made.layers.emplace_back();
    for (std::size_t part = 0; part < one.parts.size(); ++part) {
      EP_TRY(auto found, layers_between(subject, one.from, part_name(one.to, part)));
      parts.push_back(std::move(found));
    }
  }
  made.flow = std::move(subject.flow);
  made.file = std::move(bytes);
  made.graph = std::move(read);
  made.splits = std::move(splits);
  return made;
}

Result<Plan> plan_of_splits(const model::Graph& graph, const SplitModel& made,
                            const std::vector<Processor>& processors) {
  const auto check = [&](std::size_t pieces) -> Status {
    if (pieces <= kMostPieces) return {};
    return Error{ErrorKind::kUnsupported,
                 std::to_string(made.splits.size()) + " splits need " + std::to_string(pieces) +
                     " pieces or more; a plan has at most " + std::to_string(kMostPieces)};
  };
  // Each part is at least one piece; the pieces between them are known only from the plan.
  std::size_t least = 0;
  for (const Split& split : made.splits) least += split.parts.size();
  EP_CHECK(check(least));
  Plan plan = plan_of(made.graph, made.flow, processors, groups_of(made));
  EP_CHECK(check(plan.pieces.size()));
  plan.layers = layer_texts(graph);
  plan.splits = made.splits;
  return plan;
}

Result<Plan> plan_of_all_splits(const model::Graph& graph, ByteView file, bool by_rows,
                                const std::vector<Processor>& processors) {
  if (processors.size() < 2)
    return Error{ErrorKind::kUsage, "splitting layers needs two processors; there is one"};
  EP_TRY(const auto subject, subject_of(graph, file));
  std::vector<double> shares;
  for (const Processor& processor : processors) shares.push_back(1 / processor.emulated_slowdown);
  std::vector<Split> splits;
  for (const Splittable& one : chosen(find_splits(subject), by_rows))
    if (Split split = most_split_of(subject, one, shares); !split.parts.empty())
      splits.push_back(std::move(split));
  if (splits.empty())
    return Error{ErrorKind::kUnsupported,
                 "no layers can be split; 'edgeprobe stretch split' reports why"};
  EP_TRY(const auto made, split_model(graph, file, std::move(splits)));
  return plan_of_splits(graph, made, processors);
}

}  // namespace edgeprobe::stretch
