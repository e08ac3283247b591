// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "audio/model_input.h"
#include "cli/commands/recipe_explain.h"
#include "cli/options/json_flag.h"
#include "cli/options/overwrite.h"
#include "cli/options/pipeline_flags.h"
#include "cli/options/verb_arguments.h"
#include "cli/terminal/terminal.h"
#include "core/file.h"
#include "core/result.h"
#include "core/text.h"
#include "core/try.h"
#include "kinds/answer_kinds.h"
#include "kinds/input_kinds.h"
#include "model/graph.h"
#include "pipeline/inputs/picture.h"
#include "preprocess/recipe/recipe.h"

namespace edgeprobe::cli {

/// Arguments of `edgeprobe recipe show RECIPE|MODEL`: the canonical text and the effect of each
/// step; for a model, its default recipe.
struct RecipeShowArgs {
  std::string what;  ///< A recipe, a file with one, or a .tflite file.
  JsonFlag json;
};

namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;
using preprocess::Recipe;

bool is_model_name(const std::string& what) {
  return fs::path(what).extension() == ".tflite" || fs::path(what).extension() == ".onnx";
}

Result<TensorSpec> model_input(const std::string& path) {
  model::FileBytes file;
  EP_TRY(auto graph, model::load(path, file));
  if (graph.inputs.size() != 1) {
    return Error{ErrorKind::kUnsupported, "the model has " + std::to_string(graph.inputs.size()) +
                                              " inputs; a recipe feeds models with one"};
  }
  return graph.tensors[static_cast<std::size_t>(graph.inputs[0])].spec;
}

/// "1x224x224x3:float32"; "?" or -1 leaves a dimension open.
Result<TensorSpec> input_from_text(const std::string& text) {
  const Error wrong{
      ErrorKind::kUsage,
      "--input '" + sanitized(text) + "': expected a shape and a type like 1x224x224x3:float32"};
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) return wrong;
  std::string list = text.substr(0, colon);
  for (char& c : list) c = c == 'x' ? ',' : c;
  for (std::size_t at = 0; (at = list.find('?', at)) != std::string::npos;)
    list.replace(at, 1, "-1");
  const auto shape = shape_from_list(list);
  const auto dtype = dtype_from_name(text.substr(colon + 1));
  if (!shape || !dtype || shape->empty()) return wrong;
  return TensorSpec{"input", *dtype, *shape, {}};
}

Result<Recipe> recipe_named(const std::string& what) {
  if (const std::string behind = half_behind(what); !behind.empty()) {
    Recipe alone;
    alone.post = behind;
    return alone;
  }
  if (!is_model_name(what)) return preprocess::load_recipe(what);
  auto input = model_input(what);
  if (!input) return std::move(input.error()).during("model");
  return preprocess::default_recipe(*input);
}

// The canonical text after "||".
Result<std::string> behind_the_model(const std::string& post) {
  EP_TRY(const auto recipe, kinds::parse_answer(post));
  return kinds::to_text(recipe);
}

// `post`: the canonical text after "||".
std::string recipe_json(const Recipe& recipe, const std::string& post) {
  if (recipe.steps.empty())
    return ordered_json{{"post", sanitized(post, preprocess::kMostRecipeText)}}.dump(2);
  ordered_json steps = ordered_json::array();
  for (const preprocess::Spelled& step : preprocess::spelled(recipe))
    steps.push_back({{"text", step.text}, {"meaning", step.meaning}});
  ordered_json out{{"recipe", sanitized(to_text(recipe), preprocess::kMostRecipeText)},
                   {"steps", std::move(steps)}};
  if (!recipe.post.empty()) out["post"] = sanitized(post, preprocess::kMostRecipeText);
  return out.dump(2);
}

std::string recipe_text(const Recipe& recipe, const std::string& post) {
  if (recipe.steps.empty()) return "after the model: " + sanitized(post) + "\n";
  std::string out = sanitized(to_text(recipe), preprocess::kMostRecipeText) + "\n\n";
  int number = 0;
  for (const preprocess::Spelled& step : preprocess::spelled(recipe))
    out += std::to_string(++number) + ". " + step.text + "\n   " + step.meaning + "\n";
  if (!recipe.post.empty()) out += "then, after the model: " + sanitized(post) + "\n";
  return out;
}

Result<TensorSpec> input_of(const RecipeExplainArgs& args) {
  if (!args.model.empty() && !args.input.empty()) {
    return Error{ErrorKind::kUsage,
                 "--model and --input both say what the model's input is: give one"};
  }
  if (!args.model.empty()) {
    auto input = model_input(args.model);
    if (!input) return std::move(input.error()).during("model");
    return input;
  }
  if (!args.input.empty()) return input_from_text(args.input);
  return TensorSpec{"input", DType::kFloat32, {-1, -1, -1, -1}, {}};
}

/// "03_color.png": sorts in step order. Step names are single words of ours.
std::string file_name(std::size_t number, const std::string& step) {
  char prefix[24];
  std::snprintf(prefix, sizeof prefix, "%02zu_", number);
  return prefix + step.substr(0, step.find('(')) + ".png";
}

Status write_steps(const std::vector<preprocess::Explained>& steps, const fs::path& folder,
                   Terminal& terminal) {
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (failure)
    return Error{ErrorKind::kUsage, "--out: the folder cannot be made: " + failure.message()};
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::string file = file_name(i, steps[i].step);
    if (fs::exists(folder / file, failure) && !is_png(folder / file))
      return Error{ErrorKind::kUsage,
                   "--out: '" + sanitized((folder / file).string(), 400) +
                       "' exists and is not a PNG, so it is not overwritten; name another folder"};
    auto png = preprocess::encode_png(picture(steps[i]));
    if (!png) return std::move(png.error()).during(file);
    EP_CHECK(write_file(folder / file, *png));
    terminal.out << file << "  " << steps[i].step << "\n    " << steps[i].note << '\n';
  }
  return {};
}

Result<Outcome> explain_sound(const RecipeExplainArgs& args, const Recipe& recipe,
                              const audio::Clip& clip, const TensorSpec& input,
                              Terminal& terminal) {
  const audio::FrontEnd* const front_end = preprocess::sound_of(recipe);
  if (!front_end) {
    auto refused = preprocess::apply(recipe, clip, input);
    return refused ? Error{ErrorKind::kUsage, "the data is sound"} : std::move(refused.error());
  }
  audio::Synthesis synthesis(clip);
  EP_TRY(auto features, synthesis.features(*front_end));
  terminal.out << "recording\n    " << clip.frames() << " samples, " << clip.channels
               << (clip.channels == 1 ? " channel, " : " channels, ") << number(clip.rate, 7)
               << " Hz\n";
  for (const preprocess::Spelled& step : preprocess::spelled(recipe))
    terminal.out << step.text << "\n    " << step.meaning << '\n';
  const auto [low, high] = std::minmax_element(features.values.begin(), features.values.end());
  terminal.out << "values\n    " << features.rows << " x " << features.columns << ", "
               << number(*low) << ".." << number(*high) << '\n';
  if (features.columns > 1) {
    EP_CHECK(draw_rows(features, args.out, "features.png", terminal));
  }
  if (args.model.empty() && args.input.empty()) return Outcome::kDone;
  EP_TRY(auto tensor, audio::model_input_of(*front_end, features, input));
  terminal.out << "model input: " << to_text(tensor.spec.shape) << ' ' << name(tensor.spec.dtype)
               << '\n';
  return Outcome::kDone;
}

/// Explains a recipe for pictures or sound; the file determines which.
Result<Outcome> explain_file(const RecipeExplainArgs& args, const Recipe& recipe,
                             Terminal& terminal) {
  if (args.out.empty())
    return Error{ErrorKind::kUsage, "--out: name a folder for the PNG files of the steps"};
  EP_TRY(auto input, input_of(args));
  auto file = read_file(args.image);
  if (!file) return std::move(file.error()).during("image");
  auto loaded = dataset::load_file(*std::move(file), fs::path(args.image).filename().string());
  if (!loaded) return std::move(loaded.error()).during("image");
  if (const dataset::Sound* const sound = dataset::sound_of(loaded->input))
    return explain_sound(args, recipe, sound->clip, input, terminal);
  const dataset::Picture& recorded = std::get<dataset::Picture>(loaded->input);
  const preprocess::Decode* how = preprocess::decode_step(recipe);
  if (recorded.exif_orientation != 1 && !(how && how->oriented)) {
    terminal.err
        << "note: the file records orientation " << recorded.exif_orientation
        << "; recipes do not turn by it (rotate(), flip() and decode(orientation=applied) do)\n";
  }
  auto picture = pipeline::picture_for(recipe, recorded);
  if (!picture) return std::move(picture.error()).during("image");
  const Recipe rest = preprocess::without_decode(recipe);
  EP_TRY(auto steps, explain(rest, *picture, input));
  EP_CHECK(write_steps(steps, args.out, terminal));
  if (args.model.empty() && args.input.empty()) return Outcome::kDone;
  EP_TRY(auto tensor, apply(rest, *picture, input));
  terminal.out << "model input: " << to_text(tensor.spec.shape) << ' ' << name(tensor.spec.dtype)
               << '\n';
  return Outcome::kDone;
}

/// Dispatches on the kind of input of the recipe.
struct Explained {
  const RecipeExplainArgs& args;
  const Recipe& recipe;
  Terminal& terminal;

  Result<Outcome> operator()(const text::FrontEnd* front_end) const {
    return explain_text(args, recipe, *front_end, terminal);
  }
  Result<Outcome> operator()(const sensor::FrontEnd* front_end) const {
    return explain_readings(args, recipe, *front_end, terminal);
  }
  Result<Outcome> operator()(const audio::FrontEnd*) const {
    return explain_file(args, recipe, terminal);
  }
  Result<Outcome> operator()(const Recipe*) const { return explain_file(args, recipe, terminal); }
};

}  // namespace

Result<Outcome> run(const RecipeShowArgs& args, Terminal& terminal) {
  EP_CHECK(check_texts({{"--json", args.json.file}}, {args.what}));
  EP_TRY(auto recipe, recipe_named(args.what));
  const bool only_json = args.json.wanted && args.json.file.empty();
  std::string post;
  if (!recipe.post.empty()) {
    EP_TRY(post, behind_the_model(recipe.post));
  }
  if (!only_json) terminal.out << recipe_text(recipe, post);
  if (args.json.wanted) {
    EP_CHECK(write_result(args.json, recipe_json(recipe, post), terminal.out));
  }
  return Outcome::kDone;
}

Result<Outcome> run(const RecipeExplainArgs& args, Terminal& terminal) {
  if (const std::string post = half_behind(args.recipe); !post.empty())
    return explain_behind(args, post, terminal);
  EP_TRY(const auto recipe, preprocess::load_recipe(args.recipe));
  return std::visit(Explained{args, recipe, terminal}, kinds::front_end_of(recipe));
}

Work declare_recipe_show(Parser& parser) {
  auto args = std::make_shared<RecipeShowArgs>();
  parser
      .option("recipe", args->what,
              "A recipe (text or file), or a model file for its default recipe")
      .required();
  add_json(parser, args->json);
  return work_of(args);
}

Work declare_recipe_explain(Parser& parser) {
  auto args = std::make_shared<RecipeExplainArgs>();
  parser.option("recipe", args->recipe, "A recipe: text or file").required();
  parser
      .option("data", args->image,
              "A picture or a recording; the first of texts (.txt, .csv); the first sample of "
              "readings (.npz); for '|| ...' the first frame of a trace (.mcap)")
      .required();
  parser.option("--out", args->out, "Folder for the PNG files");
  parser
      .option(
          "--tokenizer", args->tokenizer,
          "For text recipes: a tokenizer.json, a Python function FILE.py:FUNCTION, or a command")
      .type("TOKENIZER");
  parser
      .option("--python", args->interpreter,
              "The Python that runs it (default: $EDGEPROBE_PYTHON, else python3)")
      .type("PROGRAM");
  parser.option("--model", args->model, "A model file whose input the recipe feeds");
  parser.option("--input", args->input,
                "Instead of --model: the input itself, e.g. 1x224x224x3:float32");
  return work_of(args);
}

}  // namespace edgeprobe::cli
