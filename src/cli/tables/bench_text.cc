// SPDX-License-Identifier: Apache-2.0
#include "cli/tables/bench_text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>

#include "cli/tables/layer_table.h"
#include "core/text.h"
#include "engine/kinds.h"
#include "report/text/columns.h"
#include "stats/quantile.h"

namespace edgeprobe::cli {
namespace {

using report::padded;
using report::right;
using report::shortened;

std::string interval_text(const stats::Quantile& quantile) {
  return "[" + (quantile.low ? time_text(*quantile.low) : std::string("-")) + ", " +
         (quantile.high ? time_text(*quantile.high) : std::string("-")) + "]";
}

std::string quantile_text(const stats::Quantile& quantile) {
  return padded(time_text(quantile.value), 10) + interval_text(quantile);
}

std::string summary_lines(const std::string& title, const stats::Summary& summary) {
  std::string text = "  " + padded(title, 7) + right(std::to_string(summary.count), 7) +
                     " runs   p50 " + quantile_text(summary.p50) + "\n";
  text += std::string(21, ' ') + " p90 " + quantile_text(summary.p90) + "\n";
  text += std::string(21, ' ') + " p99 " + quantile_text(summary.p99) + "\n";
  text += std::string(21, ' ') + " mean " + time_text(summary.mean) + "  std " +
          time_text(summary.std) + "  min " + time_text(summary.min) + "  max " +
          time_text(summary.max) + "\n";
  if (summary.effective_sample_size < 0.5 * static_cast<double>(summary.count))
    text += std::string(21, ' ') + " runs depend on each other: the interval of p50 is that of " +
            std::to_string(static_cast<long>(summary.effective_sample_size)) +
            " independent runs\n";
  return text;
}

std::string bytes_or(const std::optional<std::uint64_t>& bytes) {
  return bytes ? bytes_text(static_cast<double>(*bytes)) : "unknown";
}

/// "48.0 -> 51.5 degC", or the reason why it is missing.
std::string meters_lines(const bench::Configuration& configuration) {
  if (configuration.moments.size() < 2) return "";
  const auto &before = configuration.moments.front().readings,
             &after = configuration.moments.back().readings;
  std::string text, absent;
  for (std::size_t i = 0; i < std::min(before.size(), after.size()); ++i) {
    const meter::Reading &from = before[i], &to = after[i];
    // Power needs two readings of energy, so the first reading may have none.
    if (!to.value) {
      absent += (absent.empty() ? "" : "; ") + sanitized(to.name) + ": " + to.reason;
      continue;
    }
    const bool in_ghz = to.unit == "Hz";
    const auto value = [&](const meter::Reading& reading) {
      return reading.value ? number(*reading.value * (in_ghz ? 1e-9 : 1)) : "-";
    };
    text += "  " + padded(sanitized(to.name), 28) + value(from) + " -> " + value(to) + " " +
            (in_ghz ? "GHz" : to.unit) + "\n";
  }
  if (!absent.empty()) text += "  not measured              " + std::string("  ") + absent + "\n";
  return text;
}

std::string cold_lines(const std::vector<bench::ColdStart>& cold) {
  if (cold.empty()) return "";
  const auto median = [&](const std::function<double(const bench::ColdStart&)>& of) {
    std::vector<double> values;
    for (const bench::ColdStart& one : cold) values.push_back(of(one));
    std::sort(values.begin(), values.end());
    return time_text(stats::quantile(values, 0.5)) + " [" + time_text(values.front()) + ", " +
           time_text(values.back()) + "]";
  };
  std::string text = "  cold start, " + std::to_string(cold.size()) +
                     " fresh processes (median [min, max]; files in the page cache)\n";
  text += "    process          " + median([](const auto& one) { return one.process; }) + "\n";
  text += "    open library     " + median([](const auto& one) { return one.open; }) + "\n";
  text += "    load model       " + median([](const auto& one) { return one.load; }) + "\n";
  text += "    first inference  " + median([](const auto& one) { return one.first; }) + "\n";
  text += "    all              " + median([](const auto& one) { return one.total(); }) + "\n";
  return text;
}

std::string ratio_text(const stats::Quantile& ratio) {
  return number(ratio.value) + " [" + (ratio.low ? number(*ratio.low) : "-") + ", " +
         (ratio.high ? number(*ratio.high) : "-") + "]";
}

std::string profile_lines(const bench::Profile& profile) {
  const bench::LayerTimes& times = profile.times;
  std::string text = "  recording layer times costs a factor of " + ratio_text(profile.ratio) +
                     " (" + std::to_string(profile.pairs) + " pairs of blocks in turns; medians " +
                     time_text(profile.plain) + " plain, " + time_text(profile.profiled) +
                     " recorded)\n";
  if (profile.left_out > 0)
    text += "  " + std::to_string(profile.left_out) +
            " noisy profiled runs are left out of the tables\n";
  return text + layer_table(times);
}

std::string configuration_text(const bench::Configuration& configuration, double noisy_share) {
  std::string text = configuration.name + "\n";
  text += "  warm-up " + std::to_string(configuration.warm_up.runs) + " runs, " +
          number(configuration.warm_up.seconds, 3) + " s, " +
          (configuration.warm_up.stable ? "stable" : "NOT stable") + " (" +
          configuration.warm_up.criterion + ")\n";
  if (configuration.all) text += summary_lines("all", *configuration.all);
  if (configuration.quiet) {
    text += summary_lines("quiet", *configuration.quiet);
    text += std::string(21, ' ') +
            " left out here: runs whose threads waited for a CPU for more than " +
            percent(noisy_share, 0) + " of their latency\n";
  } else if (!configuration.no_quiet.empty()) {
    text += "  quiet   not distinguished: " + configuration.no_quiet + "\n";
  }
  if (configuration.offline)
    text += "  offline " + std::to_string(configuration.offline->samples) + " samples in " +
            time_text(configuration.offline->seconds) + ": " +
            number(configuration.offline->samples_per_second) + " a second\n";
  const engine::MemoryUse& memory = configuration.memory;
  text += "  memory of the engine's process: peak " + bytes_or(memory.peak) + " (" +
          bytes_or(memory.peak_before_load) + " before, " + bytes_or(memory.peak_after_load) +
          " after loading the model), arena " +
          (memory.arena ? bytes_or(memory.arena) : "not reported by the engine") + "\n";
  text += meters_lines(configuration);
  text += cold_lines(configuration.cold);
  if (configuration.profile) text += profile_lines(*configuration.profile);
  if (configuration.stopped)
    text += "  stopped by the user: this is what was measured until then\n";
  return text;
}

std::string change_line(const bench::Comparison& one, const std::string& title) {
  return "  " + padded(shortened(title, 44, 30), 46) + right(time_text(one.a), 11) +
         right(time_text(one.b), 11) + right(number(one.ratio.value), 8) + " " +
         padded(std::isfinite(one.ratio.high)
                    ? "[" + number(one.ratio.low) + ", " + number(one.ratio.high) + "]"
                    : "[-, -]",
                18) +
         right(one.adjusted < 1e-4 ? "<0.0001" : number(one.adjusted, 2), 8) +
         right(number(one.probability_of_superiority, 2), 7) + "  " +
         (one.change == bench::Change::kNone ? "" : bench::name(one.change)) + "\n";
}

std::string verdict_text(const bench::Diff& diff, const bench::DiffOptions& options) {
  const std::string threshold = percent(options.threshold, 1);
  if (diff.slower)
    return "slower: " + std::to_string(diff.slower) + " comparisons changed by more than " +
           threshold + ", and not by chance\n";
  const bool one_process = std::any_of(diff.configurations.begin(), diff.configurations.end(),
                                       [](const auto& one) { return one.rounds == 1; });
  const std::string in_turns =
      "measure in turns, with fresh processes: edgeprobe bench diff MODEL_A MODEL_B, or several "
      "files a side (--a, --b)\n";
  if (diff.undecided && one_process)
    return "undecided: " + std::to_string(diff.undecided) +
           " comparisons are slower in B, but two processes of one model differ as much on a busy "
           "machine; " +
           in_turns;
  if (diff.undecided) {
    double most = 1;
    for (const auto& one : diff.configurations) most = std::max(most, one.overall.ratio.high);
    return "undecided: no regression was found, and one of up to " +
           (std::isfinite(most) ? percent(most - 1, 1) : std::string("any size")) +
           " is not excluded; more --rounds or a quieter machine would decide\n";
  }
  return "no regression above " + threshold +
         (one_process ? " between these two processes; to exclude one, " + in_turns : "\n");
}

bool runs_compiled(const engine::EngineIdentity& engine) {
  const engine::EngineKind* const kind = engine::find_kind(engine.kind);
  return kind && kind->can(engine::Capability::kCompiledModels);
}

}  // namespace

std::string bench_text(const bench::Results& results) {
  const bench::Subject& subject = results.subject;
  std::string text = "model    " + sanitized(subject.model) + "  " +
                     bytes_text(static_cast<double>(subject.file_size)) + "  sha256 " +
                     subject.sha256.substr(0, 12) + "…\n";
  text += "engine   " + subject.engine.kind + " " + sanitized(subject.engine.version) +
          (subject.kernels.empty() ? "" : ", kernels " + subject.kernels) +
          (subject.options.empty() ? "" : ", " + sanitized(subject.options)) +
          (runs_compiled(subject.engine) ? ", untuned unless its module says otherwise" : "") +
          "\n";
  text +=
      "machine  " + results.machine.architecture + ", " +
      (results.machine.processor.empty() ? "processor not reported" : results.machine.processor) +
      ", " + std::to_string(results.machine.cpus) + " CPUs\n";
  text += "inputs   " + subject.inputs + "\n";
  for (const bench::Configuration& configuration : results.configurations)
    text += "\n" + configuration_text(configuration, results.noisy_share);
  text += "\nIn brackets: 95 % intervals from order statistics.\n";
  return text;
}

std::string bench_text(const bench::Diff& diff, const bench::DiffOptions& options) {
  std::string text;
  for (const std::string& note : diff.notes) text += "note: " + note + "\n";
  for (const bench::ConfigurationDiff& one : diff.configurations) {
    text += sanitized(one.name) + ", " +
            (one.rounds > 1 ? std::to_string(one.rounds) + " rounds of a process each"
                            : "one process each") +
            (one.quiet ? ", quiet runs (" : ", all runs (") + std::to_string(one.overall.runs_a) +
            " and " + std::to_string(one.overall.runs_b) + ")\n";
    text += "  " + padded("", 46) + right("A", 11) + right("B", 11) + right("B / A", 8) + " " +
            padded("[95 %]", 18) + right("p", 8) + right("B>A", 7) + "\n";
    text += change_line(one.overall, one.overall.what);
    if (one.throughput_ratio) text += "  throughput B / A " + number(*one.throughput_ratio) + "\n";
    std::size_t same = 0;
    for (const bench::Comparison& kernel : one.kernels) {
      if (kernel.change == bench::Change::kNone) ++same;
      else text += change_line(kernel, sanitized(kernel.what));
    }
    if (!one.kernels.empty())
      text += "  " + std::to_string(same) + " of " + std::to_string(one.kernels.size()) +
              " kernels did not change\n";
    for (const auto& [list, which] : {std::pair(&one.only_in_a, "A"), {&one.only_in_b, "B"}})
      if (!list->empty())
        text += "  only in " + std::string(which) + ": " + std::to_string(list->size()) +
                " kernels, e.g. " + sanitized(list->front()) + "\n";
  }
  return text + verdict_text(diff, options);
}

}  // namespace edgeprobe::cli
