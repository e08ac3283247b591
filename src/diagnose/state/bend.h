// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "core/shape.h"
#include "diagnose/state/recording.h"

namespace edgeprobe::diagnose::state {

/// What became of values on their way from an output to an input; what says more stands first.
enum class BendKind {
  kNone,
  kFloat16,
  kBFloat16,
  kBFloat16Cut,  ///< The lower 16 bits dropped, not rounded.
  kDecimals,     ///< `a` digits behind the point.
  kLevels,       ///< At most 256 values at equal distances, as 8-bit codes give.
  kPermuted,     ///< The entries of axis `a` in the order of permutation `b`.
  kTransposed,   ///< Axes `a` and `b` exchanged, in a tensor of the same shape.
  kNegated,
};

struct Bend {
  BendKind kind = BendKind::kNone;
  int a = 0, b = 0;

  bool operator==(const Bend&) const = default;
  auto operator<=>(const Bend&) const = default;
};

/// Every bend that can be told from none for a tensor of this shape.
std::vector<Bend> bends(const Shape& shape);

/// Whether `bend` makes `got` of `given`: exactly, but for how float32 writes decimal fractions and
/// multiples of a step. NaN equals NaN.
bool is_bent(const Values& got, const Values& given, const Bend& bend, const Shape& shape);

/// The distance of the levels that `got` lies on, where `given` is nearest to these or beyond the
/// last. Nothing where there are more than 256 levels, or where too few values differ to tell.
std::optional<double> level_step(const Values& got, const Values& given);

/// The `b`-th order of `count` entries in lexicographic order; 0 leaves them where they are.
std::vector<std::size_t> permutation(std::size_t count, int b);

}  // namespace edgeprobe::diagnose::state
