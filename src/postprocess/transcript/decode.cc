// SPDX-License-Identifier: Apache-2.0
#include "postprocess/transcript/decode.h"

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "postprocess/classify.h"

namespace edgeprobe::postprocess::transcript {
namespace {

Error unfit(std::string what) { return {ErrorKind::kUsage, std::move(what)}; }

/// Classes of the dictionary with the blank and, if there is one, the space.
std::size_t named_classes(const Recipe& recipe) {
  return recipe.dictionary.characters.size() + 1 + (recipe.space != Space::kNone ? 1 : 0);
}

/// NumPy's argmax: the first of equal ones, and a NaN before any number.
std::size_t best_of(const std::vector<double>& row) {
  std::size_t best = 0;
  for (std::size_t i = 0; i < row.size() && !std::isnan(row[best]); ++i)
    if (std::isnan(row[i]) || row[i] > row[best]) best = i;
  return best;
}

std::string_view blank_text(Blanks blanks) {
  switch (blanks) {
    case Blanks::kDropped: break;
    case Blanks::kDash: return "-";
    case Blanks::kUnderscore: return "_";
    case Blanks::kSpace: return " ";
    case Blanks::kWord: return "blank";
  }
  return "";
}

std::size_t blank_of(const Recipe& recipe, std::size_t classes) {
  return recipe.blank == Blank::kFirst ? 0 : classes - 1;
}

/// A class beyond the dictionary writes nothing.
std::string_view character_of(const Recipe& recipe, std::size_t number) {
  const std::vector<std::string>& all = recipe.dictionary.characters;
  const auto place =
      static_cast<std::int64_t>(number) - (recipe.blank == Blank::kFirst ? 1 : 0) + recipe.shift;
  if (place < 0) return "";
  const auto at = static_cast<std::size_t>(place);
  if (at < all.size()) return all[at];
  return at == all.size() && recipe.space == Space::kLast ? std::string_view(" ") : "";
}

/// Steps that write something, in order.
std::vector<std::size_t> written_steps(const Recipe& recipe, const Path& path) {
  const std::size_t blank = blank_of(recipe, path.classes);
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < path.best.size(); ++i) {
    const bool is_blank = path.best[i] == blank;
    if (is_blank && recipe.blanks == Blanks::kDropped) continue;
    const bool is_after = recipe.repeats == Repeats::kMergedAfter;
    const bool has_before = is_after ? !out.empty() : i > 0;
    const std::size_t before = !has_before ? 0 : is_after ? out.back() : i - 1;
    if (has_before && recipe.repeats != Repeats::kKept && path.best[before] == path.best[i])
      continue;
    out.push_back(i);
  }
  return out;
}

double confidence_of(Confidence how, const Path& path, const std::vector<std::size_t>& steps) {
  double sum = 0, product = 1, least = HUGE_VAL;
  for (const std::size_t i : steps) {
    sum += path.scores[i];
    product *= path.scores[i];
    least = std::min(least, path.scores[i]);
  }
  if (how == Confidence::kAll) {
    sum = 0;
    for (const double score : path.scores) sum += score;
    return path.scores.empty() ? 0 : sum / static_cast<double>(path.scores.size());
  }
  if (steps.empty()) return 0;
  if (how == Confidence::kProduct) return product;
  if (how == Confidence::kLeast) return least;
  return sum / static_cast<double>(steps.size());
}

}  // namespace

Result<Path> path_of(const Recipe& recipe, std::span<const TensorView> outputs) {
  if (recipe.output >= outputs.size())
    return unfit("output(" + std::to_string(recipe.output) + "): the model has " +
                 std::to_string(outputs.size()) + " outputs, counted from 0");
  const TensorView& output = outputs[recipe.output];
  std::vector<std::size_t> sides;
  for (const std::int64_t side : output.spec->shape)
    if (side != 1) sides.push_back(static_cast<std::size_t>(side));
  // One step of many classes, or many steps of one class, which no recogniser has.
  if (sides.size() == 1) sides.insert(recipe.is_by_class ? sides.end() : sides.begin(), 1);
  if (sides.size() != 2)
    return unfit("ctc reads one row of scores per step, such as [1, 40, 6625]; output " +
                 std::to_string(recipe.output) + " is " + edgeprobe::to_text(output.spec->shape));
  EP_TRY(const auto values, read_values(recipe.reading, output));
  Path path;
  const std::size_t steps = sides[recipe.is_by_class ? 1 : 0];
  path.classes = sides[recipe.is_by_class ? 0 : 1];
  if (values.size() != steps * path.classes || values.empty())
    return unfit("output " + std::to_string(recipe.output) + " has no scores");
  std::vector<double> row(path.classes);
  for (std::size_t i = 0; i < steps; ++i) {
    for (std::size_t c = 0; c < path.classes; ++c)
      row[c] = values[recipe.is_by_class ? c * steps + i : i * path.classes + c];
    path.best.push_back(best_of(row));
    for (const Activation activation : recipe.activations) activate(activation, row);
    path.scores.push_back(row[path.best.back()]);
  }
  return path;
}

Status check_classes(const Recipe& recipe, std::size_t classes, std::size_t steps) {
  const std::size_t named = named_classes(recipe);
  if (classes == named) return {};
  std::string what = "ctc: the output has " + std::to_string(classes) + " classes, the " +
                     std::to_string(recipe.dictionary.characters.size()) + " characters of '" +
                     sanitized(recipe.dictionary.file) + "' with the blank" +
                     (recipe.space != Space::kNone ? " and the space" : "") + " make " +
                     std::to_string(named) + "; ";
  if (classes == named + 1 && recipe.space == Space::kNone)
    what += "if the last one is the space, add space=last";
  else if (classes + 1 == named && recipe.space != Space::kNone)
    what += "leave space=" + std::string(recipe.space == Space::kLast ? "last" : "dropped") +
            " out if the dictionary has the space itself, or none exists";
  else if (steps == named)
    what += "axis=" + std::string(recipe.is_by_class ? "last" : "first") +
            " reads the output's other dimension as classes";
  else what += "give the dictionary that the model was trained with";
  return unfit(std::move(what));
}

Transcribed transcribed(const Recipe& recipe, const Path& path) {
  const std::vector<std::size_t> steps = written_steps(recipe, path);
  const std::size_t blank = blank_of(recipe, path.classes);
  Transcribed out;
  for (const std::size_t i : steps)
    out.text +=
        path.best[i] == blank ? blank_text(recipe.blanks) : character_of(recipe, path.best[i]);
  out.confidence = confidence_of(recipe.confidence, path, steps);
  return out;
}

Result<trace::Answer> run(const Recipe& recipe, std::span<const TensorView> outputs) {
  EP_TRY(const auto path, path_of(recipe, outputs));
  EP_CHECK(check_classes(recipe, path.classes, path.best.size()));
  Transcribed made = transcribed(recipe, path);
  trace::Answer answer;
  answer.text = std::move(made.text);
  answer.scores.emplace(1, static_cast<float>(made.confidence));
  return answer;
}

}  // namespace edgeprobe::postprocess::transcript
