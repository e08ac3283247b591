// SPDX-License-Identifier: Apache-2.0
#include "cli/train/training.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/text.h"

namespace edgeprobe::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

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

void tell_prepared(const PreparedStore& prepared, const Preparation& preparation,
                   Terminal& terminal) {
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
}

Status make_logdir(const std::string& logdir) {
  std::error_code failed;
  fs::create_directories(logdir, failed);
  if (!failed) return {};
  return Error{ErrorKind::kUsage,
               "--logdir '" + sanitized(logdir, 200) + "' cannot be made: " + failed.message()};
}

}  // namespace

Result<Training> Training::start(const char* package, const std::string& interpreter,
                                 const JsonFlag& json, Terminal& terminal) {
  EP_TRY(auto trainer, Trainer::start(package, interpreter, terminal));
  std::ostream& epochs = json.wanted && json.file.empty() ? terminal.err : terminal.out;
  return Training(std::move(trainer), epochs, terminal);
}

Result<ordered_json> Training::ask(const ordered_json& request) {
  std::optional<Progress> progress;
  return trainer_.ask(request, {[&](std::size_t done, std::size_t all, const std::string& what) {
                                  if (!progress) progress.emplace(*terminal_, "training");
                                  progress->show(done, all, what);
                                },
                                [&](const ordered_json& row, bool before) {
                                  progress.reset();
                                  table_.add(row, before);
                                },
                                [&](const std::string& sentence, bool is_warning) {
                                  progress.reset();
                                  terminal_->err << (is_warning ? "warning: " : "note: ")
                                                 << sentence << "\n";
                                }});
}

Result<ordered_json> Training::open(const ordered_json& model) {
  Progress starting(*terminal_, "opening the model");
  return ask(model);
}

Result<preprocess::Recipe> Training::recipe(const std::string& given, const std::string& own,
                                            const std::string& model) const {
  if (!given.empty()) return preprocess::load_recipe(given);
  if (own.empty())
    return Error{ErrorKind::kUsage,
                 "--recipe is missing: '" + sanitized(model, 200) + "' has none of its own"};
  auto recipe = preprocess::parse_recipe(own);
  if (!recipe) return std::move(recipe).error().during("the recipe of the model's class");
  terminal_->err << "recipe of the model: " << preprocess::to_text(*recipe) << "\n";
  return recipe;
}

Result<ordered_json> Training::run(const Preparation& preparation, const TrainingOrder& order,
                                   const ordered_json& more) {
  EP_CHECK(make_logdir(order.logdir));
  std::error_code ignored;
  const fs::path store = fs::absolute(order.logdir, ignored) / "store";
  ordered_json request{{"logdir", fs::absolute(order.logdir, ignored).string()},
                       {"model_path", fs::absolute(order.model_path, ignored).string()},
                       {"store", store.string()},
                       {"shape", preparation.shape},
                       {"classes", preparation.classes},
                       {"recipe", preprocess::to_text(preparation.recipe)},
                       {"key", preparation.key()},
                       {"restart", order.restart},
                       {"checkpoint_every", order.checkpoint_every_s},
                       {"version", EDGEPROBE_VERSION},
                       {"command", order.command}};
  request.update(more);
  EP_TRY(const auto built, [&] {
    Progress starting(*terminal_, "starting the framework");
    return ask(request);
  }());
  for (const auto& note : built.value("notes", ordered_json::array()))
    terminal_->err << "note: " << sanitized(note.get<std::string>(), 400) << "\n";
  EP_TRY(const auto prepared, prepare_store(preparation, store, *terminal_));
  tell_prepared(prepared, preparation, *terminal_);
  EP_TRY(auto result, ask({{"train", true}}));
  result["left_out"] = ordered_json::array();
  for (const dataset::Unreadable& one : prepared.left_out)
    result["left_out"].push_back({{"sample", one.name}, {"why", one.why}});
  result["store"] = {{"bytes", prepared.bytes},
                     {"codes", prepared.holds_codes},
                     {"seconds", prepared.seconds},
                     {"cpu_seconds", prepared.cpu_seconds},
                     {"was_there", prepared.was_there}};
  return result;
}

void Training::tell(const ordered_json& result, Terminal& terminal) {
  terminal.out << "best epoch: " << result["best"]["epoch"] << "\n";
  if (const ordered_json& test = result["test"]; test.is_object()) {
    terminal.out << "test: " << percent(test["accuracy"].get<double>()) << " of "
                 << counted(test["samples"].get<std::size_t>(), "sample") << " right, loss "
                 << number(test["loss"].get<double>()) << "\n";
  }
  for (const auto& [name, file] : result["files"].items())
    terminal.out << "written: " << sanitized(file["path"].get<std::string>(), 300) << "\n";
}

Status check_training_files(const std::string& flag, const std::string& output,
                            const std::string& example, std::string& logdir) {
  const fs::path out(output);
  std::error_code failed;
  const std::string title = flag + " '" + sanitized(output, 200) + "'";
  if (!out.has_stem() || !out.has_extension())
    return Error{ErrorKind::kUsage, title + ": expected a file such as " + example};
  const fs::path folder = fs::absolute(out, failed).parent_path();
  if (!fs::is_directory(folder, failed))
    return Error{ErrorKind::kUsage, title + ": its folder does not exist"};
  if (logdir.empty()) logdir = (out.parent_path() / (out.stem().string() + "-training")).string();
  if (fs::exists(logdir, failed) && !fs::is_directory(logdir, failed))
    return Error{ErrorKind::kUsage, "--logdir '" + sanitized(logdir, 200) + "' is not a folder"};
  return {};
}

}  // namespace edgeprobe::cli
