// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnose/preprocessing/search/search.h"

/// Gains and offsets on 8-bit pixels: exposure, contrast and white balance of an app, which cut
/// pixels off at 0 and 255.
namespace edgeprobe::diagnose {

/// The tones of one gain and offset a channel that the target shows behind a geometry, when its
/// range is the reference's own: fitted on the pixels that are not cut off, in the roundest numbers
/// near the fit, rounded to the nearest step and rounded down.
std::vector<preprocess::Tone> fitted_gains(const Content& content, const Trial& trial,
                                           const Reference& reference,
                                           const Interpretation& interpretation,
                                           int picture_channels);

/// "1.4 x + 20, rounded down".
std::string gain_text(const preprocess::Tone& tone);

}  // namespace edgeprobe::diagnose
