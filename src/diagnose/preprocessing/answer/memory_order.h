// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "diagnose/preprocessing/answer/beyond.h"
#include "diagnose/preprocessing/answer/memory_places.h"

namespace edgeprobe::diagnose {

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
