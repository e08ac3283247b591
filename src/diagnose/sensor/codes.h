// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "diagnose/sensor/candidate.h"
#include "diagnose/sensor/fit.h"

namespace edgeprobe::diagnose::sensor {

/// Code scales that are common in models and apps.
std::span<const double> usual_code_scales();
/// True if a front end produces these lines, within their errors and a code step.
bool lies_on(const Problem& problem, const Fit& fit, const readings::FrontEnd& f);
/// Variants of `base` with another scale and zero point of the codes, if one line maps the
/// reference's codes to the recorded ones.
std::vector<Candidate> other_codes(const Problem& problem, const Fit& fit,
                                   const readings::FrontEnd& base);
/// Zero point of the codes with a given normalisation and units, if one value fits all axes and
/// differs from the model's.
std::optional<int> other_zero(const Problem& problem, const Fit& fit, const readings::FrontEnd& f);

}  // namespace edgeprobe::diagnose::sensor
