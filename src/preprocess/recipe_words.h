#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "preprocess/recipe.h"

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
    Word<Rounding>{"float", Rounding::kFloat},
    Word<Rounding>{"uint8", Rounding::kUint8},
    Word<Rounding>{"opencv", Rounding::kOpencv},
    Word<Rounding>{"pillow", Rounding::kPillow},
    Word<Rounding>{"pillow12", Rounding::kPillow12},
};
inline constexpr std::array kQuantizeRoundWords{
    Word<Quantize::Round>{"half_away", Quantize::Round::kHalfAway},
    Word<Quantize::Round>{"half_even", Quantize::Round::kHalfEven},
    Word<Quantize::Round>{"floor", Quantize::Round::kFloor},
};
inline constexpr std::array kSwitchWords{Word<bool>{"on", true}, Word<bool>{"off", false}};
inline constexpr std::array kOrderWords{Word<bool>{"rgb", false}, Word<bool>{"bgr", true}};
inline constexpr std::array kLayoutWords{Word<bool>{"nhwc", false}, Word<bool>{"nchw", true}};
inline constexpr std::array kMemoryWords{
    Word<Memory>{"nhwc", Memory::kNhwc}, Word<Memory>{"nchw", Memory::kNchw},
    Word<Memory>{"nhcw", Memory::kNhcw}, Word<Memory>{"nwhc", Memory::kNwhc},
};
inline constexpr std::array kSignWords{Word<bool>{"kept", false}, Word<bool>{"flipped", true}};
inline constexpr std::array kFlipWords{Word<bool>{"horizontal", true}, Word<bool>{"vertical", false}};
inline constexpr std::array kPlaceWords{Word<bool>{"center", true}, Word<bool>{"top_left", false}};
inline constexpr std::array kTurnWords{Word<int>{"90", 90}, Word<int>{"180", 180}, Word<int>{"270", 270}};

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
