// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "diagnose/preprocessing/model/frame.h"
#include "diagnose/preprocessing/model/geometry.h"
#include "diagnose/preprocessing/model/regression.h"

/// Gains and offsets on 8-bit pixels: exposure, contrast and white balance of an app, which cut
/// pixels off at 0 and 255.
namespace edgeprobe::diagnose {

/// How a picture is fitted into the model's input: crops and the final resize or letterbox.
struct Framing {
  std::vector<preprocess::Step> steps;
  bool reference = false;
  bool has_letterbox() const;
};
/// Whether two framings take the same pixels of a picture of this size with the same weights.
bool same_placement(const std::vector<preprocess::Step>& a, const std::vector<preprocess::Step>& b,
                    int height, int width);
/// The reference's framing first, then the usual ones that differ from it on a picture of this
/// size.
std::vector<Framing> usual_framings(const Reference& reference, int height, int width);

/// The kernels that are tried, the reference's first.
std::vector<preprocess::Resampling> usual_resamplings(const Reference& reference);
/// Conventions that hardly anybody uses; tried when no usual one explains the target.
std::vector<preprocess::Resampling> rare_resamplings(const Reference& reference);

/// How the picture lies in the model's input.
struct Placement {
  Framing framing;
  Orientation orientation = 0;
  bool turned_last = false;  ///< Turned behind the framing instead of before it.
  bool operator==(const Placement& other) const;
};

/// A change of the pixels that no line a channel makes: a tone or recode step.
struct ToneStep {
  std::optional<preprocess::Step> step;
  bool gray = false;  ///< The channels are mixed first, as `weights` says, and rounded to 8 bits.
  std::array<double, 3> weights{};
};

/// A geometry that was tried, with the sums from which colour and range follow.
struct Trial {
  Placement placement;
  preprocess::Resampling resampling;
  ToneStep tone_step;
  Sums sums;
  Fit fit;
};

/// The geometric steps of a place.
std::vector<preprocess::Step> steps_of(const Placement& placement,
                                       const preprocess::Resampling& resampling,
                                       preprocess::Rounding rounding);

/// Does the tone step to pixels as a resize hands them on.
void apply_tone_step(preprocess::Raster& pixels, const ToneStep& tone_step);

struct Effort {
  int row_step = 1;      ///< Every n-th row of the content.
  bool squares = false;  ///< x² too: bends (gamma) do not hide the geometry.
  bool clip = false;     ///< Values past 0..255 are cut off before the fit, as 8-bit pictures do.
};
/// What a geometry makes of the picture, and where it lies in the target.
struct Content {
  Geometry geometry;
  preprocess::Raster pixels;  ///< Every `row_step`-th row from `begin` on.
  int row_step = 1, begin = 0;
};
/// Nothing when the geometry does not fit the picture.
std::optional<Content> content_of(Frame& frame, const Reference& reference,
                                  const Placement& placement,
                                  const preprocess::Resampling& resampling, const Effort& effort);
/// The target fitted on the content after a tone step; nothing when too few pixels are left.
std::optional<Trial> measured(const Content& content, const Reference& reference,
                              const Interpretation& interpretation, const Placement& placement,
                              const preprocess::Resampling& resampling, const ToneStep& tone_step,
                              const Effort& effort);
/// Both.
std::optional<Trial> try_geometry(Frame& frame, const Reference& reference,
                                  const Interpretation& interpretation, const Placement& placement,
                                  const preprocess::Resampling& resampling,
                                  const ToneStep& tone_step, const Effort& effort);

/// How the target's memory reads and how the picture lies in it, coarsely.
struct Candidate {
  Order order = Order::kHwc;
  bool flipped = false;
  Orientation orientation = 0;
  int framing = 0;   ///< Index into usual_framings().
  double r2 = 0;     ///< Share of the variance explained on 16x16 cells.
  double score = 0;  ///< The same less a little for each difference from the reference.
};
/// All candidates, best first.
std::vector<Candidate> coarse_candidates(Frame& frame, const Reference& reference,
                                         const std::vector<Framing>& framings);

/// The kernels at some places of one interpretation: the best trial first.
std::vector<Trial> try_resamplings(Frame& frame, const Reference& reference,
                                   const Interpretation& interpretation,
                                   const std::vector<Placement>& placements,
                                   const std::vector<preprocess::Resampling>& kernels,
                                   const ToneStep& tone_step);
/// Rows enough for about this many pixels.
int row_step_for(const Reference& reference, int pixels);

/// The tones of one gain and offset a channel that the target shows behind a geometry, when its
/// range is the reference's own: fitted on the pixels that are not cut off, in the roundest numbers
/// near the fit, rounded to the nearest step and rounded down.
std::vector<preprocess::Tone> fitted_gains(const Content& content, const Trial& trial,
                                           const Reference& reference,
                                           const Interpretation& interpretation,
                                           int picture_channels);

/// "1.4 x + 20, rounded down".
std::string gain_text(const preprocess::Tone& tone);

/// How the target reads and where the picture lies in it.
struct Placements {
  Interpretation interpretation;
  std::vector<Placement> placements;
};

/// Narrowed from the coarse candidates with the full picture and neutral kernels. No places when
/// too few pixels can be fitted.
Placements narrow(Frame& frame, const Reference& reference, const std::vector<Framing>& framings,
                  const std::vector<Candidate>& candidates);

/// Looks for the window of the picture that the target shows, when no usual framing explains it: a
/// template search, then Gauss-Newton steps, then whole-pixel windows with every kernel. Best trial
/// first; empty when nothing like the target is found. The kernels are compared after `tone_step`.
std::vector<Trial> try_windows(Frame& frame, const Reference& reference,
                               const Interpretation& interpretation, Orientation orientation,
                               const ToneStep& tone_step);

}  // namespace edgeprobe::diagnose
