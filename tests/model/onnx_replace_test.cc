// SPDX-License-Identifier: Apache-2.0
// Layers of .onnx files put in the place of others; what such models compute is in
// tests/cli/stretch_split_test.py.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/onnx/onnx.h"
#include "model/replace.h"
#include "proto_writer.h"

namespace edgeprobe::model {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Graph read(ByteView file) {
  auto graph = read_onnx(file, "m.onnx", "");
  EXPECT_TRUE(graph) << graph.error().what;
  return graph ? *std::move(graph) : Graph{};
}

std::vector<std::string> types(const Graph& graph) {
  std::vector<std::string> all;
  for (const Layer& layer : graph.layers) all.push_back(layer.type);
  return all;
}

std::vector<std::string> constants(const Graph& graph) {
  std::vector<std::string> all;
  for (const ModelTensor& tensor : graph.tensors)
    if (tensor.is_constant) all.push_back(tensor.spec.name);
  return all;
}

// The model has tensors x, w, sum, y: Add(x, w) -> sum, Relu(sum) -> y.
class ReplaceOnnx : public ::testing::Test {
 protected:
  void expect_refused(const std::vector<Replacement>& replacements, ErrorKind kind,
                      const std::string& what) const {
    const auto bytes = replaced(graph_, view_of(file_), replacements);
    ASSERT_FALSE(bytes) << what;
    EXPECT_EQ(bytes.error().kind, kind) << bytes.error().what;
    EXPECT_THAT(bytes.error().what, HasSubstr(what));
  }
  static Tensor two() {
    Tensor tensor = make_tensor("two", {2}, {2, 2});
    return tensor;
  }

  std::string file_ = SmallOnnx().bytes();
  Graph graph_ = read(view_of(file_));
};

TEST_F(ReplaceOnnx, NewLayersStandWhereTheOldOnesStood) {
  Replacement one;
  one.layers = {0};
  one.by = {{"Mul", "m", {"x", "two"}, {"product"}, {}},
            {"com.microsoft:Gelu", "", {"product"}, {"sum"}, {{"alpha", 0.5f}}}};
  one.constants = {two()};
  const auto bytes = replaced(graph_, view_of(file_), {one});
  ASSERT_TRUE(bytes) << bytes.error().what;
  const Graph after = read(*bytes);
  EXPECT_THAT(types(after), ElementsAre("Mul", "com.microsoft:Gelu", "Relu"));
  EXPECT_THAT(constants(after), ElementsAre("two"));  // Nothing reads w any more.
  const auto values = constant(after, *bytes, after.layers[0].inputs[1]);
  ASSERT_TRUE(values) << values.error().what;
  EXPECT_EQ(values->bytes, two().bytes);
  const auto all = attributes(after, *bytes);
  ASSERT_TRUE(all) << all.error().what;
  ASSERT_EQ((*all)[1].size(), 1u);
  EXPECT_EQ((*all)[1][0].value, AttributeValue(0.5f));
}

TEST_F(ReplaceOnnx, AConstantThatOthersReadStays) {
  Replacement one;
  one.layers = {0};
  one.by = {{"Mul", "m", {"x", "w"}, {"sum"}, {}}};
  const auto bytes = replaced(graph_, view_of(file_), {one});
  ASSERT_TRUE(bytes) << bytes.error().what;
  EXPECT_THAT(constants(read(*bytes)), ElementsAre("w"));
}

TEST_F(ReplaceOnnx, WhatDoesNotFitIsRefused) {
  const NewLayer sum{"Mul", "m", {"x", "w"}, {"sum"}, {}};
  expect_refused({{{}, {sum}, {}}}, ErrorKind::kUsage, "there is no layer to replace");
  expect_refused({{{7}, {sum}, {}}}, ErrorKind::kUsage, "layer 7 cannot be replaced");
  expect_refused({{{0}, {sum}, {}}, {{0}, {sum}, {}}}, ErrorKind::kUsage, "is replaced already");
  Tensor taken = two();
  taken.spec.name = "w";
  expect_refused({{{0}, {sum}, {taken}}}, ErrorKind::kUsage, "has a tensor 'w' already");
  NewLayer opaque = sum;
  opaque.attributes = {{"body", OpaqueAttribute{"graph"}}};
  expect_refused({{{0}, {opaque}, {}}}, ErrorKind::kUnsupported, "is neither a number nor text");
  NewLayer other = sum;
  other.outputs = {"elsewhere"};
  expect_refused({{{0}, {other}, {}}}, ErrorKind::kUsage, "sum");  // Relu reads it.
  Graph strange = graph_;
  strange.layers[1].type = "Tanh";
  const auto bytes = replaced(strange, view_of(file_), {{{0}, {sum}, {}}});
  ASSERT_FALSE(bytes);
  EXPECT_EQ(bytes.error().kind, ErrorKind::kUsage);
}

}  // namespace
}  // namespace edgeprobe::model
