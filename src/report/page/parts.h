// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "diagnose/verdict/verdict.h"

namespace edgeprobe::report {

/// Drift of every layer on a logarithmic axis as inline SVG (a wide and a narrow one, chosen by the
/// style sheet), or a sentence when there is nothing to draw.
std::string drift_chart(const std::vector<diagnose::LayerDrift>& layers);

/// The input pictures, one row a sample, or a sentence when there are none. A picture whose size
/// does not fit its bytes is named instead of shown. What the app answered is drawn over the raw
/// picture as `recipe`, the canonical text behind the bars of the reference's, says where it lies.
std::string picture_rows(const std::vector<diagnose::Picture>& pictures,
                         const std::vector<diagnose::ShownSample>& shown_samples = {},
                         const std::string& recipe = {});

/// Above the fold where the model input differs for no reason that was found: both inputs, their
/// difference, a curve from value to value and a strip of frames. Else empty.
std::string input_difference(const diagnose::Verdict& verdict);

}  // namespace edgeprobe::report
