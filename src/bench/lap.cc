// SPDX-License-Identifier: Apache-2.0
#include "bench/lap.h"

namespace edgeprobe::bench {

double seconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

std::vector<TensorView> views(const std::vector<Tensor>& tensors) {
  return {tensors.begin(), tensors.end()};
}

Run run_of(const engine::Lap& lap, double offset) {
  Run run{offset + seconds(lap.start), seconds(lap.latency), std::nullopt, std::nullopt, true};
  if (lap.run_delay) run.run_delay = seconds(*lap.run_delay);
  if (lap.cpu) run.cpu = seconds(*lap.cpu);
  return run;
}

}  // namespace edgeprobe::bench
