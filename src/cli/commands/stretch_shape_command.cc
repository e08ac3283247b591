// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>

#include "cli/commands/stretch_flags.h"
#include "cli/commands/stretch_networks.h"
#include "cli/options/json_flag.h"
#include "cli/options/overwrite.h"
#include "cli/options/values.h"
#include "cli/options/verb_arguments.h"
#include "cli/tables/columns.h"
#include "cli/terminal/progress.h"
#include "core/file.h"
#include "core/text.h"
#include "placement/shape/shape.h"
#include "placement/shape/times.h"
#include "stats/quantile.h"

namespace edgeprobe::cli {

/// Arguments of `edgeprobe stretch shape BASE.yaml`: searches for the shape of a branched network.
struct StretchShapeArgs {
  std::string configuration, output;
  std::string names;  ///< "cpu,dsp"; "": those of the device, or of the first two CPUs.
  NetworkFlags built;
  ProcessorFlags processors;
  placement::shape::Bounds bounds;
  int grid = 16, best = 10, rounds = 3;
  double seconds = 0.3, time_limit_s = 60;
  bool fresh = false, force = false;
  JsonFlag json;
};

namespace {

namespace fs = std::filesystem;
namespace shape = placement::shape;

/// More make too many combinations of depths and widths.
constexpr std::size_t kMostProcessors = 3;

std::string in_milliseconds(double seconds) { return number(seconds * 1e3, 4); }

/// A processor's name as configurations have it.
std::string as_word(std::string name) {
  for (char& c : name)
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'))
      c = '-';
  return name.substr(0, 40);
}

Status check_share(const char* flag, double value, double most) {
  if (value >= 0 && value <= most) return {};
  return Error{ErrorKind::kUsage,
               std::string(flag) + " " + number(value) + ": expected 0 to " + number(most)};
}

Status check_shape_flags(const StretchShapeArgs& args) {
  EP_CHECK(check_share("--main-share", args.bounds.main, 1));
  EP_CHECK(check_share("--sum-share", args.bounds.sum, 4));
  EP_CHECK(check_share("--depth-share", args.bounds.depth, 1));
  EP_CHECK(check_share("--field-share", args.bounds.field, 1));
  if (!(args.seconds >= 0.01) || args.seconds > 60)
    return Error{ErrorKind::kUsage, "--seconds " + number(args.seconds) + ": expected 0.01 to 60"};
  EP_CHECK(check_outputs({{"--output", args.output}, {"--json", args.json.file}},
                         {args.configuration, args.processors.device}));
  EP_CHECK(check_output(args.json.file, true));
  std::error_code failed;
  const fs::file_status there = fs::status(args.output, failed);
  if (fs::exists(there) && !fs::is_directory(there))
    return Error{ErrorKind::kUsage,
                 "--output '" + sanitized(args.output, 300) + "' is a file; name a folder"};
  if (!args.force && fs::is_directory(there) && !fs::is_empty(args.output, failed))
    return Error{ErrorKind::kUsage, "--output: the folder '" + sanitized(args.output, 300) +
                                        "' is not empty; name another one, or give --force to "
                                        "replace its files"};
  return {};
}

/// The names and places of the network's processors. They share no CPU, since they work at once.
Status take_processors(const StretchShapeArgs& args, shape::Options& options) {
  model::Graph graph;
  graph.format = "onnx";
  EP_TRY(auto own, processors_from(args.processors, graph));
  std::set<int> taken;
  std::erase_if(own, [&](const stretch::Processor& one) {
    if (one.threads > 1) return true;
    for (const int cpu : one.cpus)
      if (taken.count(cpu) > 0) return true;
    taken.insert(one.cpus.begin(), one.cpus.end());
    return false;
  });
  if (!args.names.empty()) {
    std::size_t index = 0;
    std::istringstream list(args.names);
    for (std::string word; std::getline(list, word, ',');) {
      if (word.empty() || as_word(word) != word)
        return Error{ErrorKind::kUsage, "--processors '" + sanitized(args.names, 100) +
                                            "': expected names of letters and digits, such as "
                                            "cpu,dsp"};
      const auto found =
          args.processors.device.empty()
              ? own.begin() + static_cast<std::ptrdiff_t>(std::min(index, own.size()))
              : std::find_if(own.begin(), own.end(), [&](const stretch::Processor& one) {
                  return as_word(one.name) == word;
                });
      if (found == own.end())
        return Error{ErrorKind::kUsage,
                     "--processors: '" + word + "' is " +
                         (args.processors.device.empty()
                              ? "number " + std::to_string(index + 1) + ", and " +
                                    counted(own.size(), "CPU") + " can run a branch"
                              : "not a processor of '" + sanitized(args.processors.device, 300) +
                                    "' with one thread and CPUs of its own")};
      if (std::find(options.names.begin(), options.names.end(), word) != options.names.end())
        return Error{ErrorKind::kUsage, "--processors: '" + word + "' is listed twice"};
      options.names.push_back(word);
      options.processors.push_back(*found);
      ++index;
    }
  } else {
    if (args.processors.device.empty() && own.size() > 2) own.resize(2);
    for (const stretch::Processor& one : own) options.names.push_back(as_word(one.name));
    options.processors = std::move(own);
  }
  const std::size_t count = options.processors.size();
  if (count >= 2 && count <= kMostProcessors) return {};
  return Error{ErrorKind::kUsage, counted(count, "processor") +
                                      ": branches need 2 or 3 with one thread and CPUs of their "
                                      "own; name them by --processors, --cpus or --device"};
}

std::string stages_text(const std::vector<shape::StageShape>& stages,
                        const std::vector<std::string>& names) {
  return edgeprobe::joined(stages, " | ", [&](const shape::StageShape& stage) {
    return edgeprobe::joined(stage, " + ", [&](const shape::BranchShape& one) {
      return names[one.processor] + " " + std::to_string(one.depth) + "x" +
             std::to_string(one.width);
    });
  });
}

void write_ways(std::ostream& out, const shape::Found& found, const shape::Options& options) {
  Columns table("<>>>>>>><");
  table.add({"way", "predicted ms", "median ms", "range", "quiet processes", "MACs", "longest way",
             "field", "depth x width of each stage"});
  for (const shape::Candidate& one : found.candidates) {
    const auto figure = shape::figure_of(one.processes);
    table.add(
        {sanitized(one.name, 60), one.predicted ? in_milliseconds(*one.predicted) : "",
         figure ? in_milliseconds(figure->median) : "",
         figure ? in_milliseconds(figure->low) + ".." + in_milliseconds(figure->high) : "",
         figure ? std::to_string(figure->quiet) + " of " + std::to_string(figure->processes) : "",
         count_text(one.macs), count_text(one.longest_way), std::to_string(one.field),
         stages_text(one.stages, options.names)});
  }
  table.write(out);
  for (const shape::Candidate& one : found.candidates)
    if (!one.refused.empty())
      out << "Refused: " << sanitized(one.name, 60) << ": " << sanitized(one.refused, 600) << "\n";
  out << "Points of branches: " << found.measured << " measured, " << found.known
      << " known from an earlier search";
  if (found.errors.empty()) out << "; none was held out\n";
  else
    out << "; predicted for " << found.errors.size() << " held-out ones with an error of "
        << percent(stats::quantile(found.errors, 0.5)) << " (median) to "
        << percent(found.errors.back()) << "\n";
  if (found.noisy > 0)
    out << "Warning: " << found.noisy << " of these points had fewer than " << shape::kFewestOfPoint
        << " quiet runs, so predictions and their order are uncertain; the next search measures "
           "them again\n";
}

/// Configurations, networks, plans, and the result.
Status write_shapes(const StretchShapeArgs& args, const shape::Base& base,
                    const shape::Found& found, const std::string& json) {
  const fs::path folder = args.output;
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed)
    return Error{ErrorKind::kTarget, "cannot make the folder '" + sanitized(args.output, 300) +
                                         "': " + failed.message()};
  std::set<std::string> written;
  for (const shape::Candidate& one : found.candidates) {
    EP_CHECK(write_file(folder / (one.plan_stem + ".json"), view_of(stretch::to_json(one.plan))));
    if (!written.insert(one.stem).second) continue;
    EP_TRY(const auto network, family::build(one.configuration, {base.size, base.classes, false,
                                                                 args.built.most_gmacs * 4e9}));
    EP_CHECK(write_file(folder / (one.stem + ".yml"),
                        view_of(family::to_short_form(one.configuration))));
    EP_CHECK(write_file(folder / (one.stem + ".network.json"), view_of(family::to_json(network))));
  }
  return write_file(folder / "shapes.json", view_of(json));
}

}  // namespace

/// kDone for an answer; kUndecided if the timings support none; kInterrupted keeps measured points.
Result<Outcome> run(const StretchShapeArgs& args, Terminal& terminal) {
  EP_CHECK(check_shape_flags(args));
  EP_TRY(const auto limit, time_limit_from(args.time_limit_s));
  shape::Options options;
  options.bounds = args.bounds;
  options.grid = args.grid;
  options.best = static_cast<std::size_t>(args.best);
  options.rounds = static_cast<std::size_t>(args.rounds);
  options.seconds = args.seconds;
  options.fresh = args.fresh;
  options.time_limit = limit;
  EP_CHECK(take_processors(args, options));
  EP_TRY(const auto configuration, family::load_configuration(args.configuration));
  auto base = shape::base_of(configuration, args.built.size, args.built.classes,
                             args.built.most_gmacs * 1e9);
  if (!base) return std::move(base).error().during(sanitized(args.configuration, 300));
  for (const std::string& warning : configuration.warnings)
    terminal.err << "warning: " << warning << "\n";
  Progress progress(terminal, "stretch shape");
  auto found = shape::search(
      *base, options, [&](const std::string& what) { terminal.err << "note: " << what << "\n"; },
      {terminal.stop, progress.callback()});
  if (!found && found.error().kind == ErrorKind::kInterrupted)
    return Error{ErrorKind::kInterrupted,
                 "stopped by the user; the next search goes on from the branches that were "
                 "measured"};
  if (!found) return std::move(found.error()).during(sanitized(args.configuration, 300));
  const std::string json = shape::to_json(*found, options) + "\n";
  EP_CHECK(write_shapes(args, *base, *found, json));
  if (args.json.wanted) EP_CHECK(write_result(args.json, json, terminal.out));
  const Outcome outcome = found->answer.is_decided ? Outcome::kDone : Outcome::kUndecided;
  if (args.json.wanted && args.json.file.empty()) return outcome;
  write_ways(terminal.out, *found, options);
  terminal.out << sanitized(found->answer.text, 1000) << "\n"
               << "These are latencies; train the networks to compare their accuracy:\n";
  std::set<std::string> told;
  for (const shape::Candidate& one : found->candidates) {
    if (!told.insert(one.stem).second) continue;
    const std::string path = sanitized((fs::path(args.output) / one.stem).string(), 300);
    terminal.out << "  edgeprobe stretch train " << path << ".network.json DATASET --output "
                 << path << ".safetensors\n";
  }
  return outcome;
}

Work declare_stretch_shape(Parser& parser) {
  auto args = std::make_shared<StretchShapeArgs>();
  parser
      .option("configuration", args->configuration,
              "The base: a network's YAML configuration without branches")
      .type("BASE.yaml")
      .required();
  parser
      .option("-o,--output", args->output,
              "The folder to write: base, narrowed base and branched networks, with their plans")
      .type("FOLDER")
      .required();
  parser
      .option("--processors", args->names,
              "Names of the processors, in the order of --device or of the CPUs (default: all of "
              "the device, or the first two CPUs)")
      .type("LIST")
      .group("Processors");
  add_processors(parser, args->processors);
  add_network(parser, args->built);
  parser.remove("--adapters");
  parser
      .option("--main-share", args->bounds.main,
              "Least work of the largest branch of a stage, as a share of the base's stage")
      .shows_default()
      .group("Bounds");
  parser
      .option("--sum-share", args->bounds.sum,
              "Least work of all branches of a stage; 1: as much as the base")
      .shows_default()
      .group("Bounds");
  parser.option("--depth-share", args->bounds.depth, "Least depth of every branch")
      .shows_default()
      .group("Bounds");
  parser
      .option("--field-share", args->bounds.field,
              "Least receptive field of the deepest branch of a stage")
      .shows_default()
      .group("Bounds");
  parser.option("--grid", args->grid, "Widths are multiples of this number")
      .range(1, 512)
      .shows_default()
      .group("Bounds");
  parser.option("--best", args->best, "Number of branched networks to measure from end to end")
      .range(1, 50)
      .shows_default();
  parser.option("--seconds", args->seconds, "Seconds per measurement, after its warm-up")
      .shows_default();
  parser.option("--rounds", args->rounds, "Processes for each way; 3 are needed for an answer")
      .range(1, 50)
      .shows_default();
  parser.flag("--fresh", args->fresh, "Ignore the measurements of earlier searches");
  parser.flag("--force", args->force, "Replace files of the folder");
  add_time_limit(parser, args->time_limit_s);
  add_json(parser, args->json);
  return work_of(args);
}

}  // namespace edgeprobe::cli
