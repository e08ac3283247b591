// SPDX-License-Identifier: Apache-2.0
// Qualcomm's signal processors: which it is, which library knows it, whether it may be reached.
#include "processors/dsps.h"

#include "tree.h"

namespace edgeprobe::processors {
namespace {

class DspsTest : public Tree {
 protected:
  std::vector<Finding> findings() { return dsp_findings(host_, dsps(host_)); }
  void put_soc(const std::string& machine) {
    put("sys/devices/soc0/family", "Snapdragon\n");
    put("sys/devices/soc0/machine", machine + "\n");
    put("sys/devices/soc0/soc_id", "339\n");
  }
  void put_driver() {
    put("dev/fastrpc-cdsp", "");
    put("vendor/lib64/libcdsprpc.so", "");
  }
};

TEST_F(DspsTest, OtherMakersGiveNoFinding) {
  EXPECT_EQ(names(findings()), "");
  put("sys/devices/soc0/family", "Samsung Exynos\n");
  put("sys/devices/soc0/machine", "SM850\n");
  put("proc/device-tree/compatible", std::string("google,oriole\0google,gs101\0", 27));
  EXPECT_EQ(names(findings()), "");
  EXPECT_FALSE(dsps(host_).is_qualcomm);
}

TEST_F(DspsTest, DspsOfTensorFlowsListAreANote) {
  put_soc("SM8150");
  put_driver();
  const Dsps found = dsps(host_);
  EXPECT_EQ(found.soc, "SM8150");
  EXPECT_EQ(found.hexagon, "Hexagon 690 (v66)");
  EXPECT_EQ(found.libraries, std::vector<std::string>{"/vendor/lib64/libcdsprpc.so"});
  EXPECT_EQ(names(dsp_findings(host_, found)), "tflite_dsp");
}

TEST_F(DspsTest, DspsOutsideTensorFlowsListNameQualcommsDelegate) {
  put_soc("SM8550");
  put_driver();
  const auto unsupported = find(findings(), "unsupported_dsp");
  ASSERT_TRUE(unsupported) << names(findings());
  EXPECT_EQ(unsupported->severity, Severity::kWarning);
  EXPECT_TRUE(has(unsupported->cause, "SM8550 has a Hexagon v73")) << unsupported->cause;
  EXPECT_TRUE(
      has(unsupported->commands.at(0), "external:libQnnTFLiteDelegate.so?backend_type=htp"));
  EXPECT_EQ(names(findings()), "unsupported_dsp");
}

TEST_F(DspsTest, AreKnownByCodeNameAndDeviceTree) {
  put_soc("KALAMA");
  EXPECT_EQ(dsps(host_).hexagon, "Hexagon v73");
  std::filesystem::remove_all(host_.root / "sys");
  put("proc/device-tree/compatible",
      std::string("thundercomm,rb5\0qcom,qrb5165-rb5\0qcom,sm8250\0", 45));
  EXPECT_EQ(dsps(host_).hexagon, "Hexagon 698 (v66)");
  // Another chip whose name begins with the same characters.
  put("proc/device-tree/compatible", std::string("qcom,sm82501\0", 13));
  EXPECT_EQ(dsps(host_).hexagon, "");
  EXPECT_TRUE(dsps(host_).is_qualcomm);
}

TEST_F(DspsTest, UnlistedDspsAreReportedAsNotKnown) {
  put_soc("SM9999");
  put_driver();
  EXPECT_EQ(names(findings()), "unknown_dsp");
  EXPECT_TRUE(has(findings()[0].cause, "not known which Hexagon SM9999 has"));
}

TEST_F(DspsTest, WithoutADriverOrALibraryAreProblems) {
  put_soc("SM8150");
  EXPECT_EQ(names(findings()), "tflite_dsp no_dsp_driver no_dsp_library");
  put("system/build.prop", "x");
  EXPECT_TRUE(has(find(findings(), "no_dsp_library")->cure, "uses-native-library"));
}

TEST_F(DspsTest, MissingPermissionIsAProblem) {
  put_soc("SM8150");
  put_driver();
  ASSERT_EQ(::chmod((host_.root / "dev/fastrpc-cdsp").c_str(), 0), 0);
  {
    const AsNobody nobody;
    const auto denied = find(findings(), "dsp_not_permitted");
    ASSERT_TRUE(denied) << names(findings());
    EXPECT_TRUE(has(denied->commands, "sudo sh -c 'chmod a+rw /dev/fastrpc-cdsp'"));
  }
  // One of several is enough.
  put("dev/adsprpc-smd", "");
  ASSERT_EQ(::chmod((host_.root / "dev/adsprpc-smd").c_str(), 0666), 0);
  const AsNobody nobody;
  EXPECT_EQ(names(findings()), "tflite_dsp");
}

TEST_F(DspsTest, MalformedFilesDoNotCrash) {
  for (const std::string& text :
       {std::string(), std::string("garbage"), std::string(200'000, 'q'), std::string("\0\0\0", 3),
        std::string("qcom,"), std::string("\xff\x1b[2J")}) {
    for (const char* const file : {"family", "machine", "soc_id", "vendor", "chip_name"})
      put(std::string("sys/devices/soc0/") + file, text);
    put("proc/device-tree/compatible", text);
    put("dev/fastrpc-cdsp", "");
    const Dsps found = dsps(host_);
    EXPECT_EQ(found.hexagon, "");
    EXPECT_LE(found.soc.size(), 70u);
    EXPECT_EQ(found.soc.find('\x1b'), std::string::npos);
  }
}

}  // namespace
}  // namespace edgeprobe::processors
