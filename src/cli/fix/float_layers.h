// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "cli/fix/attempts.h"
#include "core/result.h"

namespace edgeprobe::cli {

/// Samples of one trial; what is written is checked on all.
inline constexpr std::size_t kTrySamples = 200;

/// The reference quantised again, and the layers that stayed in float32.
struct FloatLayers {
  std::vector<int> layers;  ///< Ascending; empty: the calibration is enough, or no layer helps.
  std::filesystem::path model;
  diagnose::Standing standing;
  bool smallest = true;  ///< No layer can be left out.
};

/// The best that was found by converting and checking on `on`: the calibration alone where that is
/// enough, else the smallest set of layers with which the model agrees, else the smallest that does
/// as well as the best that was seen. Nothing when a result could not be checked, which is said.
/// Fails when stopped, or when the calibration alone cannot be converted.
Result<std::optional<FloatLayers>> find_float_layers(const Requantizer& again, const Judged& on,
                                                     const diagnose::Standing& before,
                                                     diagnose::TriedFix what,
                                                     const std::filesystem::path& work,
                                                     Attempts& attempts);

}  // namespace edgeprobe::cli
