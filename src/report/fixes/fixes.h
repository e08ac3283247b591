// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "diagnose/verdict/words.h"

namespace edgeprobe::report {

/// The usual lines of code that change an app's pre-processing to the reference's: "opencv"
/// (Python, and C++ if it differs), "android" (Kotlin), "numpy"; for Cause::fix_code.
///
/// `reference_step` is the reference's step as recipe text, or several joined by '|' (for
/// kValueRange: everything that sets the range, e.g. "scale(0..1) | normalize(mean=…, std=…)").
/// Empty, or a step of another kind, means that the reference does nothing here (no crop, no
/// rotation, values left 0..255). Variable names: img [H,W,3] uint8 as decoded, x the values during
/// pre-processing, bitmap an Android Bitmap. Empty for kinds that no line of code fixes
/// (kOtherModel, kUnknown).
std::map<std::string, std::string> fix_code(diagnose::CauseKind kind,
                                            std::string_view reference_step);

}  // namespace edgeprobe::report
