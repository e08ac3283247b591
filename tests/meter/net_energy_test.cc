// SPDX-License-Identifier: Apache-2.0
// The energy of some work, on an imitated machine: its counters are files of a folder made here,
// and its time is wound by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include "meter/energy_counters.h"
#include "meter/net_energy.h"
#include "meter/power.h"
#include "meter/power_integral.h"

namespace edgeprobe::meter {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using ::testing::HasSubstr;

constexpr const char* kPackage = "sys/class/powercap/intel-rapl:0/energy_uj";
constexpr std::int64_t kRange = 262'143'328'850;

/// A processor whose counters are updated once per period, as RAPL does.
class ImitatedMachine : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "edgeprobe-energy-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    plan_.root.path = name;
    put("sys/class/powercap/intel-rapl:0/name", "package-0");
    put("sys/class/powercap/intel-rapl:0/max_energy_range_uj", std::to_string(kRange));
    put(kPackage, "0");
  }
  void TearDown() override { std::filesystem::remove_all(plan_.root.path); }

  void put(const std::string& inside, const std::string& text) {
    std::filesystem::create_directories((plan_.root / inside).parent_path());
    std::ofstream(plan_.root / inside) << text;
  }

  /// Time passes at a power; files show the state at the end of the last period.
  void pass(nanoseconds time, double watts) {
    if (gauge_) return pass_by_gauge(time, watts);
    const std::int64_t before = now_.count() / period_.count();
    now_ += time;
    microjoules_ += watts * std::chrono::duration<double>(time).count() * 1e6;
    if (now_.count() / period_.count() == before) return;
    if (shown_) shown_(static_cast<std::int64_t>(microjoules_));
  }

  /// The same in steps; in each period, a gauge shows the power drawn, with small variations.
  void pass_by_gauge(nanoseconds time, double watts) {
    for (const nanoseconds end = now_ + time; now_ < end;) {
      const nanoseconds step = std::min<nanoseconds>(milliseconds(10), end - now_);
      const std::int64_t before = now_.count() / period_.count();
      now_ += step;
      const std::int64_t period = now_.count() / period_.count();
      if (period != before) gauge_(watts + (period % 2 == 0 ? 0.001 : -0.001));
      integral_.look(std::chrono::steady_clock::time_point(now_), power_now(plan_.root));
    }
  }

  NetEnergy measure(double seconds_a_run = 0.01) {
    const EnergyClock clock{[&] {
                              EnergySample sample = energy(plan_.root);
                              sample.when = std::chrono::steady_clock::time_point(now_);
                              for (EnergyCounter& one : integral_.counters())
                                sample.counters.push_back(std::move(one));
                              return sample;
                            },
                            [&](nanoseconds time) { pass(time, idle_()); }};
    const RepeatedWork work = [&](nanoseconds time) -> Result<std::uint64_t> {
      const auto run = nanoseconds(static_cast<std::int64_t>(seconds_a_run * 1e9));
      std::uint64_t runs = 0;
      for (nanoseconds spent{0}; spent < time; spent += run, ++runs) pass(run, working_);
      if (behind_work_) behind_work_();
      return runs;
    };
    const auto measured = net_energy(plan_, work, clock, {});
    EXPECT_TRUE(measured);
    return measured ? *measured : NetEnergy{};
  }

  EnergyPlan plan_;
  nanoseconds now_{0}, period_ = milliseconds(1);
  double microjoules_ = 0, working_ = 15;
  std::function<double()> idle_ = [] { return 5.0; };
  std::function<void(std::int64_t)> shown_ = [&](std::int64_t value) {
    put(kPackage, std::to_string(value % (kRange + 1)));
  };
  std::function<void()> behind_work_;
  std::function<void(double)> gauge_;
  PowerIntegral integral_;
};

TEST_F(ImitatedMachine, IsWhatTheWorkTakesAboveRest) {
  const NetEnergy found = measure();
  ASSERT_TRUE(found.joules) << found.reason;
  // 10 W more than at rest, for 10 ms a run.
  EXPECT_NEAR(*found.joules, 0.1, 0.002);
  EXPECT_EQ(found.source, "package-0 of /sys/class/powercap");
  EXPECT_EQ(found.reason, "");
  EXPECT_GE(found.runs, 100u);
}

TEST_F(ImitatedMachine, ASlowCounterIsGivenAHundredOfItsSteps) {
  period_ = milliseconds(100);
  const NetEnergy found = measure();
  ASSERT_TRUE(found.joules) << found.reason;
  EXPECT_NEAR(*found.joules, 0.1, 0.004);
  EXPECT_GE(found.runs, 1000u);  // 100 steps of 0.1 s, at 10 ms a run
}

TEST_F(ImitatedMachine, ACounterTooSlowForItsTimeSaysSo) {
  period_ = milliseconds(500);
  const NetEnergy found = measure();
  EXPECT_FALSE(found.joules);
  EXPECT_THAT(found.reason, ::testing::ContainsRegex(
                                "moves every 0.5[0-9]* s: 100 of its steps take longer than 20 s"));
}

TEST_F(ImitatedMachine, ACounterThatGoesRoundIsFollowed) {
  // The counter is 3 J below its end; the first second of rest takes 5 J.
  microjoules_ = kRange - 3e6;
  const NetEnergy found = measure();
  ASSERT_TRUE(found.joules) << found.reason;
  EXPECT_NEAR(*found.joules, 0.1, 0.002);
}

TEST_F(ImitatedMachine, ACounterThatStartsAgainWithoutARangeIsNotTold) {
  std::filesystem::remove(plan_.root / "sys/class/powercap/intel-rapl:0/max_energy_range_uj");
  bool once = false;
  behind_work_ = [&] {
    if (!once) microjoules_ = 0;
    once = true;
    put(kPackage, "0");
  };
  const NetEnergy found = measure();
  EXPECT_FALSE(found.joules);
  EXPECT_THAT(found.reason, HasSubstr("started again, and its range is unknown"));
}

TEST_F(ImitatedMachine, ACounterThatStandsStillIsNotZeroEnergy) {
  shown_ = nullptr;
  for (const char* const value : {"0", "123456"}) {
    put(kPackage, value);
    const NetEnergy found = measure();
    EXPECT_FALSE(found.joules);
    EXPECT_THAT(found.reason, HasSubstr("does not advance"));
  }
}

TEST_F(ImitatedMachine, ACounterThatSticksDuringTheWorkSaysHowFarItMoved) {
  working_ = 0;
  plan_.limit = std::chrono::seconds(4);
  const NetEnergy found = measure();
  EXPECT_FALSE(found.joules);
  EXPECT_THAT(found.reason, HasSubstr("moved by 0 of its steps"));
  EXPECT_THAT(found.reason, HasSubstr("100 are needed"));
}

TEST_F(ImitatedMachine, RestThatDriftsGivesNoValue) {
  bool worked = false;
  behind_work_ = [&] { worked = true; };
  idle_ = [&] { return worked ? 5.4 : 5.0; };
  const NetEnergy found = measure();
  EXPECT_FALSE(found.joules);
  EXPECT_THAT(found.reason, HasSubstr("power at rest drifted from 5"));
  EXPECT_THAT(found.reason, HasSubstr("more than 5 %"));
}

TEST_F(ImitatedMachine, AnyDriftBelowTheLimitIsHalved) {
  bool worked = false;
  behind_work_ = [&] { worked = true; };
  idle_ = [&] { return worked ? 5.2 : 5.0; };
  const NetEnergy found = measure();
  ASSERT_TRUE(found.joules) << found.reason;
  EXPECT_NEAR(*found.joules, (15 - 5.1) * 0.01, 0.001);
}

TEST_F(ImitatedMachine, WorkThatTakesNoMoreThanRestIsNeitherZeroNorNegative) {
  for (const double watts : {5.0, 4.0, 5.005}) {
    working_ = watts;
    const NetEnergy found = measure();
    EXPECT_FALSE(found.joules) << watts;
    EXPECT_THAT(found.reason, HasSubstr("cannot be distinguished from rest")) << watts;
  }
}

TEST_F(ImitatedMachine, ValuesThatAreNoneGiveTheirReason) {
  for (const auto& [text, reason] : {std::pair("-5", "'-5' is not a whole number"),
                                     {"many", "'many' is not a whole number"},
                                     {"", "empty"}}) {
    put(kPackage, text);
    const NetEnergy found = measure();
    EXPECT_FALSE(found.joules);
    EXPECT_EQ(found.reason, std::string("/") + kPackage + ": " + reason);
  }
}

TEST_F(ImitatedMachine, ACounterThatMayNotBeReadSaysSo) {
  if (::geteuid() == 0) {
    // Root may read every file; no one can read a folder that replaces the file.
    std::filesystem::remove(plan_.root / kPackage);
    std::filesystem::create_directories(plan_.root / kPackage);
    EXPECT_THAT(measure().reason, HasSubstr("cannot be read: Is a directory"));
    return;
  }
  std::filesystem::permissions(plan_.root / kPackage, std::filesystem::perms::none);
  EXPECT_EQ(measure().reason, std::string("/") + kPackage + ": not permitted");
}

TEST_F(ImitatedMachine, WithoutACounterTheReasonNamesWhereItLooked) {
  std::filesystem::remove_all(plan_.root / "sys");
  const NetEnergy found = measure();
  EXPECT_FALSE(found.joules);
  EXPECT_THAT(
      found.reason,
      HasSubstr("no counter of energy and no gauge of power: /sys/class/powercap/intel-rapl:*"));
}

TEST_F(ImitatedMachine, ABatteryOnAChargerGivesNoValue) {
  const std::string battery = "sys/class/power_supply/BAT0/", mains = "sys/class/power_supply/AC/";
  put(battery + "type", "Battery");
  put(battery + "status", "Charging");
  EXPECT_THAT(measure().reason,
              HasSubstr("on a charger (/sys/class/power_supply/BAT0 says 'Charging'); unplug it"));
  put(battery + "status", "Full");
  EXPECT_THAT(measure().reason, HasSubstr("says 'Full'"));
  put(battery + "status", "Discharging");
  put(mains + "type", "Mains");
  put(mains + "online", "0");
  EXPECT_TRUE(measure().joules);
  put(mains + "online", "1");
  const NetEnergy found = measure();
  EXPECT_FALSE(found.joules);
  EXPECT_THAT(found.reason, HasSubstr("/sys/class/power_supply/AC is online"));
}

TEST_F(ImitatedMachine, AChargerThatComesMeanwhileCountsToo) {
  put("sys/class/power_supply/BAT0/status", "Discharging");
  behind_work_ = [&] { put("sys/class/power_supply/BAT0/status", "Charging"); };
  EXPECT_THAT(measure().reason, HasSubstr("on a charger"));
}

TEST_F(ImitatedMachine, AMachineWithoutABatteryIsOnNoCharger) {
  put("sys/class/power_supply/AC/type", "Mains");
  put("sys/class/power_supply/AC/online", "1");
  put("sys/class/power_supply/mouse/type", "Battery");
  put("sys/class/power_supply/mouse/scope", "Device");
  put("sys/class/power_supply/mouse/status", "Charging");
  EXPECT_TRUE(measure().joules);
}

TEST_F(ImitatedMachine, PackagesAreAddedAndPartsOfThemAreNot) {
  put("sys/class/powercap/intel-rapl:1/name", "package-1");
  put("sys/class/powercap/intel-rapl:1/max_energy_range_uj", std::to_string(kRange));
  put("sys/class/powercap/intel-rapl:0:0/name", "core");
  put("sys/class/powercap/intel-rapl:2/name", "psys");
  shown_ = [&](std::int64_t value) {
    put(kPackage, std::to_string(value / 2));
    put("sys/class/powercap/intel-rapl:1/energy_uj", std::to_string(value / 2));
    put("sys/class/powercap/intel-rapl:0:0/energy_uj", std::to_string(value / 3));
    put("sys/class/powercap/intel-rapl:2/energy_uj", std::to_string(2 * value));
  };
  shown_(0);
  NetEnergy found = measure();
  ASSERT_TRUE(found.joules) << found.reason;
  EXPECT_EQ(found.source, "package-0 + package-1 of /sys/class/powercap");
  EXPECT_NEAR(*found.joules, 0.1, 0.002);
  plan_.counter = "psys";
  found = measure();
  ASSERT_TRUE(found.joules) << found.reason;
  EXPECT_EQ(found.source, "psys of /sys/class/powercap");
  EXPECT_NEAR(*found.joules, 0.2, 0.004);
  EXPECT_TRUE(check_counter(plan_.root, "psys"));
  EXPECT_TRUE(check_counter(plan_.root, ""));
  const Status unknown = check_counter(plan_.root, "psi");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(unknown.error().what,
              HasSubstr("there are package-0, package-0 core, package-1, psys"));
}

TEST_F(ImitatedMachine, OfCountersOfABoardOneHasToBeNamed) {
  std::filesystem::remove_all(plan_.root / "sys");
  put("sys/class/hwmon/hwmon0/name", "board");
  shown_ = [&](std::int64_t value) {
    put("sys/class/hwmon/hwmon0/energy1_input", std::to_string(value));
    put("sys/class/hwmon/hwmon0/energy2_input", std::to_string(2 * value));
  };
  shown_(0);
  EXPECT_THAT(measure().reason,
              HasSubstr("of 2 counters, none is known to include the others; name "
                        "one of them: board energy1, board energy2"));
  plan_.counter = "board energy1";
  const NetEnergy found = measure();
  ASSERT_TRUE(found.joules) << found.reason;
  EXPECT_EQ(found.source, "board energy1 of /sys/class/hwmon");
  EXPECT_NEAR(*found.joules, 0.1, 0.002);
}

TEST_F(ImitatedMachine, AGaugeIsAddedUpWhereThereIsNoCounter) {
  std::filesystem::remove_all(plan_.root / "sys");
  const std::string battery = "sys/class/power_supply/BAT0/";
  put(battery + "type", "Battery");
  put(battery + "status", "Discharging");
  put(battery + "voltage_now", "4000000");
  // A mains adapter reports no power.
  put("sys/class/power_supply/AC/type", "Mains");
  put("sys/class/power_supply/AC/online", "0");
  period_ = milliseconds(100);
  // Drivers disagree about the sign.
  gauge_ = [&](double watts) {
    put(battery + "current_now", std::to_string(-static_cast<std::int64_t>(watts / 4 * 1e6)));
  };
  gauge_(5);
  pass(milliseconds(5), 5);  // The first reading.
  EXPECT_TRUE(needs_gauges(plan_));
  const NetEnergy found = measure();
  ASSERT_TRUE(found.joules) << found.reason;
  EXPECT_NEAR(*found.joules, 0.1, 0.003);
  EXPECT_EQ(found.source, "gauge power supply BAT0 of /sys/class/power_supply");
  EXPECT_GE(found.runs, 1000u);
  EXPECT_TRUE(check_counter(plan_.root, "gauge power supply BAT0"));
}

TEST_F(ImitatedMachine, AGaugeThatIsStuckIsNoSteadyPower) {
  std::filesystem::remove_all(plan_.root / "sys");
  gauge_ = [&](double) { put("sys/class/hwmon/hwmon0/power1_input", "5000000"); };
  put("sys/class/hwmon/hwmon0/name", "board");
  gauge_(5);
  pass(milliseconds(5), 5);
  EXPECT_THAT(measure().reason, HasSubstr("does not advance"));
}

TEST_F(ImitatedMachine, AGaugeBelowZeroHasNoValue) {
  PowerIntegral integral;
  const auto at = [](int seconds) {
    return std::chrono::steady_clock::time_point(std::chrono::seconds(seconds));
  };
  integral.look(at(0), {known("power x", "W", 3, "x")});
  integral.look(at(2), {known("power x", "W", 4, "x")});
  integral.look(at(5), {known("power x", "W", 4, "x")});
  integral.look(at(6), {known("power x", "W", 1, "x")});
  // 3 W for 2 s and 4 W for 4 s.
  EXPECT_EQ(integral.counters().at(0).microjoules, 22'000'000);
  integral.look(at(7), {known("power x", "W", -1, "x")});
  integral.look(at(8), {known("power x", "W", 1, "x")});
  EXPECT_FALSE(integral.counters().at(0).microjoules);
  EXPECT_THAT(integral.counters().at(0).reason, HasSubstr("less than 0"));
}

TEST_F(ImitatedMachine, GaugesAreLookedAtMeanwhile) {
  put("sys/class/hwmon/hwmon0/name", "board");
  const auto show = [&](const char* microwatts) {
    put("sys/class/hwmon/hwmon0/next", microwatts);
    std::filesystem::rename(plan_.root / "sys/class/hwmon/hwmon0/next",
                            plan_.root / "sys/class/hwmon/hwmon0/power1_input");
  };
  show("5000000");
  const auto start = std::chrono::steady_clock::now();
  const auto since = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  const PowerSampler sampler(plan_.root, milliseconds(1));
  double elapsed = 0;
  for (int i = 0; elapsed < 1; ++i) {
    std::this_thread::sleep_for(milliseconds(5));
    show(i % 2 == 0 ? "5001000" : "4999000");
    elapsed = since();
  }
  const std::vector<EnergyCounter> counters = sampler.counters();
  const double whole = since();
  ASSERT_EQ(counters.size(), 1u);
  EXPECT_EQ(counters[0].name, "gauge power board power1");
  EXPECT_EQ(counters[0].source, "/sys/class/hwmon/hwmon0/power1_input");
  ASSERT_TRUE(counters[0].microjoules) << counters[0].reason;
  // Up to the last value read: a busy machine reads later.
  EXPECT_LE(*counters[0].microjoules, 5.01e6 * whole);
  EXPECT_GE(*counters[0].microjoules, 5e6 * elapsed / 2);
}

TEST_F(ImitatedMachine, CountersComeBeforeGauges) {
  put("sys/class/power_supply/BAT0/power_now", "5000000");
  EXPECT_FALSE(needs_gauges(plan_));
  plan_.counter = "gauge power supply BAT0";
  EXPECT_TRUE(needs_gauges(plan_));
}

TEST_F(ImitatedMachine, FailuresOfTheWorkAndTheUsersStopAreErrors) {
  const EnergyClock clock{[&] {
                            EnergySample sample = energy(plan_.root);
                            sample.when = std::chrono::steady_clock::time_point(now_);
                            return sample;
                          },
                          [&](nanoseconds time) { pass(time, 5); }};
  const RepeatedWork fails = [](nanoseconds) -> Result<std::uint64_t> {
    return Error{ErrorKind::kTarget, "the engine crashed"};
  };
  const auto failed = net_energy(plan_, fails, clock, {});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().what, "the engine crashed");
  std::atomic<bool> stop{true};
  const auto stopped = net_energy(plan_, fails, clock, {&stop, {}});
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().kind, ErrorKind::kInterrupted);
}

}  // namespace
}  // namespace edgeprobe::meter
