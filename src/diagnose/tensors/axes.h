// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/tensor.h"

namespace edgeprobe::diagnose::tensors {

/// One axis of a tensor, with names for its slices.
struct Axis {
  std::size_t number = 0;  ///< Index in the shape, from 0.
  std::size_t outer = 1, size = 1, inner = 1;
  std::size_t of = 1;  ///< Number of axes longer than 1.

  std::size_t place(std::size_t o, std::size_t slice, std::size_t i) const {
    return (o * size + slice) * inner + i;
  }
  std::size_t slice(std::size_t at) const { return at / inner % size; }
  /// Position in slice `to` of the value at position `at`.
  std::size_t moved(std::size_t at, std::size_t to) const {
    return at + to * inner - slice(at) * inner;
  }

  std::string name(std::size_t slice) const;           ///< "column 3".
  std::string one() const;                             ///< "column".
  std::string names() const;                           ///< "columns".
  std::string counted_names(std::size_t count) const;  ///< "2 columns".
};
/// Axes longer than 1, outermost first.
std::vector<Axis> all_axes(const Shape& shape);

}  // namespace edgeprobe::diagnose::tensors
