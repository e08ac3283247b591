// SPDX-License-Identifier: Apache-2.0
#include "fleet/study.h"

#include <cstdint>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace edgeprobe::fleet {
namespace {

using testing::ElementsAre;

std::uint64_t next(std::uint64_t& state) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return state >> 11;
}

Device device(const std::string& name, bool fails, std::map<std::string, std::string> texts,
              std::map<std::string, Measured> numbers = {}) {
  return {name, {name, std::move(texts), std::move(numbers)}, fails};
}

// 20 devices; every third one has the bad driver and fails. SoC and driver occur together.
std::vector<Device> fleet() {
  std::vector<Device> devices;
  for (int i = 0; i < 20; ++i) {
    const bool is_bad = i % 3 == 0;
    devices.push_back(device("phone" + std::to_string(i), is_bad,
                             {{"driver", is_bad  ? "535.2"
                                         : i % 2 ? "530.1"
                                                 : "531.7"},
                              {"soc", is_bad  ? "G3"
                                      : i % 2 ? "G1"
                                              : "G2"},
                              {"os", i % 4 ? "14" : "13"},
                              {"app", "1.0"},
                              {"key", std::to_string(i * 7)}},
                             {{"temperature", {30.0 + (i * i * 3) % 17, "Cel"}}}));
  }
  return devices;
}

const FactTest& test_of(const Study& study, const std::string& name) {
  for (const FactTest& test : study.tests)
    for (const std::string& one : test.names)
      if (one == name) return test;
  throw std::runtime_error(name);
}

// Expected values: scipy 1.17.1 stats.fisher_exact; Freeman-Halton over all tables in Python.
TEST(FleetStudy, WhatFailingDevicesShareIsToldAndAliasesAreOneTest) {
  const Study study = study_of(fleet());
  EXPECT_EQ(study.failing, 7u);
  EXPECT_EQ(study.too_few, TooFew::kNo);
  ASSERT_FALSE(study.tests.empty());
  const FactTest& first = study.tests.front();
  EXPECT_THAT(first.names, ElementsAre("driver", "soc"));
  EXPECT_THAT(first.values, ElementsAre("535.2", "G3"));
  EXPECT_EQ(first.value_failing, 7u);
  EXPECT_EQ(first.value_devices, 7u);
  EXPECT_EQ(first.categories, 3u);
  EXPECT_TRUE(first.tells);
  EXPECT_NEAR(first.effect, 1, 1e-12);
  EXPECT_NEAR(first.p, 2.0 / 77520, 1e-12) << "of the C(20, 7) splits two take one value's devices";
  // The tests: driver with soc, os, temperature, and the key as a number.
  EXPECT_EQ(study.tested, 4u);
  EXPECT_NEAR(*first.p_corrected, 8.0 / 77520, 1e-12);
  EXPECT_EQ(study.same, 1u) << "the app";
  EXPECT_EQ(study.singular, 1u) << "the key";
  EXPECT_FALSE(test_of(study, "os").tells);
  EXPECT_FALSE(test_of(study, "temperature").tells);
  EXPECT_THAT(study.groups, ElementsAre(ElementsAre(0u)));
}

TEST(FleetStudy, FactsWhoseValueIsOnTheSameDevicesCannotBeToldApart) {
  std::vector<Device> devices = fleet();
  // "build" divides the devices differently, but its "B" is on the same failing devices.
  for (std::size_t i = 0; i < devices.size(); ++i)
    devices[i].facts.texts["build"] = devices[i].fails ? "B" : i % 5 < 2 ? "A" : "C";
  const Study study = study_of(devices);
  EXPECT_EQ(study.groups.size(), 1u);
  EXPECT_EQ(study.groups.front().size(), 2u);
}

TEST(FleetStudy, ANumberIsTestedByItsRanks) {
  std::vector<Device> devices = fleet();
  for (std::size_t i = 0; i < devices.size(); ++i)
    devices[i].facts.numbers["free memory"] = {
        devices[i].fails ? 100 + static_cast<double>(i) : 900 + static_cast<double>(i), "MB"};
  const Study study = study_of(devices);
  const FactTest& test = test_of(study, "free memory");
  EXPECT_TRUE(test.is_number && test.tells && test.exact);
  EXPECT_EQ(test.effect, -1);
  EXPECT_NEAR(test.p, 2.0 / 77520, 1e-12);
  EXPECT_EQ(test.unit, "MB");
  EXPECT_EQ(test.failing_median, 109);
}

TEST(FleetStudy, TooFewDevicesAreSaidToBeTooFew) {
  std::vector<Device> five;
  for (int i = 0; i < 5; ++i)
    five.push_back(device(std::to_string(i), i < 3, {{"driver", i < 3 ? "2" : "1"}}));
  const Study study = study_of(five);
  EXPECT_EQ(study.too_few, TooFew::kDevices);
  EXPECT_NEAR(study.least_p, 0.1, 1e-12);
  EXPECT_FALSE(study.tests.front().tells);
  EXPECT_FALSE(study.tests.front().p_corrected) << "no test is spent on what cannot be told";
  EXPECT_NEAR(study.tests.front().p, 0.1, 1e-12);
  std::vector<Device> six = five;
  six.push_back(device("5", false, {{"driver", "1"}}));
  EXPECT_NEAR(study_of(six).least_p, 0.1, 1e-12) << "2 of 20: halves can change places";
  for (Device& one : five) one.fails = true;
  EXPECT_EQ(study_of(five).too_few, TooFew::kAllAlike);
}

TEST(FleetStudy, AValueThatIsNotStatedIsAValue) {
  std::vector<Device> devices = fleet();
  for (Device& one : devices) {
    one.facts.texts.erase("soc");
    if (one.fails) one.facts.texts.erase("driver");
  }
  const Study study = study_of(devices);
  EXPECT_TRUE(study.tests.front().tells);
  EXPECT_THAT(study.tests.front().values, ElementsAre("(not stated)"));
}

TEST(FleetStudy, RecordingsOfOneDeviceAreOneDevice) {
  std::vector<Recording> recordings;
  for (int i = 0; i < 6; ++i) {
    DeviceFacts facts{i < 4 ? "phone" : "", {{"driver", i < 3 ? "1" : "2"}}, {}};
    facts.numbers["latency"] = {static_cast<double>(i), "ms"};
    recordings.push_back({std::to_string(i) + ".mcap", facts, i == 2});
  }
  recordings.push_back({"unknown.mcap", {}, std::nullopt});
  const std::vector<Device> devices = devices_of(recordings);
  ASSERT_EQ(devices.size(), 3u);
  EXPECT_EQ(devices[0].name, "phone");
  EXPECT_TRUE(devices[0].fails) << "one of its recordings does";
  EXPECT_EQ(devices[0].facts.texts.at("driver"), "(several)");
  EXPECT_EQ(devices[0].facts.numbers.at("latency").value, 1.5);
  EXPECT_EQ(devices[1].name, "4.mcap");
}

// Facts as fleets have them: the driver follows the SoC, the OS mostly follows it, the others are
// random.
TEST(FleetStudy, AtMostOneInTwentyHealthyFleetsRaisesAnAlarm) {
  std::uint64_t state = 7;
  int told = 0, could = 0;
  constexpr int kFleets = 600;
  for (int round = 0; round < kFleets; ++round) {
    std::vector<Device> devices;
    const std::size_t count = 10 + next(state) % 40;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t soc = next(state) % 4, batch = next(state) % 3;
      devices.push_back(device(
          "phone" + std::to_string(i), next(state) % 3 == 0,
          {{"soc", std::to_string(soc)},
           {"driver", std::to_string(500 + soc * 10)},
           {"os", next(state) % 5 ? std::to_string(soc / 2) : "old"},
           {"batch", std::to_string(batch)},
           {"region", next(state) % 2 ? "eu" : "us"}},
          {{"temperature", {30 + static_cast<double>(next(state) % 200) / 10, "Cel"}},
           {"latency", {5 + static_cast<double>(soc) + static_cast<double>(next(state) % 3), "ms"}},
           {"free", {static_cast<double>(next(state) % 4000), "MB"}}}));
    }
    const Study study = study_of(devices);
    could += study.too_few == TooFew::kNo;
    bool alarm = false;
    for (const FactTest& test : study.tests) alarm = alarm || test.tells;
    told += alarm;
  }
  EXPECT_GT(could, kFleets * 9 / 10);
  EXPECT_LE(told, kFleets / 20) << "of " << kFleets;
  RecordProperty("alarms", told);
}

}  // namespace
}  // namespace edgeprobe::fleet
