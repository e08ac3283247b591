// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "core/control.h"
#include "core/result.h"
#include "diagnose/case/case.h"
#include "diagnose/verdict/verdict.h"

namespace edgeprobe::diagnose {

struct Detector;

/// Follows the order of questions: model input, constants, outputs, layers; confirms each cause by
/// replay and says what is restored. Fails only when a file or an engine does; doubts are part of
/// the verdict.
Result<Verdict> diagnose(const Case& known, const Control& control);

/// The same with other detectors than those of detectors.h.
Result<Verdict> diagnose(const Case& known, std::span<const Detector> detectors,
                         const Control& control);

}  // namespace edgeprobe::diagnose
