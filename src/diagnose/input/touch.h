#pragma once

#include <optional>
#include <string>
#include <vector>

#include "diagnose/input/search.h"

/// Changes of the pixels that no line a channel makes: curves, and colours converted by one convention and back by another.
namespace edgeprobe::diagnose {

/// Curves that are in use: gamma 2.2 and 1.8 both ways, sRGB both ways.
std::vector<preprocess::Tone> usual_tones();
/// BT.601 taken for BT.709, full for limited range, U for V, and what goes together; every linear map once.
std::vector<preprocess::Recode> usual_recodes();

/// The touch that explains the target best, starting from geometries that were tried without one, with every kernel again.
/// Best trial first; empty when none is clearly better than `plain_rho`. A fitted exponent competes with the usual curves.
std::vector<Trial> try_touches(Frame& frame, const Reference& reference, const Reading& reading, const std::vector<Trial>& plain,
                               double plain_rho);

/// Whether all channels of the target are copies of one, while the picture has colours.
bool is_gray_target(const Frame& frame, const Reading& reading);

/// "gamma 2.2 (pixels to the power of 2.2)", "U and V exchanged", …: what an app does.
std::string touch_name(const preprocess::Step& step);

}  // namespace edgeprobe::diagnose
