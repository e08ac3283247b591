// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "diagnose/preprocessing/model/input_diagnosis.h"
#include "diagnose/preprocessing/model/reference.h"

namespace edgeprobe::diagnose {

/// How a picture was prepared before examination: how its bytes were decoded, and a tone or recode
/// step.
struct Look {
  std::optional<preprocess::Decode> decode;
  std::optional<preprocess::Step> tone_step;
  std::string text() const;
};

/// One prepared frame: the picture, the stored values, and the values the reference would have
/// stored.
struct Frame {
  std::string sample;
  /// One channel if the picture is gray. `transposed` is made on demand.
  preprocess::Image upright, transposed;
  bool gray = false;
  std::vector<float> stored, healthy;  ///< In memory order.
  double low = 0, high = 255;          ///< First and last percentile of the pixels.
  double deviation = 0;                ///< Standard deviation of the pixels, in gray steps.
  std::optional<preprocess::Source> source;
  /// Another decoder may produce other pixels from the same bytes.
  bool lossy = true;
  Look look;                                           ///< How the picture was prepared.
  std::map<std::string, std::shared_ptr<Frame>> seen;  ///< See seen_as().

  int channels() const { return upright.channels; }
  const preprocess::Image& laid(Orientation turned) const {
    return turned == 0 ? upright : transposed;
  }
};

/// Fails with kUnsupported if the tensor's size differs from the model's input.
Result<Frame> make_frame(const InputFrame& frame, const Reference& reference);

/// Returns the frame with its picture prepared as in `look`; prepares it only once, and returns the
/// frame itself if it already is. Null if the bytes cannot be decoded this way.
Frame* seen_as(Frame& frame, const Look& look);

/// Reads values in memory order as `order` and returns them as [height, width, channels].
preprocess::Raster arranged(const std::vector<float>& memory, Order order, int height, int width,
                            int channels);

/// The codes with an inverted sign bit: uint8 read as int8, or the other way round.
std::vector<float> sign_flipped(const std::vector<float>& codes, double lowest);

/// Sum of absolute differences between neighbours, horizontally and vertically.
double total_variation(const preprocess::Raster& raster);

/// The target in one memory interpretation, with the pixels to be fitted.
struct Interpretation {
  Order order = Order::kHwc;
  bool flipped = false;
  preprocess::Raster target;
  std::vector<std::uint8_t> keep;  ///< 0 drops a saturated pixel; empty keeps all.
};
Interpretation interpretation(const Frame& frame, const Reference& reference, Order order,
                              bool flipped);

}  // namespace edgeprobe::diagnose
