// SPDX-License-Identifier: Apache-2.0
#include "diagnose/preprocessing/model/regression.h"

#include <algorithm>
#include <cmath>

namespace edgeprobe::diagnose {
namespace {

using Square = std::array<std::array<double, Sums::kMost>, Sums::kMost>;

/// Solves a symmetric system after scaling it to a unit diagonal. Without the scaling, the ridge,
/// which keeps near-gray pictures solvable, would dominate small columns.
std::vector<double> solve(const Square& matrix, const std::array<double, Sums::kMost>& right,
                          int n) {
  std::array<double, Sums::kMost> scale{};
  Square a{};
  std::array<double, Sums::kMost> b{};
  for (int i = 0; i < n; ++i) scale[i] = matrix[i][i] > 0 ? 1.0 / std::sqrt(matrix[i][i]) : 0.0;
  for (int i = 0; i < n; ++i) {
    b[i] = right[i] * scale[i];
    for (int j = 0; j < n; ++j) a[i][j] = matrix[i][j] * scale[i] * scale[j];
    a[i][i] += 1e-11;
  }
  // Cholesky; drops a column whose pivot vanishes.
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j <= i; ++j) {
      double sum = a[i][j];
      for (int k = 0; k < j; ++k) sum -= a[i][k] * a[j][k];
      if (i == j) a[i][i] = sum > 1e-12 ? std::sqrt(sum) : 0.0;
      else a[i][j] = a[j][j] > 0 ? sum / a[j][j] : 0.0;
    }
  }
  std::vector<double> x(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    double sum = b[i];
    for (int k = 0; k < i; ++k) sum -= a[i][k] * x[k];
    x[i] = a[i][i] > 0 ? sum / a[i][i] : 0.0;
  }
  for (int i = n - 1; i >= 0; --i) {
    double sum = x[i];
    for (int k = i + 1; k < n; ++k) sum -= a[k][i] * x[k];
    x[i] = a[i][i] > 0 ? sum / a[i][i] : 0.0;
  }
  for (int i = 0; i < n; ++i) x[i] *= scale[i];
  return x;
}

Line line_of(const Square& matrix, const std::array<double, Sums::kMost>& right, int n, double tt) {
  Line line{solve(matrix, right, n), tt};
  for (int i = 0; i < n; ++i) {
    line.rss -= 2 * line.coefficients[i] * right[i];
    for (int j = 0; j < n; ++j)
      line.rss += line.coefficients[i] * line.coefficients[j] * matrix[i][j];
  }
  line.rss = std::max(0.0, line.rss);
  return line;
}

template <int kColumns, int kChannels>
void add_block(Sums& sums, const float* x, int x_channels, bool squares, const float* t,
               const std::uint8_t* keep, std::size_t count) {
  constexpr int n = kColumns + 1;
  double xx[n][n] = {}, xt[n][kChannels] = {}, tt[kChannels] = {};
  double kept = 0;
  for (std::size_t p = 0; p < count; ++p) {
    if (keep && !keep[p]) continue;
    double v[n];
    const float* from = x + p * x_channels;
    for (int i = 0; i < x_channels; ++i) v[i] = from[i];
    if (squares)
      for (int i = 0; i < x_channels; ++i) v[x_channels + i] = v[i] * v[i] * (1.0 / 255);
    v[kColumns] = 1;
    const float* to = t + p * kChannels;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j <= i; ++j) xx[i][j] += v[i] * v[j];
    for (int c = 0; c < kChannels; ++c) {
      const double y = to[c];
      tt[c] += y * y;
      for (int i = 0; i < n; ++i) xt[i][c] += v[i] * y;
    }
    ++kept;
  }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) {
      sums.xx[i][j] += xx[i][j];
      if (i != j) sums.xx[j][i] += xx[i][j];
    }
  for (int c = 0; c < kChannels; ++c) {
    sums.tt[c] += tt[c];
    sums.t[c] += xt[kColumns][c];
    for (int i = 0; i < n; ++i) sums.xt[i][c] += xt[i][c];
  }
  sums.count += kept;
}

}  // namespace

void add(Sums& sums, const float* x, int x_channels, bool squares, const float* t, int t_channels,
         const std::uint8_t* keep, std::size_t count) {
  sums.columns = x_channels * (squares ? 2 : 1);
  sums.channels = t_channels;
  const bool three = t_channels == 3;
  switch (sums.columns) {
    case 1:
      (three ? add_block<1, 3> : add_block<1, 1>)(sums, x, x_channels, squares, t, keep, count);
      break;
    case 2:
      (three ? add_block<2, 3> : add_block<2, 1>)(sums, x, x_channels, squares, t, keep, count);
      break;
    case 3:
      (three ? add_block<3, 3> : add_block<3, 1>)(sums, x, x_channels, squares, t, keep, count);
      break;
    case 5:
      (three ? add_block<5, 3> : add_block<5, 1>)(sums, x, x_channels, squares, t, keep, count);
      break;
    case 6:
      (three ? add_block<6, 3> : add_block<6, 1>)(sums, x, x_channels, squares, t, keep, count);
      break;
    case 7:
      (three ? add_block<7, 3> : add_block<7, 1>)(sums, x, x_channels, squares, t, keep, count);
      break;
    default: break;
  }
}

void add(Sums& sums, const Sums& other) {
  sums.columns = other.columns;
  sums.channels = other.channels;
  sums.count += other.count;
  sums.bars += other.bars;
  sums.bar_count += other.bar_count;
  for (int i = 0; i < Sums::kMost; ++i) {
    for (int j = 0; j < Sums::kMost; ++j) sums.xx[i][j] += other.xx[i][j];
    for (int c = 0; c < 3; ++c) sums.xt[i][c] += other.xt[i][c];
  }
  for (int c = 0; c < 3; ++c) {
    sums.tt[c] += other.tt[c];
    sums.t[c] += other.t[c];
  }
}

Line fit(const Sums& sums, int channel) {
  std::array<double, Sums::kMost> right{};
  for (int i = 0; i <= sums.columns; ++i) right[i] = sums.xt[i][channel];
  return line_of(sums.xx, right, sums.columns + 1, sums.tt[channel]);
}

Line fit(const Sums& sums, int channel, const std::array<double, 3>& weights) {
  Square matrix{};
  std::array<double, Sums::kMost> right{};
  const int n = sums.columns;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) matrix[0][0] += weights[i] * weights[j] * sums.xx[i][j];
    matrix[0][1] += weights[i] * sums.xx[i][n];
    right[0] += weights[i] * sums.xt[i][channel];
  }
  matrix[1][0] = matrix[0][1];
  matrix[1][1] = sums.xx[n][n];
  right[1] = sums.xt[n][channel];
  return line_of(matrix, right, 2, sums.tt[channel]);
}

double residual_of(const Sums& sums, const std::vector<Line>& lines, double response) {
  double rss = sums.bars;
  for (const auto& line : lines) rss += line.rss;
  return std::sqrt(rss / std::max(1.0, sums.count * sums.channels + sums.bar_count)) /
         std::max(response, 1e-12);
}

Fit fit(const Sums& sums) {
  Fit result;
  double rss = sums.bars, total = sums.bars;
  for (int c = 0; c < sums.channels; ++c) {
    result.lines.push_back(fit(sums, c));
    double answer = 0;
    for (int i = 0; i < sums.columns; ++i) answer += result.lines.back().coefficients[i];
    result.response += std::abs(answer) / sums.channels;
    rss += result.lines.back().rss;
    total += sums.tt[c] - sums.t[c] * sums.t[c] / std::max(1.0, sums.count);
  }
  result.residual = residual_of(sums, result.lines, result.response);
  result.r2 = total > 0 ? 1 - rss / total : 0;
  return result;
}

}  // namespace edgeprobe::diagnose
