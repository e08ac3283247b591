// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "core/text.h"
#include "preprocess/picture/resize.h"
#include "preprocess/recipe/picture_steps.h"
#include "preprocess/recipe/picture_words.h"
#include "recipe/read.h"

namespace edgeprobe::preprocess {
namespace {

using recipe::Argument;
using recipe::Arguments;
using recipe::as;
using recipe::member;
using recipe::real;
using recipe::reals;
using recipe::step;
using recipe::Word;
using recipe::word;

constexpr std::array kColor{
    word("order", member<&Color::order>, kOrderWords).needed("an order like rgb or bgr").always()};
std::string color_meaning(const void* recipe) {
  std::string text = "channels in the order";
  const std::string_view word = recipe::word_of(kOrderWords, as<Color>(recipe).order);
  for (std::size_t i = 0; i < word.size(); ++i)
    text += (i == 0 ? " " : ", ") + std::string(word[i] == 'r'   ? "red"
                                                : word[i] == 'g' ? "green"
                                                                 : "blue");
  return text;
}

Status check_weights(const Arguments& arguments, const Argument* given, void* recipe) {
  if (!given || as<Gray>(recipe).weights.size() == 3) return {};
  return arguments.error(given->at, "weights= takes one value each for R, G and B");
}
Status check_gray(const Arguments& arguments, const Argument*, void* recipe) {
  const auto& s = as<Gray>(recipe);
  if (s.weights.empty() || !is_library(s.rounding)) return {};
  return arguments.error(
      arguments.at(), "a library's 8-bit sums have its own weights: leave weights= or round= out");
}
constexpr std::array kGrayChannels{Word{"1", false}, Word{"3", true}};
constexpr std::array kGray{
    word("channels", member<&Gray::keep_three>, kGrayChannels).positional(),
    reals("weights", member<&Gray::weights>, -kLargestNumber, kLargestNumber)
        .and_then(check_weights),
    word("round", member<&Gray::rounding>, kRoundingWords).and_then(check_gray),
};
std::string gray_meaning(const void* recipe) {
  const auto& s = as<Gray>(recipe);
  const std::vector<double> w =
      s.weights.empty() ? std::vector<double>{0.299, 0.587, 0.114} : s.weights;
  return "brightness " + number(w[0]) + " R + " + number(w[1]) + " G + " + number(w[2]) + " B as " +
         (s.keep_three ? "three equal channels" : "one channel");
}

constexpr std::array kCurves{
    Word{"srgb_to_linear", Tone::Curve::kSrgbToLinear},
    Word{"linear_to_srgb", Tone::Curve::kLinearToSrgb},
    Word{"rgb565", Tone::Curve::kRgb565},
    Word{"rgb565_filled", Tone::Curve::kRgb565Filled},
};
bool is_gamma(const void* s) { return as<Tone>(s).curve == Tone::Curve::kGamma; }
bool is_linear(const void* s) { return as<Tone>(s).curve == Tone::Curve::kLinear; }
bool is_named(const void* s) { return !is_gamma(s) && !is_linear(s); }
constexpr std::array kTone{
    real("gamma", member<&Tone::gamma>, 0.01, 100).shown_if(is_gamma),
    reals("gain", member<&Tone::gain>, -kLargestNumber, kLargestNumber).shown_if(is_linear),
    reals("offset", member<&Tone::offset>, -kLargestNumber, kLargestNumber).shown_if(is_linear),
    word("curve", member<&Tone::curve>, kCurves).positional().shown_if(is_named),
    word("round", member<&Tone::rounding>, kWholeWords),
};
/// The argument given decides which curve it is.
Status read_tone(Arguments& arguments, const recipe::Step& tone, void* recipe) {
  const auto gain = arguments.take("gain"), offset = arguments.take("offset"),
             gamma = arguments.take("gamma");
  const auto curve = arguments.next();
  if (int(gain || offset) + int(bool(gamma)) + int(bool(curve)) != 1)
    return arguments.error(arguments.at(),
                           "tone needs one of gamma=, gain= and offset=, srgb_to_linear, "
                           "linear_to_srgb, rgb565, rgb565_filled");
  if (gain || offset) as<Tone>(recipe).curve = Tone::Curve::kLinear;
  const std::array given{gamma, gain, offset, curve};
  for (std::size_t i = 0; i < given.size(); ++i)
    if (given[i]) EP_CHECK(recipe::read_value(arguments, tone.fields[i], *given[i], recipe));
  return recipe::read_fields(arguments, tone.fields.subspan(given.size()), recipe);
}
std::string tone_meaning(const void* recipe) {
  const auto& s = as<Tone>(recipe);
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

constexpr std::array kMatrices{Word{"bt601", ColorMatrix::kBt601},
                               Word{"bt709", ColorMatrix::kBt709}};
constexpr std::array kLevelRanges{Word{"full", false}, Word{"limited", true}};
constexpr std::array kChromas{Word{"kept", false}, Word{"swapped", true}};
constexpr std::array kRecodeRounds{Word{"float", Recode::Round::kFloat},
                                   Word{"uint8", Recode::Round::kUint8},
                                   Word{"yuv8", Recode::Round::kYuv8}};
constexpr const char* kTwoMatrices =
    "two of bt601 and bt709: what encoded the picture and what decodes it";
constexpr std::array kRecode{
    word("from", member<&Recode::encode>, kMatrices).needed(kTwoMatrices).always(),
    word("to", member<&Recode::decode>, kMatrices).needed(kTwoMatrices).always(),
    word("encode", member<&Recode::encode_limited>, kLevelRanges),
    word("decode", member<&Recode::decode_limited>, kLevelRanges),
    word("chroma", member<&Recode::chroma_swapped>, kChromas),
    word("round", member<&Recode::round>, kRecodeRounds),
};
std::string recode_meaning(const void* recipe) {
  const auto& s = as<Recode>(recipe);
  const auto words = [](ColorMatrix matrix, bool limited) {
    return std::string(matrix == ColorMatrix::kBt601 ? "BT.601" : "BT.709") +
           (limited ? " limited" : " full") + " range";
  };
  return "encoded to YUV by " + words(s.encode, s.encode_limited) + " and decoded by " +
         words(s.decode, s.decode_limited) + (s.chroma_swapped ? ", U and V exchanged" : "");
}

Status check_rows(const Arguments& arguments, const Argument* given, void* recipe) {
  const std::size_t count = as<Matrix>(recipe).rows.size();
  if (count == 9) return {};
  return arguments.error(
      given->at,
      "matrix needs nine numbers, three for each channel; these are " + std::to_string(count));
}
Status check_added(const Arguments& arguments, const Argument* given, void* recipe) {
  const std::size_t count = as<Matrix>(recipe).offset.size();
  if (count == 1 || count == 3) return {};
  return arguments.error(given->at, "offset= takes one value, or one a channel");
}
constexpr std::array kMatrix{
    reals("rows", member<&Matrix::rows>, -kLargestNumber, kLargestNumber)
        .needed("nine numbers: three weights of R, G and B for each channel")
        .always()
        .and_then(check_rows),
    reals("offset", member<&Matrix::offset>, -kLargestNumber, kLargestNumber).and_then(check_added),
    word("round", member<&Matrix::rounding>, kWholeWords),
};

constexpr std::array kColorSteps{
    picture_step<Color>(step("color", 6, kColor).meant_by(color_meaning)),
    picture_step<Gray>(step("gray", 7, kGray).meant_by(gray_meaning)),
    picture_step<Tone>(step("tone", 14, kTone).read_by(read_tone).meant_by(tone_meaning)),
    picture_step<Recode>(step("recode", 15, kRecode).meant_by(recode_meaning)),
    picture_step<Matrix>(step("matrix", 17, kMatrix)
                             .saying("mixes red, green and blue into three other channels, by a "
                                     "matrix[round|, rounded to 8 bits]")),
};

}  // namespace

PictureSteps color_steps() { return kColorSteps; }

}  // namespace edgeprobe::preprocess
