// SPDX-License-Identifier: Apache-2.0
#include "placement/search/divisions.h"

#include <algorithm>
#include <set>

#include "core/index.h"

namespace edgeprobe::placement {
namespace {

/// The processor of each branch of a region.
std::vector<std::size_t> assigned(const stretch::Chain& chain, const stretch::Regions& regions,
                                  std::size_t region, const stretch::Cost& cost,
                                  std::size_t processors) {
  const std::size_t branches = regions.list[at(chain.regions[region])].branches.size();
  std::vector<std::vector<double>> costs(branches, std::vector<double>(processors));
  for (std::size_t branch = 0; branch < branches; ++branch) {
    stretch::Division::Split one{region, std::vector<std::size_t>(branches, 1)};
    one.processors[branch] = 0;
    const std::vector<int> layers = together(chain, one, 0);
    for (std::size_t p = 0; p < processors; ++p) costs[branch][p] = cost(layers, p);
  }
  return stretch::assign(costs);
}

std::string name_of(const stretch::Chain& chain, const stretch::Division& division,
                    std::size_t processors) {
  const std::size_t count = division.splits.size();
  std::string name = std::to_string(count) + (count == 1 ? " region" : " regions") + " over " +
                     std::to_string(processors) + " processors (";
  for (std::size_t i = 0; i < count; ++i)
    name += (i ? ", " : "") + std::to_string(chain.regions[division.splits[i].region] + 1);
  return name + ")";
}

}  // namespace

std::vector<Promise> promises_of(const stretch::Chain& chain, const stretch::Regions& regions,
                                 const stretch::Cost& cost, const stretch::SplitCost& split_cost,
                                 std::size_t processors) {
  std::vector<stretch::Division::Split> splits;
  for (std::size_t i = 0; i < chain.regions.size(); ++i)
    splits.push_back({i, assigned(chain, regions, i, cost, processors)});
  std::vector<stretch::Division> tried{
      stretch::divide(chain, cost, split_cost,
                      [&](std::size_t region) { return splits[region].processors; })
          .division,
      stretch::Division{splits}};
  for (const stretch::Division::Split& split : splits) tried.push_back(stretch::Division{{split}});
  std::vector<Promise> promises;
  std::set<std::string> seen;
  for (stretch::Division& division : tried) {
    if (division.splits.empty()) continue;
    Promise promise{name_of(chain, division, processors), std::move(division), 0, 0};
    if (!seen.insert(promise.name).second) continue;
    promise.seconds = stretch::seconds_of(chain, promise.division, cost, split_cost);
    promise.alone = stretch::seconds_of(
        chain, promise.division, cost, stretch::as_if_alone(chain, cost, processors, kHandingOver));
    promises.push_back(std::move(promise));
  }
  std::stable_sort(promises.begin(), promises.end(),
                   [](const Promise& a, const Promise& b) { return a.seconds < b.seconds; });
  return promises;
}

}  // namespace edgeprobe::placement
