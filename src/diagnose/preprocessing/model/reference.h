// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "core/tensor.h"
#include "diagnose/preprocessing/model/geometry.h"
#include "diagnose/preprocessing/model/regression.h"

namespace edgeprobe::diagnose {

/// Order of a picture's values in memory.
enum class Order { kHwc, kChw, kHcw, kWhc };
const char* name(Order order);                     ///< "NHWC", "NCHW", …
const char* name(preprocess::ChannelOrder order);  ///< "RGB", "BGR", …

/// The reference's pre-processing in parts: geometry, then channel mixture, then one line per
/// channel, then memory order. From the line on, values are in the *target's* stored units.
struct Reference {
  preprocess::Recipe recipe;   ///< As given.
  preprocess::Recipe healthy;  ///< The same adapted to the target's dtype, quantisation and layout.
  TensorSpec target;           ///< dtype, shape and quantisation of the target's input.
  int height = 0, width = 0, channels = 0;
  Order order = Order::kHwc;  ///< The target's declared memory order.

  Orientation orientation = 0;             ///< Leading rotations and flips.
  std::vector<preprocess::Step> geometry;  ///< All other geometric steps.
  preprocess::Resampling resampling;
  preprocess::Rounding rounding = preprocess::Rounding::kFloat;
  bool resizes = false;

  std::optional<preprocess::Step> tone_step;  ///< The recipe's tone() or recode() step.
  bool tone_step_first = false;               ///< Before the geometry.
  /// The recipe defines how bytes are decoded; the pictures are the result.
  bool decodes = false;
  Mixing mixing;  ///< On R, G, B.
  bool gray = false;
  /// Per channel: real value = gain * pixel + offset.
  std::vector<double> real_gain, real_offset;
  std::vector<double> gain, offset;  ///< The same for the stored value before rounding.
  /// The recipe yields the target's codes; the last of `range_steps` converts them to real values.
  bool codes = false;
  /// The target stores quantised codes or plain integers.
  bool coded = false;
  double scale = 1, zero_point = 0;  ///< stored = real / scale + zero_point.
  double lowest = 0, highest = 0;    ///< Limits of integer stored values.

  /// The reference's steps by function. `range_steps` yield real values even if the recipe yields
  /// codes.
  std::vector<preprocess::Step> color_steps, range_steps;
  /// Gray steps per unit of the stored values, averaged over channels.
  double steps_per_unit() const;
};

/// Fails with kUnsupported and a reason if the recipe cannot be split into these parts or the two
/// inputs differ in size.
Result<Reference> take_apart(const preprocess::Recipe& recipe, const TensorSpec& reference_input,
                             const TensorSpec& target_input);

/// Steps after the geometry that turn pixels mixed by `color` into stored values: the lines in real
/// units, then the target's layout and type.
std::vector<preprocess::Step> tail_steps(const Reference& reference);

}  // namespace edgeprobe::diagnose
