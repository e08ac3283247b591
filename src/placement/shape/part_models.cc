// SPDX-License-Identifier: Apache-2.0
#include "placement/shape/part_models.h"

#include <algorithm>
#include <cmath>

#include "core/index.h"
#include "core/text.h"
#include "family/count.h"
#include "family/export.h"
#include "family/network.h"
#include "model/cut.h"
#include "stretch/flow.h"

namespace edgeprobe::placement::shape {
namespace {

using family::Block;
using family::Branch;
using family::Configuration;
using family::Network;

constexpr std::uint64_t kSeed = 1;

bool is_bottleneck(Block block) {
  return block == Block::kBottleneck || block == Block::kLinearBottleneck;
}

std::int64_t inner_of(const Branch& branch, std::int64_t width) {
  return std::max<std::int64_t>(
      1, static_cast<std::int64_t>(std::nearbyint(static_cast<double>(width) * branch.multiplier)));
}

/// True if the base has one group, which stays one at every width.
bool is_dense(const Branch& branch) { return branch.group_width >= inner_of(branch, branch.width); }

/// True for a width that the block can have and that is on the grid, as its bottleneck is.
bool fits(Block block, const Branch& branch, std::int64_t width, std::int64_t grid) {
  if (width < 1 || width % grid != 0) return false;
  if (block == Block::kShuffle) return width % 2 == 0;
  if (!is_bottleneck(block)) return true;
  const std::int64_t inner = inner_of(branch, width);
  const bool is_whole =
      std::abs(static_cast<double>(width) * branch.multiplier - static_cast<double>(inner)) < 1e-6;
  return is_whole && inner % grid == 0 && (is_dense(branch) || inner % branch.group_width == 0);
}

/// A network that hands `channels` of `side` pixels to its stages.
Configuration before(const Base& base, std::int64_t channels, std::int64_t side) {
  Configuration one = base.configuration;
  one.name = "part";
  one.stem = family::Stem::kSmall;
  one.stem_width = channels;
  one.stages.clear();
  one.size = side;
  one.training.clear();
  one.warnings.clear();
  return one;
}

Result<Network> one_stage(const Base& base, std::size_t stage, const BranchShape& shape,
                          std::int64_t input) {
  Configuration one = before(base, input, base.sides[stage]);
  one.stages = {{{branch_of(base, stage, shape)}}};
  one.head_width = 0;
  return family::build(one, {base.sides[stage], 1, false, HUGE_VAL});
}

/// The layers of a network whose names begin with `prefix`, as a model.
Result<Bytes> cut_out(const Network& network, const std::string& prefix) {
  const Bytes file = family::to_onnx(network, family::initial_weights(network, kSeed));
  EP_TRY(const auto graph, model::read_model(file, network.name, {}));
  EP_TRY(const auto flow, stretch::flow_of(graph));
  std::vector<int> layers;
  for (const int node : flow.order) {
    if (at(node) >= graph.layers.size()) continue;
    const std::string& tensor = graph.tensors[at(graph.layers[at(node)].outputs.front())].spec.name;
    if (tensor.starts_with(prefix) || (prefix == "head." && tensor == "scores"))
      layers.push_back(node);
  }
  std::sort(layers.begin(), layers.end());
  return model::cut(graph, file, stretch::part_of(graph, flow, layers));
}

}  // namespace

Result<Base> base_of(const Configuration& configuration, std::int64_t size, std::int64_t classes,
                     double most_macs) {
  for (std::size_t i = 0; i < configuration.stages.size(); ++i)
    if (configuration.stages[i].branches.size() > 1)
      return Error{ErrorKind::kUsage,
                   "stage " + std::to_string(i + 1) + " has " +
                       std::to_string(configuration.stages[i].branches.size()) +
                       " branches; the search starts from a network without branches"};
  Base base;
  base.configuration = configuration;
  // One branch has no adapters, and branches that are found are joined as they are.
  base.configuration.adapters = family::Adapters::kNone;
  for (family::Stage& stage : base.configuration.stages) {
    stage.joined = 0;
    stage.branches.front().processor = 0;
  }
  base.configuration.stem_processor = base.configuration.head_processor =
      base.configuration.merge_processor = 0;
  base.configuration.processors.resize(1);
  EP_TRY(const auto network,
         family::build(base.configuration,
                       {size, static_cast<std::int64_t>(classes), false, most_macs}));
  base.size = network.size;
  base.classes = network.classes;
  base.configuration.size = network.size;
  base.configuration.classes = network.classes;
  const auto sections = family::sections_of(network);
  for (std::size_t i = 0; i <= configuration.stages.size(); ++i) {
    base.channels.push_back(sections[i].channels);
    base.sides.push_back(sections[i].height);
  }
  base.field = sections.back().field;
  return base;
}

Branch branch_of(const Base& base, std::size_t stage, const BranchShape& shape) {
  const Branch& own = base.configuration.stages[stage].branches.front();
  Branch branch = own;
  branch.depth = shape.depth;
  branch.width = shape.width;
  branch.processor = shape.processor;
  if (is_dense(own)) branch.group_width = inner_of(own, shape.width);
  return branch;
}

Result<BranchWork> work_of(const Base& base, std::size_t stage, const BranchShape& shape,
                           std::int64_t input) {
  BranchShape one = shape;
  one.processor = 0;
  EP_TRY(const auto network, one_stage(base, stage, one, input));
  const auto sections = family::sections_of(network);
  return BranchWork{sections[1].count.macs,
                    static_cast<double>(sections[1].field - sections[0].field)};
}

Result<std::vector<std::int64_t>> widths_of(const Base& base, std::size_t stage,
                                            std::int64_t grid) {
  const Branch& own = base.configuration.stages[stage].branches.front();
  std::vector<std::int64_t> widths;
  // The multiple of the grid above the base's width may not suit the groups; the next one may.
  for (std::int64_t width = grid; widths.empty() || width <= own.width; width += grid) {
    if (width > 4 * own.width) break;
    if (fits(base.configuration.block, own, width, grid)) widths.push_back(width);
  }
  // A width that is not on the grid is between two that are.
  if (!widths.empty() && widths.back() < own.width)
    for (std::int64_t width = widths.back() + grid; width < 2 * own.width; width += grid)
      if (fits(base.configuration.block, own, width, grid)) {
        widths.push_back(width);
        break;
      }
  if (widths.empty())
    return Error{ErrorKind::kUsage,
                 "stage " + std::to_string(stage + 1) + ": no width up to " +
                     std::to_string(own.width) + " is a multiple of --grid " +
                     std::to_string(grid) +
                     (is_bottleneck(base.configuration.block)
                          ? " with a bottleneck that is one too and that its groups divide"
                          : "") +
                     "; give a smaller --grid, such as 8"};
  const std::size_t step = (widths.size() + kMostWidths - 1) / kMostWidths;
  std::vector<std::int64_t> some;
  for (std::size_t i = widths.size(); i > 0; i -= std::min(i, step)) some.push_back(widths[i - 1]);
  std::reverse(some.begin(), some.end());
  return some;
}

Result<Space> space_of(const Base& base, const Bounds& bounds, std::int64_t grid,
                       std::vector<std::size_t> kinds) {
  const std::size_t processors = kinds.size();
  Space space{base.channels.front(), {}, processors, std::move(kinds)};
  for (std::size_t i = 0; i < base.configuration.stages.size(); ++i) {
    const Branch& own = base.configuration.stages[i].branches.front();
    StageSpace stage;
    stage.depth = own.depth;
    stage.width = own.width;
    const BranchShape whole{0, own.depth, own.width};
    EP_TRY(const auto work, work_of(base, i, whole, base.channels[i]));
    stage.macs = work.macs;
    stage.depths = depths_of(own.depth, bounds.depth);
    EP_TRY(stage.widths, widths_of(base, i, grid));
    for (const std::int64_t depth : stage.depths) {
      EP_TRY(const auto shorter, work_of(base, i, {0, depth, own.width}, base.channels[i]));
      stage.fields.push_back(work.field > 0 ? shorter.field / work.field : 1);
    }
    space.stages.push_back(std::move(stage));
  }
  return space;
}

Result<Bytes> branch_model(const Base& base, std::size_t stage, const BranchShape& shape,
                           std::int64_t input) {
  BranchShape one = shape;
  one.processor = 0;
  EP_TRY(const auto network, one_stage(base, stage, one, input));
  return cut_out(network, "s1.");
}

Result<Bytes> stem_model(const Base& base) {
  EP_TRY(const auto network,
         family::build(base.configuration, {base.size, base.classes, false, HUGE_VAL}));
  return cut_out(network, "stem.");
}

Result<Bytes> head_model(const Base& base, std::int64_t input) {
  const Configuration one = before(base, input, base.sides.back());
  EP_TRY(const auto network,
         family::build(one, {base.sides.back(), base.classes, false, HUGE_VAL}));
  return cut_out(network, "head.");
}

Configuration configuration_of(const Base& base, const std::vector<StageShape>& stages,
                               const std::vector<std::string>& processors) {
  Configuration out = base.configuration;
  out.processors = processors;
  out.warnings.clear();
  for (std::size_t i = 0; i < stages.size(); ++i) {
    out.stages[i].branches.clear();
    for (const BranchShape& shape : stages[i])
      out.stages[i].branches.push_back(branch_of(base, i, shape));
  }
  return out;
}

Configuration narrowed(const Base& base, double share, std::int64_t grid) {
  Configuration out = base.configuration;
  for (std::size_t i = 0; i < out.stages.size(); ++i) {
    const Branch own = out.stages[i].branches.front();
    // The base itself has to come out for share 1.
    const std::int64_t step = fits(out.block, own, own.width, grid) ? grid : 1;
    std::int64_t best = own.width;
    double distance = HUGE_VAL;
    for (std::int64_t width = step; width <= own.width; width += step) {
      if (!fits(out.block, own, width, step)) continue;
      const double here =
          std::abs(static_cast<double>(width) - share * static_cast<double>(own.width));
      if (here >= distance) continue;
      distance = here;
      best = width;
    }
    out.stages[i].branches = {branch_of(base, i, {0, own.depth, best})};
  }
  return out;
}

}  // namespace edgeprobe::placement::shape
