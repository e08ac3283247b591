// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/commands/stretch_flags.h"
#include "cli/commands/stretch_networks.h"
#include "cli/options/json_flag.h"
#include "cli/options/overwrite.h"
#include "cli/options/verb_arguments.h"
#include "cli/tables/columns.h"
#include "cli/terminal/progress.h"
#include "core/file.h"
#include "core/text.h"
#include "family/count.h"
#include "family/export.h"
#include "family/picture.h"

namespace edgeprobe::cli {

/// Arguments of `edgeprobe stretch generate CONFIG`: makes networks of YAML configurations.
struct StretchGenerateArgs {
  std::string configuration;  ///< A file, or a folder of them.
  std::string output;         ///< NET.onnx, or a folder for a folder; "": only the counts.
  std::string plan, network, weights, weights_output, picture;
  std::size_t seed = 1;
  NetworkFlags built;
  ProcessorFlags processors;
  bool force = false;
  JsonFlag json;
};

namespace {

namespace fs = std::filesystem;
using family::Network;
using nlohmann::ordered_json;

/// Files to write for one configuration; "" for none.
struct Targets {
  std::string model, plan, network, weights, picture;
};

Result<family::Weights> weights_of(const StretchGenerateArgs& args, const Network& network) {
  if (args.weights.empty()) return family::initial_weights(network, args.seed);
  EP_TRY(const auto file, read_file(args.weights));
  auto weights = family::from_safetensors(network, file);
  if (!weights) return std::move(weights).error().during("'" + sanitized(args.weights, 300) + "'");
  return weights;
}

Status write_plan(const StretchGenerateArgs& args, const Network& network, ByteView file,
                  const std::string& path) {
  EP_TRY(const auto graph, model::read_model(file, network.name, {}));
  EP_TRY(const auto processors, processors_of(network, args.processors, graph));
  EP_TRY(const auto plan, family::plan_of(network, graph, processors));
  return write_file(path, view_of(stretch::to_json(plan)));
}

Status write_all(const StretchGenerateArgs& args, const Network& network, const Targets& to) {
  if (!to.network.empty()) EP_CHECK(write_file(to.network, view_of(family::to_json(network))));
  if (!to.picture.empty()) EP_CHECK(write_file(to.picture, view_of(family::picture(network))));
  if (to.model.empty() && to.plan.empty() && to.weights.empty()) return {};
  EP_TRY(auto weights, weights_of(args, network));
  if (!to.weights.empty())
    EP_CHECK(write_file(to.weights, view_of(family::to_safetensors(network, weights))));
  if (to.model.empty() && to.plan.empty()) return {};
  const Bytes file = family::to_onnx(network, weights);
  weights.clear();  // As large as the file.
  if (!to.model.empty()) EP_CHECK(write_file(to.model, file));
  return to.plan.empty() ? Status{} : write_plan(args, network, file, to.plan);
}

Targets targets_of(const StretchGenerateArgs& args, const fs::path& file, bool is_folder) {
  if (!is_folder) return {args.output, args.plan, args.network, args.weights_output, args.picture};
  if (args.output.empty()) return {};
  const fs::path relative = file.lexically_relative(args.configuration);
  const fs::path model = (fs::path(args.output) / relative).replace_extension(".onnx");
  return {model.string(), fs::path(model).replace_extension(".json").string(), "", "", ""};
}

/// kUsage for a file that cannot be written, or exists and --force is not given.
Status check_target(const std::string& flag, const std::string& path, bool force) {
  if (auto good = check_writable(path); !good) return std::move(good.error()).during(flag);
  std::error_code failed;
  const fs::path folder = fs::path(path).parent_path();
  if (!folder.empty() && !fs::is_directory(folder, failed))
    return Error{ErrorKind::kUsage,
                 flag + " '" + sanitized(path, 300) + "': there is no such folder; make it first"};
  if (force || !fs::exists(fs::symlink_status(path, failed))) return {};
  return Error{ErrorKind::kUsage, flag + ": '" + sanitized(path, 300) +
                                      "' exists; name another file, or give --force"};
}

Status check_flags(const StretchGenerateArgs& args, bool is_folder) {
  std::vector<std::pair<std::string, std::string>> outputs{
      {"--plan", args.plan},
      {"--network", args.network},
      {"--weights-output", args.weights_output},
      {"--picture", args.picture}};
  if (is_folder) {
    outputs.emplace_back("--weights", args.weights);
    for (const auto& [name, value] : outputs)
      if (!value.empty())
        return Error{ErrorKind::kUsage, name + " is for one configuration; '" +
                                            sanitized(args.configuration, 300) + "' is a folder"};
    return {};
  }
  EP_CHECK(check_outputs({{"--output", args.output},
                          {"--plan", args.plan},
                          {"--network", args.network},
                          {"--weights-output", args.weights_output},
                          {"--picture", args.picture},
                          {"--json", args.json.file}},
                         {args.configuration, args.weights, args.processors.device}));
  outputs.emplace_back("--output", args.output);
  for (const auto& [name, value] : outputs)
    if (!value.empty()) EP_CHECK(check_target(name, value, args.force));
  return {};
}

ordered_json row_json(const Network& network, const std::string& file, const Targets& to) {
  ordered_json row = {{"file", file}};
  row.update(ordered_json::parse(family::counts_json(network)));
  row["warnings"] = network.warnings;
  const std::pair<const char*, const std::string&> written[] = {{"model", to.model},
                                                                {"plan", to.plan},
                                                                {"network", to.network},
                                                                {"weights", to.weights},
                                                                {"picture", to.picture}};
  for (const auto& [key, path] : written)
    if (!path.empty()) row[key] = path;
  return row;
}

void add_row(Columns& table, const Network& network) {
  const auto sections = family::sections_of(network);
  const family::Count count = family::count_of(network);
  table.add({sanitized(network.name, 60), std::to_string(network.size),
             number(count.parameters, 12), count_text(count.macs),
             percent(family::longest_way(sections) / count.macs),
             std::to_string(sections.back().field), edgeprobe::joined(network.processors)});
}

}  // namespace

/// kDone; errors of the configuration, and of a file that cannot be written.
Result<Outcome> run(const StretchGenerateArgs& args, Terminal& terminal) {
  std::error_code failed;
  const bool is_folder = fs::is_directory(args.configuration, failed);
  EP_CHECK(check_flags(args, is_folder));
  EP_TRY(const auto files, configurations_of(args.configuration));
  Columns table("<>>>>><");
  table.add({"network", "size", "parameters", "MACs", "longest way", "field", "processors"});
  ordered_json rows = ordered_json::array();
  std::size_t refused = 0;
  std::optional<Progress> progress;
  if (is_folder) progress.emplace(terminal, "generating");
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (terminal.stopped()) break;
    const std::string file = files[i].string();
    const auto network = network_of(files[i], args.built);
    if (!network) {
      if (!is_folder) return Error(network.error());
      terminal.err << "refused: " << network.error().what << "\n";
      ++refused;
      continue;
    }
    for (const std::string& warning : network->warnings)
      terminal.err << "warning: " << warning << "\n";
    const Targets to = targets_of(args, files[i], is_folder);
    if (is_folder && !to.model.empty()) {
      fs::create_directories(fs::path(to.model).parent_path(), failed);
      for (const std::string& path : {to.model, to.plan})
        EP_CHECK(check_target("--output", path, args.force));
    }
    EP_CHECK(write_all(args, *network, to));
    add_row(table, *network);
    rows.push_back(row_json(*network, file, to));
    if (progress) progress->show(i + 1, files.size(), "networks");
  }
  progress.reset();
  if (terminal.stopped()) return interrupted();
  if (!args.json.wanted || !args.json.file.empty()) table.write(terminal.out);
  if (args.json.wanted)
    EP_CHECK(write_result(args.json,
                          ordered_json{{"schema_version", 1}, {"networks", rows}}.dump(2) + "\n",
                          terminal.out));
  if (refused > 0)
    return Error{ErrorKind::kUsage, counted(refused, "file") + " of " +
                                        std::to_string(files.size()) + " refused, named above"};
  return Outcome::kDone;
}

Work declare_stretch_generate(Parser& parser) {
  auto args = std::make_shared<StretchGenerateArgs>();
  parser
      .option("configuration", args->configuration,
              "A network's YAML configuration (NN-Stretch's keys, or the short form), or a folder "
              "of them")
      .type("CONFIG")
      .required();
  parser
      .option("-o,--output", args->output,
              "The model to write; for a folder: a folder for models and plans")
      .type("NET.onnx");
  parser.option("--plan", args->plan, "Also write the plan: each branch on its processor")
      .type("PLAN.json");
  parser.option("--network", args->network, "Also write the list of layers").type("NETWORK.json");
  parser.option("--picture", args->picture, "Also draw the network").type("NET.svg");
  parser.option("--weights", args->weights, "Trained weights; without it, random ones from --seed")
      .type("W.safetensors");
  parser.option("--weights-output", args->weights_output, "Also write the weights")
      .type("W.safetensors");
  parser.option("--seed", args->seed, "Seed of random weights");
  add_network(parser, args->built);
  add_processors(parser, args->processors);
  parser.flag("--force", args->force, "Replace existing files");
  add_json(parser, args->json);
  return work_of(args);
}

}  // namespace edgeprobe::cli
