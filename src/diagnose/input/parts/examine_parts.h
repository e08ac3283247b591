// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "core/control.h"
#include "diagnose/case/study.h"
#include "diagnose/input/input_evidence.h"

namespace edgeprobe::diagnose {

/// Findings from comparing recorded and reference inputs directly, if no recipe explains the
/// difference.
struct PartsFound {
  /// Set if a part, a channel or moved pixels explain the difference exactly.
  std::optional<InputEvidence> named;
  std::vector<Evidence> where;  ///< Else the location of the difference.
  std::string sentence;         ///< The location as one clause; may be empty.
};
/// Empty for inputs that are not pictures.
Result<PartsFound> examine_parts(const Study& study, const Control& control);

/// Checks only for channels that are constant or contain another channel: a search that fits lines
/// finds a gain of 0 for them.
Result<std::optional<InputEvidence>> examine_channels(const Study& study, const Control& control);

}  // namespace edgeprobe::diagnose
