// SPDX-License-Identifier: Apache-2.0
#include "bench/phases.h"

namespace edgeprobe::bench {

double seconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

std::vector<TensorView> views(const std::vector<Tensor>& tensors) {
  return {tensors.begin(), tensors.end()};
}

Run run_of(const engine::Iteration& iteration, double offset) {
  Run run{offset + seconds(iteration.start), seconds(iteration.latency), std::nullopt, std::nullopt,
          true};
  if (iteration.run_delay) run.run_delay = seconds(*iteration.run_delay);
  if (iteration.cpu) run.cpu = seconds(*iteration.cpu);
  return run;
}

}  // namespace edgeprobe::bench
