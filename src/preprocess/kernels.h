#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "preprocess/image.h"

namespace edgeprobe::preprocess {

/// How an output pixel is made from input pixels, along one axis.
enum class Kernel {
  kNearest,
  kBilinear,
  kArea,     ///< OpenCV INTER_AREA: exact overlap of output cell and input pixels when shrinking.
  kBox,      ///< Pillow BOX: whole taps whose centre lies in the cell.
  kBicubic,  ///< Keys, a given by Resampling::cubic_a.
  kLanczos3,
  kLanczos4,
};

/// Where output pixel i looks in the input; s = in/out.
enum class Align {
  kHalfPixel,  ///< (i + 0.5) s - 0.5: OpenCV, Pillow, TensorFlow's half_pixel_centers.
  kCorners,    ///< i (in - 1)/(out - 1): align_corners.
  kLegacy,     ///< i s: TensorFlow 1, TFLite's default; OpenCV INTER_NEAREST (floor).
};

struct Resampling {
  Kernel kernel = Kernel::kBilinear;
  Align align = Align::kHalfPixel;
  bool antialias = false;  ///< Widen the kernel by s when shrinking (Pillow, TF antialias).
  double cubic_a = -0.75;  ///< -0.75: OpenCV, -0.5: Pillow, TF.
  bool operator==(const Resampling&) const = default;
};

/// Row-major sparse rows: output i = sum_k weight[i*taps + k] * in[first[i] + k], k < taps.
/// Rows are padded with zero weights; first[i] + taps <= in always holds. Weights of a row sum to 1.
struct BandedMatrix {
  int in = 0, out = 0, taps = 0;
  std::vector<int> first;
  std::vector<double> weight;
};
BandedMatrix resampling_matrix(const Resampling& resampling, int in, int out);

/// Applies `rows` to the height and `columns` to the width, all channels alike, in float32 with
/// double accumulation left to the implementer; result is [rows.out, columns.out, channels].
Raster resample(const Raster& raster, const BandedMatrix& rows, const BandedMatrix& columns);

}  // namespace edgeprobe::preprocess
