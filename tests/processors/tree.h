// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "processors/examination.h"

namespace edgeprobe::processors {

/// A folder used as "/".
class Tree : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "edgeprobe-processors-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    ASSERT_EQ(::chmod(name.c_str(), 0755), 0);  // Also for AsNobody.
    host_.root.path = name;
  }
  void TearDown() override { std::filesystem::remove_all(host_.root.path); }

  void put(const std::string& inside, const std::string& text) {
    std::filesystem::create_directories((host_.root / inside).parent_path());
    std::ofstream(host_.root / inside) << text;
  }
  /// A CPU with the kernel's figures; 0: not reported.
  void put_cpu(int number, int capacity, int max_khz) {
    const std::string folder = "sys/devices/system/cpu/cpu" + std::to_string(number);
    std::filesystem::create_directories(host_.root / folder);
    if (capacity) put(folder + "/cpu_capacity", std::to_string(capacity) + "\n");
    if (max_khz) put(folder + "/cpufreq/cpuinfo_max_freq", std::to_string(max_khz) + "\n");
  }
  /// Equal CPUs with numbers from `first` to `last`.
  void put_cpus(int first, int last, int capacity, int max_khz) {
    for (int cpu = first; cpu <= last; ++cpu) put_cpu(cpu, capacity, max_khz);
  }
  void put_allowed(const std::string& list) {
    put("proc/self/status",
        "Name:\tedgeprobe\nCpus_allowed:\tff\nCpus_allowed_list:\t" + list + "\n");
    put("proc/self/task/1/schedstat", "100 200 3\n");
  }
  void put_vulkan(const std::string& manifest, const std::string& library) {
    put(manifest, R"({"ICD": {"api_version": "1.1.230", "library_path": ")" + library + R"("}})");
  }
  void answers(std::vector<VulkanDevice> devices) {
    host_.ask_vulkan = [devices] { return Result<std::vector<VulkanDevice>>(devices); };
  }
  void answers(Error error) {
    host_.ask_vulkan = [error] { return Result<std::vector<VulkanDevice>>(error); };
  }

  Examination examined(const Choice& choice = {}) {
    auto found = examine(host_, choice);
    EXPECT_TRUE(found) << (found ? "" : found.error().what);
    return found ? *std::move(found) : Examination{};
  }

  Host host_;
};

/// Runs as a user without rights, if the test is root's.
class AsNobody {
 public:
  AsNobody() : was_root_(::geteuid() == 0) { EXPECT_EQ(was_root_ ? ::seteuid(65534) : 0, 0); }
  ~AsNobody() { EXPECT_EQ(was_root_ ? ::seteuid(0) : 0, 0); }

 private:
  bool was_root_;
};

inline std::optional<Finding> find(const std::vector<Finding>& findings, const std::string& what) {
  const auto at = std::find_if(findings.begin(), findings.end(),
                               [&](const Finding& one) { return one.what == what; });
  return at == findings.end() ? std::nullopt : std::optional<Finding>(*at);
}

inline std::string names(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& one : findings) text += (text.empty() ? "" : " ") + one.what;
  return text;
}

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

inline bool has(const std::vector<std::string>& commands, const std::string& command) {
  return std::find(commands.begin(), commands.end(), command) != commands.end();
}

}  // namespace edgeprobe::processors
