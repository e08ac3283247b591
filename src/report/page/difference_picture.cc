// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "report/page/heat.h"
#include "report/page/html.h"
#include "report/page/input_pair.h"
#include "report/page/page.h"
#include "report/page/picture_data.h"

namespace edgeprobe::report {
namespace {

using diagnose::Picture;

/// Possible ends of the scale; one that exceeds most of the differences is chosen.
constexpr std::array kScaleEnds = {4, 8, 16, 32, 64, 128, 255};

/// The largest difference of the channels of each pixel.
std::vector<int> differences(const InputPair& pair) {
  std::vector<int> out(pair.target->rgb.size() / 3);
  for (std::size_t i = 0; i < 3 * out.size(); ++i)
    out[i / 3] =
        std::max(out[i / 3], std::abs(int(pair.target->rgb[i]) - int(pair.reference->rgb[i])));
  return out;
}

int scale_end(const std::vector<int>& of_pixels) {
  std::vector<int> differing;
  std::copy_if(of_pixels.begin(), of_pixels.end(), std::back_inserter(differing),
               [](int one) { return one > 0; });
  if (differing.empty()) return kScaleEnds.front();
  const auto high = differing.begin() + std::ptrdiff_t(differing.size() * 95 / 100);
  std::nth_element(differing.begin(), high, differing.end());
  return *std::find_if(kScaleEnds.begin(), kScaleEnds.end() - 1,
                       [&](int end) { return *high <= end; });
}

}  // namespace

std::string picture_figure(const preprocess::Image& image, const std::string& title,
                           const std::string& note) {
  return "<figure><img alt=\"" + title + "\" width=\"" + std::to_string(image.width) +
         "\" height=\"" + std::to_string(image.height) + "\" src=\"data:image/png;base64," +
         png_base64(image) + "\"><figcaption>" + title +
         (note.empty() ? "" : "<small>" + note + "</small>") + "</figcaption></figure>\n";
}

std::vector<InputPair> input_pairs(const diagnose::Verdict& verdict) {
  std::vector<InputPair> pairs;
  for (const Picture& target : verdict.pictures) {
    if (target.role != "target_input" || !usable(target)) continue;
    const Picture* const reference = picture_of(verdict, target.sample, "reference_input");
    if (!reference || reference->height != target.height || reference->width != target.width)
      continue;
    double squares = 0;
    for (std::size_t i = 0; i < target.rgb.size(); ++i) {
      const double d = double(target.rgb[i]) - double(reference->rgb[i]);
      squares += d * d;
    }
    pairs.push_back({&target, reference, std::sqrt(squares / double(target.rgb.size()))});
  }
  return pairs;
}

std::optional<InputPair> farthest_pair(const diagnose::Verdict& verdict) {
  const auto pairs = input_pairs(verdict);
  const auto most =
      std::max_element(pairs.begin(), pairs.end(),
                       [](const InputPair& a, const InputPair& b) { return a.rms < b.rms; });
  return most == pairs.end() || most->rms == 0 ? std::nullopt : std::optional(*most);
}

std::string heat_figure(const InputPair& pair) {
  const std::vector<int> of_pixels = differences(pair);
  const int end = scale_end(of_pixels),
            most = *std::max_element(of_pixels.begin(), of_pixels.end());
  const int height = pair.target->height, width = pair.target->width;
  // A cell of a downscaled picture shows the maximum of its pixels, so that no line disappears.
  const auto [down, across] = fitted_size(height, width, kMostPictureEdge);
  std::vector<std::uint8_t> levels(std::size_t(down) * std::size_t(across));
  for (std::size_t p = 0; p < of_pixels.size(); ++p) {
    const auto y = std::int64_t(p) / width * down / height,
               x = std::int64_t(p) % width * across / width;
    std::uint8_t& level = levels[std::size_t(y * across + x)];
    level = std::max(level, std::uint8_t((std::min(of_pixels[p], end) * 255 + end / 2) / end));
  }
  return picture_figure(
      heat_picture(down, across, levels), "difference",
      heat_scale(std::to_string(end) + (most > end ? " gray levels or more" : " gray levels")) +
          escaped(pair.target->sample, 120) + "<br>black: equal; largest: " + std::to_string(most));
}

}  // namespace edgeprobe::report
