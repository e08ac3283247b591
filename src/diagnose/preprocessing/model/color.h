// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnose/preprocessing/model/reference.h"

namespace edgeprobe::diagnose {

/// The mixtures that are told apart, the reference's own first, then by how usual they are.
std::vector<Mixing> usual_mixings(const Reference& reference, int picture_channels);

/// One mixture fitted to the sums.
struct Mixed {
  Mixing mixing;
  std::vector<double> gain, offset;
  double residual = 0;
};

struct ColorAnswer {
  Mixed chosen;
  bool named = false;  ///< False: no usual mixture explains what the free 3x4 fit explains.
  bool order_undecidable = false;  ///< The reference's order and the opposite one both do.
  double free_residual = 0;        ///< Of the free fit.
};
ColorAnswer name_color(const Sums& sums, const Reference& reference, int picture_channels);

}  // namespace edgeprobe::diagnose
