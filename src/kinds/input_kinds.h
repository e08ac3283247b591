// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <variant>

#include "audio/front_end.h"
#include "kinds/table.h"
#include "preprocess/recipe/recipe.h"
#include "sensor/front_end.h"
#include "text/front_end.h"

/// Tables of the kinds of model inputs and of answers derived from outputs. The kind is determined
/// once, here, and then passed on.
namespace edgeprobe::kinds {

enum class InputId { kPicture, kSound, kReadings, kText, kTensors };
inline constexpr InputId kLastInput = InputId::kTensors;

/// A kind of input; the rows of the table are in the order of InputId.
struct InputKind {
  InputId id{};
  const char* name = "";      ///< "picture".
  const char* encoding = "";  ///< Encoding of its raw channel in a trace; "": several, or none.
  /// Values are pixels: they have colours, a geometry, an 8-bit range.
  bool has_pixels = false;
  bool is_shown = true;       ///< A model input of this kind can be displayed as a picture.
  bool reads_arrays = false;  ///< Its recipes make the model input from a recorded array.
  bool needs_tokenizer = false;
  recipe::Steps (*steps)() = nullptr;  ///< Steps of its recipes; null: none.
};
std::span<const InputKind> input_kinds();
const InputKind& kind_of(InputId id);

/// The front end of a recipe, borrowed from it; alternatives are in the order of InputId. A picture
/// recipe is a list of steps.
using FrontEnd = std::variant<const preprocess::Recipe*, const audio::FrontEnd*,
                              const sensor::FrontEnd*, const text::FrontEnd*>;
FrontEnd front_end_of(const preprocess::Recipe& recipe);
/// The input kind of a recipe.
const InputKind& kind_of(const preprocess::Recipe& recipe);

}  // namespace edgeprobe::kinds
