// SPDX-License-Identifier: Apache-2.0
#include "bench/layer_times.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "stats/quantile.h"

namespace edgeprobe::bench {
namespace {

constexpr const char* kNotTold = "(inside the delegate, not reported)";

std::string type_of(const engine::OpTime& op, const model::Graph* graph) {
  if (!graph) return op.type;
  std::string type;
  std::set<std::string> seen;
  for (const int layer : op.layers)
    if (layer >= 0 && static_cast<std::size_t>(layer) < graph->layers.size())
      if (const std::string& one = graph->layers[static_cast<std::size_t>(layer)].type;
          seen.insert(one).second)
        type += (type.empty() ? "" : "+") + one;
  return type.empty() ? op.type : type;
}

std::vector<TypeTime> types_of(const LayerTimes& times) {
  const double inside = std::accumulate(
      times.kernels.begin(), times.kernels.end(), 0.0,
      [](double sum, const KernelTime& kernel) { return sum + (kernel.inner ? kernel.mean : 0); });
  std::map<std::string, TypeTime> by_type;
  const auto add = [&](const std::string& type, double seconds) {
    TypeTime& row = by_type[type];
    row.type = type;
    ++row.count;
    row.total += seconds;
  };
  double delegates = 0;
  for (const KernelTime& kernel : times.kernels) {
    // The node of a delegate contains the inner kernels.
    if (!kernel.inner && inside > 0 &&
        (kernel.layers.empty() || kernel.engine_type.starts_with("delegate ")))
      delegates += kernel.mean;
    else add(kernel.type, kernel.mean);
  }
  if (delegates > inside && inside > 0) add(kNotTold, delegates - inside);
  std::vector<TypeTime> rows;
  double total = 0;
  for (auto& [type, row] : by_type) {
    row.mean = row.total / static_cast<double>(row.count);
    total += row.total;
    rows.push_back(row);
  }
  for (TypeTime& row : rows) row.share = total > 0 ? row.total / total : 0;
  std::stable_sort(rows.begin(), rows.end(),
                   [](const TypeTime& a, const TypeTime& b) { return a.total > b.total; });
  return rows;
}

}  // namespace

LayerTimes layer_times(const std::vector<std::vector<engine::OpTime>>& runs,
                       const model::Graph* graph) {
  LayerTimes times;
  times.runs = runs.size();
  if (graph) times.layers_all = graph->layers.size();
  using Key = std::tuple<bool, std::string, std::string, std::vector<int>, std::size_t>;
  std::map<Key, std::size_t> place;
  std::set<int> known;
  for (const auto& run : runs) {
    // Kernels with the same name and type are distinguished by their position in the run.
    std::map<std::tuple<bool, std::string, std::string, std::vector<int>>, std::size_t> seen;
    for (const engine::OpTime& op : run) {
      const std::size_t nth = seen[{op.inner, op.name, op.type, op.layers}]++;
      const auto [at, is_new] =
          place.try_emplace({op.inner, op.name, op.type, op.layers, nth}, times.kernels.size());
      if (is_new) {
        times.kernels.push_back(
            {op.name, type_of(op, graph), op.type, op.precision, op.layers, op.inner, {}, 0, 0, 0});
        for (const int layer : op.layers)
          if (layer >= 0 && static_cast<std::size_t>(layer) < times.layers_all) known.insert(layer);
      }
      times.kernels[at->second].seconds.push_back(std::chrono::duration<double>(op.time).count());
    }
  }
  times.layers_known = known.size();
  for (KernelTime& kernel : times.kernels) {
    std::vector<double> sorted = kernel.seconds;
    std::sort(sorted.begin(), sorted.end());
    kernel.median = stats::quantile(sorted, 0.5);
    // A kernel that did not run in some runs cost nothing there.
    kernel.mean =
        std::accumulate(sorted.begin(), sorted.end(), 0.0) / static_cast<double>(runs.size());
    if (!kernel.inner) times.total += kernel.mean;
  }
  for (KernelTime& kernel : times.kernels)
    kernel.share = times.total > 0 ? kernel.mean / times.total : 0;
  std::stable_partition(times.kernels.begin(), times.kernels.end(),
                        [](const KernelTime& kernel) { return !kernel.inner; });
  times.types = types_of(times);
  return times;
}

}  // namespace edgeprobe::bench
