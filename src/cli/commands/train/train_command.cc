// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/commands/train/train_flags.h"
#include "cli/options/pipeline_flags.h"
#include "cli/options/verb_arguments.h"
#include "cli/terminal/command_line.h"
#include "cli/terminal/progress.h"
#include "cli/train/backbone.h"
#include "cli/train/epoch_table.h"
#include "cli/train/preparation.h"
#include "cli/train/trainer.h"
#include "core/file.h"
#include "core/scratch_folder.h"
#include "core/text.h"
#include "dataset/labels.h"

namespace edgeprobe::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

/// Names of the classes: those of --classes, with folders the folders' names, else numbers.
Result<std::vector<std::string>> class_names(const DataFlags& data,
                                             const std::vector<dataset::Sample>& samples) {
  EP_TRY(auto stated, class_names_from(data));
  if (!stated.empty()) return stated;
  std::map<int, std::string> names;
  for (const dataset::Sample& sample : samples)
    if (const auto* label =
            sample.annotation ? std::get_if<task::ClassLabel>(&*sample.annotation) : nullptr)
      names.emplace(label->index, data.labels == "folders"
                                      ? sample.name.substr(0, sample.name.find('/'))
                                      : std::to_string(label->index));
  std::vector<std::string> all;
  for (const auto& [index, name] : names) {
    while (static_cast<int>(all.size()) < index) all.push_back(std::to_string(all.size()));
    all.push_back(name);
  }
  return all;
}

/// Puts samples of one class into the preparation; names those that have none.
void add_part(Preparation& preparation, const std::vector<dataset::Sample>& samples,
              dataset::Part part) {
  for (const dataset::Sample& sample : samples) {
    const auto* const label =
        sample.annotation ? std::get_if<task::ClassLabel>(&*sample.annotation) : nullptr;
    if (!label) {
      preparation.left_out.push_back(
          {sample.name, sample.annotation ? "its label is not one class" : "it has no label"});
      continue;
    }
    const auto hash = dataset::content_hash(sample);
    if (!hash) {
      preparation.left_out.push_back({sample.name, hash.error().what});
      continue;
    }
    preparation.samples.push_back({sample, part, label->index, *hash});
  }
}

/// kUsage for fewer than two classes, and for a class that training would never see.
Status check_classes(const Preparation& preparation) {
  const std::size_t count = preparation.classes.size();
  if (preparation.samples.empty())
    return Error{ErrorKind::kUsage,
                 "no sample of the data has a class: give --labels (docs/guides/training.md)"};
  if (count < 2)
    return Error{ErrorKind::kUsage,
                 "the data has " + counted(count, "class") + "; a classifier needs at least two"};
  std::vector<std::size_t> trained(count);
  for (const TrainingSample& one : preparation.samples) {
    const auto label = static_cast<std::size_t>(one.label);
    if (one.label < 0 || label >= count)
      return Error{ErrorKind::kUsage, "'" + sanitized(one.sample.name) + "' is of class " +
                                          std::to_string(one.label) + ", and --classes names " +
                                          std::to_string(count)};
    if (one.part == dataset::Part::kTrain) ++trained[label];
  }
  std::vector<std::string> missing;
  for (std::size_t i = 0; i < count; ++i)
    if (trained[i] == 0) missing.push_back("'" + sanitized(preparation.classes[i], 60) + "'");
  if (missing.empty()) return {};
  if (missing.size() > 5) missing.resize(5);
  return Error{ErrorKind::kUsage, "no training sample is of class " + edgeprobe::joined(missing) +
                                      ": the model could never answer it; add samples, or leave "
                                      "the class out"};
}

/// The samples in their parts, without reading more than their bytes.
Result<Preparation> preparation_of(const TrainArgs& args, ordered_json& split, Terminal& terminal) {
  DataFlags whole = args.data;
  whole.split = {};
  std::vector<std::string> notes;
  EP_TRY(const auto samples, samples_from(whole, &notes));
  SplitFlags shares = args.data.split;
  const bool is_assigned = std::any_of(samples.begin(), samples.end(),
                                       [](const auto& sample) { return sample.part.has_value(); });
  // A run without validation could not tell its best epoch.
  if (shares.validation.empty() && (shares.has_shares() || !is_assigned)) shares.validation = "0.1";
  split = {{"assigned_by_data", is_assigned && !shares.has_shares()},
           {"test", shares.test},
           {"validation", shares.validation},
           {"seed", shares.seed}};
  EP_TRY(const auto parts, [&] {
    Progress progress(terminal, "splitting");
    return parts_of(samples, shares, &notes, {terminal.stop, progress.callback()});
  }());
  for (const std::string& note : notes) terminal.err << "warning: " << note << "\n";
  Preparation preparation;
  preparation.left_out = parts.unreadable;
  add_part(preparation, parts.train, dataset::Part::kTrain);
  add_part(preparation, parts.validation, dataset::Part::kValidation);
  add_part(preparation, parts.test, dataset::Part::kTest);
  EP_TRY(preparation.classes, class_names(args.data, samples));
  EP_CHECK(check_classes(preparation));
  return preparation;
}

/// The recipe of --recipe, else the model's own, which is printed.
Result<preprocess::Recipe> recipe_of(const TrainArgs& args, const std::string& own,
                                     Terminal& terminal) {
  if (!args.recipe.empty()) return preprocess::load_recipe(args.recipe);
  if (own.empty())
    return Error{ErrorKind::kUsage,
                 "--recipe is missing: '" + sanitized(args.model, 200) + "' has none of its own"};
  auto recipe = preprocess::parse_recipe(own);
  if (!recipe) return std::move(recipe).error().during("the recipe of the model's class");
  terminal.err << "recipe of the model: " << preprocess::to_text(*recipe) << "\n";
  return recipe;
}

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

void tell_left_out(const std::vector<dataset::Unreadable>& left_out, Terminal& terminal) {
  constexpr std::size_t kShown = 5;
  if (left_out.empty()) return;
  terminal.err << "warning: " << counted(left_out.size(), "sample") << " left out\n";
  for (std::size_t i = 0; i < std::min(kShown, left_out.size()); ++i)
    terminal.err << "  " << sanitized(left_out[i].name, 100) << ": "
                 << sanitized(left_out[i].why, 200) << "\n";
  if (left_out.size() > kShown)
    terminal.err << "  and " << left_out.size() - kShown << " more (training.json lists all)\n";
}

std::string count_text(const Preparation& preparation, dataset::Part part) {
  const auto count = std::count_if(preparation.samples.begin(), preparation.samples.end(),
                                   [&](const TrainingSample& one) { return one.part == part; });
  return std::to_string(count) + " for " + dataset::name(part);
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
  add("--labels", args.data.labels);
  add("--classes", args.data.classes);
  add("--frames", args.data.frames);
  add("--split-fraction-test", args.data.split.test);
  add("--split-fraction-val", args.data.split.validation);
  add("--split-seed", args.data.split.seed);
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
void tell(const ordered_json& answer, const TrainArgs& args, Terminal& terminal) {
  const ordered_json& best = answer["best"];
  terminal.out << "best epoch: " << best["epoch"] << "\n";
  if (const ordered_json& test = answer["test"]; test.is_object()) {
    terminal.out << "test: " << percent(test["accuracy"].get<double>()) << " of "
                 << counted(test["samples"].get<std::size_t>(), "sample") << " right, loss "
                 << number(test["loss"].get<double>()) << "\n";
  }
  for (const auto& [name, file] : answer["files"].items())
    terminal.out << "written: " << sanitized(file["path"].get<std::string>(), 300) << "\n";
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
  ordered_json split;
  EP_TRY(auto preparation, preparation_of(args, split, terminal));
  EP_TRY(const auto scratch, ScratchFolder::make());
  EP_TRY(const auto backbone, backbone_of(args, scratch.path()));
  EP_TRY(const auto interpreter, trainer_python(args, terminal));

  EP_TRY(auto trainer, Trainer::start(interpreter, terminal));
  EpochTable table(args.json.wanted && args.json.file.empty() ? terminal.err : terminal.out);
  std::optional<Progress> progress;
  const Trainer::Listener listener{[&](std::size_t done, std::size_t all, const std::string& what) {
                                     if (!progress) progress.emplace(terminal, "training");
                                     progress->show(done, all, what);
                                   },
                                   [&](const ordered_json& row, bool before) {
                                     progress.reset();
                                     table.add(row, before);
                                   },
                                   [&](const std::string& sentence, bool is_warning) {
                                     progress.reset();
                                     terminal.err << (is_warning ? "warning: " : "note: ")
                                                  << sentence << "\n";
                                   }};
  EP_TRY(const auto about, trainer.ask({{"model", args.model}}, listener));
  EP_CHECK(check_ending(args, about));
  EP_TRY(preparation.recipe, recipe_of(args, about.value("recipe", ""), terminal));
  EP_TRY(preparation.shape, shape_of(preparation.samples, preparation.recipe));

  std::error_code failed, ignored;
  const fs::path store = fs::absolute(args.logdir, ignored) / "store";
  fs::create_directories(args.logdir, failed);
  if (failed)
    return Error{ErrorKind::kUsage, "--logdir '" + sanitized(args.logdir, 200) +
                                        "' cannot be made: " + failed.message()};
  const ordered_json request{{"logdir", fs::absolute(args.logdir, ignored).string()},
                             {"model_path", fs::absolute(args.model_path, ignored).string()},
                             {"store", store.string()},
                             {"shape", preparation.shape},
                             {"classes", preparation.classes},
                             {"recipe", preprocess::to_text(preparation.recipe)},
                             {"key", preparation.key()},
                             {"settings", settings_of(args)},
                             {"split", split},
                             {"backbone", backbone},
                             {"restart", args.restart},
                             {"checkpoint_every", args.checkpoint_every_s},
                             {"version", EDGEPROBE_VERSION},
                             {"command", command_of(args)}};
  EP_TRY(const auto built, [&] {
    Progress starting(terminal, "starting the framework");
    return trainer.ask(request, listener);
  }());
  for (const auto& note : built.value("notes", ordered_json::array()))
    terminal.err << "note: " << sanitized(note.get<std::string>(), 400) << "\n";
  EP_TRY(const auto prepared, prepare_store(preparation, store, terminal));
  terminal.err << (prepared.was_there ? "prepared before: " : "prepared: ")
               << counted(prepared.samples, "sample") << " ("
               << count_text(preparation, dataset::Part::kTrain) << ", "
               << count_text(preparation, dataset::Part::kValidation) << ", "
               << count_text(preparation, dataset::Part::kTest) << "), "
               << bytes_text(static_cast<double>(prepared.bytes)) << " as "
               << (prepared.holds_codes
                       ? "8-bit codes, from which the recipe's values are restored "
                         "exactly"
                       : "float32")
               << "\n";
  tell_left_out(prepared.left_out, terminal);
  const auto answer = trainer.ask({{"train", true}}, listener);
  progress.reset();
  if (!answer) return answer.error();
  if (!args.json.wanted || !args.json.file.empty()) tell(*answer, args, terminal);
  if (args.json.wanted) {
    ordered_json result = *answer;
    result["left_out"] = ordered_json::array();
    for (const dataset::Unreadable& one : prepared.left_out)
      result["left_out"].push_back({{"sample", one.name}, {"why", one.why}});
    result["store"] = {{"bytes", prepared.bytes},
                       {"codes", prepared.holds_codes},
                       {"seconds", prepared.seconds},
                       {"cpu_seconds", prepared.cpu_seconds},
                       {"was_there", prepared.was_there}};
    EP_CHECK(write_result(args.json,
                          result.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n",
                          terminal.out));
  }
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
