// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "diagnose/verdict/verdict.h"
#include "logged/columns.h"

namespace edgeprobe::diagnose {

using logged::CategoryColumn, logged::ScalarColumn;

/// Minimum number of frames on each side of a test.
inline constexpr std::size_t kLeastLoggedFrames = 5;

/// Tests one column between the frames that fail and the others, with p not yet corrected. Nothing
/// if there are too few frames or only one category. Fisher's exact test or Freeman-Halton's,
/// Cramer's V; p is widened by the autocorrelation in time.
std::optional<CategoryTest> test_category(const CategoryColumn& column,
                                          const std::vector<bool>& fails);

}  // namespace edgeprobe::diagnose
