// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "diagnose/preprocessing/model/reference.h"
#include "diagnose/verdict/words.h"

namespace edgeprobe::diagnose {

/// A usual map from pixels 0..255 to stored values: one line per channel, in the target's stored
/// units.
struct Range {
  /// "-1..1", "ImageNet mean and std", "zero point 0 instead of 128", …; empty for the reference's
  /// own range without a usual name.
  std::string name;
  /// kValueRange or kInputQuantization; unset for the reference's own range.
  std::optional<CauseKind> kind;
  std::vector<double> gain, offset;
  std::vector<preprocess::Step> steps;           ///< Replace the reference's range steps.
  std::optional<preprocess::Quantize> quantize;  ///< Replaces the model's own quantisation.
  bool per_picture = false;   ///< The values depend on each picture (standardisation).
  bool unquantized = false;   ///< Real values stored as integers without scale and zero point.
  bool rare = false;          ///< Close to a more usual one.
  bool composed = false;      ///< Combines two; named only if nothing simpler fits.
  bool bounds = false;        ///< The name is the interval to which 0..255 is scaled.
  bool by_channel = false;    ///< With per_picture: each channel by its own values.
  bool pixel_bytes = false;   ///< The picture's bytes, unchanged.
  bool video_levels = false;  ///< Compressed to, or expanded from, 16..235.
};

/// The reference's own range is first.
std::vector<Range> known_ranges(const Reference& reference);

/// Mixed-up means and deviations: from different data sets, or in another channel order. Several
/// thousand; for lines that no known range explains.
std::vector<Range> mixed_ranges(const Reference& reference);

/// Measured lines, one per channel, and the first two moments of the pixels used for the fit.
struct Measured {
  std::vector<double> gain, offset;
  std::vector<double> mean, square;
};

/// RMS distance between the measured lines and a range over those pixels, in gray steps of the
/// range.
double distance(const Measured& measured, const Range& range);

/// The measured lines as a range, for values without a name.
Range measured_range(const Measured& measured, const Reference& reference);

}  // namespace edgeprobe::diagnose
