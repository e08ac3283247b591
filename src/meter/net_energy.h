// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "core/control.h"
#include "core/result.h"
#include "meter/energy.h"
#include "meter/reading.h"

/// Net energy of some work from a counter of the machine, above idle.
namespace edgeprobe::meter {

/// Settings of the measurement.
struct EnergyPlan {
  Root root;
  /// The counter's name as in energy() or PowerIntegral. "": all processor packages (powercap, or
  /// else hwmon's sockets), or else the only counter, or else the only gauge.
  std::string counter;
  /// Duration of each idle phase, before and after the work.
  std::chrono::nanoseconds rest = std::chrono::seconds(1);
  /// Limit for the repeated work; idle phases take no longer either.
  std::chrono::nanoseconds limit = std::chrono::seconds(20);
};

/// The time functions of a measurement; tests supply a simulated clock.
struct EnergyClock {
  std::function<EnergySample()> read;
  std::function<void(std::chrono::nanoseconds)> rest;
};
/// The counters below `root`, and sleep. With `gauges`, they are sampled during this object's
/// lifetime.
EnergyClock system_energy_clock(const Root& root, bool gauges);
/// True if the plan needs gauges: it names one, or there is no counter.
bool needs_gauges(const EnergyPlan& plan);

/// Repeats the work for about this long, at least once, and returns the number of runs.
using RepeatedWork = std::function<Result<std::uint64_t>(std::chrono::nanoseconds)>;

struct NetEnergy {
  std::optional<double> joules;  ///< For one run of the work; never 0 or less.
  std::string source;            ///< "package-0 + package-1 of /sys/class/powercap".
  std::string reason;            ///< Why there is no value; "" if there is one.
  std::uint64_t runs = 0;        ///< Counted runs of the work.
};

/// Counters advance in steps, some of a millisecond, some of a second. Their usual step is the
/// resolution and is determined first. Idle power is measured before and after the work; each of
/// the three phases lasts at least kSteps resolutions. The result is a reason instead of a value
/// without a counter; for a counter that may not be read, does not advance or restarts at an
/// unknown value; if idle power drifts by more than kMostDrift; for work that cannot be
/// distinguished from idle; and while a battery is charging. Returns errors of the work;
/// kInterrupted when the user stops it.
Result<NetEnergy> net_energy(const EnergyPlan& plan, const RepeatedWork& work,
                             const EnergyClock& clock, const Control& control);

inline constexpr double kSteps = 100;
inline constexpr double kMostDrift = 0.05;

/// Why a battery of this machine is charging: "/sys/class/power_supply/BAT0 is charging"; "" if
/// none is, or if the machine has none. Batteries of mice and other devices do not count.
std::string on_charger(const Root& root);

}  // namespace edgeprobe::meter
