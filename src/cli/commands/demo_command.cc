// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/demo/demo_files.h"
#include "cli/options/verb_arguments.h"
#include "cli/terminal/command_line.h"
#include "cli/terminal/terminal.h"
#include "core/file.h"
#include "core/result.h"
#include "core/scratch_folder.h"
#include "core/text.h"
#include "engine/library_choice.h"
#include "engine/target.h"

namespace edgeprobe::cli {

/// Arguments of `edgeprobe demo`: demonstrates `check` with a built-in model and pictures.
struct DemoArgs {
  std::string out;     ///< Keeps the files and reports here; empty: a temporary folder.
  std::string engine;  ///< As --engine of other verbs; empty: the default.
  bool fetch = false;  ///< Downloads the engine if it is missing.
};

namespace {

namespace fs = std::filesystem;
constexpr std::size_t kMostText = std::size_t{64} << 20;

/// Prints a command line and runs it in this process.
Result<Outcome> show_and_perform(const std::vector<std::string>& words, Terminal& terminal) {
  terminal.out << "\n$ " << command_line(words) << "\n\n" << std::flush;
  auto outcome = terminal.perform(words, terminal);
  if (outcome) terminal.out << "\n(exit code " << static_cast<int>(*outcome) << ")\n" << std::flush;
  return outcome;
}

Status need_engine(const DemoArgs& args, Terminal& terminal) {
  EP_TRY(auto choice, engine::engine_choice_from_text(args.engine.empty() ? engine::first_engine()
                                                                          : args.engine));
  auto place = engine::find_library(choice);
  if (place) return {};
  if (place.error().kind != ErrorKind::kNotFound || !args.fetch || !choice.library.empty()) {
    Error error = std::move(place).error();
    if (error.kind == ErrorKind::kNotFound) error.what += "; 'edgeprobe demo --fetch' fetches it";
    return error;
  }
  EP_CHECK(show_and_perform({"fetch", choice.kind}, terminal));
  return {};
}

/// Checks that the diagnosis names the injected fault.
Status check_answer(const fs::path& json) {
  EP_TRY(const auto file, read_file(json, kMostText));
  const auto verdict = nlohmann::json::parse(ByteView(file).text(), nullptr, false);
  if (verdict.is_object() && verdict.value("verdict", "") == "differs")
    for (const auto& cause : verdict.value("causes", nlohmann::json::array()))
      if (cause.value("kind", "") == "channel_order" && cause.value("status", "") == "confirmed")
        return {};
  return Error{ErrorKind::kTarget,
               "the diagnosis did not name the planted fault (BGR) as a confirmed cause"};
}

}  // namespace

/// kDone if the injected fault was found and confirmed, else an error: unlike `diagnose`, whose
/// exit code describes the model.
Result<Outcome> run(const DemoArgs& args, Terminal& terminal) {
  EP_CHECK(need_engine(args, terminal));
  std::optional<ScratchFolder> scratch;
  fs::path folder = args.out;
  if (args.out.empty()) {
    EP_TRY(auto made, ScratchFolder::make());
    folder = made.path() / "demo";
    scratch.emplace(std::move(made));
  }
  EP_CHECK(unpack_demo(folder));
  const auto in = [&](const char* name) { return (folder / name).string(); };
  EP_TRY(const auto recipe_file, read_file(folder / "signs.recipe", kMostText));
  std::string recipe(ByteView(recipe_file).text());
  while (!recipe.empty() && recipe.back() == '\n') recipe.pop_back();
  const auto rgb = recipe.find("rgb");
  if (rgb == std::string::npos) return Error{ErrorKind::kCorrupt, "the demo's recipe names no rgb"};
  recipe.replace(rgb, 3, "bgr");

  terminal.out << "An app with an int8 model was deployed. It is right on far fewer pictures than "
                  "in the notebook.\n"
                  "The app records what it does, and declares nothing: no recipe, no model name.\n"
                  "(We planted a bug: it feeds BGR. The diagnosis does not know about it.)\n";
  std::vector<std::string> app{"run",          in("signs_int8.tflite"),
                               "--recipe",     recipe + " | quantize(model)",
                               "--data",       in("test"),
                               "--undeclared", "--trace",
                               in("app.mcap")};
  std::vector<std::string> question{"diagnose",
                                    in("app.mcap"),
                                    "--reference",
                                    in("signs_float.tflite"),
                                    "--reference-recipe",
                                    in("signs.recipe"),
                                    "--model",
                                    in("signs_int8.tflite"),
                                    "--data",
                                    in("test"),
                                    "--labels",
                                    in("labels.csv"),
                                    "--json",
                                    in("report.json")};
  if (!scratch) question.insert(question.end(), {"--html", in("report.html")});
  if (!args.engine.empty()) {
    app.insert(app.end(), {"--engine", args.engine});
    question.insert(question.end(), {"--engine", args.engine, "--reference-engine", args.engine});
  }
  EP_CHECK(show_and_perform(app, terminal));
  terminal.out << "\nWhy does it differ? The reference is the float model with the recipe of the "
                  "notebook.\n";
  EP_CHECK(show_and_perform(question, terminal));
  EP_CHECK(check_answer(folder / "report.json"));
  if (scratch)
    terminal.out << "\nThese files are deleted now; 'edgeprobe demo --out FOLDER' keeps them, with "
                    "the report as a page.\n";
  else terminal.out << "\nThe report with pictures: " << sanitized(in("report.html"), 4096) << "\n";
  return Outcome::kDone;
}

Work declare_demo(Parser& parser) {
  auto args = std::make_shared<DemoArgs>();
  parser.option("--out", args->out,
                "New folder for the models, pictures and reports (default: deleted)");
  parser.option("--engine", args->engine, "Engine, as for other verbs (default: litert)");
  parser.flag("--fetch", args->fetch, "Fetch the engine if there is none (edgeprobe fetch)");
  return work_of(args);
}

}  // namespace edgeprobe::cli
