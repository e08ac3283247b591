// SPDX-License-Identifier: Apache-2.0
// Jumps, groups of faulty kernels and pairs of operators on graphs that are made by hand.
#include <gtest/gtest.h>

#include <random>

#include "layers/capture/logits.h"
#include "layers/pairing/pairing.h"
#include "layers/replay/accumulate.h"
#include "layers/replay/kernels.h"

namespace edgeprobe::layers {
namespace {

// Tensors 0 (input), 1, 2, … with the shape [1, width].
model::Graph graph_of(const std::vector<std::tuple<std::string, std::vector<int>, int>>& layers,
                      const std::string& sha256, int width = 4) {
  model::Graph graph;
  graph.format = "tflite";
  graph.sha256 = sha256;
  int last = 0;
  for (const auto& [type, inputs, output] : layers) last = std::max(last, output);
  for (int t = 0; t <= last; ++t) {
    model::ModelTensor tensor;
    tensor.spec.name = "t" + std::to_string(t);
    tensor.spec.shape = {1, width + t};  // Unlike shapes keep the alignment unambiguous.
    graph.tensors.push_back(tensor);
  }
  for (const auto& [type, inputs, output] : layers) {
    model::Layer layer;
    layer.index = static_cast<int>(graph.layers.size());
    layer.type = type;
    layer.inputs = inputs;
    layer.outputs = {output};
    graph.layers.push_back(layer);
  }
  graph.inputs = {0};
  graph.outputs = {last};
  return graph;
}

Spread apart(double difference) {
  Spread spread;
  // Variance 1.
  spread.add({-1, 1}, {static_cast<float>(-1 + difference), static_cast<float>(1 + difference)});
  return spread;
}

TEST(Codes, AreThoseOfActivationsOrOfWeightsAlone) {
  model::Graph graph = graph_of({{"CONV_2D", {0, 1}, 2}}, "a");
  EXPECT_FALSE(rounds_to_codes(graph));
  graph.tensors[1].is_constant = true;
  graph.tensors[1].spec.quantization.scale = {0.1f, 0.2f};
  EXPECT_TRUE(rounds_to_codes(graph));
}

TEST(Logits, AreInFrontOfTheSoftmaxOfEitherFormatAndAnswersAreNot) {
  for (const auto& [softmax, reshape] : {std::pair{"SOFTMAX", "RESHAPE"}, {"Softmax", "Flatten"}}) {
    const model::Graph graph =
        graph_of({{"CONV_2D", {0}, 1}, {softmax, {1}, 2}, {reshape, {2}, 3}}, "a");
    EXPECT_EQ(logits_of(graph), std::vector<int>{1}) << softmax;
    EXPECT_EQ(answers_of(graph), std::vector<int>{3}) << softmax;
  }
}

TEST(Jumps, AreOverTheWorstParentAndNotOverTheRowBefore) {
  // 0 -> conv 1 -> conv 2; add 3 reads 1 and 2; conv 4 reads 3.
  const auto graph = graph_of(
      {{"CONV_2D", {0}, 1}, {"CONV_2D", {1}, 2}, {"ADD", {1, 2}, 3}, {"CONV_2D", {3}, 4}}, "a");
  const auto pairing = pair_up(graph, graph);
  ASSERT_EQ(pairing.ops.size(), 4u);
  Accumulated sums;
  sums.input = apart(0);
  for (const double d : {0.1, 0.5, 0.5, 0.1}) sums.pairs.push_back(apart(d));
  const auto found = error_gains(graph, pairing, sums, 0.01);
  EXPECT_NEAR(found[0], 0.01 / 0.01, 1e-5);  // The model input is its parent: n = 0.
  EXPECT_NEAR(found[1], 0.25 / (0.01 + 0.01), 1e-4);
  EXPECT_NEAR(found[2], 0.25 / (0.25 + 0.01), 1e-4);
  EXPECT_NEAR(found[3], 0.01 / (0.25 + 0.01), 1e-4);
}

TEST(Jumps, LookThroughConversions) {
  const auto reference =
      graph_of({{"CONV_2D", {0}, 1}, {"DEQUANTIZE", {1}, 2}, {"CONV_2D", {2}, 3}}, "a");
  const auto pairing = pair_up(reference, reference);
  ASSERT_EQ(pairing.ops.size(), 2u);  // Conversions do not count as operators.
  Accumulated sums;
  sums.pairs = {apart(0.5), apart(0.5)};
  EXPECT_NEAR(error_gains(reference, pairing, sums, 0.01)[1], 0.25 / 0.26, 1e-4);
}

KernelError of(int layer, bool faulty, double steps = 200) {
  KernelError kernel_error;
  kernel_error.layer = layer;
  kernel_error.integer = true;
  kernel_error.steps_used = steps;
  kernel_error.faulty = faulty;
  return kernel_error;
}

TEST(KernelFaults, AreGroupedByTypeInOrder) {
  const auto graph = graph_of({{"ADD", {0}, 1},
                               {"CONV_2D", {1}, 2},
                               {"CONV_2D", {2}, 3},
                               {"ADD", {3}, 4},
                               {"CONV_2D", {4}, 5}},
                              "a");
  const auto faults =
      kernel_faults(graph, {of(0, false), of(1, true), of(2, true), of(3, true), of(4, true)});
  ASSERT_EQ(faults.size(), 2u);
  EXPECT_EQ(faults[0].type, "CONV_2D");
  EXPECT_TRUE(faults[0].whole_type);
  EXPECT_EQ(faults[0].layers, (std::vector{1, 2, 4}));
  EXPECT_EQ(faults[1].type, "ADD");
  EXPECT_FALSE(faults[1].whole_type);  // One of two.
  EXPECT_EQ(faults[1].layers, std::vector{3});
}

TEST(KernelFaults, ATensorOfFewStepsDoesNotSpeakForAKernel) {
  const auto graph = graph_of({{"ADD", {0}, 1}, {"ADD", {1}, 2}, {"ADD", {2}, 3}}, "a");
  EXPECT_TRUE(kernel_faults(graph, {of(0, true), of(1, true), of(2, false, 4)}).at(0).whole_type);
  EXPECT_FALSE(kernel_faults(graph, {of(0, true), of(1, true), of(2, false, 9)}).at(0).whole_type);
}

TEST(KernelFaults, OneLayerAloneIsNoType) {
  const auto graph = graph_of({{"SOFTMAX", {0}, 1}}, "a");
  EXPECT_FALSE(kernel_faults(graph, {of(0, true)}).at(0).whole_type);
}

TEST(Pairing, NamesWhatTheOperatorsThemselvesMake) {
  const auto reference = graph_of({{"CONV_2D", {0}, 1}, {"SOFTMAX", {1}, 2}}, "float");
  auto target = graph_of(
      {{"QUANTIZE", {0}, 1}, {"CONV_2D", {1}, 2}, {"SOFTMAX", {2}, 3}, {"DEQUANTIZE", {3}, 4}},
      "int8");
  target.tensors[1].spec.shape = target.tensors[0].spec.shape;
  target.tensors[2].spec = reference.tensors[1].spec;
  target.tensors[3].spec = target.tensors[4].spec = reference.tensors[2].spec;
  target.tensors[3].spec.name = "codes";
  const auto pairing = pair_up(reference, target);
  ASSERT_EQ(pairing.ops.size(), 2u);
  EXPECT_EQ(pairing.ops[0].target_layer, 1);
  EXPECT_EQ(pairing.ops[0].target, 2);
  EXPECT_EQ(pairing.ops[1].target_layer, 2);
  EXPECT_EQ(pairing.ops[1].target, 3);  // Not the DEQUANTIZE after it.
}

// The sums of byte codes, which are counted, against those of the same codes as real numbers.
TEST(KernelErrorSums, ByteCodesGiveTheSumsOfRealNumbers) {
  std::mt19937 random(5);
  for (const DType dtype : {DType::kInt8, DType::kUInt8})
    for (const std::size_t size : {1u, 63u, 64u, 65u, 1000u})
      for (const unsigned differing : {0u, 3u, 50u, 100u}) {
        Tensor host, seen;
        host.spec.dtype = dtype;
        host.spec.shape = {static_cast<std::int64_t>(size)};
        host.spec.quantization.scale = {0.5};
        host.spec.quantization.zero_point = {dtype == DType::kInt8 ? -3 : 7};
        seen.spec = host.spec;
        for (std::size_t i = 0; i < size; ++i) {
          const auto code =
              static_cast<std::byte>(random() % 11 == 0 ? 255 * (random() % 2) : random());
          host.bytes.push_back(code);
          seen.bytes.push_back(random() % 100 < differing ? static_cast<std::byte>(random())
                                                          : code);
        }
        KernelErrorSums counted, plain;
        ASSERT_TRUE(counted.add(host.spec, host, seen));
        plain.add_codes(host.spec, *stored_as_float(host), *stored_as_float(seen));
        EXPECT_EQ(counted.elements, size);
        EXPECT_EQ(counted.elements, plain.elements);
        EXPECT_EQ(counted.differing, plain.differing);
        EXPECT_EQ(counted.live_count, plain.live_count);
        EXPECT_EQ(counted.live, plain.live);
        EXPECT_EQ(counted.largest, plain.largest);
        EXPECT_EQ(counted.squared, plain.squared);
        EXPECT_EQ(counted.norm, plain.norm);
        EXPECT_EQ(counted.low, plain.low);
        EXPECT_EQ(counted.high, plain.high);
      }
}

}  // namespace
}  // namespace edgeprobe::layers
