// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "diagnose/preprocessing/model/frame.h"
#include "diagnose/preprocessing/model/ranges.h"
#include "diagnose/preprocessing/search/search.h"

namespace edgeprobe::diagnose {

/// A complete pre-processing of the target, from which its tensors can be synthesised.
struct Hypothesis {
  Orientation orientation = 0;
  bool turned_last = false;  ///< Rotated after the framing instead of before it.
  Framing framing;
  preprocess::Resampling resampling;
  preprocess::Rounding rounding = preprocess::Rounding::kFloat;
  /// How the bytes were decoded, if not as in the reference.
  std::optional<preprocess::Decode> decode;
  /// False: decoders may legitimately differ like this; never named.
  bool decode_is_fault = true;
  std::string decode_text;                    ///< Describes the app's decoding in that case.
  std::optional<preprocess::Step> tone_step;  ///< A tone or recode step on the pixels.
  bool tone_step_first = false;               ///< On the whole picture, before the geometry.
  Mixing mixing;
  bool gray_rounded = false;  ///< A gray mixture of several channels is rounded to 8 bits.
  Range range;                ///< Only its lines are used; it need not have a name.
  Order order = Order::kHwc;
  bool flipped = false;              ///< The sign bit of every code is inverted.
  double fill = 0;                   ///< Fill of the bars, in pixels 0..255.
  std::vector<double> channel_fill;  ///< One fill per channel instead.
};

/// Parts in which a target can differ from the reference; each corresponds to one kind of fault.
enum class Part {
  kMixing,
  kRange,
  kResampling,
  kFraming,
  kFill,
  kOrientation,
  kOrder,
  kSign,
  kTouch,
  kDecode
};
inline constexpr Part kParts[] = {
    Part::kMixing,      Part::kRange, Part::kResampling, Part::kFraming, Part::kFill,
    Part::kOrientation, Part::kOrder, Part::kSign,       Part::kTouch,   Part::kDecode};

Hypothesis reference_hypothesis(const Reference& reference, const Range& own_range);
bool differs(const Hypothesis& a, const Hypothesis& b, Part part);
/// True if they differ in no part.
bool same(const Hypothesis& a, const Hypothesis& b);
/// `h` with that part taken from `other`.
Hypothesis with(Hypothesis h, const Hypothesis& other, Part part);

/// Its operation on pixels between geometry and mixture.
ToneStep tone_step_of(const Hypothesis& h);
/// True if every channel of the model is the same mixture of several picture channels.
bool is_gray(const Mixing& mixing);

/// Pixels 0..255 under the hypothesis before channels are mixed, with filled bars: [height, width,
/// picture channels]. One channel if a curve follows a gray mixture. Nothing if the geometry does
/// not fit the picture.
std::optional<preprocess::Raster> pixels(Frame& frame, const Reference& reference,
                                         const Hypothesis& h);
/// Stored values for these pixels before rounding to codes: [height, width, channels].
preprocess::Raster stored_values(const preprocess::Raster& pixels, const Reference& reference,
                                 const Hypothesis& h);

/// The target in the hypothesis' interpretation: [height, width, channels].
preprocess::Raster target_values(const Frame& frame, const Reference& reference,
                                 const Hypothesis& h);
/// RMS distance between the target and the values these pixels predict, in gray steps of `gain`. A
/// code that is nearest to the prediction has distance 0.
double residual_of(const preprocess::Raster& pixels, const preprocess::Raster& target,
                   const Reference& reference, const Hypothesis& h, double gain);
/// residual_of(), computed from the picture; nothing if the geometry does not fit.
std::optional<double> residual_of(Frame& frame, const Reference& reference, const Hypothesis& h,
                                  double gain);

/// Mean |gain| over channels: stored units per gray step.
double mean_gain(const std::vector<double>& gain);

/// The hypothesis as a recipe, as far as recipes can express it.
preprocess::Recipe recipe_of(const Reference& reference, const Hypothesis& h,
                             const Hypothesis& own);

}  // namespace edgeprobe::diagnose
