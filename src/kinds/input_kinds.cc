// SPDX-License-Identifier: Apache-2.0
#include "kinds/input_kinds.h"

#include <array>

#include "preprocess/recipe/picture_steps.h"
#include "preprocess/recipe/readings_steps.h"
#include "preprocess/recipe/sound_steps.h"
#include "preprocess/recipe/text_steps.h"

namespace edgeprobe::kinds {
namespace {

constexpr std::array kInputs{
    InputKind{.id = InputId::kPicture,
              .name = "picture",
              .has_pixels = true,
              .steps = preprocess::picture_rows},
    InputKind{.id = InputId::kSound,
              .name = "sound",
              .encoding = "audio",
              .steps = preprocess::sound_steps},
    InputKind{.id = InputId::kReadings,
              .name = "readings",
              .encoding = "readings",
              .reads_arrays = true,
              .steps = preprocess::readings_steps},
    InputKind{.id = InputId::kText,
              .name = "text",
              .encoding = "utf8",
              .is_shown = false,
              .needs_tokenizer = true,
              .steps = preprocess::text_rows},
    InputKind{.id = InputId::kTensors, .name = "tensors"},
};

static_assert(has_row_for_each(kInputs, kLastInput));
// Only recorded tensors have no recipe.
static_assert(std::variant_size_v<FrontEnd> == static_cast<std::size_t>(InputId::kTensors));

/// The front end in the first step; for pictures, the recipe itself.
struct FrontEndOfStep {
  const preprocess::Recipe* recipe;

  FrontEnd operator()(const preprocess::Sound& step) const { return &step.front_end; }
  FrontEnd operator()(const preprocess::Readings& step) const { return &step.front_end; }
  FrontEnd operator()(const preprocess::Text& step) const { return &step.front_end; }
  template <class Step>
  FrontEnd operator()(const Step&) const {
    return recipe;
  }
};

}  // namespace

std::span<const InputKind> input_kinds() { return kInputs; }

const InputKind& kind_of(InputId id) { return kInputs[static_cast<std::size_t>(id)]; }

FrontEnd front_end_of(const preprocess::Recipe& recipe) {
  if (recipe.steps.empty()) return &recipe;
  return std::visit(FrontEndOfStep{&recipe}, recipe.steps.front());
}

const InputKind& kind_of(const preprocess::Recipe& recipe) {
  return kInputs[front_end_of(recipe).index()];
}

}  // namespace edgeprobe::kinds
