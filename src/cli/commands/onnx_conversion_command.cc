// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/convert/tool_process.h"
#include "cli/grid/frameworks.h"
#include "cli/options/json_flag.h"
#include "cli/options/overwrite.h"
#include "cli/options/values.h"
#include "cli/options/verb_arguments.h"
#include "cli/terminal/command_line.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/terminal.h"
#include "core/text.h"
#include "process/python.h"

namespace edgeprobe::cli {

/// Arguments of `edgeprobe onnx-conversion DIR OUT…`: exports the models of frameworks to ONNX and
/// lets importers compute the files.
struct OnnxConversionArgs {
  std::string folder;
  std::vector<std::string> outputs, frameworks, models, importers, pythons;
  double time_limit_s = 600;
  std::string memory_limit = "8GB", disk_limit = "4GB";
  int jobs = 1;
  bool force = false;
  JsonFlag json;
};

namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr const char* kForms[] = {".rst", ".md", ".html", ".json"};

Status check_words(const OnnxConversionArgs& args) {
  for (const std::string& output : args.outputs) {
    const std::string extension = fs::path(output).extension().string();
    if (std::find(std::begin(kForms), std::end(kForms), extension) == std::end(kForms))
      return Error{ErrorKind::kUsage, "'" + sanitized(output, 200) +
                                          "': the grid is written as .rst, .md, .html or .json"};
  }
  const auto known = grid_importers();
  for (const std::string& importer : args.importers)
    if (std::find(known.begin(), known.end(), importer) == known.end()) {
      const std::string near = closest_match(importer, known);
      return Error{ErrorKind::kUsage, "--importers '" + sanitized(importer, 200) + "': expected " +
                                          edgeprobe::joined(known) +
                                          (near.empty() ? "" : "; did you mean '" + near + "'?")};
    }
  std::vector<OutputFile> texts{{"--json", args.json.file}};
  for (const std::string& output : args.outputs) texts.push_back({"OUT", output});
  return check_texts(texts, args.frameworks);
}

/// The folder of the cells: a new one, an empty one, or one of an earlier grid.
Status check_folder(const std::string& folder) {
  std::error_code failed;
  const fs::file_status status = fs::status(folder, failed);
  if (!fs::exists(status)) return {};
  if (!fs::is_directory(status))
    return Error{ErrorKind::kUsage, "'" + sanitized(folder, 200) + "' is not a folder"};
  if (fs::is_empty(folder, failed) || fs::exists(fs::path(folder) / "describe", failed)) return {};
  return Error{ErrorKind::kUsage,
               "'" + sanitized(folder, 200) +
                   "' has files that are not of a grid; name a new or an empty folder"};
}

ordered_json strings(const std::vector<std::string>& words) { return words; }

/// The command line without what names this machine, for the report.
std::string shown_command(const OnnxConversionArgs& args) {
  std::vector<std::string> words{"onnx-conversion", "DIR"};
  for (const std::string& output : args.outputs)
    words.push_back("OUT" + fs::path(output).extension().string());
  for (const auto& [flag, values] : {std::pair{"--frameworks", &args.frameworks},
                                     {"--models", &args.models},
                                     {"--importers", &args.importers}}) {
    if (values->empty()) continue;
    std::string list;
    for (const std::string& value : *values)
      list += (list.empty() ? "" : ",") + fs::path(value).filename().string();
    words.insert(words.end(), {flag, list});
  }
  for (const std::string& python : args.pythons)
    words.insert(words.end(), {"--python", python.substr(0, python.find('=')) + "=PYTHON"});
  return command_line(words);
}

Result<ordered_json> request_of(const OnnxConversionArgs& args) {
  const auto limit = time_limit_from(args.time_limit_s);
  if (!limit) return Error(limit.error());
  auto memory = bytes_from_text(args.memory_limit);
  if (!memory) return std::move(memory.error()).during("--memory-limit");
  auto disk = bytes_from_text(args.disk_limit);
  if (!disk) return std::move(disk.error()).during("--disk-limit");
  std::error_code failed;
  auto outputs = ordered_json::array();
  for (const std::string& output : args.outputs)
    outputs.push_back(fs::absolute(output, failed).string());
  return ordered_json{
      {"folder", fs::absolute(args.folder, failed).string()},
      {"outputs", outputs},
      {"models", strings(args.models)},
      {"importers", strings(args.importers.empty() ? grid_importers() : args.importers)},
      {"limits", {{"seconds", args.time_limit_s}, {"memory", *memory}, {"disk", *disk}}},
      {"jobs", args.jobs},
      {"force", args.force},
      {"program", fs::read_symlink("/proc/self/exe", failed).string()},
      {"version", EDGEPROBE_VERSION},
      {"command", shown_command(args)}};
}

/// Runs the Python part; its progress goes to the terminal.
Result<ordered_json> answer_to(ordered_json request, const std::vector<GridFramework>& frameworks,
                               const char* ask, Terminal& terminal) {
  EP_TRY(const auto package, process::python_package());
  request["ask"] = ask;
  for (const GridFramework& one : frameworks)
    request["frameworks"].push_back({{"name", one.name},
                                     {"adapter", one.adapter},
                                     {"python", one.python},
                                     {"why", one.missing}});
  Progress progress(terminal, "onnx-conversion");
  const auto heard = [&](const std::string& line) {
    std::size_t done = 0, all = 0;
    int end = 0;
    if (std::sscanf(line.c_str(), "progress %zu %zu %n", &done, &all, &end) == 2 && end > 0)
      progress.show(done, all, sanitized(line.substr(static_cast<std::size_t>(end)), 200));
  };
  EP_TRY(
      const auto run,
      run_tool({process::python_interpreter(""), "-P", (package / "grid/main.py").string(), "grid"},
               request.dump(-1, ' ', false, ordered_json::error_handler_t::replace),
               terminal.control(), heard));
  const auto answer = ordered_json::parse(run.output, nullptr, false);
  if (answer.is_object() && answer.contains("usage") && answer["usage"].is_string())
    return Error{ErrorKind::kUsage, sanitized(answer["usage"].get<std::string>(), 2000)};
  if (answer.is_object() && answer.contains("failed") && answer["failed"].is_string())
    return Error{ErrorKind::kTarget, sanitized(answer["failed"].get<std::string>(), 2000)};
  if (run.exit_code != 0 || !answer.is_object())
    return Error{
        ErrorKind::kTarget,
        "the grid's Python process ended without an answer" +
            (run.last_words.empty() ? std::string() : "; it last said: " + run.last_words)};
  return answer;
}

/// "supported 12, ERROR 3": how many cells have each status.
std::string counts(const ordered_json& grid) {
  std::vector<std::string> parts;
  for (const auto& status : grid.at("statuses").items()) {
    const auto count = std::count_if(
        grid.at("cells").begin(), grid.at("cells").end(),
        [&](const ordered_json& cell) { return cell.value("status", "") == status.key(); });
    if (count)
      parts.push_back(sanitized(status.value().at(0).get<std::string>()) + " " +
                      std::to_string(count));
  }
  return edgeprobe::joined(parts);
}

}  // namespace

Result<Outcome> run(const OnnxConversionArgs& args, Terminal& terminal) {
  EP_CHECK(check_words(args));
  EP_TRY(auto frameworks, frameworks_from(args.frameworks, args.pythons));
  EP_TRY(const auto request, request_of(args));
  EP_CHECK(check_folder(args.folder));
  // Wrong names of models cost nothing as long as no environment has been made.
  EP_CHECK(answer_to(request, frameworks, "models", terminal));
  EP_CHECK(prepare(frameworks, terminal));
  auto answer = answer_to(request, frameworks, "grid", terminal);
  if (!answer && answer.error().kind == ErrorKind::kInterrupted)
    return Error{ErrorKind::kInterrupted, "stopped; the cells that have ended are in '" +
                                              sanitized(args.folder, 300) +
                                              "', and the same command continues"};
  if (!answer) return std::move(answer).error();
  const ordered_json& grid = answer->at("grid");
  if (!args.json.wanted || !args.json.file.empty()) {
    terminal.out << counts(grid) << "\n";
    for (const std::string& output : args.outputs)
      terminal.out << "written: " << sanitized(output, 300) << "\n";
  }
  if (args.json.wanted)
    EP_CHECK(write_result(args.json,
                          grid.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n",
                          terminal.out));
  return answer->value("differs", 0) > 0 ? Outcome::kDiffers : Outcome::kDone;
}

Work declare_onnx_conversion(Parser& parser) {
  auto args = std::make_shared<OnnxConversionArgs>();
  parser
      .option("folder", args->folder,
              "Folder for the models and the result of each cell; a later run continues there")
      .required();
  parser.option("out", args->outputs, "The grid: .rst, .md, .html or .json; several are possible")
      .required();
  parser
      .option("--frameworks", args->frameworks,
              edgeprobe::joined(grid_frameworks(), " | ") +
                  ", or a file of your own, separated by commas (default: all)")
      .type("LIST")
      .separated_by(',')
      .one_word();
  parser
      .option("--models", args->models,
              "Only these models, separated by commas (docs/guides/onnx-conversion.md)")
      .type("LIST")
      .separated_by(',')
      .one_word();
  parser
      .option("--importers", args->importers,
              edgeprobe::joined(grid_importers(), " | ") + ", separated by commas (default: all)")
      .type("LIST")
      .separated_by(',')
      .one_word();
  parser
      .option("--python", args->pythons,
              "A Python that has the framework (default: an environment created on demand; "
              "pytorch has none) (repeatable)")
      .type("FRAMEWORK=PYTHON")
      .repeatable();
  parser.option("--time-limit", args->time_limit_s, "Seconds for each cell").shows_default();
  parser.option("--memory-limit", args->memory_limit, "Memory of each cell").shows_default();
  parser.option("--disk-limit", args->disk_limit, "New files of each cell").shows_default();
  parser.option("--jobs", args->jobs, "Models at a time").range(1, 256).shows_default();
  parser.flag("--force", args->force, "Run cells again whose results are there");
  add_json(parser, args->json);
  return work_of(args);
}

}  // namespace edgeprobe::cli
