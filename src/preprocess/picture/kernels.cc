// SPDX-License-Identifier: Apache-2.0
#include "preprocess/picture/kernels.h"

#include <algorithm>
#include <cmath>

namespace edgeprobe::preprocess {
namespace {

constexpr double kPi = 3.14159265358979323846;

/// The taps of one output: weight[k] belongs to input first + k.
struct Row {
  int first = 0;
  std::vector<double> weight;
};

double sinc(double x) {
  if (x == 0.0) return 1.0;
  return std::sin(kPi * x) / (kPi * x);
}

double windowed_sinc(double x, double lobes) {
  if (std::abs(x) >= lobes) return 0.0;
  return sinc(x) * sinc(x / lobes);
}

double cubic(double x, double a) {
  x = std::abs(x);
  if (x < 1.0) return ((a + 2.0) * x - (a + 3.0)) * x * x + 1.0;
  if (x < 2.0) return (((x - 5.0) * x + 8.0) * x - 4.0) * a;
  return 0.0;
}

double support(Kernel kernel) {
  switch (kernel) {
    case Kernel::kNearest:
    case Kernel::kArea:
    case Kernel::kBox: return 0.5;
    case Kernel::kBilinear: return 1.0;
    case Kernel::kBicubic: return 2.0;
    case Kernel::kLanczos3: return 3.0;
    case Kernel::kLanczos4: return 4.0;
  }
  return 1.0;
}

double response(const Resampling& resampling, double x) {
  switch (resampling.kernel) {
    case Kernel::kNearest:
    case Kernel::kArea:
    case Kernel::kBox: return x > -0.5 && x <= 0.5 ? 1.0 : 0.0;
    case Kernel::kBilinear: return std::max(0.0, 1.0 - std::abs(x));
    case Kernel::kBicubic: return cubic(x, resampling.cubic_a);
    case Kernel::kLanczos3: return windowed_sinc(x, 3.0);
    case Kernel::kLanczos4: return windowed_sinc(x, 4.0);
  }
  return 0.0;
}

double corner_scale(int in, int out) { return out > 1 ? double(in - 1) / (out - 1) : 0.0; }

double centre(Align align, int i, int in, int out) {
  const double scale = double(in) / out;
  switch (align) {
    case Align::kHalfPixel: return (i + 0.5) * scale - 0.5;
    case Align::kCorners: return i * corner_scale(in, out);
    case Align::kLegacy: return i * scale;
  }
  return 0.0;
}

void normalise(Row& row) {
  double sum = 0.0;
  for (double w : row.weight) sum += w;
  if (std::abs(sum) < 1e-12) {
    row.weight.assign(1, 1.0);
    return;
  }
  for (double& w : row.weight) w /= sum;
}

int nearest_float32(Align align, int i, int in, int out) {
  // TFLite computes scale and position in float32; at ties this decides which pixel is used.
  const bool corners = align == Align::kCorners && out > 1;
  const float scale = corners ? float(in - 1) / float(out - 1) : float(in) / float(out);
  const float offset = align == Align::kHalfPixel ? 0.5f : 0.0f;
  const float position = (float(i) + offset) * scale;
  return int(corners ? std::round(position) : std::floor(position));
}

std::vector<int> nearest_indices(const Resampling& resampling, int in, int out) {
  std::vector<int> index(out);
  // Pillow accumulates the step; a product rounds differently where i * s is a whole number.
  const double step = double(in) / out;
  double running = 0.5 * step;
  // OpenCV inverts the inverse scale, which may differ from in / out in the last bit.
  const double opencv_step = 1.0 / (double(out) / in);
  const std::int64_t fixed_step = ((std::int64_t(in) << 16) + out / 2) / out;
  const std::int64_t fixed_start = fixed_step / 2 - in % 2;
  for (int i = 0; i < out; ++i) {
    int k = 0;
    if (resampling.grid == Grid::kFloat32) {
      k = nearest_float32(resampling.align, i, in, out);
    } else if (resampling.align == Align::kCorners) {
      k = int(std::floor(i * corner_scale(in, out) + 0.5));
    } else if (resampling.align == Align::kLegacy) {
      k = int(std::floor(i * opencv_step));
    } else if (resampling.grid == Grid::kFixed16) {
      k = int((fixed_step * i + fixed_start) >> 16);
    } else {
      k = int(std::floor(running));
      running += step;
    }
    index[i] = std::clamp(k, 0, in - 1);
  }
  return index;
}

/// Exact overlap of output cell and pixels, as a fraction of the cell. Like OpenCV, drops overlaps
/// below a thousandth of a pixel.
Row area_row(int i, int in, int out) {
  const double scale = 1.0 / (double(out) / in);
  const double begin = i * scale;
  const double end = std::min(begin + scale, double(in));
  Row row;
  row.first = std::min(int(std::floor(begin)), in - 1);
  const int last = std::min(int(std::ceil(end)), in) - 1;
  for (int k = row.first; k <= std::max(last, row.first); ++k) {
    const double overlap = std::min(k + 1.0, end) - std::max(double(k), begin);
    row.weight.push_back(overlap > 1e-3 || scale < 1.0 ? std::max(overlap, 0.0) : 0.0);
  }
  normalise(row);
  return row;
}

/// OpenCV's INTER_AREA once an axis grows: the part of the cell past the end of its first pixel
/// goes to the second pixel, and no further.
Row area_two_taps_row(int i, int in, int out) {
  const double inverse = double(out) / in;
  const int first = int(std::floor(i * (1.0 / inverse)));
  // Float as in OpenCV: where i * scale falls just below a whole number, 0.999… becomes 1 and then
  // 0.
  float share = float((i + 1) - (first + 1) * inverse);
  share = share <= 0.0f ? 0.0f : share - std::floor(share);
  if (first >= in - 1) return {in - 1, {1.0}};
  return {first, {1.0 - double(share), double(share)}};
}

/// The kernel widened to the output's step; drops taps outside the image (Pillow, TensorFlow).
Row antialiased_row(const Resampling& resampling, int i, int in, int out) {
  const double scale = double(in) / out;
  const double widening = std::max(scale, 1.0);
  const double reach = support(resampling.kernel) * widening;
  const double middle = (i + 0.5) * scale;
  const int begin = std::max(int(middle - reach + 0.5), 0);
  const int end = std::min(int(middle + reach + 0.5), in);
  Row row;
  row.first = std::min(begin, in - 1);
  const double inverse = 1.0 / widening;
  for (int k = begin; k < end; ++k) {
    row.weight.push_back(response(resampling, (k - middle + 0.5) * inverse));
  }
  normalise(row);
  return row;
}

Row interpolated_row(const Resampling& resampling, int i, int in, int out) {
  const double at = centre(resampling.align, i, in, out);
  const double reach = support(resampling.kernel);
  const int begin = int(std::floor(at - reach)) + 1;
  const int end = int(std::floor(at + reach)) + 1;
  Row row;
  row.first = std::clamp(begin, 0, in - 1);
  const int last = std::clamp(end - 1, 0, in - 1);
  row.weight.assign(std::size_t(last - row.first) + 1, 0.0);
  for (int k = begin; k < end; ++k) {
    if (resampling.edge == Edge::kDrop && (k < 0 || k >= in)) continue;
    row.weight[std::clamp(k, 0, in - 1) - row.first] += response(resampling, k - at);
  }
  normalise(row);
  return row;
}

void trim(Row& row) {
  while (row.weight.size() > 1 && row.weight.back() == 0.0) row.weight.pop_back();
  std::size_t zeros = 0;
  while (zeros + 1 < row.weight.size() && row.weight[zeros] == 0.0) ++zeros;
  row.weight.erase(row.weight.begin(), row.weight.begin() + std::ptrdiff_t(zeros));
  row.first += int(zeros);
}

BandedMatrix banded(std::vector<Row> rows, int in) {
  BandedMatrix matrix;
  matrix.in = in;
  matrix.out = int(rows.size());
  for (Row& row : rows) {
    trim(row);
    matrix.taps = std::max(matrix.taps, int(row.weight.size()));
  }
  matrix.first.resize(rows.size());
  matrix.weight.assign(rows.size() * std::size_t(matrix.taps), 0.0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    // A short row near the end starts earlier, so that first + taps stays inside.
    const int first = std::min(rows[i].first, in - matrix.taps);
    matrix.first[i] = first;
    std::copy(rows[i].weight.begin(), rows[i].weight.end(),
              matrix.weight.begin() + std::ptrdiff_t(i) * matrix.taps + (rows[i].first - first));
  }
  return matrix;
}

BandedMatrix area_two_taps(int in, int out) {
  std::vector<Row> rows(out);
  for (int i = 0; i < out; ++i) rows[i] = area_two_taps_row(i, in, out);
  return banded(std::move(rows), in);
}

}  // namespace

BandedMatrix resampling_matrix(const Resampling& resampling, int in, int out) {
  if (in <= 0 || out <= 0) return {};
  std::vector<Row> rows(out);
  if (resampling.kernel == Kernel::kNearest) {
    const std::vector<int> index = nearest_indices(resampling, in, out);
    for (int i = 0; i < out; ++i) rows[i] = {index[i], {1.0}};
    return banded(std::move(rows), in);
  }
  const bool antialias = resampling.antialias || resampling.kernel == Kernel::kBox;
  for (int i = 0; i < out; ++i) {
    rows[i] = resampling.kernel == Kernel::kArea ? area_row(i, in, out)
              : antialias                        ? antialiased_row(resampling, i, in, out)
                                                 : interpolated_row(resampling, i, in, out);
  }
  return banded(std::move(rows), in);
}

Resizer resizer(const Resampling& resampling, int in_height, int in_width, int out_height,
                int out_width) {
  const bool grows = out_height > in_height || out_width > in_width;
  if (resampling.kernel == Kernel::kArea && grows) {
    return {area_two_taps(in_height, out_height), area_two_taps(in_width, out_width)};
  }
  return {resampling_matrix(resampling, in_height, out_height),
          resampling_matrix(resampling, in_width, out_width)};
}

}  // namespace edgeprobe::preprocess
