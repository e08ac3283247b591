// SPDX-License-Identifier: Apache-2.0
#include "layers/replay/exact.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace edgeprobe::layers {
namespace {

using testing::ElementsAre;

struct Stored {
  float scale;
  std::int64_t zero_point;
};

/// An operator with one or two input tensors that writes tensor 2; all have four int8 values.
struct Operator {
  model::Graph graph;
  std::map<int, Tensor> inputs;

  Operator(const std::string& type, const std::vector<std::pair<Stored, std::vector<int>>>& in,
           Stored out) {
    graph.tensors.resize(3);
    model::Layer layer;
    layer.type = type;
    for (std::size_t i = 0; i < in.size(); ++i) {
      set(static_cast<int>(i), in[i].first, in[i].second.size());
      layer.inputs.push_back(static_cast<int>(i));
      Tensor value{graph.tensors[i].spec, {}};
      for (const int code : in[i].second) value.bytes.push_back(static_cast<std::byte>(code));
      inputs.emplace(static_cast<int>(i), std::move(value));
    }
    set(2, out, 4);
    layer.outputs = {2};
    graph.layers.push_back(std::move(layer));
  }

  void set(int tensor, Stored stored, std::size_t count) {
    TensorSpec& spec = graph.tensors[static_cast<std::size_t>(tensor)].spec;
    spec.dtype = DType::kInt8;
    spec.shape = {static_cast<std::int64_t>(count)};
    spec.quantization.scale = {stored.scale};
    spec.quantization.zero_point = {stored.zero_point};
  }

  std::optional<std::vector<float>> codes(const std::string& activation = "NONE") const {
    return exact_codes({&graph, {}}, 0, {{"fused_activation", activation}}, inputs);
  }
};

// The numbers of these tests were calculated by hand.
TEST(ExactCodes, RescalesByRealArithmetic) {
  const Operator op("QUANTIZE", {{{0.5F, 10}, {10, 13, -128, 127}}}, {0.25F, -5});
  // Reals 0, 1.5, -69, 58.5: 0 - 5, 6 - 5, clipped, clipped.
  EXPECT_THAT(*op.codes(), ElementsAre(-5, 1, -128, 127));
}

TEST(ExactCodes, AddsAndCutsOffWhatTheActivationDoes) {
  const Operator op("ADD", {{{0.5F, 0}, {2, -6, 4, 20}}, {{0.25F, 1}, {5, 1, -3, 1}}}, {0.5F, -3});
  // Reals 1 + 1, -3 + 0, 2 - 1, 10 + 0.
  EXPECT_THAT(*op.codes(), ElementsAre(1, -9, -1, 17));
  EXPECT_THAT(*op.codes("RELU"), ElementsAre(1, -3, -1, 17));
  EXPECT_THAT(*op.codes("RELU6"), ElementsAre(1, -3, -1, 9));
  EXPECT_FALSE(op.codes("TANH"));
}

TEST(ExactCodes, MultipliesByOneValueForAll) {
  const Operator op("MUL", {{{0.5F, 0}, {2, -6, 4, 20}}, {{0.1F, 0}, {5}}}, {0.5F, 0});
  // Times 0.5: 0.5, -1.5, 1, 5.
  EXPECT_THAT(*op.codes(), ElementsAre(1, -3, 2, 10));
}

TEST(ExactCodes, SaysNothingOfOthers) {
  EXPECT_FALSE(Operator("CONV_2D", {{{0.5F, 0}, {1, 2, 3, 4}}}, {1, 0}).codes());
  Operator open("QUANTIZE", {{{0.5F, 0}, {1, 2, 3, 4}}}, {1, 0});
  open.graph.tensors[2].spec.quantization = {};
  EXPECT_FALSE(open.codes());
}

}  // namespace
}  // namespace edgeprobe::layers
