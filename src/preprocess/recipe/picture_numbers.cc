// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "core/text.h"
#include "preprocess/recipe/picture_steps.h"
#include "recipe/print.h"
#include "recipe/read.h"

namespace edgeprobe::preprocess {
namespace {

using recipe::Argument;
using recipe::Arguments;
using recipe::as;
using recipe::member;
using recipe::own;
using recipe::real;
using recipe::reals;
using recipe::step;
using recipe::whole;
using recipe::Word;
using recipe::word;

constexpr std::array kStandardized{Word{"image", false, "this image"},
                                   Word{"channel", true, "each channel of this image"}};
constexpr std::array kStandardize{
    word("over", member<&Standardize::by_channel>, kStandardized).positional()};

Status read_range(Arguments& arguments, const Argument& given, void* recipe) {
  const std::size_t dots = given.value.find("..");
  if (dots == std::string_view::npos)
    return arguments.error(
        given.at, "expected a range like -1..1, found \"" + sanitized(given.value, 60) + "\"");
  EP_TRY(auto low, arguments.real({{}, given.value.substr(0, dots), given.at}, -kLargestNumber,
                                  kLargestNumber));
  EP_TRY(auto high, arguments.real({{}, given.value.substr(dots + 2), given.at}, -kLargestNumber,
                                   kLargestNumber));
  if (low >= high) return arguments.error(given.at, "the range is empty or backwards");
  as<Scale>(recipe) = {low, high};
  return {};
}
std::string range_text(const void* recipe) {
  const auto& s = as<Scale>(recipe);
  return recipe::exact_text(s.low) + ".." + recipe::exact_text(s.high);
}
std::string scale_meaning(const void* recipe) {
  const auto& s = as<Scale>(recipe);
  return "maps 0..255 to " + number(s.low) + ".." + number(s.high);
}
constexpr std::array kRange{
    own("range", {}, read_range, range_text).needed("a range like 0..1 or -1..1")};

Status need_both(const Arguments& arguments, const Argument* given, void*) {
  if (given) return {};
  return arguments.error(arguments.at(), "normalize needs mean= and std=");
}
Status check_lengths(const Arguments& arguments, const Argument* given, void* recipe) {
  EP_CHECK(need_both(arguments, given, recipe));
  const auto& s = as<Normalize>(recipe);
  if (s.mean.size() == s.std.size() || s.mean.size() == 1 || s.std.size() == 1) return {};
  return arguments.error(arguments.at(), "mean and std have different numbers of values");
}
constexpr std::array kMeanAndStd{
    reals("mean", member<&Normalize::mean>, -kLargestNumber, kLargestNumber)
        .always()
        .and_then(need_both),
    reals("std", member<&Normalize::std>, kSmallestDivisor, kLargestNumber)
        .always()
        .and_then(check_lengths),
};

constexpr std::array kTypes{Word{"float32", DType::kFloat32}, Word{"float16", DType::kFloat16},
                            Word{"uint8", DType::kUInt8}, Word{"int8", DType::kInt8},
                            Word{"int16", DType::kInt16}};
std::string type_text(const void* s) { return name(as<Cast>(s).dtype); }
constexpr std::array kCast{word("type", member<&Cast::dtype>, kTypes)
                               .needed("a type like float32")
                               .always()
                               .written_as(type_text)};
std::string cast_meaning(const void* s) {
  return is_float(as<Cast>(s).dtype)
             ? "keeps real values"
             : "rounds half away from zero and saturates to the range of " + type_text(s);
}

constexpr std::array kPixelLayouts{
    Word{"nhwc", false, "stores the channels of a pixel side by side"},
    Word{"nchw", true, "stores channel after channel"}};
constexpr std::array kMemories{Word{"nhwc", Memory::kNhwc}, Word{"nchw", Memory::kNchw},
                               Word{"nhcw", Memory::kNhcw}, Word{"nwhc", Memory::kNwhc}};
constexpr std::array kPixelLayout{
    word("order", member<&Layout::nchw>, kPixelLayouts).needed("nhwc or nchw").always(),
    word("memory", member<&Layout::memory>, kMemories),
};

constexpr std::array kModelWord{Word{"model", true}};
bool has_parameters(const void* s) { return as<Quantize>(s).scale && as<Quantize>(s).zero_point; }
std::string source_text(const void* s) { return has_parameters(s) ? "" : "model"; }
constexpr std::array kHalves{
    Word{"half_away", Quantize::Round::kHalfAway, "halves away from zero"},
    Word{"half_even", Quantize::Round::kHalfEven, "halves to the even number"},
    Word{"floor", Quantize::Round::kFloor, "rounded down"},
};
constexpr std::array kQuantizePixels{
    own("from", {}, nullptr, source_text).positional(),
    real("scale", member<&Quantize::scale>, kSmallestDivisor, kLargestNumber)
        .shown_if(has_parameters),
    whole("zero_point", member<&Quantize::zero_point>, -32768, 32767).shown_if(has_parameters),
    word("round", member<&Quantize::round>, kHalves),
    word("sign", member<&Quantize::sign_flipped>, recipe::kKeptOrFlipped),
};
/// quantize(model), or both parameters.
Status read_quantize(Arguments& arguments, const recipe::Step& quantize, void* recipe) {
  if (const auto source = arguments.next()) {
    EP_CHECK(arguments.word(*source, kModelWord));
  } else {
    const std::array given{arguments.take("scale"), arguments.take("zero_point")};
    if (!given[0] || !given[1])
      return arguments.error(arguments.at(), "expected quantize(model), or scale= and zero_point=");
    for (std::size_t i = 0; i < given.size(); ++i)
      EP_CHECK(recipe::read_value(arguments, quantize.fields[1 + i], *given[i], recipe));
  }
  return recipe::read_fields(arguments, quantize.fields.subspan(3), recipe);
}
std::string quantize_meaning(const void* recipe) {
  const auto& s = as<Quantize>(recipe);
  return std::string("value / scale + zero point with ") + (s.scale ? "the given" : "the model's") +
         " parameters, " + recipe::find_word(kHalves, static_cast<int>(s.round))->meaning +
         ", saturated";
}

constexpr std::array kNumberSteps{
    picture_step<Scale>(step("scale", 8, kRange).meant_by(scale_meaning)),
    picture_step<Normalize>(
        step("normalize", 9, kMeanAndStd)
            .saying("subtracts the mean and divides by the standard deviation")),
    picture_step<Cast>(step("cast", 10, kCast).meant_by(cast_meaning)),
    picture_step<Layout>(step("layout", 11, kPixelLayout).saying("{order}")),
    picture_step<Quantize>(
        step("quantize", 12, kQuantizePixels).read_by(read_quantize).meant_by(quantize_meaning)),
    picture_step<Standardize>(
        step("standardize", 16, kStandardize)
            .saying("subtracts the mean and divides by the deviation of {over}")),
};

}  // namespace

PictureSteps number_steps() { return kNumberSteps; }

}  // namespace edgeprobe::preprocess
