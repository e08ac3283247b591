// SPDX-License-Identifier: Apache-2.0
#include "report/measured/figures_of.h"

#include <algorithm>

#include "measurements/figures.h"
#include "report/measured/chart.h"

namespace edgeprobe::report {
namespace {

constexpr std::size_t kMostMatrices = 12;

/// Plotted over time if known, or else by index.
ChartLine line_of(const std::string& label, const std::vector<double>& at,
                  const std::vector<double>& values, double factor = 1) {
  ChartLine line{label, at, values};
  if (line.x.empty())
    for (std::size_t i = 0; i < values.size(); ++i) line.x.push_back(static_cast<double>(i));
  for (double& value : line.y) value *= factor;
  return line;
}

std::string drawn_note(std::size_t lines) {
  return lines > kMostLines ? " The first " + std::to_string(kMostLines) + " of " +
                                  std::to_string(lines) + " are drawn."
                            : "";
}

using LineOf = ChartLine (*)(const NamedMeasurements&);

void add_percent_chart(std::span<const NamedMeasurements> all, const char* name,
                       const std::string& title, LineOf line_of_one, std::vector<Figure>& out) {
  LineChart chart{title, "Time since the first value (s)", "%", {}};
  for (const NamedMeasurements& one : all) {
    ChartLine line = line_of_one(one);
    if (!line.y.empty()) chart.lines.push_back(std::move(line));
  }
  if (chart.lines.empty()) return;
  out.push_back({name, line_chart(chart),
                 title + " in % over time in seconds." + drawn_note(chart.lines.size())});
}

ChartLine memory_line(const NamedMeasurements& one) {
  return one.of.machine ? line_of(one.name, one.of.machine->at, one.of.machine->memory_percent)
                        : ChartLine{};
}
ChartLine cpu_line(const NamedMeasurements& one) {
  return one.of.machine
             ? line_of(one.name, one.of.machine->at, measurements::mean_cpu(*one.of.machine))
             : ChartLine{};
}
ChartLine gpu_line(const NamedMeasurements& one) {
  return one.of.gpu ? line_of(one.name, one.of.gpu->at, one.of.gpu->busy_percent) : ChartLine{};
}
ChartLine gpu_memory_line(const NamedMeasurements& one) {
  return one.of.gpu ? line_of(one.name, one.of.gpu->at, one.of.gpu->memory_percent) : ChartLine{};
}

std::vector<std::string> names_of(const measurements::Measurements& of) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < of.classification->classes; ++i)
    names.push_back(measurements::class_name(of, i));
  return names;
}

}  // namespace

TimeUnit time_unit(std::span<const NamedMeasurements> all) {
  for (const NamedMeasurements& one : all)
    if (one.of.inference())
      if (const auto spread = measurements::spread_of(one.of.inference()->values)) {
        if (spread->median >= 1) return {1, "s"};
        return spread->median >= 1e-3 ? TimeUnit{1e3, "ms"} : TimeUnit{1e6, "µs"};
      }
  return {};
}

std::vector<Figure> time_figures(std::span<const NamedMeasurements> all) {
  const TimeUnit unit = time_unit(all);
  bool moments = true;
  LineChart chart{"Inference time", "", unit.name, {}};
  for (const NamedMeasurements& one : all)
    if (const auto& times = one.of.inference()) {
      moments = moments && !times->at.empty();
      chart.lines.push_back(line_of(one.name, times->at, times->values, unit.per_second));
    }
  if (chart.lines.empty()) return {};
  chart.x_label = moments ? "Time since the first inference (s)" : "Inference";
  // Common x axis: if any series lacks timestamps, plot all by index.
  if (!moments)
    for (ChartLine& line : chart.lines)
      for (std::size_t i = 0; i < line.x.size(); ++i) line.x[i] = static_cast<double>(i);
  return {
      {"inference_time", line_chart(chart),
       "Time of each inference in " + std::string(unit.name) +
           (moments ? " over time in seconds." : " in their order; their moments are not known.") +
           drawn_note(chart.lines.size())}};
}

std::vector<Figure> machine_figures(std::span<const NamedMeasurements> all) {
  std::vector<Figure> out;
  add_percent_chart(all, "memory", "Memory in use", memory_line, out);
  add_percent_chart(all, "cpu", "CPU in use, mean over all CPUs", cpu_line, out);
  add_percent_chart(all, "gpu", "GPU in use", gpu_line, out);
  add_percent_chart(all, "gpu_memory", "GPU memory in use", gpu_memory_line, out);
  return out;
}

std::vector<Figure> matrix_figures(std::span<const NamedMeasurements> all) {
  std::vector<Figure> out;
  for (std::size_t i = 0; i < all.size() && out.size() < kMostMatrices; ++i) {
    const auto& matrix = all[i].of.classification;
    if (!matrix) continue;
    const std::size_t share = classes_a_cell(matrix->classes);
    out.push_back(
        {"confusion_matrix" + (all.size() > 1 ? "_" + std::to_string(i + 1) : ""),
         matrix_chart({all.size() > 1 ? "Confusion matrix: " + all[i].name : "Confusion matrix",
                       matrix->classes, matrix->confusion, names_of(all[i].of)}),
         "Confusion matrix of " + all[i].name + ", rows are true classes." +
             (share > 1
                  ? " Each cell holds " + std::to_string(share) + " x " + std::to_string(share) +
                        " of the " + std::to_string(matrix->classes) + " classes."
                  : "")});
  }
  return out;
}

}  // namespace edgeprobe::report
