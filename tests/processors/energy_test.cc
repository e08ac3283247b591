// SPDX-License-Identifier: Apache-2.0
// Energy: counters, batteries, chargers, and what keeps them from telling anything.
#include "processors/energy_sources.h"

#include "tree.h"

namespace edgeprobe::processors {
namespace {

class EnergyTest : public Tree {
 protected:
  std::vector<Finding> findings() { return energy_findings(host_, energy_sources(host_)); }
  void put_rapl() {
    put("sys/class/powercap/intel-rapl:0/name", "package-0\n");
    put("sys/class/powercap/intel-rapl:0/energy_uj", "123456\n");
  }
  void put_battery(const std::string& status) {
    put("sys/class/power_supply/BAT0/type", "Battery\n");
    put("sys/class/power_supply/BAT0/status", status + "\n");
    put("sys/class/power_supply/BAT0/current_now", "1500000\n");
    put("sys/class/power_supply/BAT0/voltage_now", "3800000\n");
  }
  void put_charger(const std::string& name, const std::string& type, const std::string& online) {
    put("sys/class/power_supply/" + name + "/type", type + "\n");
    put("sys/class/power_supply/" + name + "/online", online + "\n");
  }
};

TEST_F(EnergyTest, LaptopOnItsChargerUsesTheCounters) {
  put_rapl();
  put_battery("Charging");
  put_charger("AC", "Mains", "1");
  const EnergySources found = energy_sources(host_);
  ASSERT_EQ(found.all.size(), 2u);
  EXPECT_EQ(found.all[0].name, "package-0");
  EXPECT_EQ(found.all[0].reason, "");
  EXPECT_EQ(found.all[1].kind, EnergySource::Kind::kBattery);
  EXPECT_EQ(found.chargers, std::vector<std::string>{"AC"});
  EXPECT_EQ(names(energy_findings(host_, found)), "");
}

TEST_F(EnergyTest, LaptopOnItsBatteryIsANote) {
  put_rapl();
  put_battery("Discharging");
  put_charger("AC", "Mains", "0");
  EXPECT_EQ(names(findings()), "on_battery");
}

TEST_F(EnergyTest, CountersOfRootAreAProblemWithTheCommand) {
  put_rapl();
  ASSERT_EQ(::chmod((host_.root / "sys/class/powercap/intel-rapl:0/energy_uj").c_str(), 0), 0);
  const AsNobody nobody;
  const auto denied = find(findings(), "energy_not_permitted");
  ASSERT_TRUE(denied) << names(findings());
  EXPECT_EQ(denied->severity, Severity::kProblem);
  EXPECT_EQ(denied->commands,
            std::vector<std::string>{
                "sudo sh -c 'chmod a+r /sys/class/powercap/intel-rapl:*/energy_uj'"});
  // A finding states that this needs root.
  const auto root = find(examined().findings, "no_root");
  ASSERT_TRUE(root);
  EXPECT_EQ(root->severity, Severity::kNote);
}

TEST_F(EnergyTest, MalformedCounterIsAProblem) {
  for (const char* const text : {"garbage", "-5", "", "99999999999999999999999"}) {
    put("sys/class/powercap/intel-rapl:0/energy_uj", text);
    const auto broken = find(findings(), "energy_unreadable");
    ASSERT_TRUE(broken) << text;
    EXPECT_TRUE(has(broken->cause, "/sys/class/powercap/intel-rapl:0/energy_uj"));
  }
}

TEST_F(EnergyTest, VirtualMachineGivesNoFigure) {
  put("proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu vme hypervisor lahf_lm\n");
  EXPECT_EQ(names(findings()), "no_energy_counters");
  EXPECT_TRUE(has(findings()[0].cause, "virtual machine"));
  EXPECT_TRUE(findings()[0].commands.empty());
}

TEST_F(EnergyTest, MissingCountersNameTheDriver) {
  put("proc/cpuinfo", "flags\t\t: fpu vme\n");
  host_.is_root = true;
  EXPECT_EQ(findings().at(0).what, "no_energy_counters");
  EXPECT_EQ(findings()[0].commands, std::vector<std::string>{"modprobe intel_rapl_msr"});
}

TEST_F(EnergyTest, PhoneOnUsbGivesNoFigureOfAModel) {
  put("system/build.prop", "x");
  put_charger("usb", "USB", "1");
  // Even when the battery no longer charges, the device is powered externally.
  for (const char* const status : {"Charging", "Full", "Not charging", "Discharging"}) {
    put_battery(status);
    const auto fed = find(findings(), "external_power");
    ASSERT_TRUE(fed) << status;
    EXPECT_EQ(fed->severity, Severity::kProblem);
    EXPECT_TRUE(has(fed->cause, "(usb)"));
    EXPECT_EQ(fed->commands.at(0), "adb tcpip 5555 && adb connect DEVICE:5555");
  }
}

TEST_F(EnergyTest, UnreportedChargerIsSeenByTheBattery) {
  put_battery("Charging");
  EXPECT_TRUE(has(find(findings(), "external_power")->cause, "the battery is 'Charging'"));
}

TEST_F(EnergyTest, PhoneOnItsBatteryMeasuresTheWholeDevice) {
  put_battery("Discharging");
  put_charger("usb", "USB", "0");
  EXPECT_EQ(names(findings()), "battery_only");
}

TEST_F(EnergyTest, BatteryWithoutCurrentGivesNoFigure) {
  put("sys/class/power_supply/BAT0/type", "Battery\n");
  put("sys/class/power_supply/BAT0/status", "Discharging\n");
  EXPECT_EQ(names(findings()), "battery_without_current");
}

TEST_F(EnergyTest, IgnoresPeripheralBatteries) {
  put("sys/class/power_supply/mouse/type", "Battery\n");
  put("sys/class/power_supply/mouse/scope", "Device\n");
  put("sys/class/power_supply/mouse/status", "Discharging\n");
  EXPECT_EQ(energy_sources(host_).battery, "");
  EXPECT_EQ(names(findings()), "no_energy_counters");
}

TEST_F(EnergyTest, RailsAreEnough) {
  put("sys/class/hwmon/hwmon0/name", "ina3221\n");
  put("sys/class/hwmon/hwmon0/power1_input", "1500000\n");
  EXPECT_EQ(energy_sources(host_).all.at(0).kind, EnergySource::Kind::kRail);
  EXPECT_EQ(names(findings()), "");
}

TEST_F(EnergyTest, IioChipIsReported) {
  put("sys/bus/iio/devices/iio:device0/name", "s2mpg10-odpm\n");
  put("sys/bus/iio/devices/iio:device0/energy_value", "CH0(T=1)[VDD_CPUCL2], 5\n");
  const EnergySources found = energy_sources(host_);
  ASSERT_EQ(found.all.size(), 1u);
  EXPECT_EQ(found.all[0].name, "IIO s2mpg10-odpm");
  EXPECT_EQ(found.all[0].source, "/sys/bus/iio/devices/iio:device0/energy_value");
  EXPECT_NE(found.all[0].reason, "");
}

TEST_F(EnergyTest, MalformedSuppliesDoNotCrash) {
  for (const std::string& text :
       {std::string(), std::string("garbage"), std::string(200'000, '9'), std::string("\x1b[2J")})
    for (const char* const file :
         {"type", "status", "online", "current_now", "voltage_now", "scope"}) {
      put(std::string("sys/class/power_supply/BAT0/") + file, text);
      for (const Finding& one : findings()) EXPECT_EQ(one.cause.find('\x1b'), std::string::npos);
    }
}

}  // namespace
}  // namespace edgeprobe::processors
