// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "diagnose/input/parts/recorded_pictures.h"

namespace edgeprobe::diagnose {

/// Pixels, or stretches of memory, by what they hold in all kept pictures at once.
class Signatures {
 public:
  explicit Signatures(std::vector<std::uint64_t> of_wanted);

  /// The only place with that signature; -1: none, or several.
  std::int32_t only(std::uint64_t signature) const;
  /// Whether `place` has it.
  bool holds(std::uint64_t signature, std::int64_t place) const {
    return place >= 0 && std::size_t(place) < of_.size() && of_[std::size_t(place)] == signature;
  }

 private:
  std::vector<std::uint64_t> of_;
  std::vector<std::pair<std::uint64_t, std::int32_t>> sorted_;
};

/// Of each pixel, over its channels. `of`: the target's values, or the reference's.
std::vector<std::uint64_t> pixel_signatures(const RecordedPictures& recorded,
                                            std::vector<float> RecordedPicture::*of);

}  // namespace edgeprobe::diagnose
