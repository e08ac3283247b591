// SPDX-License-Identifier: Apache-2.0
#include "engine/engine.h"
#include "meter/process.h"
#include "meter/threads.h"

namespace edgeprobe::engine {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kProgressEvery = std::chrono::milliseconds(250);

std::optional<std::uint64_t> bytes_of(const meter::Reading& reading) {
  if (!reading.value) return std::nullopt;
  return static_cast<std::uint64_t>(*reading.value);
}

}  // namespace

const std::vector<LayerResult>& Session::layers() const {
  static const std::vector<LayerResult> none;
  return none;
}

Result<Iterations> Session::repeat(const std::vector<TensorView>& inputs,
                                   const RepeatOptions& options, const Control& control) {
  Iterations result;
  std::optional<meter::Threads> threads;
  if (options.scheduling) threads.emplace(meter::Root{}, "self");
  const auto start = Clock::now();
  auto shown = start;
  while (result.iterations.size() < options.count) {
    const auto before = threads ? threads->read() : std::nullopt;
    auto inference = infer(inputs);
    const auto now = Clock::now();
    if (!inference) return std::move(inference).error();
    const auto after = threads ? threads->read() : std::nullopt;
    Iteration iteration;
    // The outputs were copied after the invoke, so its start is uncertain by the time of that copy.
    iteration.start = now - start - inference->latency;
    iteration.latency = inference->latency;
    iteration.op_times = std::move(inference->op_times);
    if (before && after) {
      iteration.cpu = std::chrono::nanoseconds(after->run_ns - before->run_ns);
      iteration.run_delay = std::chrono::nanoseconds(after->wait_ns - before->wait_ns);
    }
    result.iterations.push_back(std::move(iteration));
    // A pool starts its threads on the first inference.
    if (threads && (result.iterations.size() == 1 || now - shown >= kProgressEvery))
      threads->refresh();
    if (now - shown >= kProgressEvery) {
      shown = now;
      if (control.progress) control.progress(result.iterations.size(), options.count, "inferences");
    }
    if (control.stopped()) {
      result.stopped = true;
      break;
    }
    if (now - start >= options.duration) break;
  }
  if (threads && !result.iterations.empty() && !result.iterations.back().run_delay)
    result.no_scheduling = threads->reason();
  return result;
}

MemoryUse Session::memory() {
  const meter::Root root;
  MemoryUse use;
  use.peak = bytes_of(meter::peak_memory(root, "self"));
  use.resident = bytes_of(meter::resident_memory(root, "self"));
  use.arena = arena();
  return use;
}

}  // namespace edgeprobe::engine
