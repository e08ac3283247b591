// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "core/shape.h"
#include "diagnose/state/recording.h"

namespace edgeprobe::diagnose::state {

/// How values changed between an output and an input; more informative kinds come first.
enum class BendKind {
  kNone,
  kFloat16,
  kBFloat16,
  kBFloat16Cut,  ///< Drops the lower 16 bits without rounding.
  kDecimals,     ///< Rounds to `a` decimals.
  kLevels,       ///< At most 256 equidistant values, as with 8-bit codes.
  kPermuted,     ///< Reorders the entries of axis `a` by permutation `b`.
  kTransposed,   ///< Exchanges axes `a` and `b` in a tensor that keeps its shape.
  kNegated,
};

struct Bend {
  BendKind kind = BendKind::kNone;
  int a = 0, b = 0;

  bool operator==(const Bend&) const = default;
  auto operator<=>(const Bend&) const = default;
};

/// All bends that change a tensor of this shape detectably.
std::vector<Bend> bends(const Shape& shape);

/// True if `bend` turns `given` into `got`: exactly, except for the way float32 represents decimal
/// fractions and multiples of a step. NaN equals NaN.
bool is_bent(const Values& got, const Values& given, const Bend& bend, const Shape& shape);

/// Distance between the levels of `got`, if each value of `given` is nearest to its level or beyond
/// the last one. Nothing for more than 256 levels, or too few distinct values.
std::optional<double> level_step(const Values& got, const Values& given);

/// The `b`-th permutation of `count` entries in lexicographic order; 0 is the identity.
std::vector<std::size_t> permutation(std::size_t count, int b);

}  // namespace edgeprobe::diagnose::state
