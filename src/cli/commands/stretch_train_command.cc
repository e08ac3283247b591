// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/commands/stretch_networks.h"
#include "cli/commands/stretch_original_flags.h"
#include "cli/options/data_flags.h"
#include "cli/options/json_flag.h"
#include "cli/options/overwrite.h"
#include "cli/options/pipeline_flags.h"
#include "cli/options/values.h"
#include "cli/options/verb_arguments.h"
#include "cli/terminal/command_line.h"
#include "cli/train/torch_python.h"
#include "cli/train/training.h"
#include "cli/train/training_data.h"
#include "core/file.h"
#include "core/scratch_folder.h"
#include "core/text.h"
#include "family/elastic.h"
#include "family/network.h"

namespace edgeprobe::cli {

/// Arguments of `edgeprobe stretch train NETWORK DATASET --output TRAINED`: trains a network of
/// `stretch generate`.
struct StretchTrainArgs {
  std::string network, dataset;
  DataFlags data;
  double time_limit_s = 60;
  std::string recipe;  ///< Empty: the network's size, -1 to 1.
  std::string output, logdir;
  std::string weights, teacher, teacher_weights;
  // 0: those of the network.
  int num_epochs = 0, batch_size = 0, subnets = 0;
  double learning_rate = 0;
  std::string augment, device, python;
  NetworkFlags built;
  std::uint32_t seed = 1;
  double checkpoint_every_s = 10;
  bool restart = false;
  std::vector<std::string> overrides;  ///< Further words, after --cfg.
  OriginalFlags original;
  JsonFlag json;
};

namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

bool is_configuration(const std::string& file) {
  const std::string ending = fs::path(file).extension().string();
  return ending == ".yaml" || ending == ".yml";
}

std::string absolute_or_empty(const std::string& path) {
  std::error_code ignored;
  return path.empty() ? "" : fs::absolute(path, ignored).string();
}

/// The network.json of an argument, with `classes`: the file itself, or that of a configuration,
/// written into `folder`.
Result<std::string> network_file(const StretchTrainArgs& args, const std::string& argument,
                                 std::size_t classes, const fs::path& folder, Terminal& terminal) {
  if (!is_configuration(argument)) return absolute_or_empty(argument);
  EP_TRY(const auto configuration, family::load_configuration(argument));
  if (configuration.classes != static_cast<std::int64_t>(classes))
    terminal.err << "note: '" << sanitized(argument, 200) << "' says " << configuration.classes
                 << " classes; the network gets the " << classes << " of the data\n";
  NetworkFlags built = args.built;
  built.classes = static_cast<int>(classes);
  EP_TRY(const auto network, network_of(argument, built));
  for (const std::string& warning : network.warnings)
    terminal.err << "warning: " << warning << "\n";
  const fs::path path = folder / (network.name + ".network.json");
  EP_CHECK(write_file(path, view_of(family::to_json(network))));
  return path.string();
}

/// Files of the networks of a supernet, in the folder of checkpoints, where the ranking names them.
Result<ordered_json> subnet_files(const StretchTrainArgs& args, std::size_t classes) {
  EP_TRY(const auto supernet, family::load_configuration(args.network));
  EP_TRY(const auto subnets,
         family::subnets_of(supernet, static_cast<std::size_t>(args.subnets), args.seed));
  const fs::path folder = fs::absolute(args.logdir) / "networks";
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed)
    return Error{ErrorKind::kUsage, "--logdir '" + sanitized(args.logdir, 200) +
                                        "': cannot make a folder in it: " + failed.message()};
  ordered_json files = ordered_json::array();
  for (const family::Configuration& subnet : subnets) {
    EP_TRY(const auto network,
           family::build(subnet, {args.built.size, static_cast<std::int64_t>(classes),
                                  args.built.adapters == "all", args.built.most_gmacs * 1e9}));
    const fs::path path = folder / (subnet.name + ".network.json");
    EP_CHECK(write_file(path, view_of(family::to_json(network))));
    files.push_back(path.string());
  }
  return files;
}

Status check_stretch_training_numbers(const StretchTrainArgs& args) {
  if (!(args.learning_rate >= 0) || args.learning_rate > 1e30)
    return Error{ErrorKind::kUsage,
                 "--learning-rate " + number(args.learning_rate) + ": expected a number above 0"};
  if (!(args.checkpoint_every_s >= 0))
    return Error{ErrorKind::kUsage, "--checkpoint-every " + number(args.checkpoint_every_s) +
                                        ": expected seconds, at least 0"};
  if (!args.device.empty() && args.device != "cpu" && args.device != "cuda")
    return Error{ErrorKind::kUsage,
                 "--device '" + sanitized(args.device, 60) + "': expected cpu or cuda"};
  if (args.teacher.empty() != args.teacher_weights.empty())
    return Error{
        ErrorKind::kUsage,
        std::string(args.teacher.empty() ? "--teacher-weights needs --teacher, the network "
                                           "that the weights belong to"
                                         : "--teacher needs --teacher-weights, its "
                                           "trained weights")};
  return {};
}

/// Fills in the data and the folder of checkpoints.
Status check_stretch_training(StretchTrainArgs& args) {
  EP_CHECK(check_stretch_training_numbers(args));
  if (!args.dataset.empty() && !args.data.data.empty() && args.dataset != args.data.data)
    return Error{ErrorKind::kUsage, "the data is named twice: '" + sanitized(args.dataset, 200) +
                                        "' and '" + sanitized(args.data.data, 200) + "'"};
  if (args.data.data.empty()) args.data.data = args.dataset;
  if (args.data.data.empty())
    return Error{ErrorKind::kUsage,
                 "DATASET is missing: what --data takes, e.g. a folder with a folder of pictures "
                 "for each class, and --labels folders"};
  for (const auto& [flag, file] :
       {std::pair{"--weights", &args.weights}, {"--teacher-weights", &args.teacher_weights}}) {
    std::error_code failed;
    if (!file->empty() && !fs::is_regular_file(*file, failed))
      return Error{ErrorKind::kUsage,
                   std::string(flag) + " '" + sanitized(*file, 200) + "' is not a file"};
  }
  EP_CHECK(check_training_files("--output", args.output, "trained.safetensors", args.logdir));
  if (fs::path(args.output).extension() != ".safetensors")
    return Error{ErrorKind::kUsage, "--output '" + sanitized(args.output, 200) +
                                        "': trained weights are written as .safetensors"};
  std::vector<std::string> inputs = files_of(args.data);
  inputs.insert(inputs.end(), {args.network, args.weights, args.teacher, args.teacher_weights});
  EP_CHECK(check_outputs({{"--output", args.output}, {"--json", args.json.file}}, inputs));
  EP_CHECK(check_writable(args.output));
  return check_texts({{"--json", args.json.file}}, {});
}

/// The command line of the run record, with all values that decide the result.
std::string command_of(const StretchTrainArgs& args) {
  std::vector<std::string> words{"stretch", "train", args.network, args.data.data};
  const auto add = [&](const char* flag, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {flag, value});
  };
  for (const auto& [flag, value] : data_words(args.data)) add(flag, value);
  add("--recipe", args.recipe);
  add("--output", args.output);
  add("--logdir", args.logdir);
  add("--weights", args.weights);
  add("--teacher", args.teacher);
  add("--teacher-weights", args.teacher_weights);
  add("--augment", args.augment);
  if (args.built.size > 0) add("--size", std::to_string(args.built.size));
  if (args.built.adapters != "branched") add("--adapters", args.built.adapters);
  if (args.subnets > 0) add("--subnets", std::to_string(args.subnets));
  if (args.batch_size > 0) add("--batch-size", std::to_string(args.batch_size));
  if (args.learning_rate > 0) add("--learning-rate", number(args.learning_rate, 9));
  if (args.num_epochs > 0) add("--num-epochs", std::to_string(args.num_epochs));
  add("--seed", std::to_string(args.seed));
  return command_line(words);
}

/// Keys of the network's training that flags replace.
ordered_json replaced_keys(const StretchTrainArgs& args) {
  ordered_json keys = ordered_json::object();
  if (args.num_epochs > 0) keys["max_epoch"] = args.num_epochs;
  if (args.batch_size > 0) keys["batch_size"] = args.batch_size;
  if (args.learning_rate > 0) keys["base_lr"] = args.learning_rate;
  return keys;
}

TrainingOrder order_of(const StretchTrainArgs& args) {
  TrainingOrder order;
  order.model_path = args.output;
  order.logdir = args.logdir;
  order.command = command_of(args);
  order.restart = args.restart;
  order.checkpoint_every_s = args.checkpoint_every_s;
  return order;
}

}  // namespace

Result<Outcome> run(const StretchTrainArgs& given, Terminal& terminal) {
  StretchTrainArgs args = given;
  args.data.time_limit_s = &args.time_limit_s;
  std::vector<std::string> words{args.network, args.dataset};
  words.insert(words.end(), args.overrides.begin(), args.overrides.end());
  EP_CHECK(take_training(args.original, words,
                         {args.network, args.dataset, args.output, args.weights, args.built.size,
                          args.num_epochs, args.batch_size, args.learning_rate, args.seed}));
  EP_CHECK(check_original(args.original, terminal));
  if (args.network.empty() || args.output.empty())
    return Error{ErrorKind::kUsage,
                 args.network.empty() ? "network is required" : "--output is required"};
  if (args.original.cfg.empty() && !args.overrides.empty())
    return Error{ErrorKind::kUsage, "'" + sanitized(args.overrides.front(), 60) +
                                        "' is one word too many after NETWORK and DATASET"};
  EP_CHECK(check_stretch_training(args));
  // Wrong networks are named before the data is read.
  for (const std::string& file : {args.network, args.teacher}) {
    std::error_code failed;
    if (is_configuration(file)) EP_CHECK(family::load_configuration(file));
    else if (!file.empty() && !fs::is_regular_file(file, failed))
      return Error{ErrorKind::kUsage, "the network '" + sanitized(file, 200) + "' is not a file"};
  }
  if (args.subnets > 0 && !is_configuration(args.network))
    return Error{ErrorKind::kUsage, "--subnets needs a configuration with 'elastic'; '" +
                                        sanitized(args.network, 200) + "' is a network"};
  ordered_json more{{"settings", {{"seed", args.seed}, {"augment", args.augment}}},
                    {"weights", absolute_or_empty(args.weights)},
                    {"teacher", nullptr}};
  EP_TRY(const auto interpreter, torch_python(args.python, terminal));
  EP_TRY(auto preparation, training_data(args.data, more["split"], terminal));
  const std::size_t classes = preparation.classes.size();
  EP_TRY(const auto scratch, ScratchFolder::make());
  EP_TRY(const auto network, network_file(args, args.network, classes, scratch.path(), terminal));
  ordered_json opened = {
      {"network", network}, {"training", replaced_keys(args)}, {"device", args.device}};
  if (args.subnets > 0) {
    EP_TRY(opened["subnets"], subnet_files(args, classes));
  }
  if (!args.teacher.empty()) {
    fs::create_directory(scratch.path() / "teacher");
    EP_TRY(const auto teacher,
           network_file(args, args.teacher, classes, scratch.path() / "teacher", terminal));
    more["teacher"] = {{"network", teacher}, {"weights", absolute_or_empty(args.teacher_weights)}};
  }
  EP_TRY(auto training, Training::start("family", interpreter, args.json, terminal));
  EP_TRY(const auto about, training.open(opened));
  EP_TRY(preparation.recipe, training.recipe(args.recipe, about.value("recipe", ""), args.network));
  EP_TRY(preparation.shape, shape_of(preparation.samples, preparation.recipe));
  EP_TRY(const auto result, training.run(preparation, order_of(args), more));
  if (!args.json.wanted || !args.json.file.empty()) Training::tell(result, terminal);
  if (args.json.wanted)
    EP_CHECK(write_result(args.json,
                          result.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n",
                          terminal.out));
  return Outcome::kDone;
}

Work declare_stretch_train(Parser& parser) {
  auto args = std::make_shared<StretchTrainArgs>();
  parser.option("network", args->network,
                "The network: a YAML configuration, or a file of 'stretch generate --network'");
  parser.option("dataset", args->dataset, "The data, as --data takes it");
  parser.option("overrides", args->overrides, "With --cfg and --mode train: KEY VALUE pairs");
  add_data(parser, args->data, false);
  add_recipe_flag(parser, "--recipe", args->recipe,
                  "The pre-processing of training and deployment: text or a file (default: resized "
                  "to the network's input, -1 to 1)");
  parser.option(
      "--output", args->output,
      "The trained weights, .safetensors; network, recipe, labels, split and a record are "
      "written next to it (required)");
  parser.option("--logdir", args->logdir,
                "Folder of checkpoints, prepared inputs and TensorBoard's log (default: next to "
                "the output)");
  parser
      .option("--weights", args->weights,
              "Weights to begin with: .safetensors, or a checkpoint of PyTorch with the same names "
              "(default: random ones)")
      .type("FILE");
  parser
      .option("--teacher", args->teacher,
              "A network whose answers are learned beside the labels (distillation)")
      .type("FILE");
  parser.option("--teacher-weights", args->teacher_weights, "Weights of --teacher").type("FILE");
  add_size(parser, args->built);
  parser
      .option("--subnets", args->subnets,
              "Train a supernet: a configuration with 'elastic', and this many networks that share "
              "its weights. They are ranked on the validation samples")
      .range(2, 10000);
  parser
      .option("--num-epochs", args->num_epochs,
              "Times that all training samples are used (default: OPTIM.MAX_EPOCH of the network)")
      .range(1, 1000000);
  parser
      .option("--batch-size", args->batch_size,
              "Samples in one step (default: TRAIN.BATCH_SIZE of the network)")
      .range(1, 65536);
  parser.option("--learning-rate", args->learning_rate,
                "Base rate of the schedule (default: OPTIM.BASE_LR of the network)");
  parser.option("--augment", args->augment,
                "Random changes of training inputs: flip, shift=SHARE, rotate=DEGREES, with commas "
                "(default: none)");
  parser.option("--seed", args->seed, "Seed of weights, order and changes").shows_default();
  parser.option("--checkpoint-every", args->checkpoint_every_s, "Seconds between checkpoints")
      .shows_default();
  parser.flag("--restart", args->restart, "Begin again, although --logdir holds a run");
  parser.option("--time-limit", args->time_limit_s, "Seconds for one sample of a plug-in")
      .shows_default();
  parser.option("--device", args->device,
                "Where PyTorch computes: cpu or cuda (default: the GPU if it has one)");
  parser
      .option("--python", args->python,
              "A Python with PyTorch 1.13 or newer (default: $EDGEPROBE_PYTHON, python3 or the "
              "system's, whichever has it)")
      .type("PROGRAM");
  add_json(parser, args->json);
  add_training_flags(parser, args->original);
  return work_of(args);
}

}  // namespace edgeprobe::cli
