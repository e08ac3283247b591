// SPDX-License-Identifier: Apache-2.0
#include "family/elastic.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/index.h"
#include "core/text.h"
#include "family/forms.h"
#include "family/network.h"
#include "stats/splitmix.h"

namespace edgeprobe::family {
namespace {

/// Depths and widths of a branch, ascending; the last ones are those of the largest network.
struct Choices {
  std::vector<std::int64_t> depths, widths;
};

Choices choices_of(const Configuration& supernet, const Branch& branch) {
  const Elastic& elastic = *supernet.elastic;
  Choices choices;
  const auto least_depth = static_cast<std::int64_t>(
      std::ceil(elastic.least_depth * static_cast<double>(branch.depth) - 1e-9));
  for (std::int64_t d = std::max<std::int64_t>(1, least_depth); d <= branch.depth; ++d)
    choices.depths.push_back(d);
  // Groups are kept whole.
  const bool is_grouped =
      supernet.block == Block::kBottleneck &&
      rounded(static_cast<double>(branch.width) * branch.multiplier) > branch.group_width;
  const auto fits = [&](std::int64_t width) {
    const std::int64_t inner = rounded(static_cast<double>(width) * branch.multiplier);
    return inner > 0 && (!is_grouped || inner % branch.group_width == 0);
  };
  const double least = elastic.least_width * static_cast<double>(branch.width) - 1e-9;
  for (std::int64_t w = elastic.grid; w < branch.width; w += elastic.grid)
    if (static_cast<double>(w) >= least && fits(w)) choices.widths.push_back(w);
  choices.widths.push_back(branch.width);
  return choices;
}

template <class Choose>
Configuration chosen(const Configuration& supernet, Choose&& choose) {
  Configuration out = supernet;
  for (Stage& stage : out.stages) {
    for (Branch& branch : stage.branches) {
      const Choices choices = choices_of(supernet, branch);
      branch.depth = choices.depths[choose(choices.depths.size())];
      branch.width = choices.widths[choose(choices.widths.size())];
      const std::int64_t inner = rounded(static_cast<double>(branch.width) * branch.multiplier);
      branch.group_width = std::min(branch.group_width, std::max<std::int64_t>(inner, 1));
    }
    if (!has_adapters(out, stage)) stage.joined = 0;  // The sum, which is its own now.
  }
  out.elastic.reset();
  return out;
}

/// Depth and width of each branch: two networks of one supernet with the same key are equal.
std::vector<std::int64_t> key_of(const Configuration& subnet) {
  std::vector<std::int64_t> key;
  for (const Stage& stage : subnet.stages)
    for (const Branch& branch : stage.branches) key.insert(key.end(), {branch.depth, branch.width});
  return key;
}

/// Inputs of a sum that belong to its own block, with their names in the block.
std::vector<std::string> own_inputs(const Network& network, const Layer& sum) {
  const std::string block = sum.name.substr(0, sum.name.rfind('.') + 1);
  std::vector<std::string> names;
  for (const int input : sum.inputs)
    if (input >= 0 && network.layers[at(input)].name.rfind(block, 0) == 0)
      names.push_back(network.layers[at(input)].name);
  return names;
}

/// "" if each layer is one of the largest network, else the name of the first that is not. A block
/// whose shortcut is a convolution in only one of the two is another block.
std::string foreign_layer(const Network& largest, const Network& network) {
  std::map<std::string, const Layer*> known;
  for (const Layer& layer : largest.layers) known[layer.name] = &layer;
  for (const Layer& layer : network.layers) {
    const auto found = known.find(layer.name);
    if (found == known.end()) return layer.name;
    if (layer.op == Op::kAdd && own_inputs(network, layer) != own_inputs(largest, *found->second))
      return layer.name;
  }
  return "";
}

}  // namespace

double size_of_space(const Configuration& supernet) {
  double size = 1;
  for (const Stage& stage : supernet.stages)
    for (const Branch& branch : stage.branches) {
      const Choices choices = choices_of(supernet, branch);
      size *= static_cast<double>(choices.depths.size() * choices.widths.size());
    }
  return size;
}

Result<std::vector<Configuration>> subnets_of(const Configuration& supernet, std::size_t count,
                                              std::uint64_t seed) {
  if (!supernet.elastic)
    return Error{ErrorKind::kUsage, "'" + sanitized(supernet.name, 80) +
                                        "' has no 'elastic': the ranges of depths and widths of "
                                        "a supernet (docs/reference/families.md)"};
  if (supernet.block == Block::kShuffle)
    return Error{ErrorKind::kUsage,
                 "shuffle units mix their channels, so a narrower one shares no weights with a "
                 "wider one; a supernet needs another block"};
  const BuildOptions any{.size = 64, .most_macs = 1e15};
  EP_TRY(const auto largest, build(supernet, any));
  std::vector<Configuration> list;
  std::set<std::vector<std::int64_t>> known;
  const auto add = [&](Configuration one) {
    if (!known.insert(key_of(one)).second) return std::string();
    const auto network = build(one, any);
    std::string foreign = network ? foreign_layer(largest, *network) : network.error().what;
    if (!foreign.empty()) return foreign;
    one.name = supernet.name + "-" + std::to_string(list.size());
    list.push_back(std::move(one));
    return foreign;
  };
  add(chosen(supernet, [](std::size_t choices) { return choices - 1; }));
  if (const std::string foreign = add(chosen(supernet, [](std::size_t) { return std::size_t{0}; }));
      !foreign.empty())
    return Error{ErrorKind::kUsage,
                 "the smallest network of '" + sanitized(supernet.name, 80) +
                     "' has a layer without a counterpart in the largest one: '" + foreign +
                     "'. A shortcut is a convolution in all networks or in none: give the stage "
                     "another width than the one before it, or a stride"};
  const double most = std::min(size_of_space(supernet), static_cast<double>(count));
  // A small space is found in few draws; a draw that is known costs nothing.
  for (std::size_t tries = 0; static_cast<double>(list.size()) < most && tries < 1000 * count;
       ++tries)
    add(chosen(supernet, [&](std::size_t choices) {
      return static_cast<std::size_t>(stats::splitmix64(seed) % choices);
    }));
  if (list.size() > count) list.resize(count);
  return list;
}

}  // namespace edgeprobe::family
