// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "diagnose/input/parts/recorded_pictures.h"

namespace edgeprobe::diagnose {

/// Finds pixels by their values in all kept pictures together.
class Signatures {
 public:
  explicit Signatures(const std::vector<std::uint64_t>& of_wanted);

  /// The only place with that signature; -1 if there is none, or several.
  std::int32_t only(std::uint64_t signature) const;

 private:
  std::vector<std::pair<std::uint64_t, std::int32_t>> sorted_;
};

/// Signature of each pixel over its channels. `of` selects the target's or the reference's values.
std::vector<std::uint64_t> pixel_signatures(const RecordedPictures& recorded,
                                            std::vector<float> RecordedPicture::*of);

}  // namespace edgeprobe::diagnose
