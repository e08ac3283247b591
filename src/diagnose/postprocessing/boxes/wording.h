// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "diagnose/postprocessing/boxes/hypothesis.h"

namespace edgeprobe::diagnose::boxes {

/// Describes the app's deviation: "the app leaves boxes as shares (0..1); the reference's recipe
/// has boxes(xyxy, pixels)".
std::string words(const Change& change, const Recipe& reference);

}  // namespace edgeprobe::diagnose::boxes
