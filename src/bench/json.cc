// SPDX-License-Identifier: Apache-2.0
#include "bench/json.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/text.h"

namespace edgeprobe::bench {
namespace {

using Json = nlohmann::ordered_json;
constexpr int kSchema = 1;

template <class T>
Json optional(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json interval(const stats::Quantile& quantile) {
  return Json::array({optional(quantile.low), optional(quantile.high)});
}

/// Adds Kenning's names and our own.
void add_summary(Json& to, const stats::Summary& summary, const std::string& prefix) {
  to[prefix + "_mean"] = summary.mean;
  to[prefix + "_std"] = summary.std;
  to[prefix + "_median"] = summary.p50.value;
  to[prefix + "_min"] = summary.min;
  to[prefix + "_max"] = summary.max;
  for (const auto& [name, quantile] :
       {std::pair("_p50", &summary.p50), {"_p90", &summary.p90}, {"_p99", &summary.p99}}) {
    to[prefix + name] = quantile->value;
    to[prefix + name + "_interval"] = interval(*quantile);
  }
  to[prefix + "_count"] = summary.count;
  to[prefix + "_independent"] = summary.effective_sample_size;
}

Json readings_json(const std::vector<meter::Reading>& readings) {
  Json list = Json::array();
  for (const meter::Reading& reading : readings) {
    Json one{{"name", sanitized(reading.name)},
             {"value", optional(reading.value)},
             {"unit", reading.unit},
             {"source", sanitized(reading.source)}};
    if (!reading.value) one["reason"] = reading.reason;
    list.push_back(std::move(one));
  }
  return list;
}

/// One configuration as a Kenning measurement.
void add_measurement(Json& to, const Configuration& configuration) {
  Json steps = Json::array(), stamps = Json::array();
  for (const Run& run : configuration.runs) {
    steps.push_back(run.latency);
    stamps.push_back(run.start);
  }
  to["target_inference_step"] = std::move(steps);
  to["target_inference_step_timestamp"] = std::move(stamps);
  Json memory = Json::array(), cpus = Json::array(), at = Json::array();
  for (const Moment& moment : configuration.moments) {
    memory.push_back(optional(moment.memory_percent));
    Json shares = Json::array();
    for (const auto& share : moment.cpu_percent) shares.push_back(optional(share));
    cpus.push_back(std::move(shares));
    at.push_back(moment.at);
  }
  to["session_utilization_mem_percent"] = std::move(memory);
  to["session_utilization_cpus_percent"] = std::move(cpus);
  to["session_utilization_timestamp"] = std::move(at);
  if (configuration.all) add_summary(to, *configuration.all, "inferencetime");
}

Json kernels_json(const LayerTimes& times) {
  Json list = Json::array();
  for (const KernelTime& kernel : times.kernels)
    list.push_back({{"name", sanitized(kernel.name, 400)},
                    {"type", sanitized(kernel.type, 400)},
                    {"engine_type", sanitized(kernel.engine_type, 400)},
                    {"layers", kernel.layers},
                    {"precision", sanitized(kernel.precision)},
                    {"inner", kernel.inner},
                    {"mean", kernel.mean},
                    {"median", kernel.median},
                    {"share", kernel.share},
                    {"seconds", kernel.seconds}});
  return list;
}

Json profile_json(const Profile& profile) {
  const LayerTimes& times = profile.times;
  Json types = Json::array();
  for (const TypeTime& type : times.types)
    types.push_back({{"type", sanitized(type.type, 400)},
                     {"count", type.count},
                     {"total", type.total},
                     {"mean", type.mean},
                     {"share", type.share}});
  return {{"pairs", profile.pairs},
          {"overhead_ratio", profile.ratio.value},
          {"overhead_ratio_interval", interval(profile.ratio)},
          {"plain_median", profile.plain},
          {"profiled_median", profile.profiled},
          {"runs", times.runs},
          {"runs_left_out", profile.left_out},
          {"total", times.total},
          {"layers_known", times.layers_known},
          {"layers_all", times.layers_all},
          {"types", std::move(types)},
          {"kernels", kernels_json(times)}};
}

Json configuration_json(const Configuration& configuration) {
  Json json{{"name", configuration.name},       {"threads", configuration.threads},
            {"cpus", configuration.cpus},       {"batch", configuration.batch},
            {"streams", configuration.streams}, {"scenario", name(configuration.scenario)},
            {"stopped", configuration.stopped}, {"warnings", configuration.warnings}};
  json["warm_up"] = {{"runs", configuration.warm_up.runs},
                     {"seconds", configuration.warm_up.seconds},
                     {"stable", configuration.warm_up.stable},
                     {"criterion", configuration.warm_up.criterion}};
  add_measurement(json, configuration);
  Json delays = Json::array(), quiet = Json::array();
  for (const Run& run : configuration.runs) {
    delays.push_back(optional(run.run_delay));
    quiet.push_back(run.quiet);
  }
  json["run_delay"] = std::move(delays);
  json["quiet"] = std::move(quiet);
  if (configuration.quiet) add_summary(json, *configuration.quiet, "quiet_inferencetime");
  else json["no_quiet"] = configuration.no_quiet;
  if (configuration.offline)
    json["offline"] = {{"samples", configuration.offline->samples},
                       {"seconds", configuration.offline->seconds},
                       {"samples_per_second", configuration.offline->samples_per_second}};
  const engine::MemoryUse& memory = configuration.memory;
  json["memory"] = {{"peak_before_load", optional(memory.peak_before_load)},
                    {"peak_after_load", optional(memory.peak_after_load)},
                    {"peak", optional(memory.peak)},
                    {"resident", optional(memory.resident)},
                    {"arena", optional(memory.arena)}};
  Json delegations = Json::array();
  for (const engine::Delegation& one : configuration.delegations)
    delegations.push_back({{"delegate", sanitized(one.delegate)},
                           {"ops_taken", one.ops_taken},
                           {"ops_total", one.ops_total}});
  json["delegations"] = std::move(delegations);
  if (configuration.profile) json["profile"] = profile_json(*configuration.profile);
  Json cold = Json::array();
  for (const ColdStart& one : configuration.cold)
    cold.push_back({{"process", one.process},
                    {"open", one.open},
                    {"load", one.load},
                    {"first_inference", one.first},
                    {"total", one.total()}});
  if (!cold.empty()) json["cold_start"] = std::move(cold);
  if (!configuration.moments.empty()) {
    json["meters_before"] = readings_json(configuration.moments.front().readings);
    json["meters_after"] = readings_json(configuration.moments.back().readings);
  }
  return json;
}

/// Reads keys; reports the first unexpected value in one sentence.
class Keys {
 public:
  Keys(const Json& json, std::string place) : json_(json), place_(std::move(place)) {}

  template <class T>
  T get(const char* key) {
    const auto at = json_.find(key);
    if (at == json_.end()) return fail<T>(key, "is missing");
    try {
      return at->template get<T>();
    } catch (const Json::exception&) {
      return fail<T>(key, "is of another type than expected");
    }
  }
  const Json* find(const char* key) const {
    const auto at = json_.is_object() ? json_.find(key) : json_.end();
    return at == json_.end() ? nullptr : &*at;
  }
  const std::string& problem() const { return problem_; }

 private:
  template <class T>
  T fail(const char* key, const char* what) {
    if (problem_.empty()) problem_ = "'" + place_ + key + "' " + what;
    return T{};
  }
  const Json& json_;
  std::string place_;
  std::string problem_;
};

std::string read_configuration(const Json& json, const std::string& place, Configuration& to) {
  if (!json.is_object()) return "'" + place + "' is not an object";
  Keys keys(json, place + ".");
  to.name = keys.get<std::string>("name");
  to.batch = keys.get<int>("batch");
  const auto latencies = keys.get<std::vector<double>>("target_inference_step");
  const auto quiet = keys.get<std::vector<bool>>("quiet");
  if (!keys.problem().empty()) return keys.problem();
  if (quiet.size() != latencies.size())
    return "'" + place + ".quiet' is of another length than the latencies";
  for (std::size_t i = 0; i < latencies.size(); ++i) {
    if (!std::isfinite(latencies[i]) || latencies[i] < 0)
      return "'" + place + ".target_inference_step' contains an invalid time";
    to.runs.push_back({0, latencies[i], std::nullopt, std::nullopt, quiet[i]});
  }
  if (const Json* const none = keys.find("no_quiet"); none && none->is_string())
    to.no_quiet = none->get<std::string>();
  if (const Json* const offline = keys.find("offline")) {
    Keys inner(*offline, place + ".offline.");
    to.offline = Offline{inner.get<std::size_t>("samples"), inner.get<double>("seconds"),
                         inner.get<double>("samples_per_second")};
    if (!inner.problem().empty()) return inner.problem();
  }
  const Json* const profile = keys.find("profile");
  if (!profile) return "";
  Keys inner(*profile, place + ".profile.");
  to.profile.emplace();
  const Json* const kernels = inner.find("kernels");
  if (!kernels || !kernels->is_array()) return "'" + place + ".profile.kernels' is missing";
  for (const Json& one : *kernels) {
    const std::string here =
        place + ".profile.kernels[" + std::to_string(to.profile->times.kernels.size()) + "]";
    if (!one.is_object()) return "'" + here + "' is not an object";
    Keys kernel(one, here + ".");
    KernelTime time;
    time.name = kernel.get<std::string>("name");
    time.type = kernel.get<std::string>("type");
    time.engine_type = kernel.get<std::string>("engine_type");
    time.layers = kernel.get<std::vector<int>>("layers");
    time.inner = kernel.get<bool>("inner");
    time.seconds = kernel.get<std::vector<double>>("seconds");
    if (!kernel.problem().empty()) return kernel.problem();
    to.profile->times.kernels.push_back(std::move(time));
  }
  return "";
}

}  // namespace

std::string to_json(const Results& results, std::string_view version) {
  const Subject& subject = results.subject;
  Json json{{"edgeprobe_bench", kSchema}, {"edgeprobe_version", version}};
  json["model"] = {{"name", sanitized(subject.model)},
                   {"sha256", subject.sha256},
                   {"bytes", subject.file_size},
                   {"format", subject.format}};
  json["engine"] = {{"kind", subject.engine.kind},
                    {"version", sanitized(subject.engine.version)},
                    {"library", sanitized(subject.engine.library.filename().string())},
                    {"sha256", subject.engine.sha256},
                    {"kernels", subject.kernels},
                    {"options", subject.options}};
  json["machine"] = {
      {"architecture", results.machine.architecture},
      {"processor", results.machine.processor},
      {"cpus", results.machine.cpus},
      {"memory_bytes",
       results.machine.memory_bytes ? Json(results.machine.memory_bytes) : Json(nullptr)},
      {"kernel", results.machine.kernel}};
  json["inputs"] = subject.inputs;
  json["noisy_share"] = results.noisy_share;
  json["stopped"] = results.stopped;
  if (!results.configurations.empty()) add_measurement(json, results.configurations.front());
  json["configurations"] = Json::array();
  for (const Configuration& configuration : results.configurations)
    json["configurations"].push_back(configuration_json(configuration));
  return json.dump(1, ' ', false, Json::error_handler_t::replace);
}

Result<Results> results_from_json(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  const auto corrupt = [](const std::string& what) {
    return Error{ErrorKind::kCorrupt,
                 "it is not a result of 'edgeprobe bench': " + sanitized(what, 300)};
  };
  if (json.is_discarded()) return corrupt("it is not JSON");
  if (!json.is_object()) return corrupt("it is not a JSON object");
  Keys keys(json, "");
  const int schema = keys.get<int>("edgeprobe_bench");
  if (keys.problem().empty() && schema != kSchema)
    return Error{ErrorKind::kUnsupported, "its schema is " + std::to_string(schema) +
                                              "; this version reads " + std::to_string(kSchema)};
  Results results;
  const Json* const model = keys.find("model");
  const Json* const engine = keys.find("engine");
  const Json* const machine = keys.find("machine");
  const Json* const configurations = keys.find("configurations");
  if (!keys.problem().empty()) return corrupt(keys.problem());
  if (!model || !engine || !machine || !configurations || !configurations->is_array())
    return corrupt("'model', 'engine', 'machine' or 'configurations' is missing");
  Keys of_model(*model, "model."), of_engine(*engine, "engine."), of_machine(*machine, "machine.");
  for (const Json* const part : {model, engine, machine})
    if (!part->is_object()) return corrupt("'model', 'engine' or 'machine' is not an object");
  results.subject.model = of_model.get<std::string>("name");
  results.subject.sha256 = of_model.get<std::string>("sha256");
  results.subject.engine.kind = of_engine.get<std::string>("kind");
  results.subject.engine.version = of_engine.get<std::string>("version");
  results.subject.engine.sha256 = of_engine.get<std::string>("sha256");
  results.subject.kernels = of_engine.get<std::string>("kernels");
  results.subject.options = of_engine.get<std::string>("options");
  results.machine.architecture = of_machine.get<std::string>("architecture");
  results.machine.processor = of_machine.get<std::string>("processor");
  results.machine.cpus = of_machine.get<int>("cpus");
  for (const Keys* const part : {&of_model, &of_engine, &of_machine})
    if (!part->problem().empty()) return corrupt(part->problem());
  if (const Json* const stopped = keys.find("stopped"); stopped && stopped->is_boolean())
    results.stopped = stopped->get<bool>();
  for (const Json& one : *configurations) {
    Configuration configuration;
    const std::string problem = read_configuration(
        one, "configurations[" + std::to_string(results.configurations.size()) + "]",
        configuration);
    if (!problem.empty()) return corrupt(problem);
    results.configurations.push_back(std::move(configuration));
  }
  return results;
}

}  // namespace edgeprobe::bench
