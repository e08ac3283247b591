// SPDX-License-Identifier: Apache-2.0
#include "cli/tables/trace_latency.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/tables/layer_table.h"
#include "core/text.h"
#include "stats/quantile.h"
#include "trace/kernel_times.h"

namespace edgeprobe::cli {
namespace {

/// Adds the model's layers as far as the kernels of a trace name them.
void add_layers(const std::vector<trace::TimedKernel>& kernels, model::Graph& graph) {
  for (const trace::TimedKernel& kernel : kernels)
    for (std::size_t i = 0; i < kernel.layers.size(); ++i) {
      const int layer = kernel.layers[i];
      constexpr int kMostLayers = 1'000'000;
      if (layer < 0 || layer >= kMostLayers) continue;
      while (graph.layers.size() <= static_cast<std::size_t>(layer)) {
        graph.layers.emplace_back();
        graph.layers.back().index = static_cast<int>(graph.layers.size()) - 1;
      }
      if (!kernel.types.empty())
        graph.layers[static_cast<std::size_t>(layer)].type = kernel.types[i];
    }
}

std::vector<engine::OpTime> times_of(const std::vector<trace::TimedKernel>& kernels,
                                     ByteView values) {
  std::vector<engine::OpTime> times;
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    std::int64_t nanoseconds = 0;
    std::memcpy(&nanoseconds, values.data + k * sizeof nanoseconds, sizeof nanoseconds);
    times.push_back({kernels[k].name, kernels[k].type, kernels[k].layers, kernels[k].precision,
                     kernels[k].inner, std::chrono::nanoseconds(nanoseconds)});
  }
  return times;
}

const std::string* find(const trace::Reader& reader, const std::string& key) {
  const auto group = reader.metadata().find("edgeprobe.layer_times");
  if (group == reader.metadata().end()) return nullptr;
  const auto value = group->second.find(key);
  return value == group->second.end() ? nullptr : &value->second;
}

constexpr const char* kMemory[] = {"peak_before_load", "peak_after_load", "peak", "arena"};

std::string memory_line(const std::map<std::string, std::string>& memory) {
  if (memory.empty()) return "not recorded";
  const auto bytes = [&](const char* key) {
    const auto value = memory.find(key);
    return value == memory.end() ? std::string("not reported")
                                 : bytes_text(std::strtod(value->second.c_str(), nullptr));
  };
  return "peak " + bytes("peak") + " (" + bytes("peak_before_load") +
         " before the model was loaded, " + bytes("peak_after_load") + " after), arena " +
         bytes("arena");
}

}  // namespace

Result<TraceLatency> latency_of(const trace::Reader& reader) {
  TraceLatency found;
  for (const trace::FrameRecord& record : reader.records())
    if (record.latency_ns) found.seconds.push_back(static_cast<double>(*record.latency_ns) * 1e-9);
  std::sort(found.seconds.begin(), found.seconds.end());
  if (const auto memory = reader.metadata().find("edgeprobe.memory");
      memory != reader.metadata().end())
    found.memory = memory->second;
  model::Graph graph;
  std::vector<std::vector<engine::OpTime>> runs;
  for (const trace::ReadChannel& channel : reader.channels()) {
    if (channel.channel.stage != trace::Stage::kKernelTime || channel.messages == 0) continue;
    EP_TRY(const auto kernels, trace::timed_kernels(channel.channel));
    add_layers(kernels, graph);
    for (const std::uint32_t frame : reader.frames()) {
      EP_TRY(const auto values, reader.read(frame, channel.id));
      if (values) runs.push_back(times_of(kernels, values->bytes));
    }
  }
  if (runs.empty()) return found;
  // The trace contains the number of layers; the kernels name only those that they compute.
  if (const std::string* all = find(reader, "layers")) {
    const std::size_t count =
        std::min<std::size_t>(1'000'000, std::strtoul(all->c_str(), nullptr, 10));
    while (graph.layers.size() < count) {
      graph.layers.emplace_back();
      graph.layers.back().index = static_cast<int>(graph.layers.size()) - 1;
    }
  }
  found.layers = bench::layer_times(runs, &graph);
  if (const std::string* plain = find(reader, "plain_median_ns")) found.plain_median_ns = *plain;
  if (const std::string* profiled = find(reader, "profiled_median_ns"))
    found.profiled_median_ns = *profiled;
  return found;
}

std::string latency_text(const TraceLatency& latency) {
  std::string text = "\nlatency\n";
  if (latency.seconds.empty()) {
    text += "  no frame has one\n";
  } else {
    const auto at = [&](double level) {
      return time_text(stats::quantile(latency.seconds, level));
    };
    text += "  " + std::to_string(latency.seconds.size()) + " frames: median " + at(0.5) +
            ", p90 " + at(0.9) + ", p99 " + at(0.99) + ", " + time_text(latency.seconds.front()) +
            " to " + time_text(latency.seconds.back()) +
            " (one each, no warm-up; edgeprobe bench measures)\n";
  }
  text += "\nmemory of the engine's process\n  " + memory_line(latency.memory) + "\n";
  if (!latency.layers) return text + "\nlayers\n  no times were recorded; run with --layer-times\n";
  text += "\nlayers\n";
  const double plain = std::strtod(latency.plain_median_ns.c_str(), nullptr),
               profiled = std::strtod(latency.profiled_median_ns.c_str(), nullptr);
  if (plain > 0 && profiled > 0)
    text += "  recording them made a frame " + number(profiled / plain, 3) +
            " times as long (medians of frames in turn: " + time_text(plain * 1e-9) + " plain, " +
            time_text(profiled * 1e-9) + " recorded)\n";
  return text + layer_table(*latency.layers);
}

std::string latency_json(const TraceLatency& latency) {
  nlohmann::ordered_json json;
  json["frames"] = latency.seconds.size();
  const auto at = [&](double level) {
    return latency.seconds.empty()
               ? nlohmann::ordered_json(nullptr)
               : nlohmann::ordered_json(stats::quantile(latency.seconds, level));
  };
  json["median_s"] = at(0.5);
  json["p90_s"] = at(0.9);
  json["p99_s"] = at(0.99);
  json["memory"] = nlohmann::ordered_json::object();
  for (const char* const key : kMemory) {
    const auto value = latency.memory.find(key);
    json["memory"][std::string(key) + "_bytes"] =
        value == latency.memory.end()
            ? nlohmann::ordered_json(nullptr)
            : nlohmann::ordered_json(std::strtoull(value->second.c_str(), nullptr, 10));
  }
  if (!latency.layers) {
    json["layers"] = nullptr;
    return json.dump();
  }
  const bench::LayerTimes& times = *latency.layers;
  nlohmann::ordered_json layers{{"runs", times.runs},
                                {"total_s", times.total},
                                {"layers_known", times.layers_known},
                                {"layers_all", times.layers_all}};
  const auto number_or_null = [](const std::string& text) {
    return text.empty() ? nlohmann::ordered_json(nullptr)
                        : nlohmann::ordered_json(std::strtod(text.c_str(), nullptr) * 1e-9);
  };
  layers["plain_median_s"] = number_or_null(latency.plain_median_ns);
  layers["profiled_median_s"] = number_or_null(latency.profiled_median_ns);
  layers["types"] = nlohmann::ordered_json::array();
  for (const bench::TypeTime& type : times.types)
    layers["types"].push_back({{"type", type.type},
                               {"count", type.count},
                               {"total_s", type.total},
                               {"mean_s", type.mean},
                               {"share", type.share}});
  layers["kernels"] = nlohmann::ordered_json::array();
  for (const bench::KernelTime& kernel : times.kernels)
    layers["kernels"].push_back({{"name", kernel.name},
                                 {"type", kernel.type},
                                 {"engine_type", kernel.engine_type},
                                 {"precision", kernel.precision},
                                 {"layers", kernel.layers},
                                 {"inner", kernel.inner},
                                 {"mean_s", kernel.mean},
                                 {"median_s", kernel.median},
                                 {"share", kernel.share}});
  json["layers"] = std::move(layers);
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace edgeprobe::cli
