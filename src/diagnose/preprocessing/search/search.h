// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "diagnose/preprocessing/model/frame.h"
#include "diagnose/preprocessing/model/geometry.h"
#include "diagnose/preprocessing/model/regression.h"

/// Gains and offsets on 8-bit pixels: exposure, contrast and white balance of an app, which clip
/// pixels at 0 and 255.
namespace edgeprobe::diagnose {

/// How a picture becomes the model's input: crops and the final resize or letterbox.
struct Framing {
  std::vector<preprocess::Step> steps;
  bool reference = false;
  bool has_letterbox() const;
};
/// True if two framings use the same pixels with the same weights for a picture of this size.
bool same_placement(const std::vector<preprocess::Step>& a, const std::vector<preprocess::Step>& b,
                    int height, int width);
/// The reference's framing first, then the usual ones that differ from it on a picture of this
/// size.
std::vector<Framing> usual_framings(const Reference& reference, int height, int width);

/// The kernels to try, the reference's first.
std::vector<preprocess::Resampling> usual_resamplings(const Reference& reference);
/// Rarely used conventions, tried if no usual one explains the target.
std::vector<preprocess::Resampling> rare_resamplings(const Reference& reference);

/// Placement of the picture in the model's input.
struct Placement {
  Framing framing;
  Orientation orientation = 0;
  bool turned_last = false;  ///< Rotated after the framing instead of before it.
  bool operator==(const Placement& other) const;
};

/// A tone or recode step: a change of pixels that one line per channel cannot express.
struct ToneStep {
  std::optional<preprocess::Step> step;
  bool gray = false;  ///< The channels are first mixed by `weights` and rounded to 8 bits.
  std::array<double, 3> weights{};
};

/// A geometry that was tried, with the sums from which colour and range are derived.
struct Trial {
  Placement placement;
  preprocess::Resampling resampling;
  ToneStep tone_step;
  Sums sums;
  Fit fit;
};

/// The geometric steps of a placement.
std::vector<preprocess::Step> steps_of(const Placement& placement,
                                       const preprocess::Resampling& resampling,
                                       preprocess::Rounding rounding);

/// Applies the tone step to a resize's output pixels.
void apply_tone_step(preprocess::Raster& pixels, const ToneStep& tone_step);

struct Effort {
  int row_step = 1;      ///< Uses every n-th row of the content.
  bool squares = false;  ///< Also fits x², so that curves (gamma) do not hide the geometry.
  bool clip = false;     ///< Clips values to 0..255 before the fit, as 8-bit pictures do.
};
/// The picture after a geometry, and its position in the target.
struct Content {
  Geometry geometry;
  preprocess::Raster pixels;  ///< Every `row_step`-th row from `begin` on.
  int row_step = 1, begin = 0;
};
/// Nothing if the geometry does not fit the picture.
std::optional<Content> content_of(Frame& frame, const Reference& reference,
                                  const Placement& placement,
                                  const preprocess::Resampling& resampling, const Effort& effort);
/// Fits the target to the content after a tone step; nothing if too few pixels remain.
std::optional<Trial> measured(const Content& content, const Reference& reference,
                              const Interpretation& interpretation, const Placement& placement,
                              const preprocess::Resampling& resampling, const ToneStep& tone_step,
                              const Effort& effort);
/// Calls content_of(), then measured().
std::optional<Trial> try_geometry(Frame& frame, const Reference& reference,
                                  const Interpretation& interpretation, const Placement& placement,
                                  const preprocess::Resampling& resampling,
                                  const ToneStep& tone_step, const Effort& effort);

/// A coarse memory interpretation and placement.
struct Candidate {
  Order order = Order::kHwc;
  bool flipped = false;
  Orientation orientation = 0;
  int framing = 0;   ///< Index into usual_framings().
  double r2 = 0;     ///< Fraction of the variance explained on 16x16 cells.
  double score = 0;  ///< R² minus a small penalty for each difference from the reference.
};
/// All candidates, best first.
std::vector<Candidate> coarse_candidates(Frame& frame, const Reference& reference,
                                         const std::vector<Framing>& framings);

/// Tries the kernels at several placements of one interpretation; best trial first.
std::vector<Trial> try_resamplings(Frame& frame, const Reference& reference,
                                   const Interpretation& interpretation,
                                   const std::vector<Placement>& placements,
                                   const std::vector<preprocess::Resampling>& kernels,
                                   const ToneStep& tone_step);
/// Row step that yields about this many pixels.
int row_step_for(const Reference& reference, int pixels);

/// Tones with one gain and offset per channel for a geometry, if the target has the reference's own
/// range: fitted to the pixels that are not clipped, in the roundest numbers near the fit, both
/// rounded to nearest and rounded down.
std::vector<preprocess::Tone> fitted_gains(const Content& content, const Trial& trial,
                                           const Reference& reference,
                                           const Interpretation& interpretation,
                                           int picture_channels);

/// "1.4 x + 20, rounded down".
std::string gain_text(const preprocess::Tone& tone);

/// The target's memory interpretation and the candidate placements.
struct Placements {
  Interpretation interpretation;
  std::vector<Placement> placements;
};

/// Narrows the coarse candidates with the full picture and neutral kernels. No placements if too
/// few pixels can be fitted.
Placements narrow(Frame& frame, const Reference& reference, const std::vector<Framing>& framings,
                  const std::vector<Candidate>& candidates);

/// Searches for the window of the picture that the target shows, if no usual framing explains it:
/// by template, then Gauss-Newton steps, then whole-pixel windows with every kernel. Best trial
/// first; empty if nothing similar is found. Compares the kernels after `tone_step`.
std::vector<Trial> try_windows(Frame& frame, const Reference& reference,
                               const Interpretation& interpretation, Orientation orientation,
                               const ToneStep& tone_step);

}  // namespace edgeprobe::diagnose
