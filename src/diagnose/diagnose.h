// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "core/control.h"
#include "core/result.h"
#include "diagnose/case/case.h"
#include "diagnose/verdict/verdict.h"

namespace edgeprobe::diagnose {

struct Detector;

/// Diagnoses in order: model input, constants, outputs, layers. Confirms each cause by replay and
/// measures how much its fix restores. Fails only if a file or an engine fails; doubts are part of
/// the verdict.
Result<Verdict> diagnose(const Case& known, const Control& control);

/// The same with other detectors than those in detectors.h.
Result<Verdict> diagnose(const Case& known, std::span<const Detector> detectors,
                         const Control& control);

}  // namespace edgeprobe::diagnose
