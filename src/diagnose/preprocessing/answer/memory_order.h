// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "diagnose/preprocessing/answer/beyond.h"

namespace edgeprobe::diagnose {

/// Where each stored value should have stood: the index into the reference's values in memory
/// order, -1 where anything may stand.
using Places1D = std::vector<std::int32_t>;

/// One way in which memory is filled otherwise than the model reads it.
struct MemoryOrder {
  std::string detail;  ///< "the app's memory has height and width exchanged".
  std::function<Places1D()> placements;
};

/// Axes in another order, rows field by field, rows of another length, values that come too late or
/// too early.
std::vector<MemoryOrder> memory_orders(const Reference& reference);

/// The reference's own values in other places, exactly, in every frame.
std::optional<Beyond> explain_by_memory(std::vector<Frame>& frames, const Reference& reference,
                                        const Hypothesis& own);

}  // namespace edgeprobe::diagnose
