// SPDX-License-Identifier: Apache-2.0
#include "postprocess/detection/coordinates.h"

#include <algorithm>
#include <cmath>

namespace edgeprobe::postprocess::detection {
namespace {

Box mirrored(Box b, Mirror mirror) {
  switch (mirror) {
    case Mirror::kNone: break;
    case Mirror::kTransposed: return {b.y1, b.x1, b.y2, b.x2};
    case Mirror::kLeftRight: return {1 - b.x2, b.y1, 1 - b.x1, b.y2};
    case Mirror::kUpsideDown: return {b.x1, 1 - b.y2, b.x2, 1 - b.y1};
    case Mirror::kBoth: return {1 - b.x2, 1 - b.y2, 1 - b.x1, 1 - b.y1};
    case Mirror::kCornersLeft: return {1 - b.x1, b.y1, 1 - b.x2, b.y2};
  }
  return b;
}

/// The model's input in pixels of the picture, which either fits inside or fills it.
Size framed(Size picture, Size model, bool fits) {
  const double x = picture.width / model.width, y = picture.height / model.height;
  const double pixels = fits ? std::max(x, y) : std::min(x, y);
  return {model.width * pixels, model.height * pixels};
}

Size factor_of(const Placement& placement, Size picture, Size model) {
  switch (placement.scale) {
    case Scale::kStretched: break;
    case Scale::kLetterbox:
    case Scale::kCentredLetterbox:
    case Scale::kWholeLetterbox:
    case Scale::kUpperLetterbox:
    case Scale::kRoundedLetterbox:
    case Scale::kCutLetterbox: return framed(picture, model, true);
    case Scale::kModelPixels: return model;
    case Scale::kShares: return {1, 1};
    case Scale::kSidesExchanged: return {picture.height, picture.width};
    case Scale::kShorterSide: return framed(picture, model, false);
    case Scale::kMeasured: return placement.factor;
  }
  return picture;
}

bool is_letterbox(Scale scale) {
  constexpr Scale kAll[] = {Scale::kLetterbox,        Scale::kCentredLetterbox,
                            Scale::kWholeLetterbox,   Scale::kUpperLetterbox,
                            Scale::kRoundedLetterbox, Scale::kCutLetterbox};
  return std::find(std::begin(kAll), std::end(kAll), scale) != std::end(kAll);
}

/// Bars left of and above the picture, in its pixels.
Size bar_of(Scale scale, Size frame, Size picture, Size model) {
  const Size bar{(frame.width - picture.width) / 2, (frame.height - picture.height) / 2};
  const double pixel = frame.width / model.width;
  const auto whole = [&](double (*pixels)(double side, double inside)) -> Size {
    return {pixels(model.width, picture.width / pixel) * pixel,
            pixels(model.height, picture.height / pixel) * pixel};
  };
  switch (scale) {
    case Scale::kCentredLetterbox: return bar;
    case Scale::kWholeLetterbox:
      return whole([](double a, double b) { return std::floor((a - std::round(b)) / 2); });
    case Scale::kUpperLetterbox:
      return whole([](double a, double b) { return std::ceil((a - std::round(b)) / 2); });
    case Scale::kRoundedLetterbox:
      return whole([](double a, double b) { return std::round((a - b) / 2 - 0.1); });
    case Scale::kCutLetterbox:
      return whole([](double a, double b) { return std::floor((a - b) / 2); });
    default: return {};
  }
}

}  // namespace

Box placed(const Box& shares, const Placement& placement, Size picture, Size model) {
  const Box b = mirrored(shares, placement.mirror);
  const Size by = factor_of(placement, picture, model);
  const Size bar = bar_of(placement.scale, by, picture, model);
  Box out{b.x1 * by.width - bar.width, b.y1 * by.height - bar.height, b.x2 * by.width - bar.width,
          b.y2 * by.height - bar.height};
  if (!placement.is_cut) return out;
  const Size edge = is_letterbox(placement.scale) ? picture : by;
  out.x1 = std::clamp(out.x1, 0.0, edge.width), out.x2 = std::clamp(out.x2, 0.0, edge.width);
  out.y1 = std::clamp(out.y1, 0.0, edge.height), out.y2 = std::clamp(out.y2, 0.0, edge.height);
  return out;
}

Numbers reported(const Box& b, Report report) {
  const double width = b.x2 - b.x1, height = b.y2 - b.y1;
  switch (report) {
    case Report::kXyxy: break;
    case Report::kYxyx: return {b.y1, b.x1, b.y2, b.x2};
    case Report::kXywh: return {b.x1, b.y1, width, height};
    case Report::kCxcywh: return {b.x1 + width / 2, b.y1 + height / 2, width, height};
    case Report::kYxhw: return {b.y1, b.x1, height, width};
  }
  return {b.x1, b.y1, b.x2, b.y2};
}

}  // namespace edgeprobe::postprocess::detection
