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

/// A free layer of one side.
struct Twin {
  std::size_t item = 0;   ///< The caller's index.
  std::string_view kind;  ///< op_kind().
  Shape shape;
};

/// Layers of one kind and shape whose order differs on the other side according to their values:
/// each pair correlates, and far better than either does with any other of its kind. Both sides in
/// execution order. `alike`: correlation of two items; nothing if unknown. Returns nothing for a
/// kind whose order the values confirm or leave open.
std::vector<std::pair<std::size_t, std::size_t>> twins_in_other_order(
    const std::vector<Twin>& reference, const std::vector<Twin>& target,
    const std::function<std::optional<double>(std::size_t, std::size_t)>& alike);

}  // namespace edgeprobe::compare
