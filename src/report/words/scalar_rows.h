// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "diagnose/verdict/verdict.h"

namespace edgeprobe::report {

inline constexpr const char* kScalarTitle = "What goes with the frames that fail";

/// The sentence of the study, then a line for each test ("lux (sensor): median 12 lx against 310
/// lx, effect -0.91, p < 0.001"), at most seven of them. Untrusted text is not escaped. Empty when
/// the app logged no number.
std::vector<std::string> scalar_rows(const diagnose::Verdict& verdict);

}  // namespace edgeprobe::report
