// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "diagnose/preprocessing/search/search.h"

/// Changes of pixels that one line per channel cannot express: curves, and colours converted by one
/// convention and back by another.
namespace edgeprobe::diagnose {

/// Common curves: gamma 2.2 and 1.8 both ways, sRGB both ways.
std::vector<preprocess::Tone> usual_tones();
bool is_usual(const preprocess::Tone& tone);
/// 16-bit pixels, RGB 5-6-5.
std::vector<ToneStep> fewer_bits();
/// BT.601 taken for BT.709, full for limited range, U for V, and their combinations; every linear
/// map once.
std::vector<preprocess::Recode> usual_recodes();

/// A tone step with its approximate residual in gray steps after the best of a few geometries.
struct RankedToneStep {
  ToneStep tone_step;
  double residual = 0;
};
/// The usual tone steps and a fitted exponent, best first, each after geometries that were tried
/// without one. An unnamed exponent must be clearly better than a named curve.
std::vector<RankedToneStep> rank_tone_steps(Frame& frame, const Reference& reference,
                                            const Interpretation& interpretation,
                                            const std::vector<Trial>& plain);

/// The same tone steps on the whole picture, before the geometry, best first.
std::vector<RankedToneStep> rank_on_picture(Frame& frame, const Reference& reference,
                                            const Interpretation& interpretation,
                                            const std::vector<Trial>& plain,
                                            const std::vector<ToneStep>& tone_steps);

/// True if all channels of the target are equal although the picture has colours.
bool is_gray_target(const Frame& frame, const Interpretation& interpretation);

/// Describes the app's operation: "gamma 2.2 (pixels to the power of 2.2)", "U and V exchanged", …
std::string tone_step_name(const preprocess::Step& step);

}  // namespace edgeprobe::diagnose
