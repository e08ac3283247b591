// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "preprocess/recipe/recipe.h"

/// The words of recipe texts, for the parser and the printer alike.
namespace edgeprobe::preprocess {

template <class T>
using Word = std::pair<std::string_view, T>;

inline constexpr std::array kKernelWords{
    Word<Kernel>{"nearest", Kernel::kNearest},   Word<Kernel>{"bilinear", Kernel::kBilinear},
    Word<Kernel>{"area", Kernel::kArea},         Word<Kernel>{"box", Kernel::kBox},
    Word<Kernel>{"bicubic", Kernel::kBicubic},   Word<Kernel>{"lanczos3", Kernel::kLanczos3},
    Word<Kernel>{"lanczos4", Kernel::kLanczos4},
};
inline constexpr std::array kAlignWords{
    Word<Align>{"half_pixel", Align::kHalfPixel},
    Word<Align>{"corners", Align::kCorners},
    Word<Align>{"legacy", Align::kLegacy},
};
inline constexpr std::array kGridWords{
    Word<Grid>{"double", Grid::kDouble},
    Word<Grid>{"fixed16", Grid::kFixed16},
    Word<Grid>{"float32", Grid::kFloat32},
};
inline constexpr std::array kEdgeWords{
    Word<Edge>{"replicate", Edge::kReplicate},
    Word<Edge>{"drop", Edge::kDrop},
};
inline constexpr std::array kRoundingWords{
    Word<Rounding>{"float", Rounding::kFloat},       Word<Rounding>{"uint8", Rounding::kUint8},
    Word<Rounding>{"opencv", Rounding::kOpencv},     Word<Rounding>{"pillow", Rounding::kPillow},
    Word<Rounding>{"pillow12", Rounding::kPillow12},
};
inline constexpr std::array kQuantizeRoundWords{
    Word<Quantize::Round>{"half_away", Quantize::Round::kHalfAway},
    Word<Quantize::Round>{"half_even", Quantize::Round::kHalfEven},
    Word<Quantize::Round>{"floor", Quantize::Round::kFloor},
};
inline constexpr std::array kSwitchWords{Word<bool>{"on", true}, Word<bool>{"off", false}};
inline constexpr std::array kOrderWords{
    Word<ChannelOrder>{"rgb", ChannelOrder::kRgb}, Word<ChannelOrder>{"bgr", ChannelOrder::kBgr},
    Word<ChannelOrder>{"rbg", ChannelOrder::kRbg}, Word<ChannelOrder>{"grb", ChannelOrder::kGrb},
    Word<ChannelOrder>{"gbr", ChannelOrder::kGbr}, Word<ChannelOrder>{"brg", ChannelOrder::kBrg},
};
inline constexpr std::array kCurveWords{
    Word<Tone::Curve>{"srgb_to_linear", Tone::Curve::kSrgbToLinear},
    Word<Tone::Curve>{"linear_to_srgb", Tone::Curve::kLinearToSrgb},
    Word<Tone::Curve>{"rgb565", Tone::Curve::kRgb565},
    Word<Tone::Curve>{"rgb565_filled", Tone::Curve::kRgb565Filled},
};
inline constexpr std::array kMatrixWords{
    Word<ColorMatrix>{"bt601", ColorMatrix::kBt601},
    Word<ColorMatrix>{"bt709", ColorMatrix::kBt709},
};
inline constexpr std::array kLevelsWords{Word<bool>{"full", false}, Word<bool>{"limited", true}};
inline constexpr std::array kChromaWords{Word<bool>{"kept", false}, Word<bool>{"swapped", true}};
inline constexpr std::array kRecodeRoundWords{
    Word<Recode::Round>{"float", Recode::Round::kFloat},
    Word<Recode::Round>{"uint8", Recode::Round::kUint8},
    Word<Recode::Round>{"yuv8", Recode::Round::kYuv8},
};
inline constexpr std::array kShiftEdgeWords{
    Word<Shift::Edge>{"repeat", Shift::Edge::kRepeat},
    Word<Shift::Edge>{"wrap", Shift::Edge::kWrap},
    Word<Shift::Edge>{"black", Shift::Edge::kBlack},
};
inline constexpr std::array kWholeWords{Word<Rounding>{"float", Rounding::kFloat},
                                        Word<Rounding>{"uint8", Rounding::kUint8}};
inline constexpr std::array kLayoutWords{Word<bool>{"nhwc", false}, Word<bool>{"nchw", true}};
inline constexpr std::array kMemoryWords{
    Word<Memory>{"nhwc", Memory::kNhwc},
    Word<Memory>{"nchw", Memory::kNchw},
    Word<Memory>{"nhcw", Memory::kNhcw},
    Word<Memory>{"nwhc", Memory::kNwhc},
};
inline constexpr std::array kSignWords{Word<bool>{"kept", false}, Word<bool>{"flipped", true}};
inline constexpr std::array kFlipWords{Word<bool>{"horizontal", true},
                                       Word<bool>{"vertical", false}};
inline constexpr std::array kOffsetWords{
    Word<Crop::Offset>{"half_even", Crop::Offset::kHalfEven},
    Word<Crop::Offset>{"floor", Crop::Offset::kFloor},
};
enum class Place { kCenter, kTopLeft, kBottomRight };
inline constexpr std::array kPlaceWords{
    Word<Place>{"center", Place::kCenter},
    Word<Place>{"top_left", Place::kTopLeft},
    Word<Place>{"bottom_right", Place::kBottomRight},
};
inline constexpr std::array kTurnWords{Word<int>{"90", 90}, Word<int>{"180", 180},
                                       Word<int>{"270", 270}};

enum class Library { kOpencv, kPillow, kTensorflow };
inline constexpr std::array kLibraryWords{
    Word<Library>{"opencv", Library::kOpencv},
    Word<Library>{"pillow", Library::kPillow},
    Word<Library>{"tensorflow", Library::kTensorflow},
};

/// The word of a value that is in the table.
template <class T, std::size_t N>
std::string_view word_of(const std::array<Word<T>, N>& words, T value) {
  for (const auto& [word, meaning] : words) {
    if (meaning == value) return word;
  }
  return "?";
}

}  // namespace edgeprobe::preprocess
