#pragma once

#include <string>
#include <vector>

#include "diagnose/reference.h"

namespace edgeprobe::diagnose {

/// A usual way from pixels 0..255 to stored values: one line a channel, in the target's stored units.
struct Range {
  std::string name;   ///< "-1..1", "ImageNet mean and std", "zero point 0 instead of 128", ….
  std::string kind;   ///< "value_range" or "input_quantization"; empty for the reference's own.
  std::vector<double> gain, offset;
  std::vector<preprocess::Step> steps;      ///< In place of the reference's range steps.
  std::optional<preprocess::Quantize> quantize;  ///< In place of the model's own quantisation.
  bool per_picture = false;  ///< Numbers that follow each picture (standardisation).
  bool unquantized = false;  ///< Real values stored as integers without scale and zero point.
  bool composed = false;   ///< Two habits at once; named only when nothing simpler fits.
};

/// The reference's own range first.
std::vector<Range> known_ranges(const Reference& reference);

/// A measured pair of lines, and the pixel values between which it was measured.
struct Measured {
  std::vector<double> gain, offset;
  double low = 0, high = 255;
};

/// Largest distance between the measured lines and a range, in gray steps of that range.
double distance(const Measured& measured, const Range& range);

struct Named {
  Range range;
  double error = 0;                ///< In gray steps.
  std::vector<std::string> others; ///< Names as near as this one.
  bool named = false;              ///< False: `range` carries the measured numbers only.
};
/// The nearest known range within `limit` gray steps; the reference's own is preferred by `bonus`.
Named name_range(const Measured& measured, const std::vector<Range>& known, const Reference& reference, double limit,
                 double bonus);

}  // namespace edgeprobe::diagnose
