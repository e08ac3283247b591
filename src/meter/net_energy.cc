// SPDX-License-Identifier: Apache-2.0
#include "meter/net_energy.h"

#include <algorithm>
#include <memory>
#include <thread>
#include <vector>

#include "core/text.h"
#include "meter/energy_counters.h"
#include "meter/power_integral.h"

namespace edgeprobe::meter {
namespace {

using Nanoseconds = std::chrono::nanoseconds;

/// After waiting for a change, checks again after this share of the time waited so far, within
/// these limits: often enough for accurate timing, rarely enough not to add load.
constexpr double kLookShare = 0.02;
constexpr Nanoseconds kLookAtOnce = std::chrono::microseconds(100);
constexpr Nanoseconds kLookAtLast = std::chrono::milliseconds(20);
/// Number of steps used to determine the usual one, and the time limit for observing them.
constexpr std::size_t kLooked = 20;
constexpr double kLookFor = 5;
/// The counter is read at least this often during the work, so that it cannot wrap unnoticed.
constexpr Nanoseconds kSlice = std::chrono::seconds(1);
/// Gauges rarely update more often.
constexpr auto kGaugeEvery = std::chrono::milliseconds(10);

double seconds(Nanoseconds time) { return std::chrono::duration<double>(time).count(); }

std::string seconds_text(Nanoseconds time) { return number(seconds(time)) + " s"; }

/// The total change of the chosen counters.
struct Moved {
  double joules = 0;
  double seconds = 0;
  std::string reason;  ///< Why it is unknown.

  double watts() const { return seconds > 0 ? joules / seconds : 0; }
};

class Measurement {
 public:
  Measurement(const EnergyPlan& plan, const EnergyClock& clock, const Control& control)
      : plan_(plan), clock_(clock), control_(control) {}

  Result<NetEnergy> run(const RepeatedWork& work) {
    if (!choose() || !look()) return stopped_or_result();
    const Moved before = rest();
    if (!result_.reason.empty() || control_.stopped()) return stopped_or_result();
    Moved working;
    EP_CHECK(repeat(work, working));
    if (!result_.reason.empty() || control_.stopped()) return stopped_or_result();
    const Moved after = rest();
    if (result_.reason.empty()) conclude(before, working, after);
    return stopped_or_result();
  }

 private:
  bool without(std::string reason) {
    result_.reason = std::move(reason);
    return false;
  }

  Result<NetEnergy> stopped_or_result() const {
    if (control_.stopped()) return interrupted();
    return result_;
  }

  bool choose() {
    if (std::string charger = on_charger(plan_.root); !charger.empty())
      return without(std::move(charger));
    ChosenCounters chosen = choose_counters(clock_.read(), plan_.counter);
    if (!chosen.reason.empty()) return without(std::move(chosen.reason));
    chosen_ = std::move(chosen.counters);
    result_.source = std::move(chosen.source);
    return true;
  }

  Moved between(const EnergySample& before, const EnergySample& after) const {
    Moved moved;
    moved.seconds = seconds(after.when - before.when);
    std::size_t found = 0;
    for (const Reading& reading : joules_between(before, after)) {
      const bool ours = std::any_of(chosen_.begin(), chosen_.end(), [&](const EnergyCounter& one) {
        return one.source == reading.source;
      });
      if (!ours) continue;
      ++found;
      if (reading.value) moved.joules += *reading.value;
      else moved.reason = reading.source + ": " + reading.reason;
    }
    if (moved.reason.empty() && found != chosen_.size())
      moved.reason = "a counter of " + result_.source + " went away";
    return moved;
  }

  /// Determines the usual step of the counter, and the time between two steps.
  bool look() {
    std::vector<double> joules, times;
    const EnergySample first = clock_.read();
    EnergySample changed = first, last = first;
    bool aligned = false;
    while (joules.size() < kLooked && seconds(last.when - first.when) < kLookFor) {
      if (control_.stopped()) return false;
      const double waited = kLookShare * seconds(last.when - changed.when);
      clock_.rest(std::clamp(Nanoseconds(static_cast<std::int64_t>(waited * 1e9)), kLookAtOnce,
                             kLookAtLast));
      last = clock_.read();
      const Moved moved = between(changed, last);
      if (!moved.reason.empty()) return without(moved.reason);
      if (moved.joules == 0) continue;
      // The first change completes a step that began before the observation.
      if (aligned) {
        joules.push_back(moved.joules);
        times.push_back(moved.seconds);
      }
      aligned = true;
      changed = std::move(last);
      last = changed;
    }
    if (joules.empty())
      return without("the counter " + result_.source + " does not advance: at most one change in " +
                     number(kLookFor) + " s");
    // Several counters step independently, each at its own time.
    const auto counters = static_cast<double>(chosen_.size());
    step_ = counters * middle(joules);
    period_ = std::chrono::duration_cast<Nanoseconds>(
        std::chrono::duration<double>(counters * middle(times)));
    if (kSteps * seconds(period_) > seconds(plan_.limit))
      return without("the counter " + result_.source + " moves every " + seconds_text(period_) +
                     ": " + number(kSteps) + " of its steps take longer than " +
                     seconds_text(plan_.limit));
    return true;
  }

  static double middle(std::vector<double> values) {
    const auto place = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), place, values.end());
    return *place;
  }

  Nanoseconds shortest() const {
    return std::max(plan_.rest, Nanoseconds(period_.count() * static_cast<std::int64_t>(kSteps)));
  }

  Moved rest() {
    const EnergySample before = clock_.read();
    Moved moved;
    while (moved.seconds < seconds(shortest()) && !control_.stopped()) {
      const double left = seconds(shortest()) - moved.seconds;
      clock_.rest(
          std::min<Nanoseconds>(kSlice, Nanoseconds(static_cast<std::int64_t>(left * 1e9) + 1)));
      moved = between(before, clock_.read());
      if (!moved.reason.empty()) {
        without(moved.reason);
        return moved;
      }
    }
    return moved;
  }

  Status repeat(const RepeatedWork& work, Moved& total) {
    EnergySample last = clock_.read();
    const auto enough = [&] {
      return total.joules >= kSteps * step_ && total.seconds >= seconds(shortest());
    };
    while (!enough() && total.seconds < seconds(plan_.limit) && !control_.stopped()) {
      // The duration of a run is not known in advance: it may exceed a slice.
      EP_TRY(const auto runs, work(std::min(kSlice, shortest())));
      EnergySample now = clock_.read();
      const Moved moved = between(last, now);
      if (!moved.reason.empty()) {
        without(moved.reason);
        return {};
      }
      total.joules += moved.joules;
      total.seconds += moved.seconds;
      result_.runs += runs;
      last = std::move(now);
    }
    if (!enough())
      without("the counter " + result_.source + " moved by " + number(total.joules / step_) +
              " of its steps in " + number(total.seconds) + " s of work; " + number(kSteps) +
              " are needed");
    return {};
  }

  void conclude(const Moved& before, const Moved& working, const Moved& after) {
    const double low = std::min(before.watts(), after.watts());
    const double high = std::max(before.watts(), after.watts());
    if (high - low > kMostDrift * high) {
      without("power at rest drifted from " + number(before.watts()) + " W before to " +
              number(after.watts()) + " W after the work, more than " + percent(kMostDrift, 0));
      return;
    }
    if (std::string charger = on_charger(plan_.root); !charger.empty()) {
      without(std::move(charger));
      return;
    }
    const double net = working.joules - (low + high) / 2 * working.seconds;
    // Half of the drift over that time, plus one step at each end.
    const double unsure = (high - low) / 2 * working.seconds + 2 * step_;
    if (net <= unsure) {
      without("the work took " + number(net) + " J above rest in " + number(working.seconds) +
              " s, which cannot be distinguished from rest to within " + number(unsure) + " J");
      return;
    }
    result_.joules = net / static_cast<double>(result_.runs);
  }

  const EnergyPlan& plan_;
  const EnergyClock& clock_;
  const Control& control_;
  std::vector<EnergyCounter> chosen_;
  double step_ = 0;
  Nanoseconds period_{0};
  NetEnergy result_;
};

}  // namespace

EnergyClock system_energy_clock(const Root& root, bool gauges) {
  const auto sampler = gauges ? std::make_shared<PowerSampler>(root, kGaugeEvery) : nullptr;
  return {[root, sampler] {
            EnergySample sample = energy(root);
            if (sampler)
              for (EnergyCounter& gauge : sampler->counters())
                sample.counters.push_back(std::move(gauge));
            return sample;
          },
          [](Nanoseconds time) { std::this_thread::sleep_for(time); }};
}

bool needs_gauges(const EnergyPlan& plan) {
  return is_gauge(plan.counter) || (plan.counter.empty() && energy(plan.root).counters.empty());
}

Result<NetEnergy> net_energy(const EnergyPlan& plan, const RepeatedWork& work,
                             const EnergyClock& clock, const Control& control) {
  return Measurement(plan, clock, control).run(work);
}

}  // namespace edgeprobe::meter
