// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "core/control.h"
#include "diagnose/case/study.h"
#include "diagnose/input/input_evidence.h"

namespace edgeprobe::diagnose {

/// Finds recorded inputs whose values become the reference's when the bytes of each are reversed,
/// or its 16-bit halves exchanged. Nothing unless that holds in every frame that differs.
Result<std::optional<InputEvidence>> byte_order(const Study& study, const Control& control);

}  // namespace edgeprobe::diagnose
