// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "bench/load.h"
#include "bench/measure.h"
#include "cli/commands/check/check_command.h"
#include "cli/commands/convert/chain.h"
#include "cli/commands/optimize/front.h"
#include "cli/commands/optimize/stages.h"
#include "cli/convert/kept_link.h"
#include "cli/options/open.h"
#include "cli/options/overwrite.h"
#include "cli/options/verb_arguments.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/terminal.h"
#include "core/file.h"
#include "core/sha256.h"
#include "core/text.h"
#include "pipeline/spec.h"

namespace edgeprobe::cli {

/// Arguments of `edgeprobe optimize MODEL --stage LINKS --data DIR -o FOLDER`: measures all chains
/// of conversions, and names those that no other beats.
struct OptimizeArgs {
  ConvertArgs convert;
  std::vector<std::string> stages;
  std::string folder;
  double duration_s = 2;
  JsonFlag json;
};

namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr std::uint64_t kSeed = 1;

/// The flags that run a file of a chain on its default engine, or the source as the user wants it.
PipelineFlags flags_of(const ConvertArgs& args, const std::string& file) {
  PipelineFlags flags = args.source;
  flags.interpreter = args.python;
  if (file == args.source.model) return flags;
  flags.model = file;
  flags.engine.clear();
  flags.kernels.clear();
  flags.delegates.clear();
  flags.input_shapes.clear();
  return flags;
}

/// The median latency with seeded random inputs and one thread, as `bench` measures it.
Result<stats::Quantile> latency_of(const OptimizeArgs& args, const std::string& file,
                                   Terminal& terminal) {
  EP_TRY(const auto spec, spec_from(flags_of(args.convert, file)));
  EP_TRY(auto model, bench::open_model(file, spec.engine, spec.session));
  EP_CHECK(pipeline::resize_inputs(model.graph ? &*model.graph : nullptr, spec.input_shapes,
                                   spec.engine, model.session));
  bench::Plan plan;
  plan.duration = args.duration_s;
  plan.warm_up_limit = std::max(1.0, args.duration_s);
  const bench::InputMaker make =
      [&](const std::vector<TensorSpec>& specs) -> Result<bench::Inputs> {
    EP_TRY(auto random, bench::random_inputs(specs, kSeed, model.feeds));
    return bench::Inputs{std::move(random)};
  };
  engine::SessionOptions options = model.session;
  if (!args.convert.source.threads) options.threads = 1;
  engine::EngineIdentity identity;
  Progress progress(terminal, "bench");
  EP_TRY(const auto measured, bench::measure(model, options, plan, make,
                                             {terminal.stop, progress.callback()}, identity));
  if (measured.stopped) return interrupted();
  const auto& summary = measured.quiet ? measured.quiet : measured.all;
  if (!summary) return Error{ErrorKind::kTarget, "no inference was timed"};
  stats::Quantile median = summary->p50;
  median.value *= 1000;
  if (median.low) *median.low *= 1000;
  if (median.high) *median.high *= 1000;
  return median;
}

/// latency_of(), kept in the chain's folder.
Result<stats::Quantile> kept_latency(const OptimizeArgs& args, const std::string& file,
                                     const fs::path& folder, Terminal& terminal) {
  EP_TRY(const auto hash, hash_of_model(file));
  const std::string key = hash + " " + number(args.duration_s) + " " EDGEPROBE_VERSION;
  if (const auto kept = kept_answer(folder, "latency", key);
      kept && kept->contains("median") && (*kept)["median"].is_number()) {
    stats::Quantile median{(*kept)["median"].get<double>(), {}, {}};
    if ((*kept)["low"].is_number()) median.low = (*kept)["low"].get<double>();
    if ((*kept)["high"].is_number()) median.high = (*kept)["high"].get<double>();
    return median;
  }
  EP_TRY(const auto median, latency_of(args, file, terminal));
  EP_CHECK(keep_answer(folder, "latency", key,
                       {{"median", median.value},
                        {"low", median.low ? ordered_json(*median.low) : ordered_json()},
                        {"high", median.high ? ordered_json(*median.high) : ordered_json()}}));
  return median;
}

/// Accuracy of one side and distance, from a verdict.
void judge(ChainRow& row, const ordered_json& verdict, const char* side) {
  row.verdict = verdict_word(verdict);
  const ordered_json task = verdict.value("task", ordered_json());
  if (task.is_object() && task.value("metric", "") == "top1_accuracy" && task[side].is_number()) {
    row.accuracy = task[side].get<double>();
    const ordered_json interval =
        task.value("ci95", ordered_json::object()).value(side, ordered_json());
    if (interval.is_array() && interval.size() == 2) {
      row.low = interval[0].get<double>();
      row.high = interval[1].get<double>();
    }
  }
  const ordered_json outputs = verdict.value("outputs", ordered_json());
  if (std::string_view(side) == "target" && outputs.is_object() &&
      outputs.value("distance", ordered_json()).is_number())
    row.distance = outputs["distance"].get<double>();
}

Result<ChainRow> measured_row(const OptimizeArgs& args, const ChainRunner& runner,
                              const std::vector<std::string>& links,
                              std::optional<ordered_json>& any_verdict, Terminal& terminal) {
  ChainRow row;
  row.links = links;
  EP_TRY(auto chain, runner.run(links, terminal));
  const DoneLink& last = chain.links.back();
  row.file = last.file.string();
  row.bytes = last.answer->value("bytes", std::uint64_t{0});
  judge(row, *chain.verdict, "target");
  EP_TRY(row.latency_ms, kept_latency(args, row.file, last.file.parent_path(), terminal));
  if (any_verdict && !any_verdict->value("task", ordered_json()).is_null()) return row;
  ordered_json about = *chain.verdict;
  about["source_bytes"] = chain.links.front().answer->value("source_bytes", std::uint64_t{0});
  any_verdict = std::move(about);
  return row;
}

Status write_outputs(const OptimizeArgs& args, const std::vector<ChainRow>& rows,
                     const std::string& why_stopped, Terminal& terminal) {
  const std::string model = fs::path(args.convert.source.model).filename().string();
  const ordered_json answer{
      {"model", args.convert.source.model},
      {"stages", args.stages},
      {"bench_seconds", args.duration_s},
      {"stopped", why_stopped.empty() ? ordered_json() : ordered_json(why_stopped)},
      {"chains", front_json(rows)}};
  const std::string text =
      answer.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
  const fs::path folder = args.folder;
  EP_CHECK(write_file(folder / "results.json", view_of(text)));
  EP_CHECK(write_file(folder / "pareto.svg", view_of(front_picture(rows, model))));
  EP_CHECK(write_file(folder / "table.txt", view_of(front_table(rows))));
  if (args.json.wanted) EP_CHECK(write_result(args.json, text, terminal.out));
  if (!args.json.wanted || !args.json.file.empty()) {
    terminal.out << front_table(rows);
    terminal.out << "picture: " << sanitized((folder / "pareto.svg").string(), 300) << "\n";
  }
  return {};
}

Status check_flags(const OptimizeArgs& args) {
  if (args.convert.data.data.empty())
    return Error{ErrorKind::kUsage, "--data is missing: the chains are judged on its samples"};
  if (!(args.duration_s > 0) || args.duration_s > 3600)
    return Error{ErrorKind::kUsage, "--duration " + number(args.duration_s) +
                                        ": expected seconds, above 0 and at most 3600"};
  EP_CHECK(check_texts({{"--json", args.json.file}}, inputs_of(args.convert)));
  std::error_code failed;
  fs::create_directories(args.folder, failed);
  if (failed)
    return Error{ErrorKind::kUsage, "-o '" + sanitized(args.folder, 200) +
                                        "': the folder cannot be made: " + failed.message()};
  return {};
}

}  // namespace

Result<Outcome> run(const OptimizeArgs& args, Terminal& terminal) {
  const fs::path folder = args.folder;
  EP_TRY(const auto chains, chains_of(args.convert, args.stages));
  for (const auto& chain : chains)
    for (const std::string& link : chain)
      if (link.find("fine_tune=") != std::string::npos &&
          link.find("fine_tune=0") == std::string::npos && !has_training_samples(args.convert))
        return train_data_missing("--stage '" + sanitized(link) + "'");
  EP_CHECK(check_flags(args));
  EP_TRY(const auto runner, ChainRunner::open(args.convert, folder / "chains", "model", terminal));
  terminal.err << counted(chains.size(), "chain") << " to measure, finished ones are kept in "
               << sanitized(folder.string(), 300) << "\n";
  std::vector<ChainRow> rows(1);
  std::optional<ordered_json> verdict;
  std::string why_stopped;
  for (std::size_t i = 0; i < chains.size(); ++i) {
    terminal.err << "chain " << i + 1 << " of " << chains.size() << ": "
                 << sanitized(edgeprobe::joined(chains[i]), 200) << "\n";
    auto row = measured_row(args, runner, chains[i], verdict, terminal);
    if (!row && (row.error().kind == ErrorKind::kInterrupted || terminal.stopped())) {
      why_stopped = "stopped by the user after " + std::to_string(i) + " of " +
                    std::to_string(chains.size()) + " chains";
      break;
    }
    if (!row) {
      ChainRow failed;
      failed.links = chains[i];
      failed.failed = sanitized(row.error().what, 400);
      terminal.err << "warning: this chain failed: " << failed.failed << "\n";
      rows.push_back(std::move(failed));
      continue;
    }
    rows.push_back(*std::move(row));
  }
  if (!verdict)
    return Error{
        why_stopped.empty() ? ErrorKind::kTarget : ErrorKind::kInterrupted,
        why_stopped.empty() ? "no chain could be measured: " + rows.back().failed : why_stopped};
  ChainRow& source = rows.front();
  source.file = args.convert.source.model;
  source.bytes = verdict->value("source_bytes", std::uint64_t{0});
  judge(source, *verdict, "reference");
  source.verdict.clear();
  if (auto median = kept_latency(args, source.file, folder, terminal)) source.latency_ms = *median;
  else source.failed = sanitized(median.error().what, 400);
  mark_front(rows);
  EP_CHECK(write_outputs(args, rows, why_stopped, terminal));
  if (!why_stopped.empty())
    return Error{ErrorKind::kInterrupted, why_stopped + "; the same command goes on from there"};
  return Outcome::kDone;
}

Work declare_optimize(Parser& parser) {
  auto args = std::make_shared<OptimizeArgs>();
  ConvertArgs& convert = args->convert;
  convert.level = "io";
  convert.gate = "outputs";
  parser.option("model", convert.source.model, "The model that the chains start from").required();
  parser
      .option(
          "--stage", args->stages,
          "Links of which a chain takes one or none, as for convert --to: 'prune?sparsity=0.5 | "
          "cluster'; several stages follow each other")
      .repeatable()
      .required();
  parser
      .option("-o,--out", args->folder,
              "Folder of the results, and of finished links: a second run goes on from there")
      .type("FOLDER")
      .required();
  add_recipe_flag(parser, "--recipe", convert.source.recipe,
                  "The pre-processing of the source: text or a file");
  add_data(parser, convert.data, true);
  convert.data.time_limit_s = &convert.source.time_limit_s;
  parser
      .option("--calibration-frames", convert.calibration_frames,
              "Number of evenly spread pictures that calibrate int8 or a plug-in")
      .shows_default();
  parser
      .option("--train-data", convert.train.data,
              "Other samples than those of --data, for links that train (fine_tune)")
      .type("DATA");
  parser
      .option("--train-labels", convert.train.labels,
              "The classes of --train-data, as for --labels")
      .type("LABELS");
  parser
      .option("--gate", convert.gate,
              "Decides on 'differs': outputs, or accuracy, which needs --labels")
      .one_of({"outputs", "accuracy"})
      .shows_default();
  parser.option("--duration", args->duration_s, "Seconds of timed inferences for each chain")
      .shows_default();
  parser.option("--python", convert.python,
                "A Python that has the source's framework and the plug-ins (default: as for "
                "convert)");
  parser.option("--compile-limit", convert.compile_limit_s, "Seconds for a plug-in to convert")
      .shows_default();
  add_json(parser, args->json);
  add_engine(parser, convert.source, "", "Engine of the source");
  return work_of(args);
}

}  // namespace edgeprobe::cli
