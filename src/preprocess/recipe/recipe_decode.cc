// SPDX-License-Identifier: Apache-2.0
#include "preprocess/recipe/recipe_decode.h"

#include "preprocess/recipe/recipe_words.h"

namespace edgeprobe::preprocess {
namespace {

constexpr std::array kFrameLayouts{
    Word<YuvLayout>{"nv12", YuvLayout::kNv12},
    Word<YuvLayout>{"nv21", YuvLayout::kNv21},
    Word<YuvLayout>{"i420", YuvLayout::kI420},
    Word<YuvLayout>{"yv12", YuvLayout::kYv12},
};
constexpr std::array kFrameMatrices{Word<YuvMatrix>{"bt601", YuvMatrix::kBt601},
                                    Word<YuvMatrix>{"bt709", YuvMatrix::kBt709}};
constexpr std::array kFrameRanges{Word<YuvRange>{"limited", YuvRange::kLimited},
                                  Word<YuvRange>{"full", YuvRange::kFull}};
constexpr std::array kStrides{
    Word<Decode::Stride>{"given", Decode::Stride::kGiven},
    Word<Decode::Stride>{"ignored", Decode::Stride::kIgnored},
    Word<Decode::Stride>{"ignored_in_planes", Decode::Stride::kIgnoredInPlanes},
};
constexpr std::array kArithmetics{
    Word<YuvArithmetic>{"rounded", YuvArithmetic::kRounded},
    Word<YuvArithmetic>{"opencv", YuvArithmetic::kOpencv},
    Word<YuvArithmetic>{"shift10", YuvArithmetic::kShift10},
};
constexpr std::array kScales{Word<int>{"1/1", 1}, Word<int>{"1/2", 2}, Word<int>{"1/4", 4},
                             Word<int>{"1/8", 8}};
constexpr std::array kUpsamplings{Word<bool>{"smooth", false}, Word<bool>{"plain", true}};
constexpr std::array kTransforms{Word<bool>{"exact", false}, Word<bool>{"fast", true}};
constexpr std::array kDepths{
    Word<Decode::Depth>{"high_byte", Decode::Depth::kHighByte},
    Word<Decode::Depth>{"rounded", Decode::Depth::kRounded},
    Word<Decode::Depth>{"clipped", Decode::Depth::kClipped},
};
constexpr std::array kAlphas{
    Word<Decode::Alpha>{"dropped", Decode::Alpha::kDropped},
    Word<Decode::Alpha>{"black", Decode::Alpha::kBlack},
    Word<Decode::Alpha>{"white", Decode::Alpha::kWhite},
};
constexpr std::array kOrientations{Word<bool>{"kept", false}, Word<bool>{"applied", true}};

template <class T, std::size_t N>
Status assign_optional(Arguments& arguments, std::string_view key,
                       const std::array<Word<T>, N>& words, std::optional<T>& target) {
  const auto argument = arguments.take(key);
  if (!argument) return {};
  auto value = arguments.word(*argument, words);
  if (!value) return std::move(value).error();
  target = *value;
  return {};
}

}  // namespace

Result<Decode> read_decode(Arguments& arguments) {
  Decode step;
  if (const auto layout = arguments.next()) {
    auto value = arguments.word(*layout, kFrameLayouts);
    if (!value) return std::move(value).error();
    step.layout = *value;
  }
  if (auto done = assign_optional(arguments, "matrix", kFrameMatrices, step.matrix); !done)
    return std::move(done).error();
  if (auto done = assign_optional(arguments, "range", kFrameRanges, step.range); !done)
    return std::move(done).error();
  if (auto done = arguments.assign("stride", kStrides, step.stride); !done)
    return std::move(done).error();
  if (auto done = arguments.assign("arithmetic", kArithmetics, step.arithmetic); !done)
    return std::move(done).error();
  if (auto done = arguments.assign("scale", kScales, step.scale); !done)
    return std::move(done).error();
  if (auto done = arguments.assign("upsampling", kUpsamplings, step.plain_upsampling); !done)
    return std::move(done).error();
  if (auto done = arguments.assign("dct", kTransforms, step.fast_dct); !done)
    return std::move(done).error();
  if (auto done = arguments.assign("depth", kDepths, step.depth); !done)
    return std::move(done).error();
  if (auto done = arguments.assign("alpha", kAlphas, step.alpha); !done)
    return std::move(done).error();
  if (auto done = arguments.assign("orientation", kOrientations, step.oriented); !done)
    return std::move(done).error();
  return step;
}

std::string decode_text(const Decode& step) {
  std::string inside;
  const auto add = [&](std::string_view key, std::string_view word) {
    if (!inside.empty()) inside += ", ";
    if (!key.empty()) inside += std::string(key) + "=";
    inside += word;
  };
  if (step.layout) add("", word_of(kFrameLayouts, *step.layout));
  if (step.matrix) add("matrix", word_of(kFrameMatrices, *step.matrix));
  if (step.range) add("range", word_of(kFrameRanges, *step.range));
  if (step.stride != Decode::Stride::kGiven) add("stride", word_of(kStrides, step.stride));
  if (step.arithmetic != YuvArithmetic::kRounded)
    add("arithmetic", word_of(kArithmetics, step.arithmetic));
  if (step.scale != 1) add("scale", word_of(kScales, step.scale));
  if (step.plain_upsampling) add("upsampling", "plain");
  if (step.fast_dct) add("dct", "fast");
  if (step.depth != Decode::Depth::kHighByte) add("depth", word_of(kDepths, step.depth));
  if (step.alpha != Decode::Alpha::kDropped) add("alpha", word_of(kAlphas, step.alpha));
  if (step.oriented) add("orientation", "applied");
  return inside.empty() ? "decode" : "decode(" + inside + ")";
}

std::string decode_meaning(const Decode& step) {
  std::string frame =
      step.layout ? "the camera frame as " + std::string(word_of(kFrameLayouts, *step.layout)) : "";
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

}  // namespace edgeprobe::preprocess
