// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "diagnose/preprocessing/model/orientation.h"
#include "preprocess/picture/kernels.h"
#include "preprocess/recipe/recipe.h"

namespace edgeprobe::diagnose {

/// Effect of a recipe's geometric steps on pictures of one size, as two banded matrices. All
/// channels share them, and hypotheses and recipes use the same generator.
struct Geometry {
  Orientation turned = 0;  ///< Orientation applied first (0 unless the sides are swapped).
  preprocess::BandedMatrix rows, columns;  ///< Map the oriented picture to the content.
  int height = 0, width = 0;               ///< Size of the result.
  /// Position of the content in the result; the rest is bars.
  int top = 0, left = 0;
  double fill = 0;                   ///< Fill of the bars, 0..255.
  std::vector<double> channel_fill;  ///< One fill per channel instead.
  bool has_letterbox() const { return rows.out != height || columns.out != width; }
};

/// Nothing if a step does not fit the picture (a window outside it), or a step other than a turn
/// follows a letterbox. Skips steps that are not geometric.
std::optional<Geometry> geometry(const std::vector<preprocess::Step>& steps, int height, int width);

bool is_geometric(const preprocess::Step& step);

/// The steps with `resampling` in every resize and letterbox.
std::vector<preprocess::Step> with_resampling(std::vector<preprocess::Step> steps,
                                              const preprocess::Resampling& resampling,
                                              preprocess::Rounding rounding);

/// Averages `matrix` over cells: output cell i is the mean over its part of `full` outputs.
/// `matrix` provides those from `offset` on; the others count as 0. `coverage` is set to the
/// provided fraction of each cell.
preprocess::BandedMatrix in_cells(const preprocess::BandedMatrix& matrix, int offset, int full,
                                  int cells, std::vector<float>& coverage);

/// Every `row_step`-th row of the content, from row `row_step / 2` on, in float32.
preprocess::Raster project(const preprocess::Image& laid, const Geometry& geometry,
                           int row_step = 1);

/// Banded matrix that maps [start, start + length) of `in` inputs to `out` outputs with an
/// antialiased triangle filter; taps outside the picture read its border. For windows at fractional
/// pixels.
preprocess::BandedMatrix window_matrix(int in, int out, double start, double length);
/// Applies both matrices to a float picture.
preprocess::Raster project(const preprocess::Raster& picture, const preprocess::BandedMatrix& rows,
                           const preprocess::BandedMatrix& columns, int row_step = 1);

}  // namespace edgeprobe::diagnose
