// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "diagnose/preprocessing/answer/beyond.h"
#include "diagnose/preprocessing/answer/memory_places.h"

namespace edgeprobe::diagnose {

/// One way in which memory is filled differently from the model's layout.
struct MemoryOrder {
  std::string detail;  ///< "the app's memory has height and width exchanged".
  std::function<Places1D()> placements;
};

/// Axes in another order, interlaced rows, rows of another length, values shifted to later or
/// earlier places.
std::vector<MemoryOrder> memory_orders(const Reference& reference);

/// Exactly the reference's own values in other places, in every frame.
std::optional<Beyond> explain_by_memory(std::vector<Frame>& frames, const Reference& reference,
                                        const Hypothesis& own);

}  // namespace edgeprobe::diagnose
