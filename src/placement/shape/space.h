// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <vector>

#include "core/result.h"

/// The search for the shape of a network with a branch for each processor: how deep and how wide
/// each branch is.
namespace edgeprobe::placement::shape {

/// Bounds of every stage, as shares of the same stage of the base.
struct Bounds {
  double main = 0.4;    ///< Multiply-accumulates of the largest branch.
  double sum = 0.8;     ///< Those of all branches; 1: as much work as the base.
  double depth = 0.66;  ///< Depth of every branch, rounded up.
  double field = 1;     ///< Receptive field of the deepest branch.
};

struct BranchShape {
  std::size_t processor = 0;
  std::int64_t depth = 0, width = 0;

  auto operator<=>(const BranchShape&) const = default;
};
/// Branches of a stage in the order of their processors; one branch is the base's own stage on one
/// processor.
using StageShape = std::vector<BranchShape>;

/// Possible branches of a stage.
struct StageSpace {
  std::int64_t depth = 0, width = 0;         ///< Of the base.
  double macs = 0;                           ///< Of the base.
  std::vector<std::int64_t> depths, widths;  ///< Ascending. The last depth is that of the base.
  std::vector<double> fields;  ///< By depth: receptive field as a share of the base's.
};

struct Space {
  std::int64_t input = 0;  ///< Channels of the stem.
  std::vector<StageSpace> stages;
  std::size_t processors = 0;
  /// By processor: those with equal numbers are equally fast, so designs that only swap them are
  /// one. Empty: all differ.
  std::vector<std::size_t> kinds;
};

/// Seconds and work of the parts of a network. `input`: channels that the stage reads.
struct Costs {
  double stem = 0;       ///< Seconds.
  double hand_over = 0;  ///< Seconds for each stage with several branches.
  /// Seconds of a branch while the other processors work; `alone`: while they do not.
  std::function<double(std::size_t stage, const BranchShape& branch, std::int64_t input,
                       bool alone)>
      seconds;
  std::function<double(std::size_t stage, std::int64_t depth, std::int64_t width,
                       std::int64_t input)>
      macs;
  std::function<double(std::int64_t input)> head;  ///< Seconds.
};

struct Design {
  std::vector<StageShape> stages;
  double seconds = 0;  ///< Predicted.
};

/// The depths that the bounds allow: from `share` of `depth`, rounded up, to `depth`.
std::vector<std::int64_t> depths_of(std::int64_t depth, double share);

/// Channels that each stage may read within the bounds, and last the head; empty sets where the
/// bounds leave nothing. Uses only Costs::macs.
std::vector<std::set<std::int64_t>> inputs_of(const Space& space, const Bounds& bounds,
                                              const Costs& costs);

/// The `best` fastest designs with at least one branched stage, ascending: exact for these costs,
/// by dynamic programming over the stages. The state is the number of channels that a stage hands
/// on. Designs with equal seconds are in the order of their shapes. Empty if the bounds allow none.
std::vector<Design> best_designs(const Space& space, const Bounds& bounds, const Costs& costs,
                                 std::size_t best);

/// All shapes of a stage, whatever their work: the base's stage on each processor, and for each set
/// of at least two processors every depth and width. Those whose deepest branch sees too little are
/// left out; of those that swap equal processors one is kept, with the larger branch first.
std::vector<StageShape> shapes_of(const Space& space, const StageSpace& stage,
                                  const Bounds& bounds);
/// True if the work of these branches is within the bounds.
bool is_enough(const Costs& costs, std::size_t index, const StageSpace& stage,
               const StageShape& shape, std::int64_t input, const Bounds& bounds);
/// Seconds of a stage: of its slowest branch, and of the hand-over.
double seconds_of(const Costs& costs, std::size_t index, const StageShape& shape,
                  std::int64_t input);
/// Channels that a stage hands on.
std::int64_t joined(const StageShape& shape);

}  // namespace edgeprobe::placement::shape
