// SPDX-License-Identifier: Apache-2.0
#include "placement/shape/latency.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace edgeprobe::placement::shape {
namespace {

/// Measured values of each coordinate: time is nearly linear in depth and in the channels read,
/// since only the first block reads them.
constexpr std::size_t kDepths = 2, kWidths = 4, kInputs = 2;
/// Share of the base's width that a partner has.
constexpr double kPartnerShare = 0.6;

std::vector<std::int64_t> list_of(const std::set<std::int64_t>& values) {
  return {values.begin(), values.end()};
}

}  // namespace

double Works::macs(std::size_t stage, std::int64_t depth, std::int64_t width, std::int64_t input) {
  const auto [found, is_new] = known_.try_emplace({stage, depth, width, input}, 0);
  if (is_new)
    if (const auto work = work_of(base_, stage, {0, depth, width}, input))
      found->second = work->macs;
  return found->second;
}

Grid LatencyModel::grid_of(std::size_t stage, const std::set<std::int64_t>& inputs) const {
  const StageSpace& one = space_.stages[stage];
  return Grid(
      {spread(one.depths, kDepths), spread(one.widths, kWidths), spread(list_of(inputs), kInputs)});
}

/// The base's stage; what it reads in the base is a node.
Grid LatencyModel::alone_grid(std::size_t stage, const std::set<std::int64_t>& inputs) const {
  std::set<std::int64_t> nodes{base_.channels[stage], *inputs.begin(), *inputs.rbegin()};
  const StageSpace& one = space_.stages[stage];
  return Grid({std::vector{one.depth}, std::vector{one.width}, list_of(nodes)});
}

/// Up to two points in the middle of the space that are not nodes of the grid.
std::vector<Grid::Point> LatencyModel::held_points(std::size_t stage,
                                                   const std::set<std::int64_t>& inputs,
                                                   const std::vector<Grid::Point>& nodes) const {
  const StageSpace& one = space_.stages[stage];
  const auto reads = list_of(inputs);
  const auto pick = [](const std::vector<std::int64_t>& values, double share) {
    return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
  };
  std::vector<Grid::Point> points;
  for (const Grid::Point& point :
       {Grid::Point{one.depths.back(), pick(one.widths, 0.55), pick(reads, 0.5)},
        Grid::Point{pick(one.depths, 0.5), pick(one.widths, 0.85), pick(reads, 0.25)}})
    if (std::find(nodes.begin(), nodes.end(), point) == nodes.end() &&
        std::find(points.begin(), points.end(), point) == points.end())
      points.push_back(point);
  return points;
}

Status LatencyModel::measure_stage(std::size_t stage, const std::set<std::int64_t>& inputs,
                                   const std::function<void()>& step, const Control& control) {
  const StageSpace& one = space_.stages[stage];
  const auto width = static_cast<std::int64_t>(kPartnerShare * static_cast<double>(one.width));
  const auto partner = std::lower_bound(one.widths.begin(), std::prev(one.widths.end()), width);
  EP_TRY(const auto beside,
         branch_model(base_, stage, {0, one.depths.back(), *partner}, base_.channels[stage]));
  const auto time = [&](std::size_t processor, const Grid::Point& point,
                        bool alone) -> Result<double> {
    const BranchShape shape{processor, point[0], point[1]};
    EP_TRY(const auto model, branch_model(base_, stage, shape, point[2]));
    PartTimes::Company company(space_.processors, alone ? Bytes{} : beside);
    auto seconds = times_.of(model, processor, &company, control);
    if (seconds) step();
    return seconds;
  };
  for (std::size_t p = 0; p < space_.processors; ++p) {
    if (const std::size_t equal = space_.kinds[p]; equal < p) {
      for (auto* const grids : {&alone_[stage], &beside_[stage]})
        grids->push_back(Grid((*grids)[equal]));
      continue;
    }
    for (const bool alone : {true, false}) {
      Grid grid = alone ? alone_grid(stage, inputs) : grid_of(stage, inputs);
      std::vector<double> seconds;
      for (const Grid::Point& point : grid.points()) {
        EP_TRY(const double value, time(p, point, alone));
        seconds.push_back(value);
      }
      grid.set(std::move(seconds));
      (alone ? alone_ : beside_)[stage].push_back(std::move(grid));
    }
    const Grid& grid = beside_[stage].back();
    for (const Grid::Point& point : held_points(stage, inputs, grid.points())) {
      EP_TRY(const double measured, time(p, point, false));
      held_.errors.push_back(std::abs(grid.at(point) / measured - 1));
    }
  }
  return {};
}

Status LatencyModel::measure(const std::vector<std::set<std::int64_t>>& inputs,
                             const std::function<void(std::size_t, std::size_t)>& tell,
                             const Control& control) {
  const std::size_t stages = space_.stages.size();
  const auto head_inputs = spread(list_of(inputs.back()), kInputs);
  const std::set<std::size_t> kinds(space_.kinds.begin(), space_.kinds.end());
  std::size_t all = 1 + head_inputs.size(), done = 0;
  for (std::size_t i = 0; i < stages; ++i) {
    const auto nodes = grid_of(i, inputs[i]).points();
    all += kinds.size() * (nodes.size() + alone_grid(i, inputs[i]).points().size() +
                           held_points(i, inputs[i], nodes).size());
  }
  const auto step = [&] { tell(++done, all); };
  beside_.resize(stages);
  alone_.resize(stages);
  EP_TRY(const auto stem, stem_model(base_));
  EP_TRY(stem_, times_.of(stem, 0, nullptr, control));
  step();
  for (std::size_t i = 0; i < stages; ++i) EP_CHECK(measure_stage(i, inputs[i], step, control));
  Grid head({std::vector<std::int64_t>{1}, {1}, head_inputs});
  std::vector<double> seconds;
  for (const std::int64_t input : head_inputs) {
    EP_TRY(const auto model, head_model(base_, input));
    EP_TRY(const double value, times_.of(model, 0, nullptr, control));
    seconds.push_back(value);
    step();
  }
  head.set(std::move(seconds));
  head_.emplace(std::move(head));
  return {};
}

double LatencyModel::seconds(std::size_t stage, const BranchShape& branch, std::int64_t input,
                             bool alone) const {
  const Grid& grid = (alone ? alone_ : beside_)[stage][branch.processor];
  return grid.at({branch.depth, branch.width, input});
}

}  // namespace edgeprobe::placement::shape
