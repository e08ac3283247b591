// SPDX-License-Identifier: Apache-2.0
#include "preprocess/recipe/picture_steps.h"

#include <algorithm>
#include <array>

#include "preprocess/recipe/readings_steps.h"
#include "preprocess/recipe/sound_steps.h"
#include "preprocess/recipe/text_steps.h"
#include "recipe/print.h"
#include "recipe/read.h"

namespace edgeprobe::preprocess {
namespace {

// Names from other tools and plans: a clear refusal is better than "did you mean".
constexpr std::array<std::string_view, 2> kUnsupported{"yuv", "gamma"};

Error unknown_in_pictures(const recipe::Arguments& arguments, const recipe::StepText& text) {
  for (const std::string_view word : kUnsupported) {
    if (word != text.name) continue;
    Error refusal =
        arguments.error(text.at, std::string(word) + " is not supported in this version");
    refusal.kind = ErrorKind::kUnsupported;
    return refusal;
  }
  std::vector<std::string> known;
  for (const PictureStep& one : picture_steps()) known.emplace_back(one.row.name);
  return recipe::unknown_step(arguments, text, known);
}

Result<Step> read_step(std::string_view recipe, const recipe::StepText& text) {
  recipe::Arguments arguments(recipe, text);
  for (const PictureStep& one : picture_steps()) {
    if (one.row.name != text.name) continue;
    Step step = one.made();
    void* const inside = std::visit([](auto& of) -> void* { return &of; }, step);
    EP_CHECK(recipe::read_step(arguments, one.row, inside));
    return step;
  }
  return unknown_in_pictures(arguments, text);
}

bool moves_pixels(const Step& step) {
  return std::holds_alternative<Rotate>(step) || std::holds_alternative<Flip>(step) ||
         std::holds_alternative<Crop>(step) || std::holds_alternative<Resize>(step) ||
         std::holds_alternative<Letterbox>(step) || std::holds_alternative<Shift>(step);
}

Result<Recipe> read_pictures(std::string_view text, const recipe::RecipeText& scanned) {
  Recipe recipe;
  bool laid_out = false;
  for (const recipe::StepText& one : scanned.steps) {
    EP_TRY(auto step, read_step(text, one));
    const recipe::Arguments arguments(text, one);
    const bool layout = std::holds_alternative<Layout>(step);
    if (laid_out && (layout || moves_pixels(step)))
      return arguments.error(one.at,
                             "after layout() the pixels no longer move: put this step before it");
    if (std::holds_alternative<Decode>(step) && !recipe.steps.empty())
      return arguments.error(one.at, "decode() is about the recorded bytes: put it first");
    laid_out = laid_out || layout;
    recipe.steps.push_back(std::move(step));
  }
  return recipe;
}

/// A recipe that consists of one front end.
template <class FrontEnd>
Result<Recipe> of_one(Result<FrontEnd> front_end) {
  if (!front_end) return std::move(front_end).error();
  Recipe recipe;
  recipe.steps.emplace_back(*std::move(front_end));
  return recipe;
}

/// The text and meaning of a step, from its row. Sound, readings and text are each many steps in
/// one.
struct Speller {
  std::vector<Spelled> operator()(const Sound& s) const { return spelled_sound(s.front_end); }
  std::vector<Spelled> operator()(const Readings& s) const { return spelled_readings(s.front_end); }
  std::vector<Spelled> operator()(const Text& s) const { return spelled_text(s.front_end); }
  template <class T>
  std::vector<Spelled> operator()(const T& s) const {
    constexpr std::size_t kAlternative = alternative_of<T>(std::type_identity<Step>{});
    for (const PictureStep& one : picture_steps())
      if (one.alternative == kAlternative)
        return {{recipe::step_text(one.row, &s), recipe::sentence(one.row, &s)}};
    return {};
  }
};

}  // namespace

PictureSteps picture_steps() {
  static const std::vector<PictureStep> all = [] {
    std::vector<PictureStep> steps;
    for (const PictureSteps part :
         {decode_steps(), geometry_steps(), resize_steps(), color_steps(), number_steps()})
      steps.insert(steps.end(), part.begin(), part.end());
    std::sort(steps.begin(), steps.end(),
              [](const PictureStep& a, const PictureStep& b) { return a.row.place < b.row.place; });
    return steps;
  }();
  return all;
}

recipe::Steps picture_rows() {
  static const std::vector<recipe::Step> rows = [] {
    std::vector<recipe::Step> all;
    for (const PictureStep& step : picture_steps()) all.push_back(step.row);
    return all;
  }();
  return rows;
}

std::string size_text(int height, int width) {
  return std::to_string(height) + "x" + std::to_string(width);
}

std::string sides(int height, int width) {
  return std::to_string(height) + " high, " + std::to_string(width) + " wide";
}

Result<Recipe> parse_recipe(std::string_view text) {
  EP_TRY(auto scanned, recipe::scan_recipe(text));
  auto recipe = is_of_readings(scanned) ? of_one(read_readings(text, scanned))
                : is_of_text(scanned)   ? of_one(read_text(text, scanned))
                : is_of_sound(scanned)  ? of_one(read_sound(text, scanned))
                                        : read_pictures(text, scanned);
  if (recipe) recipe->post = std::string(scanned.post);
  return recipe;
}

std::vector<Spelled> spelled(const Recipe& recipe) {
  std::vector<Spelled> out;
  for (const Step& step : recipe.steps)
    for (Spelled& one : std::visit(Speller{}, step)) out.push_back(std::move(one));
  return out;
}

std::string to_text(const Step& step) {
  std::string text;
  for (const Spelled& one : std::visit(Speller{}, step))
    text += (text.empty() ? "" : " | ") + one.text;
  return text;
}

std::string to_text(const Recipe& recipe) {
  std::string out;
  for (const Step& step : recipe.steps) out += (out.empty() ? "" : " | ") + to_text(step);
  if (!recipe.post.empty()) out += " || " + recipe.post;
  return out;
}

std::string meaning(const Step& step) {
  if (std::holds_alternative<Sound>(step)) return "makes the model input of a sound";
  if (std::holds_alternative<Readings>(step)) return "makes the model input of readings";
  if (std::holds_alternative<Text>(step)) return "makes the model inputs of a text";
  return std::visit(Speller{}, step).front().meaning;
}

}  // namespace edgeprobe::preprocess
