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

/// Energy of some work by a counter of the machine, above what the machine takes at rest.
namespace edgeprobe::meter {

/// How it is measured.
struct EnergyPlan {
  Root root;
  /// The counter's name as energy() or PowerIntegral has it. "": all packages of processors
  /// (powercap, else hwmon's sockets), else the only counter there is, else the only gauge.
  std::string counter;
  std::chrono::nanoseconds rest = std::chrono::seconds(1);  ///< Before and behind the work, each.
  /// The work is repeated for at most that long, and rest takes no longer, either.
  std::chrono::nanoseconds limit = std::chrono::seconds(20);
};

/// What a measurement needs of time; tests wind their own.
struct EnergyClock {
  std::function<EnergySample()> read;
  std::function<void(std::chrono::nanoseconds)> rest;
};
/// The counters below `root`, and sleep. Where `gauges` are wanted, they are looked at for as long
/// as this lives.
EnergyClock system_energy_clock(const Root& root, bool gauges);
/// Whether the plan needs gauges: it names one, or there is no counter.
bool needs_gauges(const EnergyPlan& plan);

/// Does the work again and again for about that long, at least once, and tells how often.
using RepeatedWork = std::function<Result<std::uint64_t>(std::chrono::nanoseconds)>;

struct NetEnergy {
  std::optional<double> joules;  ///< Of one run of the work; never 0 or less.
  std::string source;            ///< "package-0 + package-1 of /sys/class/powercap".
  std::string reason;            ///< Why there is no value; "" when there is one.
  std::uint64_t runs = 0;        ///< Of the work that were counted.
};

/// A counter moves in steps, some of a thousandth of a second, some of a second: a resolution is
/// the usual one, which is looked for first. Rest is measured before and behind the work, and each
/// of the three lasts for at least kSteps resolutions. No value, with the reason, for no counter,
/// one that may not be read, stands still or starts again at an unknown value; where power at rest
/// drifts by more than kMostDrift; for work that takes no more than can be told from rest; and
/// while a battery is being charged. Fails as the work does; kInterrupted when the user stops it.
Result<NetEnergy> net_energy(const EnergyPlan& plan, const RepeatedWork& work,
                             const EnergyClock& clock, const Control& control);

inline constexpr double kSteps = 100;
inline constexpr double kMostDrift = 0.05;

/// Why a battery of this machine is on a charger: "/sys/class/power_supply/BAT0 is charging"; ""
/// where it is not, and where the machine has none. Batteries of mice and the like do not count.
std::string on_charger(const Root& root);

}  // namespace edgeprobe::meter
