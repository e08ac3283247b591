// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/commands/train/train_flags.h"
#include "cli/options/pipeline_flags.h"
#include "cli/options/verb_arguments.h"
#include "cli/terminal/command_line.h"
#include "cli/train/backbone.h"
#include "cli/train/training.h"
#include "cli/train/training_data.h"
#include "core/file.h"
#include "core/scratch_folder.h"
#include "core/text.h"

namespace edgeprobe::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

Result<ordered_json> backbone_of(const TrainArgs& args, const fs::path& scratch) {
  if (args.backbone.empty()) return ordered_json(nullptr);
  std::error_code ignored;
  EP_TRY(const auto file, MappedFile::open(args.backbone));
  ordered_json backbone{{"file", fs::absolute(args.backbone, ignored).string()},
                        {"sha256", sha256(file)},
                        {"layers", nullptr},
                        {"arrays", scratch.string()}};
  if (is_graph_file(args.backbone)) {
    EP_TRY(backbone["layers"], export_backbone(args.backbone, scratch));
  }
  return backbone;
}

ordered_json settings_of(const TrainArgs& args) {
  return {{"num_epochs", args.num_epochs},
          {"fine_tune", args.fine_tune},
          {"batch_size", args.batch_size},
          {"learning_rate", args.learning_rate},
          {"seed", args.seed},
          {"augment", args.augment}};
}

/// Checks the ending of the result, which depends on the model's framework.
Status check_ending(const TrainArgs& args, const ordered_json& about) {
  const std::string ending = fs::path(args.model_path).extension().string();
  std::vector<std::string> known;
  for (const auto& one : about.value("endings", ordered_json::array()))
    known.push_back(one.get<std::string>());
  if (std::find(known.begin(), known.end(), ending) != known.end()) return {};
  return Error{ErrorKind::kUsage, "--model-path '" + sanitized(args.model_path, 200) +
                                      "': " + sanitized(about.value("class", ""), 60) +
                                      " is written as " + edgeprobe::joined(known, " or ")};
}

/// The command line of the run record, with all values that decide the result.
std::string command_of(const TrainArgs& args) {
  std::vector<std::string> words{"train", args.model, args.data.data};
  const auto add = [&](const char* flag, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {flag, value});
  };
  for (const auto& [flag, value] : data_words(args.data)) add(flag, value);
  add("--recipe", args.recipe);
  add("--model-path", args.model_path);
  add("--logdir", args.logdir);
  add("--backbone", args.backbone);
  add("--augment", args.augment);
  add("--batch-size", std::to_string(args.batch_size));
  add("--learning-rate", number(args.learning_rate, 9));
  add("--num-epochs", std::to_string(args.num_epochs));
  if (args.fine_tune > 0) add("--fine-tune", std::to_string(args.fine_tune));
  add("--seed", std::to_string(args.seed));
  return command_line(words);
}

/// The results on the terminal.
void tell(const ordered_json& result, const TrainArgs& args, Terminal& terminal) {
  Training::tell(result, terminal);
  const std::string recipe = fs::path(args.model_path).replace_extension(".recipe").string();
  std::vector<std::string> words{"check",       "DEPLOYED",      "--recipe",           recipe,
                                 "--reference", args.model_path, "--reference-recipe", recipe,
                                 "--data",      args.data.data};
  if (!args.data.labels.empty()) words.insert(words.end(), {"--labels", args.data.labels});
  terminal.out << "next, once it is converted: " << sanitized(command_line(words), 1000) << "\n";
}

}  // namespace

Result<Outcome> run(const TrainArgs& given, Terminal& terminal) {
  TrainArgs args = given;
  args.data.time_limit_s = &args.time_limit_s;
  EP_CHECK(check_flags(args));
  TrainingOrder order;
  order.model_path = args.model_path;
  order.logdir = args.logdir;
  order.command = command_of(args);
  order.restart = args.restart;
  order.checkpoint_every_s = args.checkpoint_every_s;
  ordered_json more{{"settings", settings_of(args)}};
  EP_TRY(auto preparation, training_data(args.data, more["split"], terminal));
  EP_TRY(const auto scratch, ScratchFolder::make());
  EP_TRY(more["backbone"], backbone_of(args, scratch.path()));
  EP_TRY(const auto interpreter, trainer_python(args, terminal));

  EP_TRY(auto training, Training::start("train", interpreter, args.json, terminal));
  EP_TRY(const auto about, training.open({{"model", args.model}}));
  EP_CHECK(check_ending(args, about));
  EP_TRY(preparation.recipe, training.recipe(args.recipe, about.value("recipe", ""), args.model));
  EP_TRY(preparation.shape, shape_of(preparation.samples, preparation.recipe));
  EP_TRY(const auto result, training.run(preparation, order, more));
  if (!args.json.wanted || !args.json.file.empty()) tell(result, args, terminal);
  if (args.json.wanted)
    EP_CHECK(write_result(args.json,
                          result.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n",
                          terminal.out));
  return Outcome::kDone;
}

Work declare_train(Parser& parser) {
  auto args = std::make_shared<TrainArgs>();
  parser
      .option("model", args->model,
              "mobilenet_v1, mobilenet_v2, mobilenet_v2_torch or signal, or a class of your own as "
              "FILE.py:CLASS or python:NAME, with ?OPTION=VALUE (docs/extending.md)")
      .required();
  parser.option("dataset", args->dataset, "The data, as --data takes it");
  add_data(parser, args->data, false);
  parser.option("--dataset-root", args->dataset_root, "The same as --data");
  add_recipe_flag(parser, "--recipe", args->recipe,
                  "The pre-processing of training and deployment: text or a file (default: that "
                  "of the model)");
  parser
      .option("--model-path", args->model_path,
              "The result: .keras or .h5, of PyTorch .pt2; recipe, labels, split and a record are "
              "written next to it")
      .required();
  parser.option("--logdir", args->logdir,
                "Folder of checkpoints, prepared inputs and TensorBoard's log (default: next to "
                "the model)");
  parser.option("--batch-size", args->batch_size, "Samples in one step")
      .range(1, 65536)
      .shows_default();
  parser.option("--learning-rate", args->learning_rate, "Rate of the Adam optimizer")
      .shows_default();
  parser.option("--num-epochs", args->num_epochs, "Times that all training samples are used")
      .range(1, 1000000)
      .shows_default();
  parser
      .option("--fine-tune", args->fine_tune,
              "Further epochs with the backbone's last blocks unfrozen, at a tenth of the rate")
      .range(0, 1000000)
      .shows_default();
  parser
      .option("--backbone", args->backbone,
              "Weights of the layers before the head, which then stay frozen: .keras, .h5, .npz, "
              ".tflite or .onnx")
      .type("FILE");
  parser.option("--augment", args->augment,
                "Random changes of training inputs: flip, shift=SHARE, rotate=DEGREES, with commas "
                "(default: none)");
  parser.option("--seed", args->seed, "Seed of weights, order, dropout and changes")
      .shows_default();
  parser.option("--checkpoint-every", args->checkpoint_every_s, "Seconds between checkpoints")
      .shows_default();
  parser.flag("--restart", args->restart, "Begin again, although --logdir holds a run");
  parser.option("--time-limit", args->time_limit_s, "Seconds for one sample of a plug-in")
      .shows_default();
  parser
      .option("--python", args->python,
              "A Python with the framework (default: an environment with Keras, created on demand; "
              "for a class of your own $EDGEPROBE_PYTHON if set)")
      .type("PROGRAM");
  add_json(parser, args->json);
  return work_of(args);
}

}  // namespace edgeprobe::cli
