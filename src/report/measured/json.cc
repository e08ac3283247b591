// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "measurements/figures.h"
#include "report/measured/measurements.h"

namespace edgeprobe::report {
namespace {

using nlohmann::ordered_json;

ordered_json or_null(const std::optional<double>& value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

ordered_json spread_json(const std::vector<double>& values) {
  const auto spread = measurements::spread_of(values);
  if (!spread) return nullptr;
  return {{"n", spread->count}, {"mean", spread->mean},  {"std", spread->std},
          {"min", spread->min}, {"p50", spread->median}, {"p90", spread->p90},
          {"p99", spread->p99}, {"max", spread->max}};
}

ordered_json times_json(const std::optional<measurements::Series>& times) {
  return times ? spread_json(times->values) : ordered_json(nullptr);
}

ordered_json by_class_json(const measurements::Measurements& measured) {
  auto list = ordered_json::array();
  for (const auto& one : measurements::figures_by_class(*measured.classification))
    list.push_back({{"name", measurements::class_name(measured, list.size())},
                    {"frames", one.frames},
                    {"precision", or_null(one.precision)},
                    {"recall", or_null(one.recall)},
                    {"f1", or_null(one.f1)},
                    {"auc", or_null(one.auc)},
                    {"top_5", or_null(one.top_5)}});
  return list;
}

ordered_json classes_json(const measurements::Measurements& measured) {
  const measurements::Classification& of = *measured.classification;
  const measurements::Quality quality = measurements::quality_of(of);
  return {{"frames", of.total},
          {"classes", quality.classes},
          {"classes_without_a_frame", quality.absent},
          {"accuracy", or_null(quality.accuracy)},
          {"top_5", or_null(quality.top_5)},
          {"mean_precision", or_null(quality.mean_precision)},
          {"mean_recall", or_null(quality.mean_recall)},
          {"g_mean", or_null(quality.g_mean)},
          {"macro_f1", or_null(quality.macro_f1)},
          {"mean_auc", or_null(quality.mean_auc)},
          {"by_class", by_class_json(measured)}};
}

ordered_json detection_json(const std::vector<measurements::DetectedClass>& classes) {
  ordered_json out{{"mean_average_precision", or_null(mean_average_precision(classes))},
                   {"classes", ordered_json::array()}};
  for (const measurements::DetectedClass& one : classes)
    out["classes"].push_back({{"name", one.name},
                              {"there", one.there},
                              {"found", one.found.size()},
                              {"average_precision", or_null(average_precision(one))}});
  return out;
}

ordered_json set_json(const NamedMeasurements& one) {
  const measurements::Measurements& of = one.of;
  ordered_json out{{"name", one.name},
                   {"model", of.model_name},
                   {"target_seconds", times_json(of.target_inference)},
                   {"client_seconds", times_json(of.protocol_inference)}};
  for (const char* key : {"memory_percent", "cpu_percent", "gpu_percent", "gpu_memory_percent",
                          "classification", "detection"})
    out[key] = nullptr;
  if (of.machine) {
    out["memory_percent"] = spread_json(of.machine->memory_percent);
    out["cpu_percent"] = spread_json(measurements::mean_cpu(*of.machine));
  }
  if (of.gpu) {
    out["gpu_percent"] = spread_json(of.gpu->busy_percent);
    out["gpu_memory_percent"] = spread_json(of.gpu->memory_percent);
  }
  if (of.classification) out["classification"] = classes_json(of);
  if (!of.detection.empty()) out["detection"] = detection_json(of.detection);
  out["metrics"] = ordered_json::array();
  for (const measurements::UserFigure& figure : of.metrics)
    out["metrics"].push_back(
        {{"name", figure.name},
         {"value", figure.value},
         {"ci95",
          figure.ci95 ? ordered_json{figure.ci95->low, figure.ci95->high} : ordered_json(nullptr)},
         {"frames", figure.frames},
         {"higher_is_better", figure.higher_is_better}});
  out["not_measured"] = ordered_json::object();
  for (const auto& [key, why] : of.not_measured) out["not_measured"][key] = why;
  return out;
}

}  // namespace

std::string measurements_json(std::span<const NamedMeasurements> all, std::string_view version) {
  ordered_json out{
      {"measurements_report", 1}, {"version", version}, {"sets", ordered_json::array()}};
  for (const NamedMeasurements& one : all) out["sets"].push_back(set_json(one));
  return out.dump(2, ' ', true, ordered_json::error_handler_t::replace);
}

}  // namespace edgeprobe::report
