// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "postprocess/detection/coordinates.h"
#include "recipe/words.h"

/// Words for boxes that also apply to points.
namespace edgeprobe::postprocess::detection {

/// Names of injected faults in positions.
inline constexpr const char* kAsShares = "places as shares (0..1)";
inline constexpr const char* kAsModelPixels = "places in pixels of the model's input";
inline constexpr const char* kAsStretched = "places as if the picture had been stretched";
inline constexpr const char* kAsLetterbox = "places as if there were bars right or below";
inline constexpr const char* kAsCentredLetterbox = "places as if there were bars around";
inline constexpr const char* kAsSidesExchanged = "x scaled by the height, y by the width";
inline constexpr const char* kAsMirrored = "places mirrored";

/// Sentences about boxes or points that are mapped to the picture incorrectly.
struct ScaleSentences {
  const char *stretched, *letterbox, *model_pixels, *shares, *shorter_side;
};
/// How positions in the model's input are mapped to the picture.
constexpr std::array<recipe::Word, 11> scale_words(const ScaleSentences& said) {
  return {
      recipe::Word{"pixels", Scale::kStretched, said.stretched, 0}.planted(kAsStretched),
      recipe::Word{"letterbox", Scale::kLetterbox, said.letterbox, 1}.planted(kAsLetterbox),
      recipe::Word{"letterbox_centered", Scale::kCentredLetterbox,
                   "takes off bars around the picture", 6}
          .planted(kAsCentredLetterbox),
      recipe::Word{"letterbox_whole", Scale::kWholeLetterbox,
                   "takes off bars of whole pixels around the picture", 7},
      recipe::Word{"letterbox_upper", Scale::kUpperLetterbox,
                   "takes off bars of whole pixels around the picture, the odd one left and above",
                   8},
      recipe::Word{"letterbox_rounded", Scale::kRoundedLetterbox,
                   "takes off bars that it rounds anew, round((side - inside) / 2 - 0.1), around "
                   "the picture",
                   9},
      recipe::Word{"letterbox_cut", Scale::kCutLetterbox,
                   "takes off bars that it cuts to whole pixels, int((side - inside) / 2), around "
                   "the picture",
                   10},
      recipe::Word{"model_pixels", Scale::kModelPixels, said.model_pixels, 2}.planted(
          kAsModelPixels),
      recipe::Word{"shares", Scale::kShares, said.shares, 3}.planted(kAsShares),
      recipe::Word{"", Scale::kSidesExchanged,
                   "scales x by the picture's height and y by its width", 4}
          .planted(kAsSidesExchanged),
      recipe::Word{"", Scale::kShorterSide, said.shorter_side, 5},
  };
}

}  // namespace edgeprobe::postprocess::detection
