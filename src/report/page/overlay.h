// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "postprocess/detection/coordinates.h"

namespace edgeprobe::report {

/// An answer to draw over a picture.
struct DrawnAnswer {
  std::string app_json, expected_json;  ///< As in ShownSample; expected may be empty.
  /// The canonical text of the reference's post-processing (after `||`): it defines the numbers of
  /// a box or a point.
  std::string recipe;
  /// In pixels; the model's input is 0 x 0 if unknown.
  postprocess::detection::Size picture, model;
};

/// Boxes with their labels, or key points, as an SVG to overlay on the picture: the app's in solid
/// lines, those of the reference's recipe for the same outputs in dashed ones. Empty if there are
/// none, or if their positions are unknown. Skips invalid coordinates.
std::string overlay(const DrawnAnswer& answer);

}  // namespace edgeprobe::report
