// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/shape.h"

namespace edgeprobe::compare {

/// A free layer as its side has it.
struct Twin {
  std::size_t item = 0;   ///< By which the caller knows it.
  std::string_view kind;  ///< op_kind().
  Shape shape;
};

/// Layers of one kind and shape that stand in another order on the other side, as their values say:
/// each pair is alike, and far more so than either is to any other of its kind. Both sides in
/// execution order. `alike`: correlation of two items; nothing where it is not known. Nothing is
/// returned of a kind whose order its values bear out, or do not decide.
std::vector<std::pair<std::size_t, std::size_t>> twins_in_other_order(
    const std::vector<Twin>& reference, const std::vector<Twin>& target,
    const std::function<std::optional<double>(std::size_t, std::size_t)>& alike);

}  // namespace edgeprobe::compare
