// SPDX-License-Identifier: Apache-2.0
// Meters on fake trees: folders made here that look like /proc and /sys.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "meter/machine.h"
#include "meter/power.h"
#include "meter/process.h"
#include "meter/read_all.h"
#include "meter/temperature.h"
#include "meter/threads.h"

namespace edgeprobe::meter {
namespace {

class FakeTree : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "edgeprobe-meter-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    root_.path = name;
  }
  void TearDown() override { std::filesystem::remove_all(root_.path); }
  void put(const std::string& inside, const std::string& text) {
    std::filesystem::create_directories((root_ / inside).parent_path());
    std::ofstream(root_ / inside) << text;
  }
  Root root_;
};

const Reading* find(const std::vector<Reading>& readings, const std::string& name) {
  const auto at = std::find_if(readings.begin(), readings.end(),
                               [&](const Reading& one) { return one.name == name; });
  return at == readings.end() ? nullptr : &*at;
}

TEST_F(FakeTree, MemoryIsInBytesAndKnowsItsSource) {
  put("proc/7/status", "Name:\tx\nVmPeak:\t  999 kB\nVmHWM:\t    2048 kB\nVmRSS:\t    1024 kB\n");
  put("proc/7/smaps_rollup",
      "00400000-7fff [rollup]\nRss:  1024 kB\nPss:    512 kB\nPss_Anon: 4 kB\n");
  EXPECT_EQ(resident_memory(root_, "7").value, 1024.0 * 1024);
  EXPECT_EQ(peak_memory(root_, "7").value, 2048.0 * 1024);
  EXPECT_EQ(proportional_memory(root_, "7").value, 512.0 * 1024);
  EXPECT_EQ(peak_memory(root_, "7").source, "/proc/7/status VmHWM");
  EXPECT_EQ(peak_memory(root_, "7").unit, "B");
}

TEST_F(FakeTree, WhatIsNotThereIsNullWithTheReasonAndNeverZero) {
  put("proc/7/status", "Name:\tx\nVmRSS:\tmany kB\n");
  put("proc/8/status", "");
  for (const auto& [reading, reason] :
       {std::pair(resident_memory(root_, "9"), "absent"),
        {peak_memory(root_, "7"), "the kernel does not report VmHWM"},
        {resident_memory(root_, "7"), "'VmRSS:\\x09many kB' is not a size in kB"},
        {resident_memory(root_, "8"), "empty"},
        {user_time(root_, "7"), "absent"},
        {memory_used(root_), "absent"},
        {load_average(root_)[0], "absent"},
        {frequency(root_)[0], "absent"},
        {temperature(root_)[0], "absent"},
        {power(root_, energy(root_), energy(root_))[0], "absent"},
        {thread_times(root_, "7")[0], "absent"}}) {
    EXPECT_FALSE(reading.value) << reading.name;
    EXPECT_EQ(reading.reason, reason) << reading.name;
    EXPECT_FALSE(reading.source.empty());
  }
  EXPECT_FALSE(Threads(root_, "7").read());
  EXPECT_TRUE(cpu_ticks(root_).empty());
}

TEST_F(FakeTree, AFileThatMayNotBeReadSaysSo) {
  if (::geteuid() == 0) {
    // root may read every file, so a folder replaces the file to make it unreadable.
    std::filesystem::create_directories(root_ / "sys/class/thermal/thermal_zone0/temp");
    EXPECT_EQ(temperature(root_)[0].reason, "cannot be read: Is a directory");
    return;
  }
  put("sys/class/powercap/intel-rapl:0/energy_uj", "5");
  ::chmod((root_ / "sys/class/powercap/intel-rapl:0/energy_uj").c_str(), 0);
  EXPECT_EQ(energy(root_).counters.at(0).reason, "not permitted");
}

TEST_F(FakeTree, CpuTimeIsFoundBehindANameWithBracketsAndBlanks) {
  put("proc/7/stat", "7 (a b) c) S 1 2 3 4 5 6 7 8 9 10 250 50 0 0");
  const double tick = 1.0 / static_cast<double>(::sysconf(_SC_CLK_TCK));
  EXPECT_DOUBLE_EQ(*user_time(root_, "7").value, 250 * tick);
  EXPECT_DOUBLE_EQ(*system_time(root_, "7").value, 50 * tick);
  put("proc/8/stat", "8 (short) S 1");
  EXPECT_FALSE(user_time(root_, "8").value);
}

TEST_F(FakeTree, RunDelayIsTheSumOverThreadsAlsoOfThoseThatEnded) {
  put("proc/7/task/7/schedstat", "1000 200 3");
  put("proc/7/task/9/schedstat", "500 50 1");
  Threads threads(root_, "7");
  ASSERT_TRUE(threads.read());
  EXPECT_EQ(threads.read()->run_ns, 1500);
  EXPECT_EQ(threads.read()->wait_ns, 250);
  std::filesystem::remove_all(root_ / "proc/7/task/9");
  put("proc/7/task/11/schedstat", "10 1 1");
  threads.refresh();
  EXPECT_EQ(threads.count(), 2u);
  EXPECT_EQ(threads.read()->run_ns, 1510);
  EXPECT_EQ(threads.read()->wait_ns, 251);
  put("proc/7/task/11/schedstat", "nonsense");
  EXPECT_FALSE(threads.read());
  EXPECT_EQ(threads.reason(), "'nonsense' is not laid out as RUN WAIT SLICES");
  const auto times = thread_times(root_, "7");
  EXPECT_NEAR(*find(times, "CPU time, thread 7")->value, 1e-6, 1e-15);
  EXPECT_FALSE(find(times, "run delay, thread 11")->value);
}

TEST_F(FakeTree, LoadHasThreeNumbersOrReasons) {
  put("proc/loadavg", "1.62 0.5 x/y 5/106 8899");
  const auto load = load_average(root_);
  ASSERT_EQ(load.size(), 3u);
  EXPECT_EQ(load[0].value, 1.62);
  EXPECT_EQ(load[1].value, 0.5);
  EXPECT_EQ(load[2].reason, "'x/y' is not a load");
}

TEST_F(FakeTree, FrequencyIsOfEachCpuInNaturalOrder) {
  put("sys/devices/system/cpu/cpu10/cpufreq/scaling_cur_freq", "1800000\n");
  put("sys/devices/system/cpu/cpu2/cpufreq/cpuinfo_cur_freq", "2400000\n");
  put("sys/devices/system/cpu/cpuidle/x", "1");
  const auto frequencies = frequency(root_);
  ASSERT_EQ(frequencies.size(), 2u);
  EXPECT_EQ(frequencies[0].name, "frequency cpu2");
  EXPECT_EQ(frequencies[0].value, 2.4e9);
  EXPECT_EQ(frequencies[1].value, 1.8e9);
  EXPECT_EQ(frequencies[1].unit, "Hz");
}

TEST_F(FakeTree, WithoutCpufreqTheFrequencyIsThatOfCpuinfo) {
  put("sys/devices/system/cpu/cpu0/topology/x", "1");
  put("proc/cpuinfo",
      "processor\t: 0\nmodel name\t: Fast One\ncpu MHz\t\t: 2596.142\n\nprocessor\t: 1\ncpu "
      "MHz\t\t: unknown\n");
  const auto frequencies = frequency(root_);
  ASSERT_EQ(frequencies.size(), 2u);
  EXPECT_NEAR(*frequencies[0].value, 2596.142e6, 1);
  EXPECT_FALSE(frequencies[1].value);
  EXPECT_EQ(machine(root_).processor, "Fast One");
}

TEST_F(FakeTree, TemperaturesAreOfSeveralZonesInDegrees) {
  put("sys/class/thermal/thermal_zone0/type", "x86_pkg_temp\n");
  put("sys/class/thermal/thermal_zone0/temp", "48500\n");
  put("sys/class/thermal/thermal_zone1/temp", "-5000\n");
  put("sys/class/thermal/thermal_zone2/temp", "garbage\n");
  put("sys/class/thermal/thermal_zone3/temp", "-274000\n");
  put("sys/class/thermal/cooling_device0/cur_state", "0\n");
  put("sys/class/hwmon/hwmon1/name", "coretemp\n");
  put("sys/class/hwmon/hwmon1/temp2_input", "51000\n");
  put("sys/class/hwmon/hwmon1/temp2_label", "Core 0\n");
  put("sys/class/hwmon/hwmon1/temp2_max", "100000\n");
  const auto temperatures = temperature(root_);
  ASSERT_EQ(temperatures.size(), 5u);
  EXPECT_EQ(find(temperatures, "temperature thermal_zone0 x86_pkg_temp")->value, 48.5);
  EXPECT_EQ(find(temperatures, "temperature thermal_zone1")->value, -5);
  EXPECT_EQ(find(temperatures, "temperature thermal_zone2")->reason,
            "'garbage' is not a whole number");
  EXPECT_EQ(find(temperatures, "temperature thermal_zone3")->reason, "-274 degC cannot be");
  EXPECT_EQ(find(temperatures, "temperature coretemp Core 0")->value, 51);
}

TEST_F(FakeTree, EnergyCountersThatStartAgainAreCountedOn) {
  const std::string zone = "sys/class/powercap/intel-rapl:0/";
  put(zone + "name", "package-0\n");
  put(zone + "max_energy_range_uj", "1000000\n");
  put(zone + "energy_uj", "900000\n");
  put("sys/class/powercap/intel-rapl:0:0/name", "core\n");
  put("sys/class/powercap/intel-rapl:0:0/energy_uj", "100\n");
  put("sys/class/powercap/intel-rapl/enabled", "1\n");
  put("sys/class/powercap/intel-rapl-mmio:0/energy_uj", "1\n");
  put("sys/class/hwmon/hwmon0/name", "amd_energy\n");
  put("sys/class/hwmon/hwmon0/energy1_label", "Esocket0\n");
  put("sys/class/hwmon/hwmon0/energy1_input", "5000000\n");
  EnergySample before = energy(root_);
  ASSERT_EQ(before.counters.size(), 3u);
  // 100 001 up to the range and 0, then 99 999
  put(zone + "energy_uj", "99999\n");
  put("sys/class/powercap/intel-rapl:0:0/energy_uj", "50\n");  // the counter went back, from an
                                                               // unknown value
  put("sys/class/hwmon/hwmon0/energy1_input", "7000000\n");
  EnergySample after = energy(root_);
  const auto joules = joules_between(before, after);
  EXPECT_DOUBLE_EQ(*find(joules, "energy package-0")->value, 0.2);
  EXPECT_EQ(find(joules, "energy package-0 core")->reason,
            "the counter started again, and its range is unknown");
  EXPECT_DOUBLE_EQ(*find(joules, "energy amd_energy Esocket0")->value, 2);
  after.when = before.when + std::chrono::seconds(4);
  const auto watts = power_between(before, after);
  EXPECT_DOUBLE_EQ(*find(watts, "power amd_energy Esocket0")->value, 0.5);
  after.when = before.when;
  EXPECT_FALSE(find(power_between(before, after), "power package-0")->value);
}

TEST_F(FakeTree, PowerNowComesFromHwmonAndSupplies) {
  put("sys/class/hwmon/hwmon0/name", "ina226\n");
  put("sys/class/hwmon/hwmon0/power1_input", "3500000\n");
  put("sys/class/power_supply/BAT0/status", "Charging\n");
  put("sys/class/power_supply/BAT0/current_now", "1500000\n");
  put("sys/class/power_supply/BAT0/voltage_now", "12000000\n");
  put("sys/class/power_supply/BAT1/power_now", "-7000000\n");
  put("sys/class/power_supply/BAT1/status", "Discharging\n");
  put("sys/class/power_supply/AC/online", "1\n");
  const auto watts = power_now(root_);
  EXPECT_EQ(find(watts, "power ina226 power1")->value, 3.5);
  EXPECT_EQ(find(watts, "power supply BAT0")->value, -18);
  EXPECT_EQ(find(watts, "power supply BAT1")->value, 7);
  EXPECT_FALSE(find(watts, "power supply AC")->value);
  EXPECT_EQ(find(watts, "power supply AC")->reason, "absent");
}

TEST_F(FakeTree, MemoryInUseAndBusyCpusAreShares) {
  put("proc/meminfo", "MemTotal:  1000 kB\nMemFree: 100 kB\nMemAvailable:  400 kB\n");
  EXPECT_EQ(memory_used(root_).value, 60);
  put("proc/stat", "cpu 1 1 1 1\ncpu0 100 0 100 800 0 0 0 0 0 0\ncpu1 0 0 0 10 0\nintr 5\n");
  const auto before = cpu_ticks(root_);
  put("proc/stat", "cpu 1 1 1 1\ncpu0 130 0 100 870 0 0 0 0 0 0\ncpu1 0 0 0 10 0\nintr 5\n");
  const auto shares = busy_percent(before, cpu_ticks(root_));
  ASSERT_EQ(shares.size(), 2u);
  EXPECT_EQ(shares[0], 30.0);
  EXPECT_FALSE(shares[1]);  // its clock did not move
}

TEST(RealMachine, TellsWhatItIsAndWhatThisProcessUses) {
  const Root root;
  const auto groups = read_all(root, "self", std::chrono::milliseconds(1));
  ASSERT_EQ(groups.size(), 6u);
  for (const Group& group : groups) {
    EXPECT_FALSE(group.readings.empty()) << group.name;
    for (const Reading& reading : group.readings)
      EXPECT_EQ(reading.value.has_value(), reading.reason.empty()) << reading.name;
  }
  EXPECT_GT(*peak_memory(root, "self").value, 1e6);
  EXPECT_GE(*peak_memory(root, "self").value, *resident_memory(root, "self").value * 0.9);
  EXPECT_GT(machine(root).cpus, 0);
  EXPECT_FALSE(machine(root).architecture.empty());
}

TEST(RealMachine, ABusyThreadIsSeenToUseACpu) {
  Threads threads({}, "self");
  const auto before = threads.read();
  if (!before) GTEST_SKIP() << "this kernel tells no schedstat: " << threads.reason();
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(60);
  while (std::chrono::steady_clock::now() < end) {
  }
  // 60 ms of wall time are divided into having a CPU and waiting for one, with the precision of a
  // tick.
  const auto after = threads.read();
  EXPECT_GT(after->run_ns + after->wait_ns - before->run_ns - before->wait_ns, 40'000'000);
}

}  // namespace
}  // namespace edgeprobe::meter
