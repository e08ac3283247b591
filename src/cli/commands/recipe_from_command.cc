// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/convert/tool_process.h"
#include "cli/options/json_flag.h"
#include "cli/options/overwrite.h"
#include "cli/options/verb_arguments.h"
#include "cli/terminal/terminal.h"
#include "core/text.h"
#include "core/try.h"
#include "preprocess/recipe/recipe.h"
#include "process/python.h"

namespace edgeprobe::cli {

/// Arguments of `edgeprobe recipe from FILE.py:NAME`: converts a transform of a Python library to a
/// recipe.
struct RecipeFromArgs {
  std::string what;         ///< Such as "transforms.py:evaluation".
  std::string interpreter;  ///< Empty: $EDGEPROBE_PYTHON, else python3.
  JsonFlag json;
};

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kScript = "recipe_from.py";

Result<fs::path> script() {
  EP_TRY(const auto package, process::python_package());
  return package / kScript;
}

/// The script's answer; its texts come from a user's file.
struct Answer {
  preprocess::Recipe recipe;
  json parts = json::array(), notes = json::array();
};

Result<Answer> answer_of(const std::string& output) {
  const json said = json::parse(output, nullptr, /*allow_exceptions=*/false);
  const bool is_good = said.is_object() && said.contains("recipe") && said["recipe"].is_string() &&
                       said.contains("parts") && said["parts"].is_array() &&
                       said.contains("notes") && said["notes"].is_array();
  if (!is_good)
    return Error{ErrorKind::kCorrupt, std::string(kScript) + " gave an answer of another form"};
  Answer answer;
  auto recipe = preprocess::parse_recipe(said["recipe"].get<std::string>());
  if (!recipe) return std::move(recipe.error()).during("the recipe that it comes to");
  answer.recipe = *std::move(recipe);
  answer.parts = said["parts"], answer.notes = said["notes"];
  return answer;
}

std::string text_of(const json& value) {
  return value.is_string() ? sanitized(value.get<std::string>(), 400) : std::string();
}

void write_text(const Answer& answer, std::ostream& out) {
  out << to_text(answer.recipe) << "\n\n";
  for (const json& part : answer.parts) {
    if (!part.is_object()) continue;
    std::vector<std::string> steps;
    for (const json& step : part.value("steps", json::array())) steps.push_back(text_of(step));
    out << text_of(part.value("transform", json())) << "\n    "
        << (steps.empty() ? "no step: it changes no value" : edgeprobe::joined(steps, " | "))
        << '\n';
  }
  for (const json& note : answer.notes) out << "note: " << text_of(note) << '\n';
}

}  // namespace

Result<Outcome> run(const RecipeFromArgs& args, Terminal& terminal) {
  EP_CHECK(check_texts({{"--json", args.json.file}}, {args.what}));
  EP_TRY(const auto path, script());
  EP_TRY(const auto tool,
         run_tool({process::python_interpreter(args.interpreter), path.string(), args.what}, "",
                  terminal.control()));
  if (tool.exit_code != 0)
    return Error{ErrorKind::kUsage,
                 "recipe from: " + (tool.last_words.empty() ? "the Python process ended with " +
                                                                  std::to_string(tool.exit_code)
                                                            : tool.last_words)};
  EP_TRY(const auto answer, answer_of(tool.output));
  if (!args.json.wanted || !args.json.file.empty()) write_text(answer, terminal.out);
  if (!args.json.wanted) return Outcome::kDone;
  const json out{
      {"recipe", to_text(answer.recipe)}, {"parts", answer.parts}, {"notes", answer.notes}};
  EP_CHECK(write_result(args.json, out.dump(2, ' ', false, json::error_handler_t::replace),
                        terminal.out));
  return Outcome::kDone;
}

Work declare_recipe_from(Parser& parser) {
  auto args = std::make_shared<RecipeFromArgs>();
  parser
      .option("transform", args->what,
              "FILE.py:NAME, a transform of torchvision, timm, albumentations or Keras, or a "
              "function without arguments that returns one")
      .required();
  parser
      .option("--python", args->interpreter,
              "The Python that has the library (default: $EDGEPROBE_PYTHON, else python3)")
      .type("PROGRAM");
  add_json(parser, args->json);
  return work_of(args);
}

}  // namespace edgeprobe::cli
