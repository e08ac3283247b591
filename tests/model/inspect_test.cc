// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/verbs.h"
#include "core/file.h"
#include "proto_writer.h"
#include "small_model.h"

namespace edgeprobe::cli {
namespace {

using edgeprobe::testing::flat_numbers;
using edgeprobe::testing::flat_text;
using edgeprobe::testing::SmallModel;
using ::testing::HasSubstr;
using ::testing::Not;

class Inspect : public ::testing::Test {
 protected:
  Inspect()
      : folder_(std::filesystem::temp_directory_path() /
                ("inspect_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~Inspect() override { std::filesystem::remove_all(folder_); }

  // The output of `edgeprobe inspect` for the model.
  std::string print(const SmallModel& small, const std::vector<std::string>& flags = {}) {
    const std::string model = (folder_ / "small.tflite").string();
    EXPECT_TRUE(write_file(model, small.bytes()));
    std::ostringstream out, err;
    Terminal terminal{out, err};
    std::vector<std::string> words{"inspect", model};
    words.insert(words.end(), flags.begin(), flags.end());
    const auto outcome = perform(words, terminal);
    EXPECT_TRUE(outcome && *outcome == Outcome::kDone);
    EXPECT_EQ(err.str(), "");
    return out.str();
  }

  std::filesystem::path folder_;
};

TEST_F(Inspect, PrintsHeaderOperatorsAndLayers) {
  SmallModel small;
  small.input->child(7, flat_numbers<std::int32_t>({-1, 4, 4, 3}));
  const std::string text = print(small);
  EXPECT_THAT(text, HasSubstr("small.tflite\n"));
  EXPECT_THAT(text, HasSubstr("  sha256       " + sha256(small.bytes()) + "\n"));
  EXPECT_THAT(text, HasSubstr("  signatures   serve\n"));
  EXPECT_THAT(text, HasSubstr("  metadata     note (9 B)\n"));
  EXPECT_THAT(text, HasSubstr("  inputs       int8 ?x4x4x3  input  (scale 0.5, zero point -1)\n"));
  EXPECT_THAT(text, HasSubstr("  outputs      int8 1x5  output  (scale 0.125, zero point 0)\n"));
  EXPECT_THAT(text, HasSubstr("  work         1.02 k multiply-accumulates (1 of 3 layers cannot be "
                              "counted), 216 parameters\n"));
  EXPECT_THAT(text, HasSubstr("  all layers   3 tensors, 69 B a frame\n"));
  EXPECT_THAT(text, HasSubstr("  CONV_2D               1   864  84.4 %          56\n"));
  EXPECT_THAT(
      text, HasSubstr("  1  CUSTOM:Twist        ?           0  int8   1x4x4x2   32 B  twisted\n"));
  EXPECT_THAT(text, Not(HasSubstr("constant")));
}

TEST_F(Inspect, PrintsInputsAndTensorsOnRequest) {
  const std::string text = print(SmallModel(), {"--ops", "--tensors"});
  EXPECT_THAT(text, HasSubstr("<- 1"));
  EXPECT_THAT(text, HasSubstr("2 scales 0.1 to 0.2 along axis 0"));
  EXPECT_THAT(text, HasSubstr("intermediate"));
}

TEST_F(Inspect, EscapesNamesFromTheFile) {
  SmallModel small;
  small.conv->child(3, flat_text("a\x1b[2J\nb"));
  small.code_custom->child(1, flat_text("c\x1b]0;x\a"));
  small.model->child(3, flat_text("d\r\x1b"));
  const std::string text = print(small, {"--ops", "--tensors"});
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, Not(HasSubstr("\a")));
  EXPECT_THAT(text, Not(HasSubstr("\r")));
  EXPECT_THAT(text, HasSubstr("a\\x1b[2J\\x0ab"));
}

TEST_F(Inspect, WritesJsonThatAProgramCanRead) {
  SmallModel small;
  small.conv->child(3, flat_text("broken \xff utf-8"));
  const auto json = nlohmann::json::parse(print(small, {"--json"}));
  EXPECT_EQ(json["schema_version"], 1);
  EXPECT_EQ(json["sha256"], sha256(small.bytes()));
  EXPECT_EQ(json["macs"], 1024);
  EXPECT_EQ(json["layers_without_macs"], 1);
  EXPECT_EQ(json["parameters"], 216);
  EXPECT_EQ(json["capture"]["bytes"], 69);
  EXPECT_EQ(json["layers"][0]["macs"], 864);
  EXPECT_TRUE(json["layers"][1]["macs"].is_null());
  EXPECT_EQ(json["layers"][2]["inputs"], (std::vector<int>{4, 5, -1}));
  EXPECT_EQ(json["tensors"][1]["role"], "constant");
  EXPECT_EQ(json["tensors"][1]["shape"], (std::vector<int>{2, 3, 3, 3}));
  EXPECT_FLOAT_EQ(json["tensors"][1]["quantization"]["scale"][1].get<float>(), 0.2f);
  EXPECT_EQ(json["tensors"][3]["name"], "broken \xef\xbf\xbd utf-8");
}

TEST_F(Inspect, WritesJsonIntoAFileBesideTheText) {
  const std::string file = (folder_ / "out.json").string();
  EXPECT_THAT(print(SmallModel(), {"--json", file}), HasSubstr("multiply-accumulates"));
  const Bytes written = *read_file(file);
  EXPECT_EQ(nlohmann::json::parse(ByteView(written).text())["format"], "tflite");
}

TEST_F(Inspect, HandsTheReadersErrorOn) {
  std::ostringstream out, err;
  Terminal terminal{out, err};
  const std::string absent = (folder_ / "absent.tflite").string();
  EXPECT_EQ(perform({"inspect", absent}, terminal).error().kind, ErrorKind::kNotFound);
  EXPECT_EQ(out.str(), "");
}

TEST_F(Inspect, PrintsWhatOnnxModelsHaveBesides) {
  using namespace model::testing;
  SmallOnnx small;
  small.w = tensor("w", 1, {2}, external("values.bin", "4", "8"));
  small.add = node("Add", {"x", "w"}, {"sum"}, field(3, "adder"));
  small.relu = node("Twist", {"sum"}, {"twisted"}, field(7, "my.ops"));
  small.in_graph = field(1, node("Relu", {"sum"}, {"y"}));
  const std::string model = (folder_ / "small.onnx").string();
  EXPECT_TRUE(write_file(model, view_of(small.bytes())));
  EXPECT_TRUE(write_file(folder_ / "values.bin", Bytes(12)));
  std::ostringstream out, err;
  Terminal terminal{out, err};
  ASSERT_TRUE(perform({"inspect", model, "--tensors"}, terminal));
  EXPECT_THAT(out.str(), HasSubstr("  format      onnx, "));
  EXPECT_THAT(out.str(), HasSubstr("  producer    test\n"));
  EXPECT_THAT(out.str(), HasSubstr("  opsets      ai.onnx 17\n"));
  EXPECT_THAT(out.str(), HasSubstr("  values in   values.bin (8 B)\n"));
  EXPECT_THAT(out.str(), HasSubstr("float32  2          8 B  sum      adder\n"));
  EXPECT_THAT(out.str(),
              HasSubstr("my.ops:Twist     ?           0  unknown  unknown      ?  twisted\n"));
  EXPECT_THAT(out.str(), HasSubstr("  warning: the types of 1 tensors are neither in the file nor "
                                   "known from their operators"));

  out.str("");
  ASSERT_TRUE(perform({"inspect", model, "--json"}, terminal));
  const auto json = nlohmann::json::parse(out.str());
  EXPECT_EQ(json["opsets"]["ai.onnx"], 17);
  EXPECT_EQ(json["layers"][0]["name"], "adder");
  EXPECT_EQ(json["tensors"][1]["external"],
            (nlohmann::json{{"file", "values.bin"}, {"offset", 4}, {"size", 8}}));
  EXPECT_EQ(json["tensors"][3]["shape"], nullptr);
}

}  // namespace
}  // namespace edgeprobe::cli
