// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "core/tensor.h"
#include "diagnose/preprocessing/model/geometry.h"
#include "diagnose/preprocessing/model/regression.h"

namespace edgeprobe::diagnose {

/// How the values of a picture follow each other in memory.
enum class Order { kHwc, kChw, kHcw, kWhc };
const char* name(Order order);                     ///< "NHWC", "NCHW", …
const char* name(preprocess::ChannelOrder order);  ///< "RGB", "BGR", …

/// The reference's pre-processing taken apart: geometry, then mixture of channels, then one line a
/// channel, then memory order. Everything from the line on is in the *target's* stored units.
struct Reference {
  preprocess::Recipe recipe;   ///< As given.
  preprocess::Recipe healthy;  ///< The same for the target's dtype, quantisation and layout.
  TensorSpec target;           ///< dtype, shape and quantisation of the target's input.
  int height = 0, width = 0, channels = 0;
  Order order = Order::kHwc;  ///< The target's declared order.

  Orientation orientation = 0;             ///< Leading turns.
  std::vector<preprocess::Step> geometry;  ///< The other geometric steps.
  preprocess::Resampling resampling;
  preprocess::Rounding rounding = preprocess::Rounding::kFloat;
  bool resizes = false;

  std::optional<preprocess::Step> tone_step;  ///< Its tone() or recode().
  bool tone_step_first = false;               ///< Before the geometry.
  /// The recipe said how bytes are read; the pictures are what came of it.
  bool decodes = false;
  Mixing mixing;  ///< On R, G, B.
  bool gray = false;
  /// Real value = gain * pixel + offset, one a channel.
  std::vector<double> real_gain, real_offset;
  std::vector<double> gain, offset;  ///< Stored value (before rounding) likewise.
  /// The recipe states the target's codes; the last of `range_steps` makes real values of them.
  bool codes = false;
  /// The target stores codes of its quantisation or plain integers.
  bool coded = false;
  double scale = 1, zero_point = 0;  ///< stored = real / scale + zero_point.
  double lowest = 0, highest = 0;    ///< Limits of the stored values when they are integers.

  /// The reference's steps by what they decide; `range_steps` end in real values, also when the
  /// recipe states codes.
  std::vector<preprocess::Step> color_steps, range_steps;
  /// Gray steps of one unit of the stored values, averaged over channels.
  double steps_per_unit() const;
};

/// Fails with kUnsupported, saying why, when the recipe is outside what can be taken apart or the
/// two inputs differ in size.
Result<Reference> take_apart(const preprocess::Recipe& recipe, const TensorSpec& reference_input,
                             const TensorSpec& target_input);

/// Steps behind the geometry that give the stored values from pixels mixed by `color`: the lines
/// given in real units, then the target's layout and type.
std::vector<preprocess::Step> tail_steps(const Reference& reference);

}  // namespace edgeprobe::diagnose
