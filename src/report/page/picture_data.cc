// SPDX-License-Identifier: Apache-2.0
#include "report/page/picture_data.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "preprocess/decode/encode_jpeg.h"
#include "report/page/base64.h"

namespace edgeprobe::report {

bool usable(const diagnose::Picture& picture) {
  return picture.height > 0 && picture.width > 0 &&
         picture.rgb.size() / 3 / static_cast<std::size_t>(picture.width) ==
             static_cast<std::size_t>(picture.height) &&
         picture.rgb.size() % (3 * static_cast<std::size_t>(picture.width)) == 0;
}

const diagnose::Picture* picture_of(const diagnose::Verdict& verdict, const std::string& sample,
                                    const std::string& role) {
  for (const diagnose::Picture& picture : verdict.pictures)
    if (picture.sample == sample && picture.role == role && usable(picture)) return &picture;
  return nullptr;
}

std::pair<int, int> fitted_size(int height, int width, int most_edge) {
  const int longest = std::max(height, width);
  if (longest <= most_edge) return {height, width};
  const auto side = [&](int length) {
    return std::max(1, static_cast<int>(std::int64_t{length} * most_edge / longest));
  };
  return {side(height), side(width)};
}

preprocess::Image fitted(const diagnose::Picture& picture, int most_edge) {
  const auto [height, width] = fitted_size(picture.height, picture.width, most_edge);
  if (height == picture.height && width == picture.width) return {height, width, 3, picture.rgb};
  preprocess::Image out{height, width, 3, {}};
  out.pixels.reserve(static_cast<std::size_t>(out.height) * static_cast<std::size_t>(out.width) *
                     3);
  const auto edge = [](int i, int to, int from) {
    return static_cast<int>(std::int64_t{i} * from / to);
  };
  for (int y = 0; y < out.height; ++y)
    for (int x = 0; x < out.width; ++x) {
      const int top = edge(y, out.height, picture.height),
                bottom = edge(y + 1, out.height, picture.height);
      const int left = edge(x, out.width, picture.width),
                right = edge(x + 1, out.width, picture.width);
      std::array<std::uint64_t, 3> sum{};
      for (int v = top; v < bottom; ++v)
        for (int u = left; u < right; ++u)
          for (std::size_t c = 0; c < 3; ++c)
            sum[c] +=
                picture.rgb[(static_cast<std::size_t>(v) * static_cast<std::size_t>(picture.width) +
                             static_cast<std::size_t>(u)) *
                                3 +
                            c];
      const auto cells =
          static_cast<std::uint64_t>(bottom - top) * static_cast<std::uint64_t>(right - left);
      for (const std::uint64_t total : sum)
        out.pixels.push_back(static_cast<std::uint8_t>((total + cells / 2) / cells));
    }
  return out;
}

std::string picture_url(const preprocess::Image& image, PictureUse use) {
  constexpr int kQuality = 85;
  if (use == PictureUse::kPhotograph)
    if (const auto jpeg = preprocess::encode_jpeg(image, kQuality))
      return "data:image/jpeg;base64," + base64(*jpeg);
  const std::string png = png_base64(image);
  return png.empty() ? "" : "data:image/png;base64," + png;
}

std::string png_base64(const preprocess::Image& image) {
  const auto png = preprocess::encode_png(image);
  return png ? base64(*png) : "";
}

}  // namespace edgeprobe::report
