// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "diagnose/preprocessing/model/orientation.h"
#include "preprocess/picture/kernels.h"
#include "preprocess/recipe/recipe.h"

namespace edgeprobe::diagnose {

/// What the geometric steps of a recipe do to pictures of one size, as two banded matrices: the
/// same for every channel, so that a hypothesis and a recipe come out of one generator.
struct Geometry {
  Orientation turned = 0;  ///< Laid this way first (0 unless the sides are swapped).
  preprocess::BandedMatrix rows, columns;  ///< From the laid picture to the content.
  int height = 0, width = 0;               ///< Of the result.
  int top = 0, left = 0;                   ///< Where the content lies in it; the rest is bars.
  double fill = 0;                         ///< Of the bars, 0..255.
  std::vector<double> channel_fill;        ///< One value a channel instead.
  bool has_letterbox() const { return rows.out != height || columns.out != width; }
};

/// Nothing when a step does not fit the picture (a window outside it) or another one than a turn
/// follows a letterbox. Steps that are not geometric are passed over.
std::optional<Geometry> geometry(const std::vector<preprocess::Step>& steps, int height, int width);

bool is_geometric(const preprocess::Step& step);

/// The steps with every resize and letterbox done by `resampling`.
std::vector<preprocess::Step> with_resampling(std::vector<preprocess::Step> steps,
                                              const preprocess::Resampling& resampling,
                                              preprocess::Rounding rounding);

/// `matrix` seen through cells: output cell i is the mean over its share of `full` outputs, of
/// which `matrix` makes those from `offset` on; the others count as 0. `coverage` (one a cell) is
/// the share that it makes.
preprocess::BandedMatrix in_cells(const preprocess::BandedMatrix& matrix, int offset, int full,
                                  int cells, std::vector<float>& coverage);

/// Every `row_step`-th row of the content, from row `row_step / 2` on, in float32.
preprocess::Raster project(const preprocess::Image& laid, const Geometry& geometry,
                           int row_step = 1);

/// The banded matrix that lets `out` outputs look at [start, start + length) of `in` inputs through
/// an antialiased triangle; taps outside the picture read its border. For windows at fractions of a
/// pixel.
preprocess::BandedMatrix window_matrix(int in, int out, double start, double length);
/// Rows and columns of a float picture.
preprocess::Raster project(const preprocess::Raster& picture, const preprocess::BandedMatrix& rows,
                           const preprocess::BandedMatrix& columns, int row_step = 1);

}  // namespace edgeprobe::diagnose
