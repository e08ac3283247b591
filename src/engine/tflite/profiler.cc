// SPDX-License-Identifier: Apache-2.0
#include "engine/tflite/profiler.h"

namespace edgeprobe::engine::tflite {
namespace {

/// Bodies of IF or WHILE can loop; their time is part of their operator in the main graph.
constexpr std::size_t kMostEvents = 100'000;

}  // namespace

Profiler::Profiler() {
  table_.data = this;
  table_.event = [](TelemetryProfiler*, const char*, std::uint64_t) {};
  table_.op_event = [](TelemetryProfiler*, const char*, std::int64_t, std::int64_t, std::uint64_t) {
  };
  table_.settings = [](TelemetryProfiler*, const char*, const void*) {};
  table_.begin_op = [](TelemetryProfiler* table, const char* name, std::int64_t op,
                       std::int64_t subgraph) {
    return static_cast<Profiler*>(table->data)->begin(name, op, subgraph);
  };
  table_.end_op = [](TelemetryProfiler* table, std::uint32_t handle) {
    static_cast<Profiler*>(table->data)->end(handle);
  };
  table_.op_time = [](TelemetryProfiler* table, const char* name, std::uint64_t microseconds,
                      std::int64_t, std::int64_t) {
    auto& inner = static_cast<Profiler*>(table->data)->inner_;
    if (inner.size() >= kMostEvents) return;
    inner.push_back({"", name ? name : "", {}, "", true, std::chrono::microseconds(microseconds)});
  };
}

std::uint32_t Profiler::begin(const char* name, std::int64_t op, std::int64_t subgraph) {
  if (subgraph != 0 || ops_.size() >= kMostEvents) return 0;
  std::vector<int> layers;
  if (op >= 0 && op < op_count_) layers.push_back(static_cast<int>(op));
  ops_.push_back(
      {{"", name ? name : "", std::move(layers), "", false, {}}, std::chrono::steady_clock::now()});
  return static_cast<std::uint32_t>(ops_.size());
}

void Profiler::end(std::uint32_t handle) {
  if (handle == 0 || handle > ops_.size()) return;
  Open& open = ops_[handle - 1];
  open.op.time = std::chrono::steady_clock::now() - open.start;
  open.counted = true;
}

void Profiler::clear() {
  ops_.clear();
  inner_.clear();
}

std::vector<OpTime> Profiler::take() {
  std::vector<OpTime> times;
  times.reserve(ops_.size() + inner_.size());
  for (Open& open : ops_)
    if (open.counted) times.push_back(std::move(open.op));
  for (OpTime& inner : inner_) times.push_back(std::move(inner));
  clear();
  return times;
}

}  // namespace edgeprobe::engine::tflite
