// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <type_traits>
#include <variant>

#include "preprocess/recipe/recipe.h"
#include "recipe/field.h"

/// Recipes for pictures: each step is an alternative of Step, with rows over that alternative.
namespace edgeprobe::preprocess {

// These bounds keep single steps meaningful. 64 such steps could still exceed float's range, so
// apply() checks each result.
inline constexpr double kLargestNumber = 1e9;
inline constexpr double kSmallestDivisor = 1e-9;

/// A step's row, with the alternative of Step that it belongs to. `place` is the step's position in
/// lists; picture steps run in the order written.
struct PictureStep {
  recipe::Step row;
  std::size_t alternative = 0;
  Step (*made)() = nullptr;
};
using PictureSteps = std::span<const PictureStep>;

template <class T, class... Ts>
constexpr std::size_t alternative_of(std::type_identity<std::variant<Ts...>>) {
  std::size_t index = 0;
  static_cast<void>(((std::is_same_v<T, Ts> ? false : (++index, true)) && ...));
  return index;
}
/// The row for the step type T.
template <class T>
constexpr PictureStep picture_step(const recipe::Step& row) {
  return {row, alternative_of<T>(std::type_identity<Step>{}), [] { return Step{T{}}; }};
}

PictureSteps decode_steps();    ///< How recorded bytes become pixels.
PictureSteps geometry_steps();  ///< Steps that move pixels.
PictureSteps resize_steps();
PictureSteps color_steps();
PictureSteps number_steps();  ///< Numbers, their types and their order in memory.

/// All picture steps, in the order listed.
PictureSteps picture_steps();
/// The rows of picture_steps().
recipe::Steps picture_rows();

/// "224x160".
std::string size_text(int height, int width);
/// "224 high, 160 wide".
std::string sides(int height, int width);

}  // namespace edgeprobe::preprocess
