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

/// What was done before a picture is looked at: how its bytes were read, and a tone or recode step.
struct Look {
  std::optional<preprocess::Decode> decode;
  std::optional<preprocess::Step> tone_step;
  std::string text() const;
};

/// One frame made ready: the picture, the stored values, and what the reference would have stored.
struct Frame {
  std::string sample;
  /// One channel when the picture is gray. `transposed` on demand.
  preprocess::Image upright, transposed;
  bool gray = false;
  std::vector<float> stored, healthy;  ///< In memory order.
  double low = 0, high = 255;          ///< First and last percentile of the pixels.
  double deviation = 0;                ///< Of the pixels, in gray steps.
  std::optional<preprocess::Source> source;
  /// Another decoder may have made other pixels of the same bytes.
  bool lossy = true;
  Look look;                                           ///< What was done to the picture.
  std::map<std::string, std::shared_ptr<Frame>> seen;  ///< See seen_as().

  int channels() const { return upright.channels; }
  const preprocess::Image& laid(Orientation turned) const {
    return turned == 0 ? upright : transposed;
  }
};

/// Fails with kUnsupported when the tensor does not hold as many values as the model's input takes.
Result<Frame> make_frame(const InputFrame& frame, const Reference& reference);

/// The frame with its picture seen that way, made once; the frame itself when that is how it is
/// seen already. Null when the bytes cannot be read so.
Frame* seen_as(Frame& frame, const Look& look);

/// Values in memory order read as `order`, laid out [height, width, channels].
preprocess::Raster arranged(const std::vector<float>& memory, Order order, int height, int width,
                            int channels);

/// The codes with the sign bit turned over: uint8 read as int8, or the other way round.
std::vector<float> sign_flipped(const std::vector<float>& codes, double lowest);

/// Sum of absolute differences of neighbours, both ways.
double total_variation(const preprocess::Raster& raster);

/// The target read in one way, with the pixels that are worth fitting.
struct Interpretation {
  Order order = Order::kHwc;
  bool flipped = false;
  preprocess::Raster target;
  std::vector<std::uint8_t> keep;  ///< Empty: all. 0 drops a saturated pixel.
};
Interpretation interpretation(const Frame& frame, const Reference& reference, Order order,
                              bool flipped);

}  // namespace edgeprobe::diagnose
