#include "prepare.h"

#include <algorithm>
#include <cmath>

namespace {

/// For each output position the first input position, and weights from there on.
struct Tap {
  int first = 0;
  std::vector<double> weights;
};

/// A kernel of `radius` input pixels around the centre of each output pixel; the weights sum to 1.
template <class Kernel>
std::vector<Tap> taps(int from, int to, double radius, Kernel kernel) {
  std::vector<Tap> all(static_cast<std::size_t>(to));
  for (int i = 0; i < to; ++i) {
    const double center = (i + 0.5) * from / to;
    Tap& tap = all[static_cast<std::size_t>(i)];
    tap.first = std::max(0, static_cast<int>(std::floor(center - radius + 0.5)));
    const int end = std::min(from, static_cast<int>(std::floor(center + radius + 0.5)));
    double sum = 0;
    for (int j = tap.first; j < end; ++j) {
      tap.weights.push_back(kernel(j + 0.5 - center));
      sum += tap.weights.back();
    }
    for (double& weight : tap.weights) weight /= sum;
  }
  return all;
}

std::vector<Tap> taps(int from, int to, const std::string& kernel) {
  const double scale = double(from) / to, wide = std::max(1.0, scale);
  const auto triangle = [](double x) { return std::max(0.0, 1 - std::abs(x)); };
  if (kernel == "nearest") {
    std::vector<Tap> all(static_cast<std::size_t>(to));
    for (int i = 0; i < to; ++i) all[static_cast<std::size_t>(i)] = {std::min(from - 1, int((i + 0.5) * scale)), {1.0}};
    return all;
  }
  if (kernel == "area") {
    return taps(from, to, scale / 2 + 1, [scale](double x) {  // The share of the input pixel that the output pixel covers.
      return std::max(0.0, std::min(x + 0.5, scale / 2) - std::max(x - 0.5, -scale / 2));
    });
  }
  if (kernel == "bilinear") return taps(from, to, 1, triangle);
  return taps(from, to, wide, [wide, triangle](double x) { return triangle(x / wide); });
}

std::uint8_t to_byte(double value) { return static_cast<std::uint8_t>(std::clamp(std::floor(value + 0.5), 0.0, 255.0)); }

}  // namespace

Picture crop_center(const Picture& picture, double fraction) {
  Picture out{int(std::lround(picture.height * fraction)), int(std::lround(picture.width * fraction)), {}};
  const int top = (picture.height - out.height) / 2, left = (picture.width - out.width) / 2;
  for (int y = 0; y < out.height; ++y) {
    const auto row = picture.rgb.begin() + ((top + y) * picture.width + left) * 3;
    out.rgb.insert(out.rgb.end(), row, row + out.width * 3);
  }
  return out;
}

Picture rotate(const Picture& picture, int degrees) {
  if (degrees == 0) return picture;
  const bool turned = degrees == 90 || degrees == 270;
  Picture out{turned ? picture.width : picture.height, turned ? picture.height : picture.width, {}};
  out.rgb.reserve(picture.rgb.size());
  for (int y = 0; y < out.height; ++y) {
    for (int x = 0; x < out.width; ++x) {
      const int from_y = degrees == 90 ? picture.height - 1 - x : degrees == 180 ? picture.height - 1 - y : x;
      const int from_x = degrees == 90 ? y : degrees == 180 ? picture.width - 1 - x : picture.width - 1 - y;
      const auto pixel = picture.rgb.begin() + (from_y * picture.width + from_x) * 3;
      out.rgb.insert(out.rgb.end(), pixel, pixel + 3);
    }
  }
  return out;
}

Picture resize(const Picture& picture, int height, int width, const std::string& kernel) {
  // Rows first, then columns; each pass is rounded to 8 bits.
  Picture wide{picture.height, width, std::vector<std::uint8_t>(std::size_t(picture.height) * std::size_t(width) * 3)};
  const std::vector<Tap> across = taps(picture.width, width, kernel), down = taps(picture.height, height, kernel);
  for (int y = 0; y < picture.height; ++y) {
    for (int x = 0; x < width; ++x) {
      const Tap& tap = across[std::size_t(x)];
      for (int c = 0; c < 3; ++c) {
        double sum = 0;
        for (std::size_t i = 0; i < tap.weights.size(); ++i) {
          sum += tap.weights[i] * picture.rgb[std::size_t((y * picture.width + tap.first + int(i)) * 3 + c)];
        }
        wide.rgb[std::size_t((y * width + x) * 3 + c)] = to_byte(sum);
      }
    }
  }
  Picture out{height, width, std::vector<std::uint8_t>(std::size_t(height) * std::size_t(width) * 3)};
  for (int y = 0; y < height; ++y) {
    const Tap& tap = down[std::size_t(y)];
    for (int i = 0; i < width * 3; ++i) {
      double sum = 0;
      for (std::size_t k = 0; k < tap.weights.size(); ++k) {
        sum += tap.weights[k] * wide.rgb[std::size_t((tap.first + int(k)) * width * 3 + i)];
      }
      out.rgb[std::size_t(y * width * 3 + i)] = to_byte(sum);
    }
  }
  return out;
}

std::vector<float> prepare(const Picture& picture, int height, int width, const Preparation& preparation) {
  const Picture upright = rotate(crop_center(picture, preparation.crop), preparation.rotation);
  const Picture small = resize(upright, height, width, preparation.resize);
  std::vector<float> values(small.rgb.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t from = preparation.bgr ? i - i % 3 + (2 - i % 3) : i;
    values[i] = float(preparation.low + small.rgb[from] * (preparation.high - preparation.low) / 255);
  }
  return values;
}
