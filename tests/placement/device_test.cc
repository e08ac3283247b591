// SPDX-License-Identifier: Apache-2.0
// The processors of a device as text, and those of this machine.
#include "placement/search/device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "core/file.h"
#include "source_dir.h"

namespace edgeprobe::placement::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using json = nlohmann::ordered_json;

std::string file_text(const std::string& path) {
  const auto bytes = read_file(std::string(test::source_dir()) + "/" + path);
  EXPECT_TRUE(bytes) << path;
  return bytes ? std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size()) : "";
}
json sample() { return json::parse(file_text("tests/golden/stretch/device.json")); }

std::string refusal(const std::string& text) {
  const auto device = device_from_text(text);
  EXPECT_FALSE(device) << text;
  if (device) return "";
  EXPECT_EQ(device.error().kind, ErrorKind::kUsage);
  return device.error().what;
}

TEST(Device, YamlAndJsonSayTheSame) {
  const std::vector<stretch::Processor> expected{
      {"big", "onnxruntime", {0, 2}, 2, 1},
      {"little", "onnxruntime", {1}, 1, 2.5, "external:/lib.so?device=0"}};
  const auto from_json = device_from_text(sample().dump());
  ASSERT_TRUE(from_json) << from_json.error().what;
  EXPECT_EQ(*from_json, expected);
  const auto from_yaml = device_from_text(
      "device: 1\n"
      "processors:\n"
      "  - {name: big, engine: onnxruntime, cpus: [2, 0], threads: 2}\n"
      "  - name: little\n"
      "    engine: onnxruntime\n"
      "    cpus: [1]\n"
      "    emulated_slowdown: 2.5\n"
      "    delegate: external:/lib.so?device=0\n");
  ASSERT_TRUE(from_yaml) << from_yaml.error().what;
  EXPECT_EQ(*from_yaml, expected);
}

TEST(Device, TheExampleOfTheReferenceIsOne) {
  const std::string page = file_text("docs/reference/device.md");
  const std::size_t begin = page.find("```yaml\n") + 8;
  const auto device = device_from_text(page.substr(begin, page.find("```", begin) - begin));
  ASSERT_TRUE(device) << device.error().what;
  EXPECT_EQ(device->size(), 3u);
  EXPECT_EQ(device->front(), (stretch::Processor{"big", "onnxruntime", {4}, 1, 1}));
  EXPECT_EQ(device->back(), (stretch::Processor{"both", "openvino", {0, 4}, 2, 1}));
}

TEST(Device, EachRefusalSaysWhereAndWhat) {
  const json cases = json::parse(file_text("tests/stretch/refused_devices.json"));
  ASSERT_GT(cases.size(), 30u);
  for (const json& one : cases) {
    json changed = sample();
    const json::json_pointer at(one["at"].get<std::string>());
    if (one.contains("value")) changed[at] = one["value"];
    else changed[at.parent_pointer()].erase(at.back());
    const std::string what = refusal(changed.dump());
    EXPECT_THAT(what, StartsWith("line 1, column ")) << one;
    EXPECT_EQ(what.substr(what.find(": ") + 2), one["says"].get<std::string>()) << one;
  }
}

TEST(Device, ARefusalPointsAtTheVeryPlace) {
  const std::string head = "device: 1\nprocessors:\n";
  EXPECT_THAT(refusal(head + "  - {name: a, engine: tflite, cpus: [0], core: 1}\n"),
              StartsWith("line 3, column 42: key 'core' is unknown"));
  EXPECT_EQ(refusal(head + "  - name: a\n    engine: tflite\n    cpus: [0, x]\n"),
            "line 5, column 15: cpus: expected a whole number from 0 to 1023");
  EXPECT_EQ(refusal(head + "  - {name: a, name: b}\n"), "line 3, column 15: 'name' appears twice");
  EXPECT_THAT(refusal("processors\n"), HasSubstr("expected a map with device and processors"));
  EXPECT_THAT(refusal("[]"), HasSubstr("expected a map with device and processors"));
  EXPECT_EQ(refusal(""), "line 1, column 1: it is empty");
  EXPECT_THAT(refusal("device: [1"), StartsWith("line 1, column 1: no YAML"));
}

TEST(Device, HasAtMostAsManyProcessorsAsAPlan) {
  json device = sample();
  json& list = device["processors"];
  while (list.size() < stretch::kMostProcessors) {
    list.push_back(list[1]);
    list.back()["name"] = "p" + std::to_string(list.size());
  }
  EXPECT_TRUE(device_from_text(device.dump()));
  list.push_back(list[1]);
  list.back()["name"] = "one more";
  const auto more = device_from_text(device.dump());
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().kind, ErrorKind::kLimit);
  EXPECT_THAT(more.error().what, HasSubstr("65 processors; a plan has at most 64"));
}

TEST(Device, NamesOfProcessorsHereTellThemApart) {
  EXPECT_THAT(processors_here({"onnxruntime"}, {0, 3}),
              ElementsAre(stretch::Processor{"cpu0", "onnxruntime", {0}, 1, 1},
                          stretch::Processor{"cpu3", "onnxruntime", {3}, 1, 1}));
  EXPECT_THAT(processors_here({"onnxruntime:/a.so", "openvino"}, {1}),
              ElementsAre(stretch::Processor{"cpu1 onnxruntime", "onnxruntime:/a.so", {1}, 1, 1},
                          stretch::Processor{"cpu1 openvino", "openvino", {1}, 1, 1}));
  EXPECT_THAT(processors_here({"tflite:/a.so", "tflite"}, {1}),
              ElementsAre(stretch::Processor{"cpu1 tflite:/a.so", "tflite:/a.so", {1}, 1, 1},
                          stretch::Processor{"cpu1 tflite", "tflite", {1}, 1, 1}));
}

TEST(Device, WithoutCpusThoseOfThisProcessAreTaken) {
  cpu_set_t mine;
  CPU_ZERO(&mine);
  ASSERT_EQ(sched_getaffinity(0, sizeof mine, &mine), 0);
  const auto processors = processors_here({"tflite"}, {});
  EXPECT_EQ(processors.size(), std::min<std::size_t>(kMostCpus, CPU_COUNT(&mine)));
  for (const stretch::Processor& processor : processors)
    EXPECT_TRUE(CPU_ISSET(processor.cpus.at(0), &mine)) << processor.name;
}

}  // namespace
}  // namespace edgeprobe::placement::testing
