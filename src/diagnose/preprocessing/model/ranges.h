// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "diagnose/preprocessing/model/reference.h"
#include "diagnose/verdict/words.h"

namespace edgeprobe::diagnose {

/// A usual way from pixels 0..255 to stored values: one line a channel, in the target's stored
/// units.
struct Range {
  /// "-1..1", "ImageNet mean and std", "zero point 0 instead of 128", …; empty: the reference's own
  /// without a usual name.
  std::string name;
  /// kValueRange or kInputQuantization; nothing for the reference's own.
  std::optional<CauseKind> kind;
  std::vector<double> gain, offset;
  std::vector<preprocess::Step> steps;           ///< In place of the reference's range steps.
  std::optional<preprocess::Quantize> quantize;  ///< In place of the model's own quantisation.
  bool per_picture = false;   ///< Numbers that follow each picture (standardisation).
  bool unquantized = false;   ///< Real values stored as integers without scale and zero point.
  bool rare = false;          ///< Next to a more usual habit.
  bool composed = false;      ///< Two habits at once; named only when nothing simpler fits.
  bool bounds = false;        ///< The name is the interval that 0..255 is scaled to.
  bool by_channel = false;    ///< Of per_picture: each channel by its own numbers.
  bool pixel_bytes = false;   ///< The bytes of the picture, handed over as they are.
  bool video_levels = false;  ///< Squeezed to, or stretched from, 16..235.
};

/// The reference's own range first.
std::vector<Range> known_ranges(const Reference& reference);

/// Means and deviations that were mixed up: those of one data set with those of another, or by
/// another order of channels. Some thousand; for lines that no known range explains.
std::vector<Range> mixed_ranges(const Reference& reference);

/// Measured lines, one a channel, and the first two moments of the pixels on which they were
/// measured.
struct Measured {
  std::vector<double> gain, offset;
  std::vector<double> mean, square;
};

/// RMS distance between the measured lines and a range over those pixels, in gray steps of the
/// range.
double distance(const Measured& measured, const Range& range);

/// The lines themselves as a range: numbers where no name fits.
Range measured_range(const Measured& measured, const Reference& reference);

}  // namespace edgeprobe::diagnose
