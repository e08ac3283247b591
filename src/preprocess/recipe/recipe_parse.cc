// SPDX-License-Identifier: Apache-2.0
#include "preprocess/recipe/picture_steps.h"
#include "preprocess/recipe/readings_steps.h"
#include "preprocess/recipe/recipe.h"
#include "preprocess/recipe/recipe_arguments.h"
#include "preprocess/recipe/recipe_decode.h"
#include "preprocess/recipe/sound_steps.h"
#include "preprocess/recipe/text_steps.h"

namespace edgeprobe::preprocess {
namespace {

Result<Step> read_decode_step(Arguments& arguments) {
  auto step = read_decode(arguments);
  if (!step) return std::move(step).error();
  return Step{*step};
}

using Reader = Result<Step> (*)(Arguments&);
constexpr std::array<Word<Reader>, 18> kSteps{{
    {"decode", read_decode_step},
    {"rotate", [](Arguments& a) { return read_word<Rotate>(a, "90, 180 or 270", kTurnWords); }},
    {"flip", [](Arguments& a) { return read_word<Flip>(a, "horizontal or vertical", kFlipWords); }},
    {"crop", read_crop},
    {"resize", read_resize},
    {"letterbox", read_letterbox},
    {"color",
     [](Arguments& a) { return read_word<Color>(a, "an order like rgb or bgr", kOrderWords); }},
    {"gray", read_gray},
    {"scale", read_scale},
    {"normalize", read_normalize},
    {"cast", read_cast},
    {"layout", read_layout},
    {"quantize", read_quantize},
    {"shift", read_shift},
    {"tone", read_tone},
    {"recode", read_recode},
    {"standardize", read_standardize},
    {"matrix", read_matrix},
}};
// Words of plans and of other tools: a clear no beats "did you mean".
constexpr std::array<std::string_view, 2> kUnsupported{"yuv", "gamma"};

Result<Step> read_step(std::string_view recipe, const StepText& text) {
  Arguments arguments(recipe, text);
  for (const auto& [name, read] : kSteps) {
    if (name != text.name) continue;
    auto step = read(arguments);
    if (!step) return step;
    if (auto done = arguments.finish(); !done) return std::move(done).error();
    return step;
  }
  for (const std::string_view word : kUnsupported) {
    if (word != text.name) continue;
    Error refusal =
        arguments.error(text.at, std::string(word) + " is not supported in this version");
    refusal.kind = ErrorKind::kUnsupported;
    return refusal;
  }
  std::vector<std::string> known;
  for (const auto& [name, read] : kSteps) known.emplace_back(name);
  return arguments.unknown({{}, text.name, text.at}, known);
}

bool moves_pixels(const Step& step) {
  return std::holds_alternative<Rotate>(step) || std::holds_alternative<Flip>(step) ||
         std::holds_alternative<Crop>(step) || std::holds_alternative<Resize>(step) ||
         std::holds_alternative<Letterbox>(step) || std::holds_alternative<Shift>(step);
}

}  // namespace

Result<Recipe> parse_recipe(std::string_view text) {
  auto scanned = recipe::scan_recipe(text);
  if (!scanned) return std::move(scanned).error();
  Recipe recipe;
  recipe.post = std::string(scanned->post);
  if (is_of_readings(*scanned)) {
    auto readings = read_readings(text, *scanned);
    if (!readings) return std::move(readings).error();
    recipe.steps.emplace_back(*std::move(readings));
    return recipe;
  }
  if (is_of_text(*scanned)) {
    auto of_text = read_text(text, *scanned);
    if (!of_text) return std::move(of_text).error();
    recipe.steps.emplace_back(*std::move(of_text));
    return recipe;
  }
  if (is_of_sound(*scanned)) {
    auto sound = read_sound(text, *scanned);
    if (!sound) return std::move(sound).error();
    recipe.steps.push_back(*std::move(sound));
    return recipe;
  }
  bool laid_out = false;
  for (const StepText& step_text : scanned->steps) {
    auto step = read_step(text, step_text);
    if (!step) return std::move(step).error();
    const bool layout = std::holds_alternative<Layout>(*step);
    if (laid_out && (layout || moves_pixels(*step))) {
      return Arguments(text, step_text)
          .error(step_text.at, "after layout() the pixels no longer move: put this step before it");
    }
    if (std::holds_alternative<Decode>(*step) && !recipe.steps.empty()) {
      return Arguments(text, step_text)
          .error(step_text.at, "decode() is about the recorded bytes: put it first");
    }
    laid_out = laid_out || layout;
    recipe.steps.push_back(*std::move(step));
  }
  return recipe;
}

}  // namespace edgeprobe::preprocess
