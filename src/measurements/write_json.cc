// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <nlohmann/json.hpp>

#include "measurements/figures.h"
#include "measurements/json.h"
#include "measurements/keys.h"

namespace edgeprobe::measurements {
namespace {

using Json = nlohmann::ordered_json;

std::string dumped(const Json& value) {
  return value.dump(-1, ' ', true, Json::error_handler_t::replace);
}

/// Writes an object with one line per key: each list of numbers is on one line.
class Lines {
 public:
  void add(const std::string& key, const std::string& json) {
    text_ += (text_.empty() ? "{\n  " : ",\n  ") + dumped(key) + ": " + json;
  }
  void add(const std::string& key, const Json& value) { add(key, dumped(value)); }
  void add_text(const std::string& key, const std::string& value) {
    if (!value.empty()) add(key, Json(value));
  }
  std::string finish() && { return text_ + "\n}\n"; }

 private:
  std::string text_;
};

void add_times(Lines& lines, const std::optional<Series>& times, const char* key,
               const char* key_at) {
  if (!times || times->values.empty()) return;
  lines.add(key, Json(times->values));
  if (!times->at.empty()) lines.add(key_at, Json(times->at));
}

void add_spread(Lines& lines, const std::optional<Series>& times) {
  const auto spread = times ? spread_of(times->values) : std::nullopt;
  if (!spread) return;
  const std::pair<const char*, double> all[] = {{"mean", spread->mean},     {"std", spread->std},
                                                {"median", spread->median}, {"min", spread->min},
                                                {"max", spread->max},       {"p50", spread->median},
                                                {"p90", spread->p90},       {"p99", spread->p99}};
  for (const auto& [name, value] : all)
    lines.add("inferencetime_" + std::string(name), Json(value));
}

void add_machine(Lines& lines, const Measurements& of) {
  if (of.machine) {
    if (!of.machine->memory_percent.empty())
      lines.add(keys::kMemory, Json(of.machine->memory_percent));
    if (!of.machine->cpu_percent.empty()) lines.add(keys::kCpus, Json(of.machine->cpu_percent));
    lines.add(keys::kMachineAt, Json(of.machine->at));
  }
  if (of.gpu) {
    if (!of.gpu->busy_percent.empty()) lines.add(keys::kGpu, Json(of.gpu->busy_percent));
    if (!of.gpu->memory_percent.empty()) lines.add(keys::kGpuMemory, Json(of.gpu->memory_percent));
    lines.add(keys::kGpuAt, Json(of.gpu->at));
  }
}

/// Counts are integers, in Python too.
Json count_json(double count) {
  constexpr double kWhole = 9007199254740992;  // 2^53
  if (count > kWhole || count != std::floor(count)) return count;
  return static_cast<std::uint64_t>(count);
}

void add_quality(Lines& lines, const Measurements& of) {
  if (!of.class_names.empty()) lines.add(keys::kClasses, Json(of.class_names));
  if (of.classification) {
    const Classification& matrix = *of.classification;
    auto rows = Json::array();
    for (std::size_t row = 0; row < matrix.classes; ++row) {
      auto counts = Json::array();
      for (std::size_t column = 0; column < matrix.classes; ++column)
        counts.push_back(count_json(matrix.confusion[row * matrix.classes + column]));
      rows.push_back(std::move(counts));
    }
    lines.add(keys::kConfusion, rows);
    if (matrix.top_5_count) lines.add(keys::kTop5, count_json(*matrix.top_5_count));
    lines.add(keys::kTotal, count_json(matrix.total));
    auto scores = Json::array();
    for (const ClassScores& one : matrix.scores)
      scores.push_back({{"auc", one.auc ? Json(*one.auc) : Json(nullptr)},
                        {"top_5_count", count_json(one.top_5_count)}});
    if (!scores.empty()) lines.add(keys::kAuc, scores);
  }
  for (const DetectedClass& one : of.detection) {
    auto found = Json::array();
    for (const Detection& thing : one.found)
      found.push_back({thing.score, thing.right ? 1.0 : 0.0, thing.overlap});
    lines.add(keys::kDetections + one.name, found);
    lines.add(keys::kThere + one.name, count_json(one.there));
  }
  auto metrics = Json::array();
  for (const UserFigure& one : of.metrics)
    metrics.push_back({{"name", one.name},
                       {"value", one.value},
                       {"ci95", one.ci95 ? Json{one.ci95->low, one.ci95->high} : Json(nullptr)},
                       {"frames", count_json(one.frames)},
                       {"higher_is_better", one.higher_is_better}});
  if (!metrics.empty()) lines.add(keys::kMetrics, metrics);
}

}  // namespace

std::string to_json(const Measurements& of, std::string_view version) {
  Json own;
  own["not_measured"] = Json::object();
  for (const auto& [key, why] : of.not_measured)
    own["not_measured"][key] = {{"value", nullptr}, {"why", why}};
  own["version"] = version;
  own["facts"] = Json::array();
  for (const auto& [name, value] : of.facts)
    own["facts"].push_back({{"name", name}, {"value", value}});
  Lines lines;
  lines.add("edgeprobe", own);
  lines.add_text(keys::kModelName, of.model_name);
  lines.add_text(keys::kFramework, of.model_framework);
  lines.add_text(keys::kVersion, of.model_version);
  if (!of.command.empty()) lines.add(keys::kCommand, Json(of.command));
  auto compilers = Json::array();
  for (const auto& [name, made_by] : of.compilers)
    compilers.push_back({{keys::kCompiler, name}, {keys::kCompilerVersion, made_by}});
  if (!compilers.empty()) lines.add(keys::kOptimizers, compilers);
  add_times(lines, of.target_inference, keys::kTarget, keys::kTargetAt);
  add_times(lines, of.protocol_inference, keys::kProtocol, keys::kProtocolAt);
  add_spread(lines, of.inference());
  add_machine(lines, of);
  add_quality(lines, of);
  for (const auto& [key, json] : of.others) lines.add(key, json);
  return std::move(lines).finish();
}

}  // namespace edgeprobe::measurements
