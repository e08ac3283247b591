// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "core/control.h"
#include "diagnose/case/study.h"
#include "diagnose/input/input_evidence.h"

namespace edgeprobe::diagnose {

/// Facts that recorded and reference inputs show side by side where no recipe explains the
/// difference.
struct PartsFound {
  std::optional<InputEvidence> named;  ///< A part, a channel or the places, exactly.
  std::vector<Evidence> where;         ///< Else: where the difference lies.
  std::string sentence;                ///< The same in one clause; may be empty.
};
/// Empty for inputs that are not pictures.
Result<PartsFound> examine_parts(const Study& study, const Control& control);

/// Of them only channels that hold one value, or another channel: a search that fits lines sees a
/// line of gain 0 in them.
Result<std::optional<InputEvidence>> examine_channels(const Study& study, const Control& control);

}  // namespace edgeprobe::diagnose
