// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "preprocess/recipe/picture_steps.h"

namespace edgeprobe::preprocess {
namespace {

using recipe::as;
using recipe::member;
using recipe::step;
using recipe::Word;
using recipe::word;

constexpr std::array kFrameLayouts{
    Word{"nv12", YuvLayout::kNv12},
    Word{"nv21", YuvLayout::kNv21},
    Word{"i420", YuvLayout::kI420},
    Word{"yv12", YuvLayout::kYv12},
};
constexpr std::array kFrameMatrices{Word{"bt601", YuvMatrix::kBt601},
                                    Word{"bt709", YuvMatrix::kBt709}};
constexpr std::array kFrameRanges{Word{"limited", YuvRange::kLimited},
                                  Word{"full", YuvRange::kFull}};
constexpr std::array kStrides{
    Word{"given", Decode::Stride::kGiven},
    Word{"ignored", Decode::Stride::kIgnored},
    Word{"ignored_in_planes", Decode::Stride::kIgnoredInPlanes},
};
constexpr std::array kArithmetics{
    Word{"rounded", YuvArithmetic::kRounded},
    Word{"opencv", YuvArithmetic::kOpencv},
    Word{"shift10", YuvArithmetic::kShift10},
};
constexpr std::array kScales{Word{"1/1", 1}, Word{"1/2", 2}, Word{"1/4", 4}, Word{"1/8", 8}};
constexpr std::array kUpsamplings{Word{"smooth", false}, Word{"plain", true}};
constexpr std::array kTransforms{Word{"exact", false}, Word{"fast", true}};
constexpr std::array kDepths{
    Word{"high_byte", Decode::Depth::kHighByte},
    Word{"rounded", Decode::Depth::kRounded},
    Word{"clipped", Decode::Depth::kClipped},
};
constexpr std::array kAlphas{
    Word{"dropped", Decode::Alpha::kDropped},
    Word{"black", Decode::Alpha::kBlack},
    Word{"white", Decode::Alpha::kWhite},
};
constexpr std::array kOrientations{Word{"kept", false}, Word{"applied", true}};

constexpr std::array kDecode{
    word("layout", member<&Decode::layout>, kFrameLayouts).positional(),
    word("matrix", member<&Decode::matrix>, kFrameMatrices),
    word("range", member<&Decode::range>, kFrameRanges),
    word("stride", member<&Decode::stride>, kStrides),
    word("arithmetic", member<&Decode::arithmetic>, kArithmetics),
    word("scale", member<&Decode::scale>, kScales),
    word("upsampling", member<&Decode::plain_upsampling>, kUpsamplings),
    word("dct", member<&Decode::fast_dct>, kTransforms),
    word("depth", member<&Decode::depth>, kDepths),
    word("alpha", member<&Decode::alpha>, kAlphas),
    word("orientation", member<&Decode::oriented>, kOrientations),
};
std::string decode_meaning(const void* recipe) {
  const auto& step = as<Decode>(recipe);
  std::string frame = step.layout ? "the camera frame as " +
                                        std::string(recipe::word_of(kFrameLayouts, *step.layout))
                                  : "";
  const auto add = [](std::string& text, const std::string& more) {
    text += (text.empty() ? "" : ", ") + more;
  };
  if (step.matrix) add(frame, *step.matrix == YuvMatrix::kBt601 ? "by BT.601" : "by BT.709");
  if (step.range)
    add(frame, *step.range == YuvRange::kLimited ? "in limited range (16..235)"
                                                 : "in full range (0..255)");
  if (step.stride == Decode::Stride::kIgnored) add(frame, "as if its rows were not padded");
  if (step.stride == Decode::Stride::kIgnoredInPlanes)
    add(frame, "as if the rows of each plane were not padded");
  if (step.arithmetic == YuvArithmetic::kOpencv) add(frame, "in 20-bit integers, as cv2.cvtColor");
  if (step.arithmetic == YuvArithmetic::kShift10)
    add(frame, "in 10-bit integers that are rounded down");
  std::string text = std::move(frame);
  if (step.scale != 1) add(text, "the JPEG at 1/" + std::to_string(step.scale) + " of its size");
  if (step.plain_upsampling) add(text, "JPEG chroma repeated, not smoothed");
  if (step.fast_dct) add(text, "the JPEG by libjpeg's fast, inexact transform");
  if (step.depth == Decode::Depth::kRounded) add(text, "16-bit samples rounded to 8 bits");
  if (step.depth == Decode::Depth::kClipped)
    add(text, "16-bit gray cut off at 255, as Pillow's convert(\"RGB\")");
  if (step.alpha == Decode::Alpha::kBlack) add(text, "transparent pixels blended with black");
  if (step.alpha == Decode::Alpha::kWhite) add(text, "transparent pixels blended with white");
  if (step.oriented) add(text, "turned as the file or the camera says");
  return text.empty() ? "decodes the recorded bytes as they say themselves" : "decodes " + text;
}

constexpr std::array kDecodeSteps{
    picture_step<Decode>(step("decode", 0, kDecode).meant_by(decode_meaning))};

}  // namespace

PictureSteps decode_steps() { return kDecodeSteps; }

}  // namespace edgeprobe::preprocess
