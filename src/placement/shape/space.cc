// SPDX-License-Identifier: Apache-2.0
#include "placement/shape/space.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

namespace edgeprobe::placement::shape {
namespace {

/// Shares such as 0.66 of 3 are not exact in binary.
constexpr double kRounding = 1e-9;

/// A design up to some stage.
struct Way {
  double seconds = 0;
  std::vector<StageShape> stages;

  bool operator<(const Way& other) const {
    return std::tie(seconds, stages) < std::tie(other.seconds, other.stages);
  }
};

struct State {
  std::int64_t channels = 0;
  bool is_branched = false;  ///< Any stage so far.

  auto operator<=>(const State&) const = default;
};

/// Keeps the `best` fastest ways, ascending.
void keep(std::vector<Way>& ways, Way way, std::size_t best) {
  if (ways.size() == best && !(way < ways.back())) return;
  ways.insert(std::upper_bound(ways.begin(), ways.end(), way), std::move(way));
  if (ways.size() > best) ways.pop_back();
}

/// Adds every choice of depth and width for these processors, from `next` on.
void add_shapes(const StageSpace& stage, const std::vector<std::size_t>& processors,
                StageShape& shape, std::vector<StageShape>& shapes) {
  if (shape.size() == processors.size()) {
    shapes.push_back(shape);
    return;
  }
  for (const std::int64_t depth : stage.depths)
    for (const std::int64_t width : stage.widths) {
      shape.push_back({processors[shape.size()], depth, width});
      add_shapes(stage, processors, shape, shapes);
      shape.pop_back();
    }
}

/// True if an equal processor before another one has the smaller branch.
bool is_swapped(const std::vector<std::size_t>& kinds, const StageShape& shape) {
  std::vector<std::pair<std::int64_t, std::int64_t>> sizes(kinds.size());  // 0, 0: unused.
  for (const BranchShape& one : shape)
    if (one.processor < kinds.size()) sizes[one.processor] = {one.depth, one.width};
  for (std::size_t a = 0; a < kinds.size(); ++a)
    for (std::size_t b = a + 1; b < kinds.size(); ++b)
      if (kinds[a] == kinds[b] && sizes[a] < sizes[b]) return true;
  return false;
}

bool sees_enough(const StageSpace& stage, const StageShape& shape, const Bounds& bounds) {
  double field = 0;
  for (const BranchShape& branch : shape) {
    const auto found = std::find(stage.depths.begin(), stage.depths.end(), branch.depth);
    field = std::max(field, stage.fields[static_cast<std::size_t>(found - stage.depths.begin())]);
  }
  return field >= bounds.field - kRounding;
}

}  // namespace

std::vector<std::int64_t> depths_of(std::int64_t depth, double share) {
  std::vector<std::int64_t> depths;
  const auto least =
      static_cast<std::int64_t>(std::ceil(share * static_cast<double>(depth) - kRounding));
  for (std::int64_t one = std::max<std::int64_t>(1, least); one <= depth; ++one)
    depths.push_back(one);
  return depths;
}

std::int64_t joined(const StageShape& shape) {
  std::int64_t sum = 0;
  for (const BranchShape& branch : shape) sum += branch.width;
  return sum;
}

std::vector<StageShape> shapes_of(const Space& space, const StageSpace& stage,
                                  const Bounds& bounds) {
  const std::size_t processors = space.processors;
  std::vector<StageShape> shapes;
  for (std::size_t set = 1; set < (std::size_t{1} << processors); ++set) {
    std::vector<std::size_t> used;
    for (std::size_t i = 0; i < processors; ++i)
      if ((set >> i & 1) != 0) used.push_back(i);
    StageShape shape;
    if (used.size() == 1) shapes.push_back({{used.front(), stage.depth, stage.width}});
    else add_shapes(stage, used, shape, shapes);
  }
  std::erase_if(shapes, [&](const StageShape& shape) {
    return is_swapped(space.kinds, shape) || !sees_enough(stage, shape, bounds);
  });
  return shapes;
}

bool is_enough(const Costs& costs, std::size_t index, const StageSpace& stage,
               const StageShape& shape, std::int64_t input, const Bounds& bounds) {
  double sum = 0, largest = 0;
  for (const BranchShape& branch : shape) {
    const double macs = costs.macs(index, branch.depth, branch.width, input);
    sum += macs;
    largest = std::max(largest, macs);
  }
  const double slack = 1 - kRounding;
  return largest >= bounds.main * stage.macs * slack && sum >= bounds.sum * stage.macs * slack;
}

double seconds_of(const Costs& costs, std::size_t index, const StageShape& shape,
                  std::int64_t input) {
  const bool alone = shape.size() == 1;
  double longest = 0;
  for (const BranchShape& branch : shape)
    longest = std::max(longest, costs.seconds(index, branch, input, alone));
  return longest + (alone ? 0 : costs.hand_over);
}

std::vector<std::set<std::int64_t>> inputs_of(const Space& space, const Bounds& bounds,
                                              const Costs& costs) {
  std::vector<std::set<std::int64_t>> inputs{{space.input}};
  for (std::size_t i = 0; i < space.stages.size(); ++i) {
    const StageSpace& stage = space.stages[i];
    std::set<std::int64_t> next;
    const auto shapes = shapes_of(space, stage, bounds);
    for (const std::int64_t input : inputs.back())
      for (const StageShape& shape : shapes)
        if (is_enough(costs, i, stage, shape, input, bounds)) next.insert(joined(shape));
    inputs.push_back(std::move(next));
  }
  return inputs;
}

std::vector<Design> best_designs(const Space& space, const Bounds& bounds, const Costs& costs,
                                 std::size_t best) {
  std::map<State, std::vector<Way>> ways;
  ways[{space.input, false}] = {{costs.stem, {}}};
  for (std::size_t i = 0; i < space.stages.size(); ++i) {
    const StageSpace& stage = space.stages[i];
    const auto shapes = shapes_of(space, stage, bounds);
    std::map<State, std::vector<Way>> next;
    for (const auto& [state, list] : ways)
      for (const StageShape& shape : shapes) {
        if (!is_enough(costs, i, stage, shape, state.channels, bounds)) continue;
        const double seconds = seconds_of(costs, i, shape, state.channels);
        auto& kept = next[{joined(shape), state.is_branched || shape.size() > 1}];
        for (const Way& way : list) {
          // The list ascends, so nothing further can enter either.
          if (kept.size() == best && way.seconds + seconds > kept.back().seconds) break;
          Way longer{way.seconds + seconds, way.stages};
          longer.stages.push_back(shape);
          keep(kept, std::move(longer), best);
        }
      }
    ways = std::move(next);
  }
  std::vector<Way> all;
  for (const auto& [state, list] : ways) {
    if (!state.is_branched) continue;
    const double head = costs.head(state.channels);
    for (const Way& way : list) keep(all, {way.seconds + head, way.stages}, best);
  }
  std::vector<Design> designs;
  for (Way& way : all) designs.push_back({std::move(way.stages), way.seconds});
  return designs;
}

}  // namespace edgeprobe::placement::shape
