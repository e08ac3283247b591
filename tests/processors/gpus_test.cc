// SPDX-License-Identifier: Apache-2.0
// GPUs: Vulkan's drivers as files and as they answer, device nodes, OpenCL.
#include "processors/gpus.h"

#include "tree.h"

namespace edgeprobe::processors {
namespace {

const Error kNoLoader{ErrorKind::kNotFound, "libvulkan.so.1 is not found by the dynamic loader"};
const VulkanDevice kRadeon{"AMD Radeon 780M", VulkanDevice::Kind::kIntegrated, "radv",
                           "Mesa 25.0.7", "1.4.305"};
const VulkanDevice kOldRadeon{"AMD Radeon 780M", VulkanDevice::Kind::kIntegrated, "radv",
                              "Mesa 22.3.6", "1.3.230"};
const VulkanDevice kSoftware{"llvmpipe (LLVM 15.0.6, 256 bits)", VulkanDevice::Kind::kSoftware,
                             "llvmpipe", "Mesa 25.0.7 (LLVM 15.0.6)", "1.4.305"};

class GpusTest : public Tree {
 protected:
  /// Only the findings about GPUs.
  std::vector<Finding> findings() { return gpu_findings(host_, gpus(host_)); }
  void put_radeon() {
    put("dev/dri/renderD128", "");
    put("usr/lib/libvulkan_radeon.so", "");
    put_vulkan("usr/share/vulkan/icd.d/radeon_icd.json", "/usr/lib/libvulkan_radeon.so");
  }
};

TEST_F(GpusTest, WorkingGpusGiveNoFinding) {
  put_radeon();
  put("etc/OpenCL/vendors/mesa.icd", "libMesaOpenCL.so.1\n");
  answers({kRadeon});
  const Gpus found = gpus(host_);
  ASSERT_EQ(found.drivers.size(), 1u);
  EXPECT_EQ(found.drivers[0].manifest, "/usr/share/vulkan/icd.d/radeon_icd.json");
  EXPECT_EQ(found.drivers[0].library, "/usr/lib/libvulkan_radeon.so");
  EXPECT_EQ(found.drivers[0].reason, "");
  ASSERT_EQ(found.nodes.size(), 1u);
  EXPECT_TRUE(found.nodes[0].may_open);
  EXPECT_EQ(found.opencl, std::vector<std::string>{"libMesaOpenCL.so.1"});
  EXPECT_EQ(names(gpu_findings(host_, found)), "");
}

TEST_F(GpusTest, MachineWithoutAGpuGetsANote) {
  answers(kNoLoader);
  EXPECT_EQ(names(findings()), "no_gpu");
  EXPECT_EQ(findings()[0].severity, Severity::kNote);
}

TEST_F(GpusTest, MissingDriverNamesThePackage) {
  put("dev/dri/renderD128", "");
  answers(std::vector<VulkanDevice>{});
  const auto missing = find(findings(), "no_vulkan_driver");
  ASSERT_TRUE(missing);
  EXPECT_EQ(missing->severity, Severity::kProblem);
  EXPECT_TRUE(has(missing->cause, "/dev/dri/renderD128"));
  EXPECT_TRUE(
      has(missing->commands, "sudo sh -c 'apt-get install libvulkan1 mesa-vulkan-drivers'"));
}

TEST_F(GpusTest, MissingLoaderIsAProblem) {
  put_radeon();
  answers(kNoLoader);
  EXPECT_EQ(names(findings()), "no_vulkan_loader");
}

TEST_F(GpusTest, NvidiaWorksWithoutVulkan) {
  put("dev/nvidia0", "");
  answers(kNoLoader);
  EXPECT_TRUE(has(find(findings(), "no_vulkan_loader")->cure, "CUDA provider does without Vulkan"));
  answers(std::vector<VulkanDevice>{});
  EXPECT_TRUE(has(find(findings(), "no_vulkan_driver")->cure, "CUDA provider does without Vulkan"));
}

TEST_F(GpusTest, OldMesaIsNamedWithItsVersion) {
  put_radeon();
  answers({kOldRadeon});
  const auto old = find(findings(), "old_vulkan_driver");
  ASSERT_TRUE(old);
  EXPECT_EQ(old->severity, Severity::kProblem);
  EXPECT_TRUE(has(old->cause, "'AMD Radeon 780M' has Mesa 22.3.6")) << old->cause;
  EXPECT_TRUE(
      has(old->commands, "sudo sh -c 'apt-get install -t bookworm-backports mesa-vulkan-drivers'"));
  VulkanDevice between = kOldRadeon;
  between.version = "Mesa 24.0.9";
  answers({between});
  EXPECT_EQ(find(findings(), "old_vulkan_driver")->severity, Severity::kWarning);
  // Another maker's version numbers are not Mesa's.
  between.version = "22.40.1";
  answers({between});
  EXPECT_EQ(names(findings()), "");
}

TEST_F(GpusTest, SoftwareDriversAreLabelled) {
  put("m/lib/libvulkan_lvp.so", "");
  put_vulkan("m/lvp_icd.json", "./lib/libvulkan_lvp.so");
  host_.environment["VK_DRIVER_FILES"] = "/m/lvp_icd.json";
  answers({kSoftware});
  auto software = find(findings(), "software_vulkan_driver");
  ASSERT_TRUE(software) << names(findings());
  EXPECT_EQ(software->severity, Severity::kNote);
  EXPECT_EQ(software->commands,
            std::vector<std::string>{"export ORT_WEBGPU_EP_ALLOW_SOFTWARE_ADAPTER=1"});
  host_.environment["ORT_WEBGPU_EP_ALLOW_SOFTWARE_ADAPTER"] = "1";
  EXPECT_TRUE(find(findings(), "software_vulkan_driver")->commands.empty());
  // If there is a GPU, it means that this GPU has no driver.
  put("dev/dri/renderD128", "");
  software = find(findings(), "software_vulkan_driver");
  EXPECT_EQ(software->severity, Severity::kProblem);
  EXPECT_TRUE(has(software->cause, "The GPU at /dev/dri/renderD128 has no driver here"));
  // If another GPU works, it does not matter.
  answers({kRadeon, kSoftware});
  EXPECT_EQ(names(findings()), "");
}

TEST_F(GpusTest, MissingPermissionNamesTheGroup) {
  put_radeon();
  ASSERT_EQ(::chmod((host_.root / "dev/dri/renderD128").c_str(), 0), 0);
  answers({kSoftware});
  const AsNobody nobody;
  const auto denied = find(findings(), "gpu_not_permitted");
  ASSERT_TRUE(denied) << names(findings());
  EXPECT_TRUE(has(denied->cause, "/dev/dri/renderD128 cannot be opened: not permitted"));
  EXPECT_EQ(denied->commands, std::vector<std::string>{"sudo sh -c 'usermod -aG render USER'"});
}

TEST_F(GpusTest, MissingDriverLibraryIsAProblem) {
  put_vulkan("usr/share/vulkan/icd.d/radeon_icd.json", "/usr/lib/libvulkan_radeon.so");
  answers(std::vector<VulkanDevice>{});
  const auto broken = find(findings(), "broken_vulkan_driver");
  ASSERT_TRUE(broken);
  EXPECT_TRUE(has(broken->cause, "its library /usr/lib/libvulkan_radeon.so is not there"));
}

TEST_F(GpusTest, VariableThatNamesNoDriverIsAProblem) {
  put_radeon();
  for (const char* const name : {"VK_DRIVER_FILES", "VK_ICD_FILENAMES"}) {
    host_.environment = {{name, "/nowhere/icd.json"}};
    answers(std::vector<VulkanDevice>{});
    const auto broken = find(findings(), "broken_vulkan_driver");
    ASSERT_TRUE(broken);
    EXPECT_TRUE(has(broken->cause, "there is no such file. " + std::string(name) +
                                       " names it, and then the loader sees no other"))
        << broken->cause;
    EXPECT_EQ(broken->commands, std::vector<std::string>{"unset " + std::string(name)});
    host_.environment = {{name, "/nowhere/"}};
    EXPECT_TRUE(has(find(findings(), "broken_vulkan_driver")->cause, "names no driver"));
  }
  // The newer variable takes priority, as in the loader.
  host_.environment = {{"VK_DRIVER_FILES", "/usr/share/vulkan/icd.d"},
                       {"VK_ICD_FILENAMES", "/nowhere/icd.json"}};
  answers({kRadeon});
  EXPECT_EQ(names(findings()), "");
}

TEST_F(GpusTest, BareLibraryNameIsLeftToTheDynamicLoader) {
  put_vulkan("etc/vulkan/icd.d/nvidia_icd.json", "libGLX_nvidia.so.0");
  const Gpus found = gpus(host_);
  ASSERT_EQ(found.drivers.size(), 1u);
  EXPECT_EQ(found.drivers[0].reason, "");
}

TEST_F(GpusTest, LibraryPathRelativeToTheWorkingDirectoryIsFound) {
  const std::filesystem::path before = std::filesystem::current_path();
  put("m/lvp_icd.json", R"({"ICD": {"library_path": "./lib/x.so"}})");
  put("m/lib/x.so", "");
  std::filesystem::current_path(host_.root.path);
  Host real;
  real.environment["VK_DRIVER_FILES"] = "m/lvp_icd.json";
  const Gpus found = gpus(real);
  std::filesystem::current_path(before);
  ASSERT_EQ(found.drivers.size(), 1u);
  EXPECT_EQ(found.drivers[0].reason, "");
}

TEST_F(GpusTest, FailingDriverIsAProblem) {
  put_radeon();
  answers(Error{ErrorKind::kTarget, "a Vulkan driver ended its process with SIGSEGV"});
  const auto failed = find(findings(), "vulkan_fails");
  ASSERT_TRUE(failed);
  EXPECT_TRUE(has(failed->commands,
                  "sudo sh -c 'apt-get install --reinstall libvulkan1 "
                  "mesa-vulkan-drivers'"));
  // The only driver that the variable names was already tried.
  host_.environment["VK_DRIVER_FILES"] = "/usr/share/vulkan/icd.d/radeon_icd.json";
  EXPECT_EQ(find(findings(), "vulkan_fails")->commands,
            std::vector<std::string>{"unset VK_DRIVER_FILES"});
}

TEST_F(GpusTest, OneFailingDriverOfSeveralAdvisesToTryThemOneByOne) {
  put_radeon();
  put("usr/lib/libvulkan_lvp.so", "");
  put_vulkan("usr/share/vulkan/icd.d/lvp_icd.json", "/usr/lib/libvulkan_lvp.so");
  put("usr/share/vulkan/icd.d/broken.json", "{");
  answers(Error{ErrorKind::kTarget, "a Vulkan driver did not answer within 20 s"});
  EXPECT_EQ(
      find(findings(), "vulkan_fails")->commands,
      (std::vector<std::string>{
          "VK_DRIVER_FILES=/usr/share/vulkan/icd.d/lvp_icd.json edgeprobe doctor --processors",
          "VK_DRIVER_FILES=/usr/share/vulkan/icd.d/radeon_icd.json edgeprobe doctor "
          "--processors"}));
}

TEST_F(GpusTest, DriverWithoutDevicesIsAProblemOnAMachineWithAGpu) {
  put_radeon();
  answers(std::vector<VulkanDevice>{});
  EXPECT_EQ(find(findings(), "vulkan_without_device")->severity, Severity::kProblem);
  std::filesystem::remove(host_.root / "dev/dri/renderD128");
  EXPECT_EQ(find(findings(), "vulkan_without_device")->severity, Severity::kNote);
}

TEST_F(GpusTest, AndroidGpusAreFoundWithoutManifests) {
  put("system/build.prop", "ro.x=1\n");
  put("vendor/lib64/hw/vulkan.adreno.so", "");
  put("dev/kgsl-3d0", "");
  answers({{"Adreno (TM) 730", VulkanDevice::Kind::kIntegrated, "Qualcomm", "", "1.3.128"}});
  const Gpus found = gpus(host_);
  ASSERT_EQ(found.drivers.size(), 1u);
  EXPECT_EQ(found.drivers[0].manifest, "/vendor/lib64/hw/vulkan.adreno.so");
  EXPECT_EQ(found.nodes.at(0).path, "/dev/kgsl-3d0");
  EXPECT_EQ(names(gpu_findings(host_, found)), "");
}

TEST_F(GpusTest, MalformedManifestsAreReasonsAndDoNotCrash) {
  const std::string deep(20'000, '[');
  const std::string huge(200'000, '{');
  for (const std::string& text :
       {std::string(), std::string("garbage"), std::string("[]"), std::string("{}"), deep, huge,
        std::string(R"({"ICD": 5})"), std::string(R"({"ICD": {"library_path": 7}})"),
        std::string(R"({"ICD": {"library_path": "a\u001b[2J"}})"), std::string("\0\xff", 2)}) {
    put("usr/share/vulkan/icd.d/x.json", text);
    const Gpus found = gpus(host_);
    ASSERT_EQ(found.drivers.size(), 1u);
    EXPECT_EQ(found.drivers[0].library.find('\x1b'), std::string::npos);
    // The last but one names a library that is only unknown.
    EXPECT_EQ(found.drivers[0].reason.empty(), has(text, "u001b")) << text.substr(0, 30);
    EXPECT_EQ(names(gpu_findings(host_, found)).find("broken_vulkan_driver") == std::string::npos,
              has(text, "u001b"));
  }
}

}  // namespace
}  // namespace edgeprobe::processors
