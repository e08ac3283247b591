// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "diagnose/sensor/candidate.h"
#include "diagnose/sensor/fit.h"

namespace edgeprobe::diagnose::sensor {

/// Steps of codes that models and apps often have.
std::span<const double> usual_code_scales();
/// Whether a front end makes the very lines, up to their errors and a step of codes.
bool lies_on(const Problem& problem, const Fit& fit, const readings::FrontEnd& f);
/// Front ends like `base` with other scale and zero point of the codes, when one line leads from
/// the reference's codes to those recorded.
std::vector<Candidate> other_codes(const Problem& problem, const Fit& fit,
                                   const readings::FrontEnd& base);
/// The zero point that the codes have beside a normalisation and units, where one fits all axes and
/// is another than the model's.
std::optional<int> other_zero(const Problem& problem, const Fit& fit, const readings::FrontEnd& f);

}  // namespace edgeprobe::diagnose::sensor
