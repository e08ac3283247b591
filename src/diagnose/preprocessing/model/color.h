// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnose/preprocessing/model/reference.h"

namespace edgeprobe::diagnose {

/// Candidate mixtures: the reference's own first, then the most usual ones.
std::vector<Mixing> usual_mixings(const Reference& reference, int picture_channels);

/// A mixture fitted to the sums.
struct Mixed {
  Mixing mixing;
  std::vector<double> gain, offset;
  double residual = 0;
};

struct ColorAnswer {
  Mixed chosen;
  bool named = false;              ///< False: no usual mixture fits as well as the free 3x4 fit.
  bool order_undecidable = false;  ///< The reference's order and the opposite one fit equally well.
  double free_residual = 0;        ///< Residual of the free fit.
};
ColorAnswer name_color(const Sums& sums, const Reference& reference, int picture_channels);

}  // namespace edgeprobe::diagnose
