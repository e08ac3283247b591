// SPDX-License-Identifier: Apache-2.0
#include "contract/file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "contract/positions.h"

namespace edgeprobe::contract {
namespace {

using testing::HasSubstr;

Contract full() {
  Contract contract;
  contract.learned_from = {{"trace", "good.mcap"}};
  contract.recipe = "scale(0..1)";
  contract.inputs["image"] = {DType::kFloat32,      {1, 4, 4, 3},   {0, 1}, 0.1,
                              {0.5, 0.25, 1.0 / 3}, {0.1, 0.1, 0.1}};
  contract.outputs["scores"] = {DType::kInt8, {1, -1}, {0, 1}, 0.01, true};
  contract.inputs["image"].rests = {1};
  contract.repeats = 3;
  contract.stages = {"model_input/image"};
  contract.answers =
      AnswerTerms{0.4, "top1_accuracy", 0.9, false, {"labels"}, Span{1, 5}, Span{0, 1}};
  contract.latency = LatencyTerms{1.5, 2, 0.5, {{"engine", "litert"}}};
  contract.memory = MemoryTerms{12.5, 0.25};
  contract.drift = DriftTerms{1, 0.001, {{"layer/conv", 0.02}}};
  contract.assertions = {"frame.input.max <= 1"};
  contract.python = {"checks.py:bright"};
  return contract;
}

std::string refusal(const std::string& text) {
  const auto read = contract_from_json(text);
  return read ? "" : read.error().what;
}

std::string changed(const std::string& from, const std::string& to) {
  std::string text = to_json(full());
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

TEST(ContractFile, ReadsBackWhatItWrites) {
  const std::string text = to_json(full());
  const auto read = contract_from_json(text);
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(to_json(*read), text);
  EXPECT_EQ(read->inputs.at("image").mean[2], 0.333333);  // six digits
  EXPECT_EQ(read->outputs.at("scores").shape, (Shape{1, -1}));
  EXPECT_EQ(read->answers->items->high, 5);
}

TEST(ContractFile, HasSortedKeysAndOneLineAValue) {
  const std::string text = to_json(full());
  EXPECT_THAT(text, HasSubstr("\n      \"mean\": [0.5, 0.25, 0.333333],\n"));
  EXPECT_LT(text.find("\"answers\""), text.find("\"drift\""));
  EXPECT_LT(text.find("\"drift\""), text.find("\"recipe\""));
  EXPECT_EQ(text.back(), '\n');
}

TEST(ContractFile, AnEmptyContractIsOne) {
  EXPECT_TRUE(contract_from_json("{\"edgeprobe_contract\": 1}"));
}

TEST(ContractFile, RefusesANewerVersion) {
  const auto read = contract_from_json("{\"edgeprobe_contract\": 2}");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().kind, ErrorKind::kUnsupported);
  EXPECT_THAT(read.error().what, HasSubstr("version 2"));
}

TEST(ContractFile, SaysWhereItIsNoJson) {
  const auto read = contract_from_json("{\n  \"edgeprobe_contract\": 1,\n}");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().kind, ErrorKind::kCorrupt);
  EXPECT_THAT(read.error().what, HasSubstr("line 3, column 1"));
  EXPECT_THAT(refusal("[1, 2]"), HasSubstr("is not a contract"));
  EXPECT_THAT(refusal(""), HasSubstr("line 1"));
  EXPECT_EQ(refusal("{\n  \"edgeprobe_contract\": 1,\n  \"margin\": 1e999\n}"),
            "line 3, column 13: 1e999 is beyond what a float64 holds (1.8e308); write a smaller "
            "number");
}

TEST(ContractFile, NamesThePlaceOfWhatIsWrong) {
  EXPECT_THAT(refusal(changed("\"recipe\"", "\"recipee\"")),
              HasSubstr("'recipee': no such key; did you mean 'recipe'?"));
  EXPECT_THAT(refusal(changed("\"probabilities\": true", "\"colour\": true")),
              HasSubstr("'outputs.scores.colour': no such key"));
  EXPECT_THAT(refusal(changed("\"p90\": 2.0", "\"p90\": \"2\"")),
              HasSubstr("'latency_ms.p90': expected a number"));
  EXPECT_THAT(refusal(changed("\"range\": [0.0, 1.0]", "\"range\": [1, 0]")),
              HasSubstr("exchange them"));
  EXPECT_THAT(refusal(changed("\"dtype\": \"float32\"", "\"dtype\": \"float33\"")),
              HasSubstr("'inputs.image.dtype': 'float33' is not a type"));
  EXPECT_THAT(refusal(changed("\"margin\": 0.1,", "\"margin\": -1,")), HasSubstr("at least 0"));
  EXPECT_THAT(refusal(changed("frame.input.max <= 1", "frame.input.max <=")),
              HasSubstr("'assertions[0]': column"));
  EXPECT_EQ(refusal(changed("\"repeats\": 3", "\"repeats\": 0")),
            "'repeats': expected a number of frames, from 1");
  EXPECT_THAT(refusal(changed("\"peak\": 12.5", "\"peaks\": 12.5")), HasSubstr("memory_mb.peaks"));
}

TEST(ContractPositions, AnAssertionIsFoundAtItsLine) {
  const auto lines = lines_of(
      "{\n\"edgeprobe_contract\": 1,\n\"inputs\": {\n \"a.b\": {\n  \"range\": [0,\n 1]\n }\n},"
      "\n\"stages\": [\n\"raw_input\",\n\"model_input/a.b\"\n],\n\"assertions\": "
      "[\"x\",\n\"y\"]\n}");
  const std::pair<const char*, std::size_t> wanted[] = {
      {"inputs.a.b.range", 5},          {"inputs.a.b.finite", 4}, {"stages.raw_input", 10},
      {"stages.model_input/a.b", 11},   {"assertions[0]", 13},    {"assertions[1]", 14},
      {"inputs.other.range", 3},        {"app.labels", 1},        {"", 1},
      {"edgeprobe_contract.more[3]", 2}};
  for (const auto& [id, line] : wanted) EXPECT_EQ(line_of(lines, id), line) << id;
  EXPECT_TRUE(lines_of("{\"a\": 1,}").empty());
}

}  // namespace
}  // namespace edgeprobe::contract
