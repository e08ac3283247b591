// SPDX-License-Identifier: Apache-2.0
// Whole devices, and how they are shown.
#include <nlohmann/json.hpp>

#include "cli/tables/processors.h"
#include "tree.h"

namespace edgeprobe::processors {
namespace {

class DeviceTest : public Tree {
 protected:
  /// A phone with one, three and four cores on a USB cable, without root.
  void put_phone() {
    put("system/build.prop", "ro.product=x\n");
    put_cpus(0, 3, 325, 1804800);
    put_cpus(4, 6, 871, 2419200);
    put_cpu(7, 1024, 2841600);
    put("sys/devices/system/cpu/online", "0-6\n");
    for (int cpu = 0; cpu < 8; ++cpu)
      put("sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cpufreq/scaling_governor",
          "schedutil\n");
    put_allowed("0-7");
    put("sys/devices/soc0/family", "Snapdragon\n");
    put("sys/devices/soc0/machine", "SM8350\n");
    put("dev/adsprpc-smd", "");
    put("vendor/lib64/libcdsprpc.so", "");
    put("vendor/lib64/hw/vulkan.adreno.so", "");
    put("dev/kgsl-3d0", "");
    put("sys/class/power_supply/usb/type", "USB\n");
    put("sys/class/power_supply/usb/online", "1\n");
    put("sys/class/power_supply/battery/type", "Battery\n");
    put("sys/class/power_supply/battery/status", "Charging\n");
    put("sys/class/power_supply/battery/current_now", "-450000\n");
    put("sys/class/power_supply/battery/voltage_now", "4200000\n");
    answers(
        {{"Adreno (TM) 660", VulkanDevice::Kind::kIntegrated, "Qualcomm", "512.615", "1.1.128"}});
  }
};

TEST_F(DeviceTest, APhoneAtACable) {
  put_phone();
  const Examination found = examined();
  EXPECT_EQ(
      names(found.findings),
      "external_power cpus_offline mixed_clusters unsupported_dsp changing_frequency no_root");
  EXPECT_EQ(find(found.findings, "cpus_offline")->commands.at(0),
            "su -c 'echo 1 > /sys/devices/system/cpu/cpu7/online'");
  // The fastest CPU is off, so the threads run on the others.
  EXPECT_TRUE(
      has(find(found.findings, "mixed_clusters")->cause, "4 threads run on 3 middle + 1 little"));
  EXPECT_EQ(find(found.findings, "no_root")->commands, std::vector<std::string>{"adb root"});
  put("sys/devices/system/cpu/online", "0-7\n");
  const auto mixed = find(examined().findings, "mixed_clusters");
  EXPECT_TRUE(has(mixed->cause, "4 threads run on 1 big + 3 middle"));
  EXPECT_TRUE(has(mixed->commands, "edgeprobe bench MODEL --cpus 4-6 --threads 3"));
  EXPECT_TRUE(has(mixed->commands, "taskset 80 PROGRAM"));
}

TEST_F(DeviceTest, ALaptopAtItsCharger) {
  put_cpus(0, 7, 0, 4700000);
  put_allowed("0-7");
  put("sys/class/powercap/intel-rapl:0/name", "package-0\n");
  put("sys/class/powercap/intel-rapl:0/energy_uj", "1\n");
  put("sys/class/power_supply/AC/type", "Mains\n");
  put("sys/class/power_supply/AC/online", "1\n");
  put("dev/dri/renderD128", "");
  put("usr/lib/x.so", "");
  put_vulkan("usr/share/vulkan/icd.d/intel_icd.json", "/usr/lib/x.so");
  answers({{"Intel(R) Iris(R) Xe Graphics", VulkanDevice::Kind::kIntegrated, "Intel", "Mesa 25.0.7",
            "1.4.305"}});
  const Examination found = examined();
  EXPECT_EQ(names(found.findings), "");
  EXPECT_TRUE(has(cli::processors_text(found), "Nothing prevents a measurement."));
}

TEST_F(DeviceTest, AVirtualMachineWithoutAnything) {
  put_cpus(0, 1, 0, 0);
  put_allowed("0-1");
  put("proc/cpuinfo", "flags\t: fpu hypervisor\n");
  answers(Error{ErrorKind::kNotFound, "libvulkan.so.1 is not found by the dynamic loader"});
  EXPECT_EQ(names(examined().findings), "no_energy_counters no_gpu");
}

TEST_F(DeviceTest, IsShownAsText) {
  put_phone();
  const std::string text = cli::processors_text(examined());
  for (const char* const line :
       {"  big         CPU 7        usable: none, 2.84 GHz, capacity 1024, mask 0\n",
        "  middle      CPUs 4-6     2.42 GHz, capacity 871, mask 70\n",
        "  vulkan      Adreno (TM) 660: integrated, Vulkan 1.1.128, 512.615\n",
        "  device      /dev/kgsl-3d0: may be opened\n", "  chip        SM8350, Hexagon v68\n",
        "  library     /vendor/lib64/libcdsprpc.so\n",
        "  battery     power supply battery: /sys/class/power_supply/battery/current_now * "
        "voltage_now\n",
        "  state       Charging\n", "  fed by      usb\n",
        "    su -c 'echo 1 > /sys/devices/system/cpu/cpu7/online'\n",
        "The clusters as a file for --device:\ndevice: 1\nprocessors:"})
    EXPECT_TRUE(has(text, line)) << line << "\n" << text;
  for (const std::string& rest : {std::string(" \n"), std::string("\n\n\n")})
    EXPECT_FALSE(has(text, rest)) << text;
}

TEST_F(DeviceTest, IsShownAsJson) {
  put_phone();
  const auto json = nlohmann::json::parse(cli::processors_json(examined()));
  const auto& cpus = json["processors"]["cpus"];
  EXPECT_EQ(cpus["clusters"][0]["name"], "big");
  EXPECT_EQ(cpus["clusters"][0]["usable"], nlohmann::json::array());
  EXPECT_EQ(cpus["clusters"][1]["mask"], "70");
  EXPECT_EQ(cpus["clusters"][1]["max_hz"], 2419200000.0);
  EXPECT_EQ(cpus["offline"], nlohmann::json({7}));
  EXPECT_EQ(json["processors"]["gpus"]["vulkan"][0]["version"], "512.615");
  EXPECT_EQ(json["processors"]["gpus"]["nodes"][0]["may_open"], true);
  EXPECT_EQ(json["processors"]["dsps"]["hexagon"], "Hexagon v68");
  EXPECT_EQ(json["processors"]["energy"]["battery"], "Charging");
  EXPECT_EQ(json["processors"]["energy"]["sources"][0]["kind"], "battery");
  EXPECT_EQ(json["findings"][0]["what"], "external_power");
  EXPECT_EQ(json["findings"][0]["severity"], "problem");
  EXPECT_TRUE(json["device"].is_string());
}

TEST_F(DeviceTest, KeepsWhatFilesSayInsideItsQuotes) {
  put_cpus(0, 1, 0, 0);
  put("x.so", "");
  put_vulkan("usr/share/vulkan/icd.d/a b'c.json", "/x.so");
  put_vulkan("usr/share/vulkan/icd.d/d.json", "/x.so");
  answers(Error{ErrorKind::kTarget, "a driver failed"});
  const auto failed = find(examined().findings, "vulkan_fails");
  ASSERT_TRUE(failed);
  EXPECT_EQ(
      failed->commands.at(0),
      "VK_DRIVER_FILES='/usr/share/vulkan/icd.d/a b'\\''c.json' edgeprobe doctor --processors");
}

}  // namespace
}  // namespace edgeprobe::processors
