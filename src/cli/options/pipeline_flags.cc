// SPDX-License-Identifier: Apache-2.0
#include "cli/options/pipeline_flags.h"

#include <filesystem>
#include <utility>

#include "cli/options/values.h"
#include "core/text.h"
#include "pipeline/recipe_answers.h"

namespace edgeprobe::cli {
namespace {

/// "NAME: resize(…) | …" or "NAME: file.recipe": the name, and where the recipe begins. A name may
/// itself contain colons ("serving_default_x:0: resize(…)"). Without a name: empty, and 0.
std::pair<std::string, std::size_t> input_of_recipe(const std::string& text) {
  std::error_code ignored;
  if (std::filesystem::exists(text, ignored)) return {};
  const std::size_t colon = text.substr(0, text.find('(')).rfind(':');
  if (colon == std::string::npos || colon == 0) return {};
  const std::size_t first = text.find_first_not_of(" \t"),
                    last = text.find_last_not_of(" \t", colon - 1);
  return {text.substr(first, last + 1 - first), colon + 1};
}

Result<pipeline::CarriedState> state_from(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    return Error{ErrorKind::kUsage, "--state '" + sanitized(text, 100) +
                                        "': expected OUTPUT=INPUT, the names of an output and of "
                                        "the input that it is in the next frame"};
  return pipeline::CarriedState{text.substr(0, equals), text.substr(equals + 1)};
}

}  // namespace

void add_recipe_flag(Parser& parser, const std::string& name, std::string& recipe,
                     const std::string& help) {
  parser.option(name, recipe, help).check([](const std::string& text) {
    const bool empty = text.find_first_not_of(" \t\r\n") == std::string::npos;
    return empty ? std::string(
                       "the recipe is empty; leave the flag out for the model's default, "
                       "or say what is done, e.g. "
                       "'resize(224x224, bilinear) | color(rgb) | scale(-1..1)'")
                 : std::string();
  });
}

void add_states(Parser& parser, PipelineFlags& flags, const std::string& prefix) {
  const std::string usual =
      prefix.empty() ? "" : "; default: that of the target, if both have these names";
  parser
      .option(
          "--" + prefix + "state", flags.states,
          "An output that feeds an input of the next frame, zero in the first frame (repeatable" +
              usual + ")")
      .repeatable()
      .type("OUTPUT=INPUT");
}

void add_function(Parser& parser, PipelineFlags& flags, const std::string& prefix) {
  parser
      .option("--" + prefix + "pipeline", flags.function,
              "Your own pre-processing instead of a recipe: a Python function that returns the "
              "model input, or named stages")
      .type("FILE.py:FUNCTION");
}

void add_python(Parser& parser, PipelineFlags& flags, const std::string& prefix, DataFlags* data) {
  if (data) {
    data->time_limit_s = &flags.time_limit_s;
    data->plugins = &flags.plugins;
    flags.data = &data->data;
  }
  parser
      .option(
          "--" + prefix + "python",
          [&flags, data](const std::string& program) {
            flags.interpreter = program;
            if (data) data->python = program;
          },
          prefix.empty() ? "The Python that runs plug-ins and functions (default: "
                           "$EDGEPROBE_PYTHON, else python3)"
                         : "The Python of the reference (default: --python)")
      .type("PROGRAM");
}

void add_tokenizer(Parser& parser, PipelineFlags& flags, const std::string& name,
                   const std::string& usual) {
  parser
      .option(name, flags.tokenizer,
              "For text recipes: a tokenizer.json, a Python function FILE.py:FUNCTION, or a "
              "command that turns lines of text into lines of ids" +
                  usual)
      .type("TOKENIZER");
}

std::string half_behind(const std::string& text) {
  constexpr const char* kBlanks = " \t\r\n";
  const std::size_t bars = text.find_first_not_of(kBlanks);
  if (bars == std::string::npos || text.compare(bars, 2, "||") != 0) return "";
  const std::size_t begin = text.find_first_not_of(kBlanks, bars + 2);
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

Result<pipeline::FunctionSpec> function_from(const PipelineFlags& flags) {
  auto function = pipeline::function_from_text(flags.function);
  if (!function) return std::move(function.error()).during("--pipeline");
  EP_TRY(auto limit, time_limit_from(flags.time_limit_s));
  function->interpreter = flags.interpreter;
  function->limit = limit;
  return function;
}

Result<std::vector<pipeline::CarriedState>> states_from(const PipelineFlags& flags) {
  std::vector<pipeline::CarriedState> states;
  for (const std::string& text : flags.states) {
    EP_TRY(auto state, state_from(text));
    states.push_back(std::move(state));
  }
  return states;
}

Result<pipeline::PipelineSpec> spec_from(const PipelineFlags& flags,
                                         const std::vector<dataset::Sample>& samples) {
  pipeline::PipelineSpec spec;
  spec.model = flags.model;
  if (!samples.empty()) spec.arrays = samples.front().arrays;
  EP_TRY(spec.states, states_from(flags));
  if (const std::string behind = half_behind(flags.recipe); !behind.empty()) {
    // After pre-processing steps, those after the model may belong to another program; without them
    // they are the whole recipe.
    if (auto steps = pipeline::AnswerSteps::load(behind, {}); !steps)
      return std::move(steps.error()).during("recipe");
    spec.recipe.emplace().post = behind;
  } else if (!flags.recipe.empty()) {
    const auto [input, begin] = input_of_recipe(flags.recipe);
    spec.recipe_input = input;
    const std::size_t text = flags.recipe.find_first_not_of(" \t", begin);
    auto recipe =
        preprocess::load_recipe(text == std::string::npos ? "" : flags.recipe.substr(text));
    if (!recipe) return std::move(recipe.error()).during("recipe");
    spec.recipe = *std::move(recipe);
  }
  if (!flags.function.empty()) {
    EP_TRY(spec.function, function_from(flags));
  }
  if (!flags.tokenizer.empty()) {
    auto tokenizer = pipeline::tokenizer_from_text(flags.tokenizer);
    if (!tokenizer) return std::move(tokenizer.error()).during("tokenizer");
    EP_TRY(auto limit, time_limit_from(flags.time_limit_s));
    tokenizer->interpreter = flags.interpreter;
    tokenizer->limit = limit;
    spec.tokenizer = *std::move(tokenizer);
  }
  EP_CHECK(engine_into(spec, flags));
  return spec;
}

}  // namespace edgeprobe::cli
