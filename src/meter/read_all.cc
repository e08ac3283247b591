// SPDX-License-Identifier: Apache-2.0
#include "meter/read_all.h"

#include <thread>

#include "meter/machine.h"
#include "meter/power.h"
#include "meter/process.h"
#include "meter/temperature.h"
#include "meter/threads.h"

namespace edgeprobe::meter {

std::vector<Group> read_all(const Root& root, const std::string& process,
                            std::chrono::milliseconds interval) {
  const EnergySample before = energy(root);
  std::this_thread::sleep_for(interval);
  const EnergySample after = energy(root);
  std::vector<Reading> cpu = {user_time(root, process), system_time(root, process)};
  for (Reading& reading : thread_times(root, process)) cpu.push_back(std::move(reading));
  return {
      {"memory",
       {resident_memory(root, process), peak_memory(root, process),
        proportional_memory(root, process), memory_used(root)}},
      {"cpu", std::move(cpu)},
      {"load", load_average(root)},
      {"frequency", frequency(root)},
      {"temperature", temperature(root)},
      {"power", power(root, before, after)},
  };
}

}  // namespace edgeprobe::meter
