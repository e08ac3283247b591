// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "diagnose/preprocessing/search/hypothesis.h"
#include "diagnose/verdict/evidence.h"

namespace edgeprobe::diagnose {

/// Residuals in gray steps that decide (docs/reference/limits.md): measured on real libraries and
/// decoders.
inline constexpr double kExact = 0.75;   ///< Below: explained exactly.
inline constexpr double kDecoder = 2.2;  ///< Below: explained, up to another JPEG decoder.
/// A kernel leaves no more than this by rounding; those that are listed leave 0.01.
inline constexpr double kOwnRounding = 0.3;
/// Hypotheses this close (or 10 %) cannot be told apart.
inline constexpr double kSame = 0.12;
inline constexpr double kInvisible = 0.62;  ///< A change below this cannot be seen after rounding.

/// A part of the hypothesis that differs, and what comes back when only it is reverted.
struct Difference {
  Part part;
  double contribution = 0;
};

/// What one frame says.
struct Explanation {
  enum class Status { kEqual, kFound, kPartial, kUndecidable } status = Status::kUndecidable;
  std::string reason;
  double residual_before = 0, residual = 0;
  Hypothesis hypothesis;
  std::vector<Difference> differences;  ///< By contribution, largest first.
  std::vector<Difference> slight;       ///< Differences below kInvisible.
  /// Class of the named kernel, itself among them.
  std::vector<preprocess::Resampling> same_kernels;
  std::vector<std::string> same_ranges;
  std::vector<Orientation> same_orientations;
  bool order_undecidable = false;  ///< RGB and BGR explain it alike.
  bool destroyed = false;          ///< Hardly any distinct values are left.
  double r2 = 0;                   ///< Of the full linear fit.
  std::vector<Evidence> measured;
};

/// Whether a residual explains a frame that lay `residual_before` steps from the reference:
/// exactly, or up to what another decoder of the same bytes leaves of a large difference.
bool explains(double residual, double residual_before, const Frame& frame,
              const Reference& reference, const Hypothesis& h);

/// Largest residual that still counts as exact or as explained, for targets whose codes are coarser
/// than one gray step: the reference's codes, or those of a hypothesis.
double allowed(double limit, const Reference& reference);
double allowed(double limit, const Reference& reference, const Hypothesis& h);

}  // namespace edgeprobe::diagnose
