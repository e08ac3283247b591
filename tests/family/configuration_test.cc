// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "family/configuration.h"
#include "family/count.h"
#include "family/elastic.h"
#include "family/network.h"

namespace edgeprobe::family {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kGood = R"(MODEL:
  TYPE: mbanynet
  NUM_CLASSES: 12
  ACTIVATION_FUN: silu
ANYNET:
  STEM_W: 16
  STEM_K: 3
  BLOCK_TYPE: res_bottleneck_block
  STRIDES: [[2, 2], [2, 2]]
  DEPTHS: [[1, 2], [2]]
  WIDTHS: [[24, 16], [48]]
  BOT_MULS: [1, [0.5]]
  GROUP_WS: [[8, 8], [8]]
  DEVICES: ["cpu", "dsp"]
  HEAD_DEVICE: 1
  STEM_DEVICE: "cpu"
  MERGE_DEVICE: "gpu"
  ORIGINAL_WIDTHS: [40, 56]
  SE_ON: True
  ACTIVATION_FUN: ["relu", "silu"]
OPTIM:
  WEIGHT_DECAY: 5e-5
TRAIN:
  IM_SIZE: 64
TEST:
  IM_SIZE: 72
NUM_GPUS: 8
OUT_DIR: .
)";

std::string changed(const std::string& from, const std::string& to) {
  std::string text = kGood;
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(Configuration, HasTheKeysOfTheFile) {
  const auto read = read_configuration(kGood, "net.yaml");
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_THAT(read->processors, ElementsAre("cpu", "dsp", "gpu"));
  EXPECT_EQ(read->head_processor, 1u);  // A number counts in DEVICES.
  EXPECT_EQ(read->merge_processor, 2u);
  EXPECT_EQ(read->activation, Activation::kSilu);
  EXPECT_EQ(read->stages[0].branches[0].activation, Activation::kRelu);
  EXPECT_EQ(read->stages[0].branches[1].activation, Activation::kSilu);
  EXPECT_EQ(read->stages[1].branches[0].multiplier, 0.5);
  EXPECT_EQ(read->squeeze, 0.25);
  EXPECT_EQ(read->train_size, 64);
  EXPECT_EQ(read->test_size, 72);
  EXPECT_THAT(read->training, HasSubstr(R"("WEIGHT_DECAY":5e-05)"));
  EXPECT_THAT(read->training, HasSubstr(R"("NESTEROV":true)"));
  EXPECT_THAT(read->warnings,
              ElementsAre("net.yaml:17: ANYNET.MERGE_DEVICE: 'gpu' is not in DEVICES, so the "
                          "network needs this processor as well",
                          "net.yaml:11: stage 2: its branches have 48 channels together, and "
                          "ORIGINAL_WIDTHS says 56; 48 is used"));
}

TEST(Configuration, SqueezeExcitesHaveTheNetworksActivationInsideEveryBranch) {
  const auto read = read_configuration(kGood, "net.yaml");
  ASSERT_TRUE(read);
  const auto network = build(*read, {});
  ASSERT_TRUE(network) << network.error().what;
  EXPECT_EQ(network->size, 224);
  EXPECT_THAT(network->warnings,
              Contains(HasSubstr("TRAIN.IM_SIZE is 64, and the network has 224 pixels")));
  std::size_t inside = 0, relu = 0;
  for (const Layer& layer : network->layers) {
    if (layer.name.find(".f_ex.1") != std::string::npos) {
      EXPECT_EQ(layer.op, Op::kSilu) << layer.name;
      ++inside;
    } else if (layer.branch == 0 && layer.stage == 1) {
      EXPECT_NE(layer.op, Op::kSilu) << layer.name;
      relu += layer.op == Op::kRelu;
    }
  }
  EXPECT_EQ(inside, 5u);
  EXPECT_GT(relu, 0u);
}

TEST(Configuration, WidthsRoundAsTheArtifactDoes) {
  // Adapters: the multiple of 8 next to width / joined x previous; out: joined / branches, only
  // where it differs. Expansion and squeeze truncate.
  const char* const text = R"(MODEL: {TYPE: mbanynet, NUM_CLASSES: 4}
ANYNET:
  STEM_W: 20
  STEM_K: 3
  BLOCK_TYPE: mbconv
  STRIDES: [[1, 1]]
  DEPTHS: [[1, 1]]
  WIDTHS: [[30, 15]]
  BOT_MULS: [[1.3, 6]]
  KERNELS: [3]
  DEVICES: [a, b]
  ORIGINAL_WIDTHS: [60]
  SE_ON: True
  SE_R: 0.3
  MB_VER: 1
)";
  const auto read = read_configuration(text, "net.yaml");
  ASSERT_TRUE(read) << read.error().what;
  const auto network = build(*read, {});
  ASSERT_TRUE(network) << network.error().what;
  std::map<std::string, std::int64_t> channels;
  for (const Layer& layer : network->layers) channels[layer.name] = layer.channels;
  EXPECT_EQ(channels["s1.branches.0.0"], 16);  // 30 / 60 x 20 = 10: 8 is below 0.9 of it.
  EXPECT_EQ(channels["s1.branches.0.2.b1.exp"], 20);
  EXPECT_EQ(channels["s1.branches.0.2.b1.se.f_ex.0"], 4);
  EXPECT_EQ(channels.count("s1.branches.0.1.weight"), 0u);
  EXPECT_EQ(channels["s1.branches.1.0.0"], 8);
  EXPECT_EQ(channels["s1.branches.1.1"], 30);
  EXPECT_EQ(channels["s1.concat"], 60);
}

TEST(Configuration, RefusesWithFileLineKeyAndReason) {
  const struct {
    std::string text, place, words;
  } cases[] = {
      {changed("STEM_W: 16", "STEM_W: 0"), "net.yaml:6: ANYNET.STEM_W: ", "from 1 to 65536"},
      {changed("STEM_W: 16", "STEM_W: 65537"), "net.yaml:6: ANYNET.STEM_W: ", "it is '65537'"},
      {changed("STEM_W: 16", "STEM_W: 1.5"), "net.yaml:6: ", "whole number"},
      {changed("STEM_K: 3", "STEM_K: 4"), "net.yaml: ", "only odd sizes"},
      {changed("[[1, 2], [2]]", "[[1, 257], [2]]"),
       "net.yaml:10: ANYNET.DEPTHS[0][1]: ", "from 1 to 256"},
      {changed("[[1, 2], [2]]", "[[1, 2]]"),
       "net.yaml:11: ANYNET.WIDTHS: ", "has 2 entries, and DEPTHS has 1 stage"},
      {changed("[[24, 16], [48]]", "[[24], [48]]"),
       "net.yaml:11: ANYNET.WIDTHS[0]: ", "has 1 widths, and DEPTHS has 2 depths"},
      {changed("[[2, 2], [2, 2]]", "[[2], [2, 2]]"),
       "net.yaml:9: ANYNET.STRIDES[0]: ", "has 1 value for 2 branches"},
      {changed("[[2, 2], [2, 2]]", "[[2, 1], [2, 2]]"),
       "net.yaml:11: stage 1, branch 2: ", "strides are equal"},
      {changed("[[8, 8], [8]]", "[[8, 3], [8]]"),
       "net.yaml:11: stage 1, branch 2: ", "not divided by groups of 3"},
      {changed("GROUP_WS: [[8, 8], [8]]\n  ", ""), "net.yaml:6: ANYNET: ", "GROUP_WS is missing"},
      {changed("[\"cpu\", \"dsp\"]", "[\"cpu\"]"),
       "net.yaml:14: ANYNET.DEVICES: ", "stage 1 has 2 branches"},
      {changed("[\"cpu\", \"dsp\"]", "[\"cpu\", \"cpu\"]"),
       "net.yaml:14: ANYNET.DEVICES[1]: ", "listed twice"},
      {changed("HEAD_DEVICE: 1", "HEAD_DEVICE: 2"),
       "net.yaml:15: ANYNET.HEAD_DEVICE: ", "from 0 to 1"},
      {changed("TYPE: mbanynet", "TYPE: regnet"), "net.yaml:2: MODEL.TYPE: ", "mbanynet"},
      {changed("ACTIVATION_FUN: silu", "ACTIVATION_FUN: gelu"),
       "net.yaml:4: MODEL.ACTIVATION_FUN: ", "'gelu' is unknown"},
      {changed("SE_ON: True", "SE_ON: maybe"), "net.yaml:19: ANYNET.SE_ON: ", "true or false"},
      {changed("WEIGHT_DECAY: 5e-5", "WEIGHT_DEKAY: 1"),
       "net.yaml:22: OPTIM: ", "did you mean 'WEIGHT_DECAY'"},
      {changed("WEIGHT_DECAY: 5e-5", "WEIGHT_DECAY: nan"),
       "net.yaml:22: OPTIM.WEIGHT_DECAY: ", "expected a number"},
      {changed("NUM_GPUS: 8", "MBDYNAMICANYNET: {N_BRANCH: 2}"), "net.yaml:", "is unknown"},
      {changed("TYPE: mbanynet", "TYPE: mbdynamicanynet"), "net.yaml:", "one number for each"},
      {changed("NUM_GPUS: 8", "a: &x 1\nb: *x"), "net.yaml: line", "anchors"},
      {"family: 2\n", "net.yaml:1: family: ", "from 1 to 1"},
      {"family: 1\nstages: [{depth: 1}]\n", "net.yaml:2: stages[0]: ", "'width' is missing"},
      {"family: 1\nprocessors: [cpu]\nstages: [{width: 8, processor: gpu}]\n",
       "net.yaml:3: stages[0].processor: ", "'gpu' is not in 'processors' (cpu)"},
      {"family: 1\nstages: [{width: 8, widht: 8}]\n",
       "net.yaml:2: stages[0]: ", "did you mean 'width'"},
      {std::string(kMostFileBytes + 1, ' '), "net.yaml: ", ""},
  };
  for (const auto& one : cases) {
    const auto read = read_configuration(one.text, "net.yaml");
    ASSERT_FALSE(read) << one.words;
    EXPECT_EQ(read.error().kind, ErrorKind::kUsage) << read.error().what;
    EXPECT_THAT(read.error().what, StartsWith(one.place));
    EXPECT_THAT(read.error().what, HasSubstr(one.words));
  }
}

TEST(Configuration, LimitsAreCheckedBeforeWeightsAreMade) {
  const auto huge =
      read_configuration(changed("[[24, 16], [48]]", "[[65536, 65536], [65536]]"), "net.yaml");
  ASSERT_TRUE(huge) << huge.error().what;
  const auto network = build(*huge, {});
  ASSERT_FALSE(network);
  EXPECT_EQ(network.error().kind, ErrorKind::kLimit);
  EXPECT_THAT(network.error().what, HasSubstr("million parameters"));
  const auto read = read_configuration(kGood, "net.yaml");
  const auto large = build(*read, {.most_macs = 1e6});
  ASSERT_FALSE(large);
  EXPECT_THAT(large.error().what, HasSubstr("--most-gmacs"));
}

TEST(Subnets, AreTheLargestTheSmallestAndDrawnOnesAllDifferent) {
  const char* const text = R"(MODEL: {TYPE: mbdynamicanynet, NUM_CLASSES: 12}
ANYNET:
  STEM_TYPE: res_stem_in
  BLOCK_TYPE: res_bottleneck_block
  STRIDES: [1, 2]
  DEPTHS: [3, 4]
  WIDTHS: [256, 512]
  BOT_MULS: [0.25, 0.25]
  GROUP_WS: [64, 128]
DYNAMICANYNET: {STEM_W: [64]}
MBDYNAMICANYNET: {DM_RANGE: [0.66, 1.0], WM_RANGE: [0.5, 1.0], N_BRANCH: 2}
OPTIM: {LR_POLICY: exp2, STEP: 2.4, LR_MULT: 0.97}
TRAIN: {ELASTIC_SIZE: 4, IM_SIZE: 64}
)";
  const auto read = read_configuration(text, "net.yaml");
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(read->stem_width, 64);
  const auto subnets = subnets_of(*read, 40, 5);
  ASSERT_TRUE(subnets) << subnets.error().what;
  ASSERT_EQ(subnets->size(), 40u);
  EXPECT_EQ((*subnets)[0].stages[1].branches[1].width, 512);
  EXPECT_EQ((*subnets)[0].stages[1].branches[1].depth, 4);
  EXPECT_EQ((*subnets)[1].stages[1].branches[0].width, 256);
  EXPECT_EQ((*subnets)[1].stages[1].branches[0].depth, 3);  // 0.66 x 4 = 2.64.
  std::set<std::string> different;
  for (Configuration one : *subnets) {
    one.name = "";
    for (const Stage& stage : one.stages)
      for (const Branch& branch : stage.branches) EXPECT_EQ(branch.width % 8, 0);
    const auto network = build(one, {});
    ASSERT_TRUE(network) << network.error().what;
    different.insert(to_json(*network));
  }
  EXPECT_EQ(different.size(), 40u);
  EXPECT_EQ(size_of_space(*read), 2.0 * 17 * 2 * 17 * 2 * 33 * 2 * 33);
  EXPECT_FALSE(subnets_of((*subnets)[0], 2, 1));
}

TEST(Configuration, TheShortFormIsTheSameNetwork) {
  const char* const text = R"(family: 1
name: two
classes: 12
size: 64
processors: [cpu, dsp, gpu]
activation: silu
squeeze: 0.25
block: bottleneck
stem: {type: conv, width: 16, kernel: 3, processor: cpu}
stages:
  - stride: 2
    group: 8
    branches:
      - {depth: 1, width: 24, activation: relu}
      - {depth: 2, width: 16}
  - {stride: 2, depth: 2, width: 48, multiplier: 0.5, group: 8, activation: relu}
head: {processor: dsp}
join_processor: gpu
OPTIM: {WEIGHT_DECAY: 5e-5}
TRAIN: {IM_SIZE: 64}
TEST: {IM_SIZE: 72}
)";
  const auto one = read_configuration(text, "two.yml");
  const auto other = read_configuration(kGood, "net.yaml");
  ASSERT_TRUE(one) << one.error().what;
  ASSERT_TRUE(other);
  auto a = build(*one, {}), b = build(*other, {.size = 64});
  ASSERT_TRUE(a) << a.error().what;
  ASSERT_TRUE(b);
  a->name = b->name;
  EXPECT_EQ(to_json(*a), to_json(*b));
  EXPECT_THAT(a->warnings, ElementsAre());
}

/// The same layers, processors and training after a round trip.
void expect_same_after_round_trip(const std::string& text) {
  const auto first = read_configuration(text, "a.yaml");
  ASSERT_TRUE(first) << first.error().what;
  const std::string written = to_short_form(*first);
  const auto second = read_configuration(written, "b.yaml");
  ASSERT_TRUE(second) << second.error().what << "\n" << written;
  const auto one = build(*first, {}), other = build(*second, {});
  ASSERT_TRUE(one && other);
  EXPECT_EQ(to_json(*other), to_json(*one)) << written;
  EXPECT_EQ(to_short_form(*second), written);
}

TEST(FamilyConfiguration, TheShortFormReadsBackAsTheSameNetwork) {
  expect_same_after_round_trip(kGood);
  // Sizes and training that the file does not state, and constants of batch norms that it does.
  expect_same_after_round_trip(changed("TRAIN:\n  IM_SIZE: 64\n", ""));
  expect_same_after_round_trip(std::string(kGood) + "BN:\n  EPS: 0.001\n  MOM: 0.01\n");
  expect_same_after_round_trip(changed("res_bottleneck_block", "res_basic_block"));
  expect_same_after_round_trip(changed("  SE_ON: True\n", "  MB_VER: 1\n"));
  expect_same_after_round_trip(
      "family: 1\nblock: mbconv\nprocessors: [a, b]\nsqueeze: 0.25\n"
      "stages: [{width: 16, branches: [{depth: 2, kernel: 5}, {width: 8, "
      "activation: silu, multiplier: 2.5}]}]\nsize: 32\n");
}

}  // namespace
}  // namespace edgeprobe::family
