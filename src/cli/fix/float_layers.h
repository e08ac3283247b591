// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "cli/fix/attempts.h"
#include "core/result.h"

namespace edgeprobe::cli {

/// Number of samples per trial; the final model is checked on all.
inline constexpr std::size_t kTrySamples = 200;

/// The reference quantised again, and the layers kept in float32.
struct FloatLayers {
  std::vector<int> layers;  ///< Ascending; empty: calibration is sufficient, or no layer helps.
  std::filesystem::path model;
  diagnose::Standing standing;
  bool smallest = true;  ///< True if every one of these layers is needed.
};

/// The best model found by converting and checking on `on`: with calibration only if that is
/// sufficient, else with the smallest set of layers for which the model agrees, else with the
/// smallest that is as good as the best one found. Returns nothing, with a message, if a result
/// could not be checked. Fails if stopped, or if conversion with calibration only is impossible.
Result<std::optional<FloatLayers>> find_float_layers(const Requantizer& again, const Judged& on,
                                                     const diagnose::Standing& before,
                                                     diagnose::TriedFix what,
                                                     const std::filesystem::path& work,
                                                     Attempts& attempts);

}  // namespace edgeprobe::cli
