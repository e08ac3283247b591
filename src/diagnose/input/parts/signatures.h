// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "diagnose/input/parts/recorded_pictures.h"

namespace edgeprobe::diagnose {

/// Pixels by what they hold in all kept pictures at once.
class Signatures {
 public:
  explicit Signatures(const std::vector<std::uint64_t>& of_wanted);

  /// The only place with that signature; -1: none, or several.
  std::int32_t only(std::uint64_t signature) const;

 private:
  std::vector<std::pair<std::uint64_t, std::int32_t>> sorted_;
};

/// Of each pixel, over its channels. `of`: the target's values, or the reference's.
std::vector<std::uint64_t> pixel_signatures(const RecordedPictures& recorded,
                                            std::vector<float> RecordedPicture::*of);

}  // namespace edgeprobe::diagnose
