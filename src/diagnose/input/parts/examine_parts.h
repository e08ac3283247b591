// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "core/control.h"
#include "diagnose/case/study.h"
#include "diagnose/input/input_evidence.h"

namespace edgeprobe::diagnose {

/// What recorded and reference inputs say of each other where no recipe explains the difference.
struct PartsFound {
  std::optional<InputEvidence> named;  ///< A part, a channel or the places, exactly.
  std::vector<Evidence> where;         ///< Else: where the difference lies.
  std::string sentence;                ///< The same in one clause; may be empty.
};
/// Empty when the inputs are no pictures.
Result<PartsFound> examine_parts(const Study& study, const Control& control);

}  // namespace edgeprobe::diagnose
