// SPDX-License-Identifier: Apache-2.0
#include "diagnose/postprocessing/masks/sample.h"

#include <algorithm>
#include <limits>

namespace edgeprobe::diagnose::masks {
namespace {

constexpr std::size_t kWholeSample = 12'000, kOfBorder = 5'000, kOfOthers = 3'000;

// A permutation of 32-bit numbers without patterns that a picture might have (Knuth, The Art of
// Computer Programming 3, 6.4: multiplication by the golden section).
std::uint32_t scrambled(std::uint32_t i) {
  i *= 2654435769U;
  return i ^ (i >> 15);
}

// Limit below which about `most` of `all` scrambled numbers fall.
std::uint64_t limit_of(std::size_t all, std::size_t most) {
  constexpr std::uint64_t kAll = std::uint64_t{1} << 32;
  return all <= most ? kAll : kAll * most / all;
}

bool is_at_border(const trace::Mask& mask, std::size_t y, std::size_t x) {
  const std::size_t at = y * mask.width + x;
  const std::int32_t own = mask.classes[at];
  return (x + 1 < mask.width && mask.classes[at + 1] != own) ||
         (x > 0 && mask.classes[at - 1] != own) ||
         (y + 1 < mask.height && mask.classes[at + mask.width] != own) ||
         (y > 0 && mask.classes[at - mask.width] != own);
}

}  // namespace

Sample sample_of(const trace::Mask& mask) {
  Sample out;
  out.all = static_cast<double>(mask.classes.size());
  const auto count = static_cast<std::uint32_t>(mask.classes.size());
  std::vector<bool> border(count);
  std::size_t of_border = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (mask.classes[i] != mask.classes[0]) out.is_constant = false;
    border[i] = is_at_border(mask, i / mask.width, i % mask.width);
    of_border += border[i];
  }
  const bool is_whole = count <= kWholeSample;
  for (const bool is_border : {true, false}) {
    const std::size_t all = is_border ? of_border : count - of_border;
    const std::uint64_t limit =
        is_whole ? limit_of(all, all) : limit_of(all, is_border ? kOfBorder : kOfOthers);
    const std::size_t first = out.pixels.size();
    for (std::uint32_t i = 0; i < count; ++i)
      if (scrambled(i) < limit && border[i] == is_border)
        out.pixels.push_back({i / mask.width, i % mask.width, mask.classes[i], 1, is_border});
    const double stands_for = static_cast<double>(all) / static_cast<double>(std::max<std::size_t>(
                                                             1, out.pixels.size() - first));
    for (std::size_t k = first; k < out.pixels.size(); ++k) out.pixels[k].stands_for = stands_for;
  }
  return out;
}

}  // namespace edgeprobe::diagnose::masks
