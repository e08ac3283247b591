// SPDX-License-Identifier: Apache-2.0
#include "pipeline/remote_times.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include "core/text.h"
#include "engine/device_times.h"
#include "stats/quantile.h"

namespace edgeprobe::pipeline {
namespace {

/// Maximum number of frames whose times beyond the latency are listed one by one in a trace.
constexpr std::size_t kMostTold = 100'000;

/// Adds medians and tails of times, in microseconds.
void add_times(std::map<std::string, std::string>& values, const std::string& key,
               std::vector<double> micro) {
  std::sort(micro.begin(), micro.end());
  values[key + "_us_median"] = number(stats::quantile(micro, .5), 6);
  values[key + "_us_p90"] = number(stats::quantile(micro, .9), 6);
}

}  // namespace

std::optional<std::vector<double>> told_in_the_end(engine::Session& session,
                                                   std::vector<std::int64_t>& latency_ns,
                                                   std::vector<std::string>& warnings) {
  auto* const server = dynamic_cast<engine::DeviceTimes*>(&session);
  if (!server) return std::nullopt;
  const std::vector<std::chrono::nanoseconds> times = server->device_times();
  for (const std::string& warning : session.warnings())
    if (std::find(warnings.begin(), warnings.end(), warning) == warnings.end())
      warnings.push_back(warning);
  std::vector<double> micro;
  if (times.size() < latency_ns.size()) return micro;
  const std::size_t before = times.size() - latency_ns.size();
  for (std::size_t i = 0; i < latency_ns.size(); ++i) {
    latency_ns[i] = times[before + i].count();
    micro.push_back(static_cast<double>(times[before + i].count()) / 1e3);
  }
  return micro;
}

Status write_way(trace::Writer& writer, const std::string& address,
                 const std::vector<engine::RemoteTimes>& times,
                 const std::optional<std::vector<double>>& told) {
  if (times.empty()) return {};
  // Only the kind of address: a trace names no host.
  std::map<std::string, std::string> values{{"reached_by", address.substr(0, address.find(':'))}};
  const auto add = [&](const std::string& key, std::chrono::nanoseconds engine::RemoteTimes::*of) {
    std::vector<double> micro;
    for (const engine::RemoteTimes& one : times)
      micro.push_back(static_cast<double>((one.*of).count()) / 1e3);
    add_times(values, key, std::move(micro));
  };
  add("transport", &engine::RemoteTimes::transport);
  if (!told) {
    add("queue", &engine::RemoteTimes::queue);
    add("engine_process", &engine::RemoteTimes::engine_process);
  } else {
    values["latencies"] = "of the whole exchange, network included";
    if (!told->empty()) add_times(values, "device", *told);
  }
  if (times.size() <= kMostTold) {
    std::string& beyond = values["beyond_us"];
    for (const engine::RemoteTimes& one : times) {
      const std::chrono::nanoseconds all = one.queue + one.engine_process + one.transport;
      beyond += (beyond.empty() ? "" : ",") + number(static_cast<double>(all.count()) / 1e3, 7);
    }
  }
  return writer.metadata("edgeprobe.target", values);
}

}  // namespace edgeprobe::pipeline
