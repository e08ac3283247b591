// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "diagnose/verdict/verdict.h"
#include "trace/read/reader.h"

namespace edgeprobe::diagnose {

/// Columns of one kind, numbers or texts, that are looked at; frames that a test needs on each
/// side.
inline constexpr std::size_t kMostLoggedColumns = 200, kLeastLoggedFrames = 5;

/// A text that the app logged beside its frames, one value a frame; nothing where there is none.
struct CategoryColumn {
  std::string name;  ///< "driver".
  std::vector<std::optional<std::string>> values;
};

/// Every text variable of `frames` (numbers, ascending) with at least two values, at most 200; what
/// is left out beyond is said in `warnings`.
Result<std::vector<CategoryColumn>> logged_categories(const trace::Reader& reader,
                                                      const std::vector<std::uint32_t>& frames,
                                                      std::vector<std::string>& warnings);

/// The test of one column between the frames that fail and the others, p not corrected; nothing
/// where there are too few frames or one category alone. Fisher's exact test or Freeman-Halton's,
/// Cramer's V; p is widened by the autocorrelation in time.
std::optional<CategoryTest> test_category(const CategoryColumn& column,
                                          const std::vector<bool>& fails);

}  // namespace edgeprobe::diagnose
