// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "compare/align/align.h"

namespace edgeprobe::compare {

/// Layers of one kind and shape that stand in another order on the other side, as their values say:
/// each pair is alike, and far more so than either is to any other of its kind. `reference` and
/// `target`: free layers in execution order. `alike`: correlation of two items; nothing where it is
/// not known. Nothing is returned of a kind whose order its values bear out, or do not decide.
std::vector<std::pair<std::size_t, std::size_t>> twins_in_other_order(
    const std::vector<Item>& reference_items, const std::vector<std::size_t>& reference,
    const std::vector<Item>& target_items, const std::vector<std::size_t>& target,
    const std::function<std::optional<double>(std::size_t, std::size_t)>& alike);

}  // namespace edgeprobe::compare
