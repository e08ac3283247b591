// SPDX-License-Identifier: Apache-2.0
#include "bench/json.h"

#include <nlohmann/json.hpp>

#include "core/text.h"

namespace edgeprobe::bench {
namespace {

using Json = nlohmann::ordered_json;

/// Tracks of one configuration.
enum Track { kRuns = 1, kProfiledRuns = 2, kKernels = 3, kInnerKernels = 4 };

double micro(double seconds) { return seconds * 1e6; }

Json slice(const std::string& name, double start, double seconds, std::size_t process,
           Track track) {
  return {{"name", name},          {"ph", "X"},      {"ts", micro(start)},
          {"dur", micro(seconds)}, {"pid", process}, {"tid", static_cast<int>(track)}};
}

Json label(const char* what, const std::string& name, std::size_t process, int track) {
  return {
      {"name", what}, {"ph", "M"}, {"pid", process}, {"tid", track}, {"args", {{"name", name}}}};
}

Json counter(const std::string& name, double at, const char* unit, double value,
             std::size_t process) {
  return {{"name", name},
          {"ph", "C"},
          {"ts", micro(at)},
          {"pid", process},
          {"args", {{*unit ? unit : "value", value}}}};
}

void add_runs(Json& events, const std::vector<Run>& runs, double offset, std::size_t process,
              Track track) {
  for (std::size_t i = 0; i < runs.size(); ++i) {
    Json event = slice(runs[i].quiet ? "run" : "run (noisy)", offset + runs[i].start,
                       runs[i].latency, process, track);
    event["args"] = {
        {"index", i},
        {"run_delay_us", runs[i].run_delay ? Json(micro(*runs[i].run_delay)) : Json(nullptr)}};
    events.push_back(std::move(event));
  }
}

void add_kernels(Json& events, const Profile& profile, double offset, std::size_t process) {
  for (std::size_t i = 0; i < profile.first_runs.size() && i < profile.runs.size(); ++i) {
    double at[2] = {offset + profile.runs[i].start, offset + profile.runs[i].start};
    for (const engine::OpTime& op : profile.first_runs[i]) {
      const double seconds = std::chrono::duration<double>(op.time).count();
      Json event = slice(sanitized(op.name.empty() ? op.type : op.name, 200), at[op.inner], seconds,
                         process, op.inner ? kInnerKernels : kKernels);
      event["args"] = {{"type", sanitized(op.type, 200)},
                       {"layers", op.layers},
                       {"precision", sanitized(op.precision)}};
      events.push_back(std::move(event));
      at[op.inner] += seconds;
    }
  }
}

void add_moments(Json& events, const std::vector<Moment>& moments, std::size_t process) {
  for (const Moment& moment : moments) {
    if (moment.memory_percent)
      events.push_back(counter("memory in use", moment.at, "%", *moment.memory_percent, process));
    for (std::size_t cpu = 0; cpu < moment.cpu_percent.size(); ++cpu)
      if (moment.cpu_percent[cpu])
        events.push_back(counter("cpu" + std::to_string(cpu) + " busy", moment.at, "%",
                                 *moment.cpu_percent[cpu], process));
    for (const meter::Reading& reading : moment.readings)
      if (reading.value)
        events.push_back(counter(sanitized(reading.name), moment.at, reading.unit.c_str(),
                                 *reading.value, process));
  }
}

}  // namespace

std::string to_events(const Results& results) {
  Json events = Json::array();
  for (std::size_t i = 0; i < results.configurations.size(); ++i) {
    const Configuration& configuration = results.configurations[i];
    const std::size_t process = i + 1;
    events.push_back(label(
        "process_name", sanitized(results.subject.model) + " " + configuration.name, process, 0));
    events.push_back(label("thread_name", "runs", process, kRuns));
    add_runs(events, configuration.runs, 0, process, kRuns);
    add_moments(events, configuration.moments, process);
    if (!configuration.profile) continue;
    events.push_back(label("thread_name", "profiled runs", process, kProfiledRuns));
    events.push_back(label("thread_name", "kernels (end to end)", process, kKernels));
    events.push_back(
        label("thread_name", "kernels inside delegates (end to end)", process, kInnerKernels));
    const double offset = configuration.moments.empty() ? 0 : configuration.moments.back().at;
    add_runs(events, configuration.profile->runs, offset, process, kProfiledRuns);
    add_kernels(events, *configuration.profile, offset, process);
  }
  return Json{{"otherData", {{"edgeprobe", "bench"}}},
              {"traceEvents", std::move(events)},
              {"displayTimeUnit", "ms"}}
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace edgeprobe::bench
