// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "diagnose/preprocessing/model/frame.h"
#include "diagnose/preprocessing/model/ranges.h"
#include "diagnose/preprocessing/search/search.h"

namespace edgeprobe::diagnose {

/// A target's pre-processing, whole: what synthesises its tensors.
struct Hypothesis {
  Orientation orientation = 0;
  bool turned_last = false;  ///< Behind the framing instead of before it.
  Framing framing;
  preprocess::Resampling resampling;
  preprocess::Rounding rounding = preprocess::Rounding::kFloat;
  /// How the bytes were read, when otherwise than the reference reads them.
  std::optional<preprocess::Decode> decode;
  bool decode_is_fault = true;                ///< False: decoders may differ so; never named.
  std::string decode_text;                    ///< What the app does then.
  std::optional<preprocess::Step> tone_step;  ///< A tone or recode step on the pixels.
  bool tone_step_first = false;               ///< On the whole picture, before the geometry.
  Mixing mixing;
  bool gray_rounded = false;  ///< A gray mixture of several channels is rounded to 8 bits.
  Range range;                ///< Its lines are used, named or not.
  Order order = Order::kHwc;
  bool flipped = false;              ///< The sign bit of every code is turned over.
  double fill = 0;                   ///< Of bars, in pixels 0..255.
  std::vector<double> channel_fill;  ///< One value a channel instead.
};

/// The parts in which a target can differ from the reference; each belongs to one kind of fault.
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
/// `h` with that part taken from `other`.
Hypothesis with(Hypothesis h, const Hypothesis& other, Part part);

/// What it does to pixels between geometry and mixture.
ToneStep tone_step_of(const Hypothesis& h);
/// Whether every channel of the model is the same mixture of several of the picture's.
bool is_gray(const Mixing& mixing);

/// The pixels 0..255 that the hypothesis makes before its channels are mixed, bars filled, [height,
/// width, picture channels]. One channel when a curve follows a gray mixture. Nothing when the
/// geometry does not fit the picture.
std::optional<preprocess::Raster> pixels(Frame& frame, const Reference& reference,
                                         const Hypothesis& h);
/// The stored values that follow from them, not yet rounded to codes, [height, width, channels].
preprocess::Raster stored_values(const preprocess::Raster& pixels, const Reference& reference,
                                 const Hypothesis& h);

/// The target as the hypothesis reads it, [height, width, channels].
preprocess::Raster target_values(const Frame& frame, const Reference& reference,
                                 const Hypothesis& h);
/// RMS distance between the target and what follows from these pixels, in gray steps of `gain`.
/// Codes that are the nearest to the value are no distance.
double residual_of(const preprocess::Raster& pixels, const preprocess::Raster& target,
                   const Reference& reference, const Hypothesis& h, double gain);
/// The same from the picture; nothing when the geometry does not fit it.
std::optional<double> residual_of(Frame& frame, const Reference& reference, const Hypothesis& h,
                                  double gain);

/// Mean |gain| over channels: stored units of one gray step.
double mean_gain(const std::vector<double>& gain);

/// The recipe that does it, as far as recipes can say it.
preprocess::Recipe recipe_of(const Reference& reference, const Hypothesis& h,
                             const Hypothesis& own);

}  // namespace edgeprobe::diagnose
