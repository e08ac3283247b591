// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "diagnose/preprocessing/search/hypothesis.h"
#include "diagnose/verdict/evidence.h"

namespace edgeprobe::diagnose {

/// Decisive residuals in gray steps (docs/reference/limits.md), measured on real libraries and
/// decoders.
inline constexpr double kExact = 0.75;  ///< Below this: explained exactly.
/// Below this: explained, apart from another JPEG decoder.
inline constexpr double kDecoder = 2.2;
/// Largest rounding residual of a kernel; the listed kernels leave 0.01.
inline constexpr double kOwnRounding = 0.3;
/// Hypotheses this close (or 10 %) cannot be distinguished.
inline constexpr double kSame = 0.12;
inline constexpr double kInvisible = 0.62;  ///< Changes below this are invisible after rounding.

/// A part of the hypothesis that differs, and the distance that returns if only it is reverted.
struct Difference {
  Part part;
  double contribution = 0;
};

/// Result for one frame.
struct Explanation {
  enum class Status { kEqual, kFound, kPartial, kUndecidable } status = Status::kUndecidable;
  std::string reason;
  double residual_before = 0, residual = 0;
  Hypothesis hypothesis;
  std::vector<Difference> differences;  ///< By contribution, largest first.
  std::vector<Difference> slight;       ///< Differences below kInvisible.
  /// Kernels equivalent to the named one, including itself.
  std::vector<preprocess::Resampling> same_kernels;
  std::vector<std::string> same_ranges;
  std::vector<Orientation> same_orientations;
  bool order_undecidable = false;   ///< RGB and BGR explain it equally well.
  bool destroyed = false;           ///< Hardly any distinct values are left, or most are cut off.
  std::vector<Hypothesis> fitting;  ///< Those that predict the codes of such a frame, best first.
  double r2 = 0;                    ///< R² of the full linear fit.
  std::vector<Evidence> measured;
};

/// True if a residual explains a frame whose distance from the reference was `residual_before`:
/// exactly, or with a large reduction down to decoder noise.
bool explains(double residual, double residual_before, const Frame& frame,
              const Reference& reference, const Hypothesis& h);

/// Largest residual that counts as exact or explained if the codes are coarser than a gray step:
/// those of the reference, or of a hypothesis.
double allowed(double limit, const Reference& reference);
double allowed(double limit, const Reference& reference, const Hypothesis& h);

}  // namespace edgeprobe::diagnose
