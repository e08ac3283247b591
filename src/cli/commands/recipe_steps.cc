// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <string>

#include "cli/options/json_flag.h"
#include "cli/options/overwrite.h"
#include "cli/options/verb_arguments.h"
#include "cli/terminal/terminal.h"
#include "core/text.h"
#include "core/try.h"
#include "kinds/answer_kinds.h"
#include "kinds/input_kinds.h"
#include "recipe/schema.h"

namespace edgeprobe::cli {

/// Arguments of `edgeprobe recipe steps [KIND]`: lists the steps of a kind of recipe, with their
/// arguments.
struct RecipeStepsArgs {
  std::string kind;  ///< Such as "sound", "boxes"; empty: all.
  JsonFlag json;
};

namespace {

using nlohmann::ordered_json;

/// Recipes for one kind of input or answer.
struct Dialect {
  const char* kind;
  bool is_after_model;
  recipe::Steps steps;
};

std::vector<Dialect> dialects() {
  std::vector<Dialect> all;
  for (const kinds::InputKind& kind : kinds::input_kinds())
    if (kind.steps) all.push_back({kind.name, false, kind.steps()});
  for (const kinds::AnswerKind& kind : kinds::answer_kinds())
    all.push_back({kind.name, true, kind.steps()});
  return all;
}

Result<std::vector<Dialect>> dialects_of(const std::string& kind) {
  std::vector<Dialect> all = dialects();
  if (kind.empty()) return all;
  std::string known;
  for (const Dialect& one : all) {
    if (one.kind == kind) return std::vector{one};
    known += (known.empty() ? "" : ", ") + std::string(one.kind);
  }
  return Error{ErrorKind::kUsage,
               "no recipe is of '" + sanitized(kind, 100) + "'; kinds: " + known};
}

bool has_range(const recipe::Field& field) {
  return field.form != recipe::Form::kWord && field.least < field.most;
}

ordered_json argument_json(const recipe::Field& field) {
  ordered_json out{{"name", field.name},
                   {"type", recipe::type_name(field.form)},
                   {"named", field.is_named},
                   {"required", field.asked_for != nullptr}};
  if (field.asked_for) out["about"] = field.asked_for;
  if (const auto words = recipe::words_of(field); !words.empty()) out["words"] = words;
  if (has_range(field)) {
    out["minimum"] = field.least;
    out["maximum"] = field.most;
  }
  if (const auto usual = recipe::usual_text(field)) out["default"] = *usual;
  // Valid only with certain values of other arguments.
  if (field.applies) out["conditional"] = true;
  return out;
}

ordered_json steps_json(recipe::Steps steps) {
  ordered_json all = ordered_json::array();
  for (const recipe::Step& step : steps) {
    if (step.is_only_shown) continue;
    ordered_json arguments = ordered_json::array();
    for (const recipe::Field& field : step.fields)
      if (recipe::is_written(field)) arguments.push_back(argument_json(field));
    all.push_back({{"name", step.name},
                   {"repeatable", step.beside == recipe::Beside::kItself},
                   {"arguments", std::move(arguments)}});
  }
  return all;
}

std::string argument_text(const recipe::Field& field) {
  std::string text(field.name);
  if (field.is_named) text += "=";
  text += field.asked_for ? "  required: " + std::string(field.asked_for) : "  ";
  std::string values;
  for (const std::string& word : recipe::words_of(field))
    values += (values.empty() ? "" : ", ") + word;
  if (values.empty()) values = recipe::type_name(field.form);
  if (has_range(field))
    values += " from " + number(field.least, 9) + " to " + number(field.most, 9);
  text += (field.asked_for ? "; " : "") + values;
  if (const auto usual = recipe::usual_text(field)) text += "; default " + *usual;
  return text;
}

std::string dialect_text(const Dialect& dialect) {
  std::string text = std::string(dialect.kind) +
                     (dialect.is_after_model ? ", after the model (||)\n" : ", before the model\n");
  for (const recipe::Step& step : dialect.steps) {
    if (step.is_only_shown) continue;
    text += "  " + std::string(step.name) + "\n";
    for (const recipe::Field& field : step.fields)
      if (recipe::is_written(field)) text += "    " + argument_text(field) + "\n";
  }
  return text;
}

}  // namespace

Result<Outcome> run(const RecipeStepsArgs& args, Terminal& terminal) {
  EP_CHECK(check_texts({{"--json", args.json.file}}, {}));
  EP_TRY(const auto chosen, dialects_of(args.kind));
  if (!args.json.wanted || !args.json.file.empty())
    for (const Dialect& one : chosen) terminal.out << dialect_text(one) << '\n';
  if (!args.json.wanted) return Outcome::kDone;
  ordered_json kinds = ordered_json::array();
  for (const Dialect& one : chosen)
    kinds.push_back({{"kind", one.kind},
                     {"after_model", one.is_after_model},
                     {"steps", steps_json(one.steps)}});
  EP_CHECK(
      write_result(args.json, ordered_json{{"kinds", std::move(kinds)}}.dump(2), terminal.out));
  return Outcome::kDone;
}

Work declare_recipe_steps(Parser& parser) {
  auto args = std::make_shared<RecipeStepsArgs>();
  parser.option("kind", args->kind, "Only this kind: picture, sound, text, boxes, ...");
  add_json(parser, args->json);
  return work_of(args);
}

}  // namespace edgeprobe::cli
