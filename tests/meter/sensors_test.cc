// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "meter/sampler.h"

namespace edgeprobe::meter {
namespace {

TEST(Sensors, AMachinesMetersAreSensorsWithTheirReasons) {
  std::string name = testing::TempDir() + "edgeprobe-sensors-XXXXXX";
  ASSERT_NE(::mkdtemp(name.data()), nullptr);
  const Root root{name};
  const auto put = [&](const std::string& inside, const std::string& text) {
    std::filesystem::create_directories((root / inside).parent_path());
    std::ofstream(root / inside) << text;
  };
  put("sys/class/thermal/thermal_zone0/type", "cpu-thermal\n");
  put("sys/class/thermal/thermal_zone0/temp", "48312\n");
  put("sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "1800000\n");
  put("sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq", "600000\n");
  std::map<std::string, SensorReading> by_name;
  for (SensorReading& one : machine_sensors(root)) by_name[one.name] = std::move(one);
  EXPECT_THAT(by_name.at("temperature thermal_zone0 cpu-thermal").values,
              testing::ElementsAre(testing::DoubleEq(48.312)));
  EXPECT_EQ(by_name.at("temperature thermal_zone0 cpu-thermal").unit, "degC");
  EXPECT_THAT(by_name.at("frequency").values, testing::ElementsAre(1.2e9))
      << "the mean of 1.8 and 0.6 GHz";
  std::filesystem::remove_all(name);
  for (const SensorReading& one : machine_sensors({"/nowhere/at/all"})) {
    EXPECT_TRUE(one.values.empty()) << one.name;
    EXPECT_FALSE(one.reason.empty()) << one.name;
  }
}

TEST(Sensors, CpusAreInUseOverTheTimeBetweenTwoLooks) {
  char name[] = "/tmp/edgeprobe_use_XXXXXX";
  ASSERT_NE(::mkdtemp(name), nullptr);
  const auto put = [&](const std::string& file, const std::string& text) {
    std::filesystem::create_directories((std::filesystem::path(name) / file).parent_path());
    std::ofstream(std::filesystem::path(name) / file) << text;
  };
  put("proc/meminfo", "MemTotal: 1000 kB\nMemAvailable: 600 kB\n");
  put("proc/stat", "cpu0 10 0 10 80 0 0 0 0 0 0\ncpu1 0 0 0 100 0 0 0 0 0 0\n");
  MachineUse use(Root{name});
  const auto first = use.read();
  ASSERT_EQ(first.size(), 1u);
  EXPECT_EQ(first[0].name, "memory in use");
  EXPECT_THAT(first[0].values, testing::ElementsAre(40.0));
  put("proc/stat", "cpu0 15 0 10 95 0 0 0 0 0 0\ncpu1 10 0 0 100 0 0 0 0 0 0\n");
  const auto second = use.read();
  ASSERT_EQ(second.size(), 2u);
  EXPECT_THAT(second[1].values, testing::ElementsAre(25.0, 100.0));  // 5 of 20, 10 of 10 ticks
  const auto third = use.read();
  ASSERT_EQ(third.size(), 2u);
  EXPECT_TRUE(third[1].values.empty());
  EXPECT_EQ(third[1].reason, "the clock of a CPU did not move between two readings");
  std::filesystem::remove_all(name);
  const auto none = MachineUse({"/nowhere/at/all"}).read();
  ASSERT_EQ(none.size(), 2u);
  EXPECT_EQ(none[1].reason, "absent");
}

TEST(Sensors, ASamplerHandsOnEachValueAndEachReasonOnce) {
  std::mutex mutex;
  std::vector<std::pair<std::uint64_t, SensorReading>> came;
  int calls = 0;
  {
    const SensorSampler sampler(
        {[&] {
          const std::lock_guard lock(mutex);
          ++calls;
          return std::vector<SensorReading>{
              {"light", {calls * 1.0}, "lx", "", ""},
              {"power", {}, "W", "", calls < 4 ? "absent" : "not permitted"}};
        }},
        [&](std::uint64_t time_ns, const SensorReading& reading) {
          const std::lock_guard lock(mutex);
          came.emplace_back(time_ns, reading);
        },
        std::chrono::milliseconds(5));
    for (int waited = 0; waited < 2000; ++waited) {
      {
        const std::lock_guard lock(mutex);
        if (calls >= 8) break;
      }
      ::usleep(5000);
    }
  }
  const int all = calls;
  ASSERT_GE(all, 8);
  std::vector<std::string> reasons;
  int values = 0;
  std::uint64_t last = 0;
  for (const auto& [time, reading] : came) {
    EXPECT_GE(time, last);
    last = time;
    if (reading.name == "power") reasons.push_back(reading.reason);
    else EXPECT_EQ(reading.values.at(0), ++values);
  }
  EXPECT_EQ(values, all);
  EXPECT_THAT(reasons, testing::ElementsAre("absent", "not permitted"));
  ::usleep(20'000);
  EXPECT_EQ(calls, all) << "nothing goes on after its end";
}

}  // namespace
}  // namespace edgeprobe::meter
