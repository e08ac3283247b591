// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "postprocess/detection/box.h"

namespace edgeprobe::postprocess::detection {

/// Width and height in pixels.
struct Size {
  double width = 0, height = 0;
  bool operator==(const Size&) const = default;
};

/// The factors for shares of the model's input. For a letterbox, the model's input in pixels of the
/// picture, which fits inside; for a square model, the picture's longer side, twice.
enum class Scale {
  kStretched,         ///< The picture's sides: it was resized without keeping the aspect ratio.
  kLetterbox,         ///< Bars right or below.
  kCentredLetterbox,  ///< Bars on both sides; subtracts the left or upper one.
  kWholeLetterbox,    ///< Bars on both sides, in whole pixels of the model's input, rounded down.
  kUpperLetterbox,    ///< Same, rounded up: the odd pixel is left or above.
  kRoundedLetterbox,  ///< round((side - inside) / 2 - 0.1), where the inside itself is not rounded.
  kCutLetterbox,      ///< floor((side - inside) / 2), where the inside itself is not rounded.
  kModelPixels,       ///< The sides of the model's input.
  kShares,            ///< No factor: 0..1.
  kSidesExchanged,    ///< The picture's height for x, its width for y.
  /// Like a letterbox that the picture fills completely; the shorter side, twice.
  kShorterSide,
  kMeasured,  ///< Placement::factor.
};

/// Transformation of the corners before scaling.
enum class Mirror {
  kNone,
  kTransposed,   ///< x and y swapped.
  kLeftRight,    ///< x becomes 1 - x.
  kUpsideDown,   ///< y becomes 1 - y.
  kBoth,         ///< Rotated by 180 degrees.
  kCornersLeft,  ///< kLeftRight, without swapping the corners: x1 > x2.
};

/// Mapping from shares of the model's input to the picture's coordinates.
struct Placement {
  Scale scale = Scale::kStretched;
  Size factor;  ///< For kMeasured.
  Mirror mirror = Mirror::kNone;
  bool is_cut = false;  ///< Clipped at the edge of the picture, scaled as by `scale`.
  bool operator==(const Placement&) const = default;
};

/// The four numbers that an app reports.
enum class Report { kXyxy, kYxyx, kXywh, kCxcywh, kYxhw };

/// Places a box given in shares into the picture.
Box placed(const Box& shares, const Placement& placement, Size picture, Size model);
/// The box as four numbers.
Numbers reported(const Box& box, Report report);
/// True if the first number of a pair is x.
constexpr bool is_x_first(Report report) {
  return report == Report::kXyxy || report == Report::kXywh || report == Report::kCxcywh;
}

}  // namespace edgeprobe::postprocess::detection
