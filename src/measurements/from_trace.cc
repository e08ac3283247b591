// SPDX-License-Identifier: Apache-2.0
#include "measurements/from_trace.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/text.h"
#include "measurements/json.h"
#include "measurements/keys.h"
#include "task/tasks.h"
#include "trace/read/answers.h"
#include "trace/read/events.h"

namespace edgeprobe::measurements {
namespace {

constexpr const char* kNotRecorded = "not recorded with the frames of the trace";

double seconds_since(std::uint64_t begin_ns, std::uint64_t time_ns) {
  return static_cast<double>(time_ns - begin_ns) / 1e9;
}

/// One sample of the machine's state.
struct Look {
  std::optional<double> memory;
  std::vector<double> cpus;
};

bool are_percents(const std::vector<double>& values) {
  return !values.empty() &&
         std::all_of(values.begin(), values.end(), [](double v) { return v >= 0 && v <= 100; });
}

/// Samples sorted by time, and the reasons for missing sensor values.
struct Looks {
  std::map<std::uint64_t, Look> at;
  std::string no_memory, no_cpus;
};

Result<Looks> looks_in(const trace::Reader& trace) {
  Looks looks;
  std::vector<std::string> problems;
  const auto take = [&](const trace::EventStream& stream, const trace::Event& event) -> Status {
    if (stream.kind != trace::EventStreamKind::kSensor) return {};
    if (stream.name == kMemorySensor) {
      if (event.values && event.values->size() == 1 && are_percents(*event.values))
        looks.at[event.time_ns].memory = event.values->front();
      else looks.no_memory = event.reason;
    } else if (stream.name == kCpuSensor) {
      if (event.values && are_percents(*event.values)) looks.at[event.time_ns].cpus = *event.values;
      else looks.no_cpus = event.reason;
    }
    return {};
  };
  for (const trace::ReadEventStream& one : trace.stream())
    if (one.stream.kind == trace::EventStreamKind::kSensor &&
        (one.stream.name == kMemorySensor || one.stream.name == kCpuSensor)) {
      EP_CHECK(trace::visit_events(trace.path(), problems, take));
      break;
    }
  return looks;
}

void add_machine(const Looks& looks, std::uint64_t begin_ns, Measurements& out) {
  Machine machine;
  // The first sample only starts the interval for CPU use.
  const bool any_cpus = std::any_of(looks.at.begin(), looks.at.end(),
                                    [](const auto& look) { return !look.second.cpus.empty(); });
  const bool any_memory = std::any_of(looks.at.begin(), looks.at.end(), [](const auto& look) {
    return look.second.memory.has_value();
  });
  for (const auto& [time, look] : looks.at) {
    if ((any_cpus && look.cpus.empty()) || (any_memory && !look.memory)) continue;
    machine.at.push_back(seconds_since(begin_ns, time));
    if (any_memory) machine.memory_percent.push_back(*look.memory);
    if (any_cpus) machine.cpu_percent.push_back(look.cpus);
  }
  if (machine.memory_percent.empty())
    out.not_measured[keys::kMemory] = looks.no_memory.empty() ? kNotRecorded : looks.no_memory;
  if (machine.cpu_percent.empty())
    out.not_measured[keys::kCpus] = looks.no_cpus.empty() ? kNotRecorded : looks.no_cpus;
  if (!machine.at.empty()) out.machine = std::move(machine);
  for (const char* key : {keys::kGpu, keys::kGpuMemory})
    out.not_measured[key] = "no driver of a GPU is asked: engines here run on CPUs";
}

std::uint64_t begin_of(const trace::Reader& trace, const Looks& looks) {
  std::uint64_t begin = UINT64_MAX;
  for (const trace::FrameRecord& record : trace.records())
    if (record.latency_ns) begin = std::min(begin, record.time_ns);
  if (!looks.at.empty()) begin = std::min(begin, looks.at.begin()->first);
  return begin == UINT64_MAX ? 0 : begin;
}

void add_times(const trace::Reader& trace, std::uint64_t begin_ns, Measurements& out) {
  Series times;
  for (const trace::FrameRecord& record : trace.records())
    if (record.latency_ns && *record.latency_ns >= 0) {
      times.at.push_back(seconds_since(begin_ns, record.time_ns));
      times.values.push_back(static_cast<double>(*record.latency_ns) / 1e9);
    }
  const std::size_t missing = trace.frames().size() - times.values.size();
  if (times.values.empty()) out.not_measured[keys::kTarget] = "no frame of the trace has a latency";
  else if (missing > 0) out.facts.emplace_back("frames without a latency", std::to_string(missing));
  if (!times.values.empty()) out.target_inference = std::move(times);
  out.not_measured[keys::kProtocol] = "a trace contains only the engine's time";
}

/// For a model on another machine: how long this side waited, and why the memory is unknown.
void add_way(const trace::Reader& trace, Measurements& out) {
  const auto way = trace.metadata().find("edgeprobe.target");
  if (way == trace.metadata().end()) return;
  for (const char* key : {keys::kMemory, keys::kCpus})
    if (out.not_measured.count(key) > 0)
      out.not_measured[key] = "the model ran on another machine, which was not asked for it";
  const auto list = way->second.find("beyond_us");
  if (list == way->second.end() || !out.target_inference) {
    out.not_measured[keys::kProtocol] = "the trace does not contain it for each frame";
    return;
  }
  Series waited = *out.target_inference;
  std::size_t count = 0;
  const char* at = list->second.data();
  for (const char* const end = at + list->second.size(); at < end; ++count) {
    double micro = 0;
    const auto [next, failure] = std::from_chars(at, end, micro);
    if (failure != std::errc{} || !std::isfinite(micro) || micro < 0 ||
        (next != end && *next != ',') || count >= waited.values.size())
      break;
    waited.values[count] += micro / 1e6;
    at = next == end ? end : next + 1;
  }
  if (count != waited.values.size()) {
    out.not_measured[keys::kProtocol] =
        "the times of the connection in the trace do not match its frames";
    return;
  }
  out.not_measured.erase(keys::kProtocol);
  out.protocol_inference = std::move(waited);
}

void add_facts(const trace::Reader& trace, Measurements& out) {
  const auto declared = [&](const char* fact) { return trace.declared(fact).value_or(""); };
  out.model_name = declared("model");
  out.model_framework = declared("engine");
  out.model_version = declared("engine_version");
  for (const char* fact : {"kernels", "threads", "recipe", "dataset"})
    if (const std::string value = declared(fact); !value.empty())
      out.facts.emplace_back(fact, value);
  out.facts.emplace_back("frames", std::to_string(trace.frames().size()));
  if (!trace.is_finished())
    out.facts.emplace_back("recording", "cut off; these are the frames that were saved");
}

Status add_metric(const trace::Reader& trace, const AnnotationOf& annotation_of,
                  task::UserMetric& metric, Measurements& out) {
  EP_TRY(const auto result, task::metric_result(metric, trace, annotation_of));
  if (!result.target.value) {
    out.not_measured[keys::kMetrics] = "no frame defines '" + result.name + "'";
    return {};
  }
  out.metrics.push_back({result.name, *result.target.value, result.target.ci95,
                         static_cast<double>(result.frames), result.higher_is_better});
  return {};
}

void add_compiler(const trace::Reader& trace, Measurements& out) {
  const auto declared = [&](const char* fact) { return trace.declared(fact).value_or(""); };
  if (const std::string name = declared("compiler"); !name.empty())
    out.compilers.emplace_back(name, declared("compiler_version"));
  for (const auto& [fact, key] : {std::pair{"compiler options", "compiler_options"},
                                  {"compiler notes", "compiler_notes"},
                                  {"compiled from", "source_model"},
                                  {"bytes before", "source_bytes"},
                                  {"bytes after", "model_bytes"}})
    if (const std::string value = declared(key); !value.empty())
      out.facts.emplace_back(fact, value);
}

/// Kenning looks up a name for each row of the matrix.
void name_classes(const std::vector<std::string>& names, Measurements& out) {
  if (!out.classification) return;
  for (std::size_t i = 0; i < out.classification->classes; ++i)
    out.class_names.push_back(i < names.size() ? names[i] : std::to_string(i));
}

}  // namespace

Result<Measurements> from_trace(const trace::Reader& trace, const AnnotationOf& annotation_of,
                                const task::Terms& terms, task::UserMetric* metric) {
  if (trace.frames().empty())
    return Error{ErrorKind::kUsage,
                 trace.is_finished()
                     ? "contains no frame"
                     : "the recording was cut off before its first frame was saved"};
  Measurements out;
  add_facts(trace, out);
  add_compiler(trace, out);
  EP_TRY(const auto looks, looks_in(trace));
  const std::uint64_t begin_ns = begin_of(trace, looks);
  add_times(trace, begin_ns, out);
  add_machine(looks, begin_ns, out);
  add_way(trace, out);
  if (metric) EP_CHECK(add_metric(trace, annotation_of, *metric, out));
  EP_TRY(const auto no_classes, add_classes(trace, annotation_of, out));
  if (!no_classes.empty()) out.not_measured[keys::kConfusion] = no_classes;
  name_classes(terms.classes, out);
  if (out.classification) return out;
  EP_CHECK(add_found(trace, annotation_of, terms, out));
  return out;
}

}  // namespace edgeprobe::measurements
