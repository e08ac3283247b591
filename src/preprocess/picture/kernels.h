// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "preprocess/decode/image.h"

namespace edgeprobe::preprocess {

/// How an output pixel is computed from input pixels, along one axis.
enum class Kernel {
  kNearest,
  kBilinear,
  kArea,     ///< OpenCV INTER_AREA: exact overlap of output cell and input pixels when shrinking.
  kBox,      ///< Pillow BOX: whole taps whose centre lies in the cell.
  kBicubic,  ///< Keys, a given by Resampling::cubic_a.
  kLanczos3,
  kLanczos4,
};

/// Input position of output pixel i; s = in/out.
enum class Align {
  kHalfPixel,  ///< (i + 0.5) s - 0.5: OpenCV, Pillow, TensorFlow's half_pixel_centers.
  kCorners,    ///< i (in - 1)/(out - 1): align_corners.
  kLegacy,     ///< i s: TensorFlow 1, TFLite's default; OpenCV INTER_NEAREST (floor).
};

/// Arithmetic used for the positions of kNearest; libraries differ at ties. Other kernels ignore
/// it, because it would change their values by at most 0.02 step.
enum class Grid {
  kDouble,   ///< Pillow NEAREST (running double sum), OpenCV INTER_NEAREST.
  kFixed16,  ///< 16 fractional bits: OpenCV INTER_NEAREST_EXACT; only with kHalfPixel.
  kFloat32,  ///< TFLite's RESIZE_NEAREST_NEIGHBOR.
};

/// Value of a tap outside the image. Antialiased kernels always drop these taps.
enum class Edge {
  kReplicate,  ///< The nearest pixel of the border (OpenCV).
  kDrop,       ///< Ignored; the other weights are rescaled to sum to 1 (TF bicubic, lanczos).
};

struct Resampling {
  Kernel kernel = Kernel::kBilinear;
  Align align = Align::kHalfPixel;
  bool antialias = false;  ///< Widen the kernel by s when shrinking (Pillow, TF antialias).
  double cubic_a = -0.75;  ///< -0.75: OpenCV, -0.5: Pillow, TF.
  Grid grid = Grid::kDouble;
  Edge edge = Edge::kReplicate;
  bool operator==(const Resampling&) const = default;
};

/// Row-major sparse rows: output i = sum_k weight[i*taps + k] * in[first[i] + k], k < taps.
/// Rows are padded with zero weights; first[i] + taps <= in always holds. Weights of a row sum
/// to 1.
struct BandedMatrix {
  int in = 0, out = 0, taps = 0;
  std::vector<int> first;
  std::vector<double> weight;
};
/// Empty (out 0) when `in` or `out` is not positive. kBox is always antialiased; kArea ignores
/// align and antialias.
BandedMatrix resampling_matrix(const Resampling& resampling, int in, int out);

/// The matrices of both axes. Equal to resampling_matrix() for each axis, except for one OpenCV
/// quirk: kArea takes at most two taps along both axes if either of them grows.
struct Resizer {
  BandedMatrix rows, columns;
};
Resizer resizer(const Resampling& resampling, int in_height, int in_width, int out_height,
                int out_width);

/// Applies `rows` to the height and `columns` to the width of all channels, in float32; the result
/// is [rows.out, columns.out, channels]. rows.in and columns.in must be the raster's height and
/// width.
Raster resample(const Raster& raster, const BandedMatrix& rows, const BandedMatrix& columns);

}  // namespace edgeprobe::preprocess
