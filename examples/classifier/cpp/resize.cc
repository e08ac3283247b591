// SPDX-License-Identifier: Apache-2.0
#include "resize.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace {

const double kPi = 3.14159265358979323846;

double triangle(double x) { return std::max(0.0, 1 - std::abs(x)); }

// Catmull-Rom.
double cubic(double x) {
  x = std::abs(x);
  return x < 1 ? (1.5 * x - 2.5) * x * x + 1 : x < 2 ? ((-0.5 * x + 2.5) * x - 4) * x + 2 : 0;
}

double sinc(double x) { return x == 0 ? 1 : std::sin(kPi * x) / (kPi * x); }

double lanczos(double x) { return std::abs(x) < 3 ? sinc(x) * sinc(x / 3) : 0; }

struct Kernel {
  double reach;  ///< Input pixels on each side.
  double (*height)(double x);
  bool widens;  ///< The kernel widens with the reduction, so that no pixel is skipped.
};

const std::map<std::string, Kernel> kKernels = {{"antialias", {1, triangle, true}},
                                                {"antialias-cubic", {2, cubic, true}},
                                                {"antialias-lanczos", {3, lanczos, true}},
                                                {"bilinear", {1, triangle, false}},
                                                {"cubic", {2, cubic, false}},
                                                {"lanczos", {3, lanczos, false}}};

const int kBits = 22;

/// An output pixel is a sum of the input pixels from `first` on; the weights sum to 1 << kBits.
struct Tap {
  int first = 0;
  std::vector<int> weights;
};

template <class Height>
Tap tap_around(double center, double reach, int size, Height height) {
  Tap tap;
  tap.first = std::max(0, static_cast<int>(std::floor(center - reach + 0.5)));
  const int end = std::min(size, static_cast<int>(std::floor(center + reach + 0.5)));
  std::vector<double> heights;
  for (int i = tap.first; i < end; ++i) heights.push_back(height(i + 0.5 - center));
  const double sum = std::accumulate(heights.begin(), heights.end(), 0.0);
  for (const double h : heights)
    tap.weights.push_back(static_cast<int>(std::lround(h / sum * (1 << kBits))));
  return tap;
}

std::vector<Tap> taps(int from, int to, const std::string& name) {
  const double scale = double(from) / to;
  std::vector<Tap> all;
  for (int i = 0; i < to; ++i) {
    const double center = (i + 0.5) * scale;
    if (name == "nearest") {
      all.push_back({std::min(from - 1, static_cast<int>(center)), {1 << kBits}});
    } else if (name == "area") {
      const double half = std::max(1.0, scale) / 2;
      // The fraction of the input pixel that is covered.
      all.push_back(tap_around(center, half + 1, from, [half](double x) {
        return std::max(0.0, std::min(x + 0.5, half) - std::max(x - 0.5, -half));
      }));
    } else {
      const Kernel& kernel = kKernels.at(name);
      const double wide = kernel.widens ? std::max(1.0, scale) : 1;
      all.push_back(tap_around(center, kernel.reach * wide, from,
                               [&](double x) { return kernel.height(x / wide); }));
    }
  }
  return all;
}

std::uint8_t to_byte(int sum) {
  return static_cast<std::uint8_t>(std::clamp((sum + (1 << (kBits - 1))) >> kBits, 0, 255));
}

}  // namespace

bool is_kernel(const std::string& name) {
  return name == "nearest" || name == "area" || kKernels.count(name) != 0;
}

Picture resize(const Picture& picture, int height, int width, const std::string& kernel) {
  Picture narrow = blank(picture.height, width);
  const std::vector<Tap> across = taps(picture.width, width, kernel),
                         down = taps(picture.height, height, kernel);
  for (int y = 0; y < picture.height; ++y) {
    for (int x = 0; x < width; ++x) {
      const Tap& tap = across[std::size_t(x)];
      for (int c = 0; c < 3; ++c) {
        int sum = 0;
        for (int i = 0; i < int(tap.weights.size()); ++i)
          sum += tap.weights[std::size_t(i)] * picture.at(y, tap.first + i)[c];
        narrow.at(y, x)[c] = to_byte(sum);
      }
    }
  }
  Picture out = blank(height, width);
  for (int y = 0; y < height; ++y) {
    const Tap& tap = down[std::size_t(y)];
    for (int x = 0; x < width; ++x) {
      for (int c = 0; c < 3; ++c) {
        int sum = 0;
        for (int i = 0; i < int(tap.weights.size()); ++i)
          sum += tap.weights[std::size_t(i)] * narrow.at(tap.first + i, x)[c];
        out.at(y, x)[c] = to_byte(sum);
      }
    }
  }
  return out;
}
