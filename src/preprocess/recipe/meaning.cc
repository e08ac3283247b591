// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "core/text.h"
#include "preprocess/recipe/readings_steps.h"
#include "preprocess/recipe/recipe.h"
#include "preprocess/recipe/recipe_decode.h"
#include "preprocess/recipe/recipe_words.h"
#include "preprocess/recipe/sound_steps.h"
#include "preprocess/recipe/text_steps.h"

namespace edgeprobe::preprocess {
namespace {

std::string sides(int height, int width) {
  return std::to_string(height) + " high, " + std::to_string(width) + " wide";
}

/// The library call that gives the same, when there is one.
std::string same_as(const Resampling& r, Rounding rounding) {
  const bool half = r.align == Align::kHalfPixel,
             plain = half && !r.antialias && r.edge == Edge::kReplicate;
  const bool opencv = rounding == Rounding::kOpencv,
             pillow = rounding == Rounding::kPillow || rounding == Rounding::kPillow12;
  const bool tensorflow = rounding == Rounding::kFloat;
  switch (r.kernel) {
    case Kernel::kNearest:
      if (r.grid == Grid::kFloat32)
        return half ? "tf.image.resize(…, 'nearest')" : "TFLite RESIZE_NEAREST_NEIGHBOR";
      if (r.grid == Grid::kFixed16) return "OpenCV 4 INTER_NEAREST_EXACT";
      return r.align == Align::kLegacy ? "cv2.INTER_NEAREST"
             : half                    ? "PIL NEAREST, OpenCV 5 INTER_NEAREST_EXACT"
                                       : "";
    case Kernel::kBilinear:
      if (plain && opencv) return "cv2.INTER_LINEAR on 8-bit pixels";
      if (plain && tensorflow) return "tf.image.resize(…, 'bilinear'), cv2.INTER_LINEAR on float";
      if (r.antialias && pillow) return "PIL BILINEAR on 8-bit pixels";
      if (r.antialias && tensorflow)
        return "tf.image.resize(…, 'bilinear', antialias=True), PIL BILINEAR on float";
      return r.align == Align::kLegacy ? "TFLite RESIZE_BILINEAR without half_pixel_centers"
             : half                    ? ""
                                       : "RESIZE_BILINEAR with align_corners";
    case Kernel::kArea:
      return opencv ? "cv2.INTER_AREA on 8-bit pixels" : "cv2.INTER_AREA on float";
    case Kernel::kBox: return pillow ? "PIL BOX on 8-bit pixels" : "PIL BOX on float";
    case Kernel::kBicubic:
      if (plain && r.cubic_a == -0.75)
        return opencv ? "cv2.INTER_CUBIC on 8-bit pixels" : "cv2.INTER_CUBIC on float";
      if (r.antialias && r.cubic_a == -0.5)
        return pillow ? "PIL BICUBIC on 8-bit pixels" : "PIL BICUBIC on float";
      return r.edge == Edge::kDrop && r.cubic_a == -0.5 ? "tf.image.resize(…, 'bicubic')" : "";
    case Kernel::kLanczos3:
      if (r.antialias) return pillow ? "PIL LANCZOS on 8-bit pixels" : "PIL LANCZOS on float";
      return r.edge == Edge::kDrop ? "tf.image.resize(…, 'lanczos3')" : "";
    case Kernel::kLanczos4:
      return plain ? (opencv ? "cv2.INTER_LANCZOS4 on 8-bit pixels" : "cv2.INTER_LANCZOS4 on float")
                   : "";
  }
  return "";
}

std::string kernel_text(const Resampling& r, Rounding rounding) {
  const std::string library = same_as(r, rounding);
  return std::string(word_of(kKernelWords, r.kernel)) + (library.empty() ? "" : ", as " + library);
}

struct Meaning {
  std::string operator()(const Decode& s) const { return decode_meaning(s); }
  std::string operator()(const Rotate& s) const {
    return "turns the picture clockwise by " + std::to_string(s.degrees) + " degrees";
  }
  std::string operator()(const Flip& s) const {
    return s.horizontal ? "swaps left and right" : "swaps top and bottom";
  }
  std::string operator()(const Crop& s) const {
    if (s.kind == Crop::Kind::kWindow) {
      return "keeps the part " + sides(s.height, s.width) + ", from row " + std::to_string(s.top) +
             ", column " + std::to_string(s.left);
    }
    if (s.kind == Crop::Kind::kSize) {
      return "keeps the middle, " + sides(s.height, s.width) +
             (s.offset == Crop::Offset::kHalfEven ? ", as torchvision's CenterCrop"
                                                  : ", the offset rounded down");
    }
    const std::string share = s.fraction == 1 ? "" : percent(s.fraction) + " of ";
    const std::string moved =
        (s.down == 0 ? "" : ", moved down by " + percent(s.down) + " of its height") +
        (s.right == 0 ? "" : ", moved right by " + percent(s.right) + " of its width");
    return (s.kind == Crop::Kind::kSquare
                ? "keeps the centred square whose side is " + share + "the shorter side"
                : "keeps " + share + "both sides, centred") +
           moved;
  }
  std::string operator()(const Resize& s) const {
    if (s.shorter != 0) {
      return "keeps the aspect ratio and makes the shorter side " + std::to_string(s.shorter) +
             " pixels, as torchvision's Resize(" + std::to_string(s.shorter) + ") (" +
             kernel_text(s.resampling, s.rounding) + ")";
    }
    return "stretches to " + sides(s.height, s.width) + " (" +
           kernel_text(s.resampling, s.rounding) + ")";
  }
  std::string operator()(const Letterbox& s) const {
    return "fits into " + sides(s.height, s.width) +
           ", keeps the aspect ratio and fills the rest with " +
           (s.channel_fill.empty() ? number(s.fill) : "one value a channel") +
           (s.centered ? " around it"
            : s.at_end ? " above or to the left"
                       : " below or to the right") +
           " (" + kernel_text(s.resampling, s.rounding) + ")";
  }
  std::string operator()(const Color& s) const {
    std::string text = "channels in the order";
    const std::string_view word = word_of(kOrderWords, s.order);
    for (std::size_t i = 0; i < word.size(); ++i) {
      text += (i == 0 ? " " : ", ") + std::string(word[i] == 'r'   ? "red"
                                                  : word[i] == 'g' ? "green"
                                                                   : "blue");
    }
    return text;
  }
  std::string operator()(const Gray& s) const {
    const std::vector<double> w =
        s.weights.empty() ? std::vector<double>{0.299, 0.587, 0.114} : s.weights;
    return "brightness " + number(w[0]) + " R + " + number(w[1]) + " G + " + number(w[2]) +
           " B as " + (s.keep_three ? "three equal channels" : "one channel");
  }
  std::string operator()(const Shift& s) const {
    std::string text = "moves the pixels";
    if (s.down != 0 || s.right == 0)
      text += (s.down < 0 ? " up by " : " down by ") + std::to_string(std::abs(s.down));
    if (s.right != 0)
      text += std::string(s.down != 0 ? " and" : "") + (s.right < 0 ? " left by " : " right by ") +
              std::to_string(std::abs(s.right));
    return text + (s.edge == Shift::Edge::kRepeat ? "; the border repeats"
                   : s.edge == Shift::Edge::kWrap
                       ? "; what leaves on one side comes in on the other"
                       : "; black comes in");
  }
  std::string operator()(const Tone& s) const {
    switch (s.curve) {
      case Tone::Curve::kGamma: return "the curve 255 (x/255)^" + number(s.gamma);
      case Tone::Curve::kSrgbToLinear: return "from sRGB to linear light";
      case Tone::Curve::kLinearToSrgb: return "from linear light to sRGB";
      case Tone::Curve::kRgb565:
        return "as stored in 16 bits: the upper 5, 6 and 5 bits of red, green and blue, the others "
               "0";
      case Tone::Curve::kRgb565Filled:
        return "as stored in 16 bits: the upper 5, 6 and 5 bits of red, green and blue, repeated "
               "in the others";
      case Tone::Curve::kLinear: break;
    }
    return "contrast and brightness: gain x + offset, cut off to 0..255";
  }
  std::string operator()(const Recode& s) const {
    const auto words = [](ColorMatrix matrix, bool limited) {
      return std::string(matrix == ColorMatrix::kBt601 ? "BT.601" : "BT.709") +
             (limited ? " limited" : " full") + " range";
    };
    return "encoded to YUV by " + words(s.encode, s.encode_limited) + " and decoded by " +
           words(s.decode, s.decode_limited) + (s.chroma_swapped ? ", U and V exchanged" : "");
  }
  std::string operator()(const Standardize& s) const {
    return std::string("subtracts the mean and divides by the deviation of ") +
           (s.by_channel ? "each channel of this image" : "this image");
  }
  std::string operator()(const Sound&) const { return "makes the model input of a sound"; }
  std::string operator()(const Readings&) const { return "makes the model input of readings"; }
  std::string operator()(const Text&) const { return "makes the model inputs of a text"; }
  std::string operator()(const Matrix& s) const {
    return std::string("mixes red, green and blue into three other channels, by a matrix") +
           (s.rounding == Rounding::kUint8 ? ", rounded to 8 bits" : "");
  }
  std::string operator()(const Scale& s) const {
    return "maps 0..255 to " + number(s.low) + ".." + number(s.high);
  }
  std::string operator()(const Normalize&) const {
    return "subtracts the mean and divides by the standard deviation";
  }
  std::string operator()(const Cast& s) const {
    return is_float(s.dtype) ? "keeps real values"
                             : "rounds half away from zero and saturates to the range of " +
                                   std::string(name(s.dtype));
  }
  std::string operator()(const Layout& s) const {
    return s.nchw ? "stores channel after channel" : "stores the channels of a pixel side by side";
  }
  std::string operator()(const Quantize& s) const {
    const std::string how = s.round == Quantize::Round::kHalfAway   ? "halves away from zero"
                            : s.round == Quantize::Round::kHalfEven ? "halves to the even number"
                                                                    : "rounded down";
    return std::string("value / scale + zero point with ") +
           (s.scale ? "the given" : "the model's") + " parameters, " + how + ", saturated";
  }
};

}  // namespace

std::string meaning(const Step& step) { return std::visit(Meaning{}, step); }

std::vector<Spelled> spelled(const Recipe& recipe) {
  if (const audio::FrontEnd* const sound = sound_of(recipe)) return spelled_sound(*sound);
  if (const sensor::FrontEnd* const readings = readings_of(recipe))
    return spelled_readings(*readings);
  if (const text::FrontEnd* const of_text = text_of(recipe)) return spelled_text(*of_text);
  std::vector<Spelled> steps;
  for (const Step& step : recipe.steps) steps.push_back({to_text(step), meaning(step)});
  return steps;
}

}  // namespace edgeprobe::preprocess
