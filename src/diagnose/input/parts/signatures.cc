// SPDX-License-Identifier: Apache-2.0
#include "diagnose/input/parts/signatures.h"

#include <algorithm>
#include <cmath>

namespace edgeprobe::diagnose {
namespace {

// FNV-1a over half steps: equal values get equal hashes, except for a few at the border of a step.
std::uint64_t mixed(std::uint64_t seed, float value, double unit) {
  const auto level = static_cast<std::uint64_t>(static_cast<std::int64_t>(
      std::floor(std::clamp(double(value) / unit, -1e9, 1e9) * 2 + 0.27)));
  return (seed ^ level) * 1099511628211ULL;
}

}  // namespace

Signatures::Signatures(const std::vector<std::uint64_t>& of_wanted) {
  sorted_.reserve(of_wanted.size());
  for (std::size_t i = 0; i < of_wanted.size(); ++i)
    sorted_.emplace_back(of_wanted[i], std::int32_t(i));
  std::sort(sorted_.begin(), sorted_.end());
}

std::int32_t Signatures::only(std::uint64_t signature) const {
  const auto at = std::lower_bound(sorted_.begin(), sorted_.end(), std::pair(signature, INT32_MIN));
  if (at == sorted_.end() || at->first != signature) return -1;
  const auto next = at + 1;
  return next != sorted_.end() && next->first == signature ? -1 : at->second;
}

std::vector<std::uint64_t> pixel_signatures(const RecordedPictures& recorded,
                                            std::vector<float> RecordedPicture::*of) {
  const PictureLayout& l = recorded.layout;
  std::vector<std::uint64_t> out(l.height * l.width, 14695981039346656037ULL);
  for (const RecordedPicture& one : recorded.pictures) {
    const auto& values = one.*of;
    for (std::size_t i = 0; i < values.size(); ++i)
      out[i / l.channels] = mixed(out[i / l.channels], values[i], recorded.unit);
  }
  return out;
}

}  // namespace edgeprobe::diagnose
