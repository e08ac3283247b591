// SPDX-License-Identifier: Apache-2.0
#include "placement/search/session_energy.h"

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "bench/phases.h"

namespace edgeprobe::placement {

Result<meter::NetEnergy> session_energy(engine::Session& session, const bench::Inputs& inputs,
                                        const meter::EnergyPlan& plan, const Control& control) {
  std::size_t at = 0;
  const meter::RepeatedWork work = [&](std::chrono::nanoseconds time) -> Result<std::uint64_t> {
    engine::RepeatOptions repeat;
    repeat.count = 1'000'000'000;
    repeat.duration = time;
    repeat.scheduling = false;
    EP_TRY(const auto repeated,
           session.repeat(bench::views(inputs[at++ % inputs.size()]), repeat, {control.stop, {}}));
    if (repeated.stopped) return interrupted();
    return std::uint64_t{repeated.iterations.size()};
  };
  return meter::net_energy(
      plan, work, meter::system_energy_clock(plan.root, meter::needs_gauges(plan)), control);
}

}  // namespace edgeprobe::placement
