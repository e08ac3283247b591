// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "postprocess/detection/box.h"

namespace edgeprobe::postprocess::detection {

/// Width and height in pixels.
struct Size {
  double width = 0, height = 0;
  bool operator==(const Size&) const = default;
};

/// What the shares of the model's input are multiplied by. A letterbox is the model's input in
/// pixels of the picture, which fits in; for a square model the picture's longer side, twice.
enum class Scale {
  kStretched,         ///< The picture's sides: it was resized without regard to its shape.
  kLetterbox,         ///< Bars right or below.
  kCentredLetterbox,  ///< Bars around: less the one left or above.
  kWholeLetterbox,    ///< Bars around, of whole pixels of the model's input, rounded down.
  kUpperLetterbox,    ///< The same, rounded up: the odd pixel left or above.
  kRoundedLetterbox,  ///< round((side - inside) / 2 - 0.1), where the inside is not rounded itself.
  kCutLetterbox,      ///< floor((side - inside) / 2), where the inside is not rounded itself.
  kModelPixels,       ///< The sides of the model's input.
  kShares,            ///< Nothing: 0..1.
  kSidesExchanged,    ///< The picture's height for x, its width for y.
  kShorterSide,       ///< As a letterbox of which the picture fills all; the shorter side, twice.
  kMeasured,          ///< Placement::factor.
};

/// What happens to the corners before they are scaled.
enum class Mirror {
  kNone,
  kTransposed,   ///< x and y exchanged.
  kLeftRight,    ///< x becomes 1 - x.
  kUpsideDown,   ///< y becomes 1 - y.
  kBoth,         ///< Turned by 180 degrees.
  kCornersLeft,  ///< kLeftRight, without exchanging the corners: x1 > x2.
};

/// Way from shares of the model's input to the picture's coordinates.
struct Placement {
  Scale scale = Scale::kStretched;
  Size factor;  ///< Of kMeasured.
  Mirror mirror = Mirror::kNone;
  bool is_cut = false;  ///< Cut at the edge of the picture, or of what `scale` makes of it.
  bool operator==(const Placement&) const = default;
};

/// The four numbers that an app hands on.
enum class Report { kXyxy, kYxyx, kXywh, kCxcywh, kYxhw };

/// A box of shares, placed in the picture.
Box placed(const Box& shares, const Placement& placement, Size picture, Size model);
/// A box as four numbers.
Numbers reported(const Box& box, Report report);
/// Whether the first number of a pair is that of the x axis.
constexpr bool is_x_first(Report report) {
  return report == Report::kXyxy || report == Report::kXywh || report == Report::kCxcywh;
}

}  // namespace edgeprobe::postprocess::detection
