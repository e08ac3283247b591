// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/run/run_samples.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "check/recording.h"
#include "cli/options/overwrite.h"
#include "cli/options/values.h"
#include "cli/terminal/progress.h"
#include "core/text.h"
#include "stats/quantile.h"

namespace edgeprobe::cli {
namespace {

std::int64_t median_ns(std::vector<std::int64_t> ns) { return stats::upper_median(ns); }

std::string summary_text(const pipeline::RunSummary& summary, const std::string& path) {
  if (summary.frames == 0)
    return "interrupted before the first frame was done: no trace was written\n";
  std::string text = sanitized(path, 400) + ": " + std::to_string(summary.frames) + " frames";
  if (summary.layers) text += ", " + std::to_string(summary.layers) + " layers each";
  text += ", " + bytes_text(static_cast<double>(summary.written.bytes));
  if (!summary.latency_ns.empty())
    text += ", median latency " +
            number(static_cast<double>(median_ns(summary.latency_ns)) / 1e6, 3) + " ms";
  text += "\n";
  if (summary.layers)
    text += summary.moved_outputs
                ? "capture moved the outputs of " + std::to_string(summary.moved_outputs) +
                      " frames by at most " + number(summary.moved_by, 2) +
                      (summary.moved_by > 1e-5
                           ? "\n"
                           : ", rounding: the engine fuses less when layers are outputs\n")
                : "capture left the outputs of every frame as they were\n";
  if (!summary.plain_ns.empty())
    text += std::to_string(summary.kernels_timed) + " kernels timed in " +
            std::to_string(summary.plain_ns.size()) + " frames; timing them made a frame " +
            number(static_cast<double>(median_ns(summary.profiled_ns)) /
                       static_cast<double>(std::max<std::int64_t>(1, median_ns(summary.plain_ns))),
                   3) +
            " times as long (edgeprobe trace info --latency shows them)\n";
  if (summary.interrupted) text += "interrupted: the trace keeps the frames above\n";
  return text;
}

std::string summary_json(const pipeline::RunSummary& summary, const std::string& path) {
  nlohmann::ordered_json json;
  json["trace"] = path;
  json["frames"] = summary.frames;
  json["layers"] = summary.layers;
  json["bytes"] = summary.written.bytes;
  json["median_latency_ns"] = summary.latency_ns.empty()
                                  ? nlohmann::ordered_json(nullptr)
                                  : nlohmann::ordered_json(median_ns(summary.latency_ns));
  json["frames_moved_by_capture"] = summary.moved_outputs;
  json["moved_by"] = summary.moved_by;
  if (!summary.plain_ns.empty())
    json["layer_times"] = {{"kernels", summary.kernels_timed},
                           {"frames", summary.plain_ns.size()},
                           {"plain_median_ns", median_ns(summary.plain_ns)},
                           {"profiled_median_ns", median_ns(summary.profiled_ns)}};
  json["interrupted"] = summary.interrupted;
  json["unreadable"] = nlohmann::ordered_json::array();
  for (const auto& sample : summary.unreadable)
    json["unreadable"].push_back({{"sample", sample.name}, {"why", sample.why}});
  json["warnings"] = summary.warnings;
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

Status one_source(const PipelineFlags& flags) {
  if (flags.function.empty() || flags.recipe.empty()) return {};
  return Error{ErrorKind::kUsage,
               "--recipe and --pipeline both make the model input; give one of them"};
}

Result<Outcome> run_samples(const Runner& runner,
                            const std::function<std::uint64_t(pipeline::Level)>& expected_bytes,
                            const RunOutput& output, pipeline::RunOptions options,
                            const std::string& title, Terminal& terminal) {
  const auto level = pipeline::level_from_name(output.level);
  if (!level)
    return Error{ErrorKind::kUsage, "--level '" + sanitized(output.level) +
                                        "': expected none, io, embedding or layers"};
  auto most = bytes_from_text(output.max_size);
  if (!most) return std::move(most.error()).during("--max-size");
  options.level = *level;
  options.most_bytes = *most;
  options.replace = output.force;
  EP_CHECK(check_outputs({{"--trace", output.trace},
                          {"--json", output.json.file},
                          {"--measurements", output.measurements.file}},
                         output.inputs));
  EP_CHECK(check_texts({{"--json", output.json.file}, {"--measurements", output.measurements.file}},
                       {}));
  const std::uint64_t expected = expected_bytes(*level);
  if (expected > 100'000'000)
    terminal.err << "the trace will take about " << bytes_text(static_cast<double>(expected))
                 << "\n";
  std::error_code failure;
  const std::filesystem::path path(output.trace);
  if (!output.force && std::filesystem::exists(std::filesystem::symlink_status(path, failure)))
    return Error{ErrorKind::kUsage, "'" + sanitized(path.string()) +
                                        "' exists; give another --trace, or --force to replace it"};
  failure.clear();  // a missing file is not a failure
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), failure);
  if (failure)
    return Error{ErrorKind::kUsage, "'" + sanitized(path.parent_path().string()) +
                                        "': cannot create: " + failure.message()};
  Result<pipeline::RunSummary> summary = Error{};
  {
    Progress progress(terminal, title);
    summary = runner(path, options, Control{terminal.stop, progress.callback()});
  }
  if (!summary) return std::move(summary.error());
  if (const std::string problems = check::problems_text(*summary); !problems.empty())
    terminal.err << problems << "\n";
  if (!output.measurements.file.empty() && summary->frames > 0)
    EP_CHECK(write_measurements(output.measurements, output.trace, terminal));
  if (output.json.wanted)
    EP_CHECK(write_result(output.json, summary_json(*summary, output.trace), terminal.out));
  if (!output.json.wanted || !output.json.file.empty())
    terminal.out << summary_text(*summary, output.trace);
  if (summary->interrupted) return Error{ErrorKind::kInterrupted, "stopped by the user"};
  return Outcome::kDone;
}

Result<Outcome> run_samples(pipeline::Pipeline& pipeline,
                            const std::vector<dataset::Sample>& samples, const RunOutput& output,
                            const pipeline::RunOptions& options, const std::string& title,
                            Terminal& terminal) {
  return run_samples(
      [&](const std::filesystem::path& path, const pipeline::RunOptions& ready,
          const Control& control) {
        return pipeline::run(pipeline, samples, path, ready, control);
      },
      [&](pipeline::Level level) {
        return pipeline::expected_bytes(pipeline, level, samples.size());
      },
      output, options, title, terminal);
}

}  // namespace edgeprobe::cli
