// SPDX-License-Identifier: Apache-2.0
// What of a folder is profiled, and what is left out and told.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "placement/profile/subjects.h"

namespace edgeprobe::placement {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

class SubjectsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "edgeprobe-subjects-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    ASSERT_EQ(::chmod(name.c_str(), 0755), 0);  // Also for a user without rights.
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  void put(const std::string& inside, const std::string& text = "a model") {
    fs::create_directories((folder_ / inside).parent_path());
    std::ofstream(folder_ / inside) << text;
  }

  /// The names that are found; if the test is root's, as a user without rights.
  std::vector<std::string> found() {
    notes_.clear();
    const bool root = ::geteuid() == 0;
    EXPECT_EQ(root ? ::seteuid(65534) : 0, 0);
    const auto subjects =
        subjects_in(folder_, {}, [&](const std::string& what) { notes_.push_back(what); });
    EXPECT_EQ(root ? ::seteuid(0) : 0, 0);
    std::vector<std::string> names;
    if (!subjects) return {subjects.error().what};
    for (const Subject& one : *subjects) names.push_back(one.cfg);
    return names;
  }

  fs::path folder_;
  std::vector<std::string> notes_;
};

TEST_F(SubjectsTest, AreModelsAndPlansInTheOrderOfTheirNames) {
  put("z.onnx");
  put("sub/b.tflite");
  put("UPPER.ONNX");
  put("readme.txt");
  put("plan.json", R"({"edgeprobe_plan": 1})");
  put("notes.json", "{}");
  EXPECT_THAT(found(), ElementsAre("plan.json", "sub/b.tflite", "z.onnx"));
  EXPECT_THAT(notes_, UnorderedElementsAre(
                          "'notes.json' is not a plan; left out",
                          "'UPPER.ONNX' does not end in .onnx or .tflite, in small letters; "
                          "left out"));
}

TEST_F(SubjectsTest, AreConfigurationsOfNetworksAndNoOtherYaml) {
  put("b.yaml", "MODEL:\n  TYPE: mbanynet\n");
  put("a.yml", "# A network.\nfamily: 1\n");
  put("broken.yaml", "ANYNET: [\n");
  put("scenario.yml", "kind: inference_performance\n");
  put("device.yaml", "device: 1\n");
  EXPECT_THAT(found(), ElementsAre("a.yml", "b.yaml", "broken.yaml"));
  const auto one = subjects_in(folder_ / "a.yml", {}, [](const std::string&) {});
  ASSERT_TRUE(one);
  EXPECT_EQ(one->front().configuration, folder_ / "a.yml");
  EXPECT_EQ(one->front().model, "");
}

TEST_F(SubjectsTest, OfAFolderThatMayNotBeReadLeaveTheOthersThere) {
  // The order of a folder is its file system's, so some files come after the closed folder.
  std::vector<std::string> names;
  for (const char c : std::string("abcdefgh")) {
    put(std::string(1, c) + "/net.onnx");
    if (c != 'd') names.push_back(std::string(1, c) + "/net.onnx");
  }
  ASSERT_EQ(::chmod((folder_ / "d").c_str(), 0), 0);
  const auto mine = found();
  ASSERT_EQ(::chmod((folder_ / "d").c_str(), 0755), 0);
  EXPECT_EQ(mine, names);
  EXPECT_THAT(notes_, ElementsAre("'d' cannot be read: Permission denied; left out"));
}

TEST_F(SubjectsTest, ThatAreNoFileAreTold) {
  put("a.onnx");
  put("hidden.json", R"({"edgeprobe_plan": 1})");
  ASSERT_EQ(::chmod((folder_ / "hidden.json").c_str(), 0), 0);
  fs::create_symlink("nowhere.onnx", folder_ / "dangling.onnx");
  fs::create_symlink("a.onnx", folder_ / "link.onnx");
  fs::create_symlink(folder_, folder_ / "loop");
  ASSERT_EQ(::mkfifo((folder_ / "pipe.tflite").c_str(), 0644), 0);
  EXPECT_THAT(found(), ElementsAre("a.onnx", "link.onnx"));
  EXPECT_THAT(notes_, UnorderedElementsAre(
                          "'dangling.onnx' is not a regular file, or is a broken link; left out",
                          "'pipe.tflite' is not a regular file, or is a broken link; left out",
                          StartsWith("'hidden.json' cannot be read (")));
}

}  // namespace
}  // namespace edgeprobe::placement
