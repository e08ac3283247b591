// SPDX-License-Identifier: Apache-2.0
#include "diagnose/preprocessing/answer/chains.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "diagnose/preprocessing/answer/wording.h"
#include "preprocess/picture/resize.h"

namespace edgeprobe::diagnose {
namespace {

using preprocess::Image;

/// Larger pictures are skipped, since the search resizes dozens of times.
constexpr std::size_t kMostPixels = 1 << 21;
/// Largest fraction of the distance that a step before the resize may leave.
constexpr double kMostLeft = 0.5;

/// A step that an app applies to the picture, or another framing, before the reference's own steps.
struct Chain {
  std::string detail;
  std::function<std::optional<Image>(const Image&)> before;  ///< Null: no step.
  std::optional<Framing> framing;
};

std::optional<Image> every(const Image& image, int step) {
  Image out{(image.height + step - 1) / step, (image.width + step - 1) / step, image.channels, {}};
  if (out.height < 8 || out.width < 8) return std::nullopt;
  for (int y = 0; y < out.height; ++y)
    for (int x = 0; x < out.width; ++x)
      for (int c = 0; c < image.channels; ++c)
        out.pixels.push_back(
            image
                .pixels[(std::size_t(y * step) * std::size_t(image.width) + std::size_t(x * step)) *
                            std::size_t(image.channels) +
                        std::size_t(c)]);
  return out;
}

std::optional<Image> resized(const Image& image, int height, int width,
                             const preprocess::Resampling& kernel) {
  if (height == image.height && width == image.width) return std::nullopt;
  const auto rounding = preprocess::check_rounding(kernel, preprocess::Rounding::kOpencv)
                            ? preprocess::Rounding::kOpencv
                            : preprocess::Rounding::kPillow;
  auto made = preprocess::resize(
      preprocess::to_raster(image), height, width, kernel,
      preprocess::check_rounding(kernel, rounding) ? rounding : preprocess::Rounding::kUint8);
  if (!made) return std::nullopt;
  return preprocess::to_image(*made);
}

std::string size_text(int height, int width) {
  return std::to_string(height) + "x" + std::to_string(width);
}

/// Intermediate sizes that apps use: fractions and multiples of the model's size, and sizes of
/// cameras and other models.
std::set<std::pair<int, int>> sizes_before(const Reference& r) {
  std::set<std::pair<int, int>> sizes;
  for (const double share : {0.5, 2.0 / 3, 0.75, 0.875, 1.25, 1.5, 2.0, 3.0, 4.0})
    for (const double up : {0.0, 0.5})
      sizes.emplace(int(r.height * share + up), int(r.width * share + up));
  for (const int side : {64, 96, 112, 128, 160, 192, 224, 256, 299, 300, 320, 416, 512, 640})
    sizes.emplace(side, side);
  for (const auto& [height, width] :
       {std::pair{120, 160}, {144, 176}, {240, 320}, {288, 352}, {360, 640}, {480, 640}})
    sizes.emplace(height, width);
  sizes.erase({r.height, r.width});
  return sizes;
}

std::vector<Chain> chains(const Reference& reference) {
  std::vector<Chain> all;
  for (const int step : {2, 3, 4})
    all.push_back({"takes every " +
                       std::string(step == 2   ? "2nd"
                                   : step == 3 ? "3rd"
                                               : "4th") +
                       " pixel of every " +
                       (step == 2   ? "2nd"
                        : step == 3 ? "3rd"
                                    : "4th") +
                       " row before the resize",
                   [step](const Image& image) { return every(image, step); },
                   {}});
  using preprocess::Align;
  using preprocess::Kernel;
  const std::vector<preprocess::Resampling> kernels = {{Kernel::kBilinear},
                                                       {Kernel::kArea},
                                                       {Kernel::kBilinear, Align::kHalfPixel, true},
                                                       {Kernel::kNearest, Align::kLegacy}};
  for (const auto& [height, width] : sizes_before(reference))
    for (const auto& kernel : kernels)
      all.push_back({"first resizes the picture to " + size_text(height, width) + " with " +
                         kernel_name(kernel) + ", then to the model's input",
                     [height = height, width = width, kernel](const Image& image) {
                       return resized(image, height, width, kernel);
                     },
                     {}});
  std::set<std::pair<int, int>> larger;
  for (const double share : {256.0 / 224, 1.1, 1.125, 1.15, 1.2, 1.25, 4.0 / 3, 1.5})
    for (const double up : {0.0, 0.5})
      larger.emplace(int(reference.height * share + up), int(reference.width * share + up));
  for (const int more : {8, 16, 32})
    larger.emplace(reference.height + more, reference.width + more);
  for (const auto& [height, width] : larger)
    for (const auto offset :
         {preprocess::Crop::Offset::kFloor, preprocess::Crop::Offset::kHalfEven})
      all.push_back({"stretches the picture to " + size_text(height, width) +
                         " and takes the middle " + size_text(reference.height, reference.width) +
                         " of it",
                     nullptr,
                     Framing{{preprocess::Resize{height, width, reference.resampling,
                                                 preprocess::Rounding::kFloat, 0},
                              preprocess::Crop{preprocess::Crop::Kind::kSize, 1, 0, 0,
                                               reference.height, reference.width, 0, 0, offset}},
                             false}});
  return all;
}

/// Residual of the chain in gray steps; nothing if it does not fit the picture.
std::optional<double> left_by(const Frame& frame, const Reference& reference, Hypothesis h,
                              const Chain& chain) {
  Frame seen = frame;
  seen.seen.clear();
  if (chain.before) {
    auto made = chain.before(frame.upright);
    if (!made) return std::nullopt;
    seen.upright = *std::move(made);
    seen.transposed = {};
  }
  if (chain.framing) h.framing = *chain.framing;
  return residual_of(seen, reference, h, mean_gain(reference.gain));
}

}  // namespace

std::optional<Beyond> explain_by_chain(std::vector<Frame>& frames, const Reference& reference,
                                       const Hypothesis& own) {
  const Frame& first = frames.front();
  if (first.upright.pixels.size() > kMostPixels) return std::nullopt;
  double before = 0;
  for (Frame& frame : frames) {
    const double d = residual_of(frame, reference, own, mean_gain(reference.gain)).value_or(0);
    before += d * d / double(frames.size());
  }
  before = std::sqrt(before);
  if (before <= kDecoder) return std::nullopt;
  const double limit = allowed(kOwnRounding, reference);
  std::optional<Chain> best;
  double least = std::min(limit, kMostLeft * before);
  for (Chain& chain : chains(reference)) {
    const auto left = left_by(first, reference, own, chain);
    if (!left || *left >= least) continue;
    least = *left;
    best = std::move(chain);
    if (least < 0.02) break;
  }
  if (!best) return std::nullopt;
  double squares = 0;
  for (const Frame& frame : frames) {
    const auto left = left_by(frame, reference, own, *best);
    if (!left || *left > limit) return std::nullopt;
    squares += *left * *left / double(frames.size());
  }
  Beyond out;
  out.residual = std::sqrt(squares);
  out.fault.kind = best->framing ? CauseKind::kCrop : CauseKind::kResize;
  out.fault.detail = "the app " + best->detail + "; the reference " +
                     framing_name(own.framing, std::to_string(int(own.fill))) + " in one step";
  out.fault.contribution = before;
  out.fault.fix_step = fix_step(best->framing ? Part::kFraming : Part::kResampling, reference, own);
  out.left = [reference, own, chain = *best](Frame& frame) {
    return left_by(frame, reference, own, chain);
  };
  out.evidence.push_back(
      {EvidenceKind::kLeftWithFault, {{"distance", before}, {"left", out.residual}}});
  return out;
}

}  // namespace edgeprobe::diagnose
