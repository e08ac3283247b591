// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "postprocess/detection/coordinates.h"

namespace edgeprobe::report {

/// An answer that is drawn over a picture.
struct DrawnAnswer {
  std::string app_json, expected_json;  ///< As in ShownSample; expected may be empty.
  /// Canonical text behind the bars of the reference's recipe: it alone says what the numbers of
  /// a box or of a point are.
  std::string recipe;
  /// In pixels; the model's input is 0 x 0 where it is not known.
  postprocess::detection::Size picture, model;
};

/// Boxes with their labels, or key points, as an SVG that lies over the picture: those of the app
/// in full lines, those that the reference's recipe makes of the same outputs in dashed ones. Empty
/// where there are none, or nothing says where they lie. Numbers that are no places are left out.
std::string overlay(const DrawnAnswer& answer);

}  // namespace edgeprobe::report
