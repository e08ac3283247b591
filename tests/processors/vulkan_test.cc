// SPDX-License-Identifier: Apache-2.0
// Drivers are asked in a process of their own, through a stand-in for Vulkan's loader.
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "processors/vulkan_question.h"
#include "tree.h"

namespace edgeprobe::processors {
namespace {

using namespace std::chrono_literals;

class VulkanTest : public ::testing::Test {
 protected:
  void SetUp() override { ::setenv("LD_LIBRARY_PATH", FAKE_VULKAN_FOLDER, 1); }
  void TearDown() override {
    ::unsetenv("LD_LIBRARY_PATH");
    ::unsetenv("FAKE_VULKAN");
  }
  static Result<std::vector<VulkanDevice>> ask(const char* mode,
                                               std::chrono::milliseconds limit = 300s) {
    ::setenv("FAKE_VULKAN", mode, 1);
    return ask_vulkan(limit);
  }
};

TEST_F(VulkanTest, ReportsTheDriversOwnWords) {
  for (const char* const mode : {"plain", "print"}) {
    const auto devices = ask(mode);
    ASSERT_TRUE(devices) << devices.error().what;
    ASSERT_EQ(devices->size(), 1u);
    const VulkanDevice& device = devices->front();
    EXPECT_EQ(device.name, "llvmpipe (a stand-in)");
    EXPECT_EQ(device.kind, VulkanDevice::Kind::kSoftware);
    EXPECT_EQ(device.driver, "llvmpipe");
    EXPECT_EQ(device.version, "Mesa 22.3.6 (LLVM 15.0.6)");
    EXPECT_EQ(device.api, "1.3.230");
    EXPECT_EQ(mesa_release(device), 22);
  }
}

TEST_F(VulkanTest, AsksALoaderOfVulkan10ForWhatItHas) {
  const auto devices = ask("vulkan10");
  ASSERT_TRUE(devices) << devices.error().what;
  ASSERT_EQ(devices->size(), 1u);
  EXPECT_EQ(devices->front().api, "1.0.65");
  EXPECT_EQ(devices->front().version, "");
}

TEST_F(VulkanTest, ReadsTextWithoutATerminator) {
  const auto devices = ask("endless");
  ASSERT_TRUE(devices) << devices.error().what;
  EXPECT_EQ(devices->front().version.substr(0, 4), "MMMM");
  EXPECT_LE(devices->front().version.size(), 210u);
  EXPECT_FALSE(mesa_release(devices->front()));
}

TEST_F(VulkanTest, SurvivesADriverThatCrashesHangsOrRefuses) {
  const auto crashed = ask("crash");
  ASSERT_FALSE(crashed);
  EXPECT_EQ(crashed.error().kind, ErrorKind::kTarget);
  EXPECT_TRUE(has(crashed.error().what, "ended its process with SIGSEGV")) << crashed.error().what;
  const auto hung = ask("hang", 1s);
  ASSERT_FALSE(hung);
  EXPECT_TRUE(has(hung.error().what, "did not answer within 1 s")) << hung.error().what;
  const auto refused = ask("refuse");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what, "vkCreateInstance gives error -7");
}

TEST_F(VulkanTest, DistinguishesADamagedLoaderFromAMissingOne) {
  std::string folder = ::testing::TempDir() + "edgeprobe-loader-XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  std::ofstream(folder + "/libvulkan.so.1") << "no library";
  ::setenv("LD_LIBRARY_PATH", folder.c_str(), 1);
  const auto damaged = ask("plain");
  std::filesystem::remove_all(folder);
  ASSERT_FALSE(damaged);
  EXPECT_EQ(damaged.error().kind, ErrorKind::kNotFound);
  EXPECT_TRUE(has(damaged.error().what, "libvulkan.so.1 does not load: " + folder))
      << damaged.error().what;
}

TEST_F(VulkanTest, ShowsNoDeviceOnAMachineWithoutOne) {
  const auto devices = ask("none");
  ASSERT_TRUE(devices) << devices.error().what;
  EXPECT_TRUE(devices->empty());
}

TEST(VulkanAnswer, ComesBackAsItWent) {
  const std::vector<VulkanDevice> devices{
      {"Adreno (TM) 730", VulkanDevice::Kind::kIntegrated, "Qualcomm", "512.762", "1.3.128"}};
  const auto back = vulkan_answer_from_text(vulkan_answer_text(devices));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->front().name, "Adreno (TM) 730");
  EXPECT_EQ(back->front().kind, VulkanDevice::Kind::kIntegrated);
  EXPECT_EQ(back->front().api, "1.3.128");
  const Error absent{ErrorKind::kNotFound, "no loader"};
  const auto error = vulkan_answer_from_text(vulkan_answer_text(absent));
  ASSERT_FALSE(error);
  EXPECT_EQ(error.error().kind, ErrorKind::kNotFound);
  EXPECT_EQ(error.error().what, "no loader");
}

TEST(VulkanAnswer, MalformedAnswerIsAnError) {
  for (const char* const text : {"", "{", "[]", "{}", R"({"devices": 1})", R"({"devices": [1]})",
                                 R"({"error": 5})", R"({"devices": [{"name": 1}], "absent": 3)"})
    EXPECT_FALSE(vulkan_answer_from_text(text)) << text;
  const auto device = vulkan_answer_from_text(R"({"devices": [{"name": 1, "kind": "fast"}]})");
  ASSERT_TRUE(device);
  EXPECT_EQ(device->front().name, "");
  EXPECT_EQ(device->front().kind, VulkanDevice::Kind::kOther);
}

TEST(VulkanDeviceTest, OnlyMesasReleaseIsRead) {
  for (const auto& [version, release] : std::initializer_list<std::pair<const char*, int>>{
           {"Mesa 25.0.7-2~bpo12+1 (LLVM 15.0.6)", 25}, {"Mesa 24.1.0-devel (git-0)", 24}})
    EXPECT_EQ(mesa_release({"", VulkanDevice::Kind::kOther, "", version, ""}), release);
  for (const char* const version :
       {"", "Mesa", "Mesa ", "Mesa x", "Mesa 25", "550.54.14", "Mesa 99999999999."})
    EXPECT_FALSE(mesa_release({"", VulkanDevice::Kind::kOther, "", version, ""})) << version;
}

}  // namespace
}  // namespace edgeprobe::processors

int main(int argc, char** argv) {
  if (const auto code = edgeprobe::processors::answer_vulkan_if_asked(argc, argv)) return *code;
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
