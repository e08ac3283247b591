// SPDX-License-Identifier: Apache-2.0
// Plans as text: what is read, what is written again, and which sentence refuses the rest.
#include "stretch/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "core/file.h"
#include "model/graph.h"
#include "source_dir.h"

namespace edgeprobe::stretch::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using json = nlohmann::ordered_json;

std::string file_text(const std::string& path) {
  const auto bytes = read_file(std::string(test::source_dir()) + "/tests/" + path);
  EXPECT_TRUE(bytes) << path;
  return bytes ? std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size()) : "";
}
std::string sample() { return file_text("golden/stretch/plan.json"); }

/// `text` with the first occurrence of `what` replaced by `with`.
std::string with(std::string text, const std::string& what, const std::string& with) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return at == std::string::npos ? text : text.replace(at, what.size(), with);
}

TEST(Plan, IsWrittenAsItWasRead) {
  const std::string text = sample();
  const auto plan = read_plan(text);
  ASSERT_TRUE(plan) << plan.error().what;
  EXPECT_EQ(to_json(*plan), text);
  EXPECT_EQ(plan->format, "onnx");
  EXPECT_EQ(plan->layers.size(), 5u);
  EXPECT_EQ(plan->processors[1], (Processor{"cpu1", "onnxruntime", {1, 2}, 2, 1.5}));
  EXPECT_EQ(plan->pieces[3], (Piece{"head", {"cat"}, {"output"}}));
  EXPECT_EQ(plan->merges[0], (Merge{"cat", {{"a_out", 0, 32}, {"b_out", 32, 32}}}));
  EXPECT_EQ(plan->programs[1], (Program{"cpu1",
                                        {{Step::Kind::kWait, "stem done"},
                                         {Step::Kind::kRun, "tower_b"},
                                         {Step::Kind::kSignal, "tower_b done"}}}));
  EXPECT_EQ(plan->found, R"({"by":"hand","expected_us":812.5,)"
                         R"("alternatives":[{"kept":"as it stands","a":null}]})");
}

TEST(Plan, TheExampleOfTheReferenceIsOne) {
  const std::string page = file_text("../docs/reference/plan.md");
  const std::size_t begin = page.find("```json\n") + 8;
  const auto plan = read_plan(page.substr(begin, page.find("```", begin) - begin));
  ASSERT_TRUE(plan) << plan.error().what;
  EXPECT_EQ(plan->programs[1].steps.size(), 3u);
}

TEST(Plan, WhatIsOptionalHasItsDefault) {
  json root = json::parse(sample());
  root.erase("merges");
  root.erase("found");
  root["processors"][1].erase("threads");
  root["processors"][1].erase("emulated_slowdown");
  root["processors"][1]["cpus"] = {2, 1};
  const auto plan = read_plan(root.dump());
  ASSERT_TRUE(plan) << plan.error().what;
  EXPECT_TRUE(plan->merges.empty());
  EXPECT_EQ(plan->found, "");
  EXPECT_EQ(plan->processors[1], (Processor{"cpu1", "onnxruntime", {1, 2}, 1, 1}));
  const auto again = read_plan(to_json(*plan));
  ASSERT_TRUE(again) << again.error().what;
  EXPECT_EQ(*again, *plan);
}

TEST(Plan, EachRefusalSaysWhereAndWhat) {
  const json root = json::parse(sample());
  const json cases = json::parse(file_text("stretch/refused_plans.json"));
  ASSERT_GT(cases.size(), 50u);
  for (const json& one : cases) {
    json changed = root;
    const json::json_pointer at(one["at"].get<std::string>());
    if (one.contains("value")) changed[at] = one["value"];
    else if (json& around = changed[at.parent_pointer()]; around.is_array())
      around.erase(std::stoul(at.back()));
    else around.erase(at.back());
    const auto plan = read_plan(changed.dump());
    ASSERT_FALSE(plan) << one;
    EXPECT_THAT(plan.error().what, StartsWith(one["says"].get<std::string>()));
    EXPECT_EQ(plan.error().kind, ErrorKind::kUsage);
  }
}

TEST(Plan, AKeyStandsOnceInEachObject) {
  const auto plan = read_plan(with(sample(), R"("run": "tower_a")", R"("run": "a", "run": "b")"));
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().kind, ErrorKind::kUsage);
  EXPECT_EQ(plan.error().what, "programs[0].steps[2].run: the key appears twice");
  const auto found = read_plan(with(sample(), R"("by")", R"("alternatives": 1, "by")"));
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().what, "found.alternatives: the key appears twice");
  // The same key in two objects of a list is allowed.
  EXPECT_TRUE(read_plan(sample()));
}

TEST(Plan, WhatIsNoJsonIsToldByItsLine) {
  const auto comma = read_plan(with(sample(), "\"tower_a\",", "\"tower_a\",,"));
  ASSERT_FALSE(comma);
  EXPECT_EQ(comma.error().what,
            "line 45, column 25: this is not valid JSON (a missing or extra comma or quote?)");
  EXPECT_EQ(comma.error().kind, ErrorKind::kUsage);
  for (const char* text : {"", "[", "\xff", "{\"edgeprobe_plan\": 1", "{\"a\": \"\\ud800\"}"})
    EXPECT_THAT(read_plan(text).error().what, StartsWith("line 1, column ")) << text;
  EXPECT_THAT(read_plan("[]").error().what, StartsWith("is not a plan"));
  EXPECT_THAT(read_plan(with(sample(), "1.5", "1e999")).error().what,
              StartsWith("a number is beyond what a float64 holds"));
}

TEST(Plan, NestingAndSizesHaveLimits) {
  const std::string deep = std::string(40, '[') + std::string(40, ']');
  const auto nested = read_plan(with(sample(), "812.5", deep));
  ASSERT_FALSE(nested);
  EXPECT_THAT(nested.error().what, HasSubstr("nested deeper than 32 levels"));
  const auto long_text = read_plan(std::string(kMostPlanBytes + 1, ' '));
  ASSERT_FALSE(long_text);
  EXPECT_EQ(long_text.error().kind, ErrorKind::kLimit);
  EXPECT_EQ(long_text.error().what, "takes 64 MB, a plan has at most 64 MB");
  json keys = json::parse(sample());
  for (int i = 0; i <= 10'000; ++i) keys["found"].push_back({std::to_string(i), i});
  EXPECT_EQ(read_plan(keys.dump()).error().kind, ErrorKind::kLimit);
}

/// A chain of this number of pieces on one processor.
Plan chain(std::size_t pieces) {
  Plan plan;
  plan.format = "onnx";
  plan.processors = {{"cpu0", "onnxruntime", {0}, 1, 1}};
  plan.programs = {{"cpu0", {}}};
  for (std::size_t i = 0; i < pieces; ++i) {
    const std::string name = std::to_string(i);
    plan.pieces.push_back({"piece " + name, {"t" + name}, {"t" + std::to_string(i + 1)}});
    plan.programs[0].steps.push_back({Step::Kind::kRun, "piece " + name});
  }
  return plan;
}

TEST(Plan, CountsHaveLimits) {
  EXPECT_TRUE(check(chain(kMostPieces)));
  const auto pieces = check(chain(kMostPieces + 1));
  ASSERT_FALSE(pieces);
  EXPECT_EQ(pieces.error().kind, ErrorKind::kLimit);
  EXPECT_EQ(pieces.error().what, "4097 pieces, a plan has at most 4096");
  Plan plan = chain(1);
  for (int i = 1; i <= 64; ++i)
    plan.processors.push_back({"cpu" + std::to_string(i), "tflite", {i}, 1, 1});
  EXPECT_EQ(check(plan).error().what, "65 processors, a plan has at most 64");
  plan = chain(1);
  for (std::size_t i = 0; i < kMostSteps; ++i)
    plan.programs[0].steps.push_back({Step::Kind::kSignal, std::to_string(i)});
  EXPECT_EQ(check(plan).error().what, "65537 steps, a plan has at most 65536");
}

TEST(Plan, AProgramWaitsForWhatAnotherSignalsLater) {
  Plan plan = chain(2);
  plan.processors.push_back({"cpu1", "tflite", {1}, 1, 1});
  plan.programs[0].steps = {{Step::Kind::kWait, "go"}, {Step::Kind::kRun, "piece 0"}};
  plan.programs.push_back({"cpu1", {{Step::Kind::kRun, "piece 1"}, {Step::Kind::kSignal, "go"}}});
  EXPECT_TRUE(check(plan));
  // Waits for its own flag before it is signalled.
  plan.programs[1].steps = {
      {Step::Kind::kWait, "go"}, {Step::Kind::kRun, "piece 1"}, {Step::Kind::kSignal, "go"}};
  EXPECT_EQ(check(plan).error().what,
            "programs: these steps wait for ever: programs[0].steps[0] for 'go', "
            "programs[1].steps[0] for 'go'");
}

TEST(Plan, ASliceInsideItselfIsFoundAcrossMerges) {
  Plan plan = chain(2);
  plan.merges = {{"x", {{"y", 0, 1}, {"t1", 1, 1}}}, {"y", {{"x", 0, 1}, {"t2", 1, 1}}}};
  EXPECT_EQ(check(plan).error().what, "merges[0]: 'x' is a slice of itself");
  plan.processors[0].emulated_slowdown = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(check(plan).error().what,
            "processors[0].emulated_slowdown: nan; expected a number from 1 to 1000000");
}

model::ModelTensor tensor(const char* name, Shape shape = {}) {
  model::ModelTensor made;
  made.spec.name = name;
  made.spec.shape = std::move(shape);
  return made;
}

TEST(PlanTexts, TensorsHaveNamesThatNoOtherHas) {
  model::Graph graph;
  for (const char* name : {"input", "same", "same", "", "#1", "line\nend\x01", "\xff"})
    graph.tensors.push_back(tensor(name));
  EXPECT_THAT(tensor_texts(graph), ElementsAre("input", "#1", "#2", "#3", "#4", "#5", "#6"));
}

TEST(PlanTexts, ALayerIsWhatItReadsAndMakes) {
  model::Graph graph;
  graph.tensors = {tensor("input", {1, 3, -1, 64}), tensor("weights"), tensor("a", {1, 8, 32, 32}),
                   tensor("b"), tensor("c")};
  graph.tensors[1].is_constant = true;
  graph.tensors[2].spec.dtype = DType::kInt8;
  graph.tensors[3].shape_known = false;
  graph.tensors[4].spec.dtype = DType::kOther;
  graph.tensors[4].stored_type = "string";
  graph.layers.resize(3);
  graph.layers[0].type = "Conv";
  graph.layers[0].inputs = {0, 1, -1};
  graph.layers[0].outputs = {2};
  graph.layers[1].type = "CUSTOM:\xff";
  graph.layers[1].inputs = {2, 99};
  graph.layers[1].outputs = {3, -1, 4};
  graph.layers[2].type = "If";
  graph.layers[2].inputs = {3};
  graph.layers[2].implicit_inputs = {0, 1};
  graph.layers[2].outputs = {0};
  EXPECT_THAT(layer_texts(graph), ElementsAre("Conv(input, _) -> a int8[1,8,32,32]",
                                              "CUSTOM:\\xff(a, _) -> b float32[?], _, c string[]",
                                              "If(b, input) -> input float32[1,3,-1,64]"));
}

TEST(PlanTexts, AreThoseOfARealModel) {
  model::FileBytes file;
  const auto graph =
      model::load(std::string(test::source_dir()) + "/models/inception_like.onnx", file);
  ASSERT_TRUE(graph) << graph.error().what;
  const std::vector<std::string> texts = layer_texts(*graph);
  ASSERT_EQ(texts.size(), graph->layers.size());
  EXPECT_EQ(texts[0], "Conv(image) -> stem/conv float32[1,16,32,32]");
  EXPECT_EQ(texts[15],
            "Concat(block1/one, block1/conv3, block1/conv5, block1/project) -> block1/concat "
            "float32[1,48,32,32]");
  EXPECT_EQ(texts.back(), "Softmax(logits) -> probabilities float32[1,12]");
}

TEST(PlanTexts, OfAModelOfManyLayersTakeMilliseconds) {
  model::Graph graph;
  for (int i = 0; i < 40'000; ++i)
    graph.tensors.push_back(tensor(("tensor " + std::to_string(i)).c_str(), {1, 8, 8, 8}));
  for (int i = 0; i < 12'000; ++i) {
    model::Layer layer;
    layer.type = "Conv";
    layer.inputs = {i};
    layer.outputs = {i + 1};
    graph.layers.push_back(layer);
  }
  // Measures CPU time, which excludes other programs.
  const std::clock_t start = std::clock();
  EXPECT_EQ(layer_texts(graph).size(), 12'000u);
  EXPECT_LT(std::clock() - start, CLOCKS_PER_SEC);
}

}  // namespace
}  // namespace edgeprobe::stretch::testing
