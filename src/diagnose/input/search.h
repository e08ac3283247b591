#pragma once

#include <optional>
#include <string>
#include <vector>

#include "diagnose/input/frame.h"
#include "diagnose/input/geometry.h"
#include "diagnose/input/regression.h"

namespace edgeprobe::diagnose {

/// How a picture is fitted into the model's input: crops and the final resize or letterbox.
struct Framing {
  std::vector<preprocess::Step> steps;
  bool reference = false;
  bool has_bars() const;
};
/// The reference's framing first, then the usual ones that differ from it on a picture of this size.
std::vector<Framing> usual_framings(const Reference& reference, int height, int width);

/// The kernels that are tried, the reference's first.
std::vector<preprocess::Resampling> usual_resamplings(const Reference& reference);

/// A geometry that was tried, with the sums from which colour and range follow.
struct Trial {
  Framing framing;
  Orientation orientation = 0;
  preprocess::Resampling resampling;
  Sums sums;
  Fit fit;
};

/// The geometric steps of a trial, turns first.
std::vector<preprocess::Step> steps_of(const Framing& framing, Orientation orientation,
                                       const preprocess::Resampling& resampling, preprocess::Rounding rounding);

struct Effort {
  int row_step = 1;      ///< Every n-th row of the content.
  bool squares = false;  ///< x² too: bends (gamma) do not hide the geometry.
  bool clip = false;     ///< Values past 0..255 are cut off before the fit, as 8-bit pictures do.
};
/// Nothing when the geometry does not fit the picture.
std::optional<Trial> try_geometry(Frame& frame, const Reference& reference, const Reading& reading,
                                  const Framing& framing, Orientation orientation,
                                  const preprocess::Resampling& resampling, const Effort& effort);

/// How the target's memory reads and how the picture lies in it, coarsely.
struct Lead {
  Order order = Order::kHwc;
  bool flipped = false;
  Orientation orientation = 0;
  int framing = 0;    ///< Index into usual_framings().
  double r2 = 0;      ///< Share of the variance explained on 16x16 cells.
  double score = 0;   ///< The same less a little for each difference from the reference.
};
/// All leads, best first.
std::vector<Lead> coarse_leads(Frame& frame, const Reference& reference, const std::vector<Framing>& framings);

/// The kernels of one reading: the best trial first.
std::vector<Trial> try_resamplings(Frame& frame, const Reference& reference, const Reading& reading,
                                   const std::vector<std::pair<Framing, Orientation>>& places);

}  // namespace edgeprobe::diagnose
