// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <variant>

#include "audio/front_end.h"
#include "kinds/table.h"
#include "preprocess/recipe/recipe.h"
#include "sensor/front_end.h"
#include "text/front_end.h"

/// The tables of what goes into a model and of what an app makes of its outputs. "Which kind is
/// it?" is asked here once, and the answer is carried on.
namespace edgeprobe::kinds {

enum class InputId { kPicture, kSound, kReadings, kText, kTensors };
inline constexpr InputId kLastInput = InputId::kTensors;

/// A kind of input; the rows of the table are in the order of InputId.
struct InputKind {
  InputId id{};
  const char* name = "";      ///< "picture".
  const char* encoding = "";  ///< Of its raw channel in a trace; "": several, or none.
  /// Values are pixels: they have colours, a geometry, a range of 8 bits.
  bool has_pixels = false;
  bool is_shown = true;       ///< A model input of it can be looked at as a picture.
  bool reads_arrays = false;  ///< A recipe of it makes the model input of a recorded array.
  bool needs_tokenizer = false;
  recipe::Steps (*steps)() = nullptr;  ///< Of its recipes; null: it has none.
};
std::span<const InputKind> input_kinds();
const InputKind& kind_of(InputId id);

/// The front end of a recipe, borrowed from the recipe; the alternatives are in the
/// order of InputId. A recipe of pictures is a list of steps.
using FrontEnd = std::variant<const preprocess::Recipe*, const audio::FrontEnd*,
                              const sensor::FrontEnd*, const text::FrontEnd*>;
FrontEnd front_end_of(const preprocess::Recipe& recipe);
/// The kind of input that a recipe is for.
const InputKind& kind_of(const preprocess::Recipe& recipe);

}  // namespace edgeprobe::kinds
