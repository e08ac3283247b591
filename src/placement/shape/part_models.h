// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/bytes.h"
#include "core/result.h"
#include "family/configuration.h"
#include "placement/shape/space.h"

namespace edgeprobe::placement::shape {

/// A network without branches, whose shape is searched for, at a size of the picture.
struct Base {
  family::Configuration configuration;
  std::int64_t size = 0, classes = 0;
  /// Channels and pixels of a side of what each stage reads, and last the head.
  std::vector<std::int64_t> channels, sides;
  std::int64_t field = 0;  ///< Receptive field of the network.
};
/// kUsage for a network with branches or one that cannot be built.
Result<Base> base_of(const family::Configuration& configuration, std::int64_t size,
                     std::int64_t classes, double most_macs);

/// A branch of the base's kind of block, of this depth and width.
family::Branch branch_of(const Base& base, std::size_t stage, const BranchShape& shape);
/// Multiply-accumulates of one branch, and its receptive field as a share of the base's.
struct BranchWork {
  double macs = 0, field = 0;
};
Result<BranchWork> work_of(const Base& base, std::size_t stage, const BranchShape& shape,
                           std::int64_t input);

/// Widths of a stage: multiples of `grid` up to the base's rounded up, whose bottlenecks are
/// multiples of it too and divide into the base's groups; every second, third, ... one if there are
/// more than kMostWidths. kUsage if there is none.
inline constexpr std::size_t kMostWidths = 16;
Result<std::vector<std::int64_t>> widths_of(const Base& base, std::size_t stage, std::int64_t grid);

/// The space within the bounds. `kinds`: Space::kinds of each processor.
Result<Space> space_of(const Base& base, const Bounds& bounds, std::int64_t grid,
                       std::vector<std::size_t> kinds);

/// One branch, the stem, and the head of a network as .onnx models with random weights.
Result<Bytes> branch_model(const Base& base, std::size_t stage, const BranchShape& shape,
                           std::int64_t input);
Result<Bytes> stem_model(const Base& base);
Result<Bytes> head_model(const Base& base, std::int64_t input);

/// The network of a design on these processors; stem, head and joins are on the first.
family::Configuration configuration_of(const Base& base, const std::vector<StageShape>& stages,
                                       const std::vector<std::string>& processors);
/// The base with every width times `share`, rounded to a multiple of `grid` where the base's own
/// is one, and to what its groups divide.
family::Configuration narrowed(const Base& base, double share, std::int64_t grid);

}  // namespace edgeprobe::placement::shape
