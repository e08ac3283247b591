// SPDX-License-Identifier: Apache-2.0
// Integer operators as ONNX writes them, and other scales for what they make; what engines compute
// with those is in tests/cli/onnx_layers_test.py.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/file.h"
#include "model/cut.h"
#include "model/edit.h"
#include "model/onnx/onnx.h"
#include "model/qdq.h"
#include "proto_writer.h"
#include "source_dir.h"

namespace edgeprobe::model {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Qdq : public ::testing::Test {
 protected:
  void SetUp() override {
    auto file =
        read_file(std::filesystem::path(edgeprobe::test::source_dir()) / "models/signs_int8.onnx");
    ASSERT_TRUE(file);
    file_ = *std::move(file);
    auto graph = read_onnx(file_, "m", "");
    ASSERT_TRUE(graph);
    graph_ = *std::move(graph);
  }
  int tensor(const std::string& name) const {
    for (std::size_t i = 0; i < graph_.tensors.size(); ++i)
      if (graph_.tensors[i].spec.name == name) return static_cast<int>(i);
    ADD_FAILURE() << name;
    return 0;
  }
  const Layer& maker(int tensor) const {
    for (const Layer& layer : graph_.layers)
      for (const int output : layer.outputs)
        if (output == tensor) return layer;
    ADD_FAILURE() << tensor;
    return graph_.layers[0];
  }
  Bytes file_;
  Graph graph_;
};

TEST_F(Qdq, AnOperatorIsWhatStandsBetweenItsIntegers) {
  const int real = tensor("stem/conv"), codes = tensor("stem/conv_QuantizeLinear_Output"),
            read = tensor("stem/conv_DequantizeLinear_Output"),
            image = tensor("image_QuantizeLinear_Output");
  const std::vector<int> forms = stored_forms(graph_), results = result_layers(graph_);
  const Layer& conv = maker(real);
  EXPECT_EQ(forms[static_cast<std::size_t>(real)], codes);
  EXPECT_EQ(forms[static_cast<std::size_t>(read)], codes);
  EXPECT_EQ(results[static_cast<std::size_t>(codes)], conv.index);
  const Part part = one_op(graph_, conv.index);
  EXPECT_THAT(part.inputs, ElementsAre(image));
  EXPECT_THAT(part.outputs, ElementsAre(codes));
  const std::vector<bool> parts = parts_of_operators(graph_);
  EXPECT_TRUE(parts[static_cast<std::size_t>(maker(codes).index)]);
  EXPECT_TRUE(parts[static_cast<std::size_t>(maker(read).index)]);
  EXPECT_FALSE(parts[static_cast<std::size_t>(conv.index)]);
  // The conversion of the model's input is a separate operator.
  EXPECT_FALSE(parts[static_cast<std::size_t>(maker(image).index)]);
  EXPECT_EQ(forms[static_cast<std::size_t>(tensor("image"))], tensor("image"));
}

TEST_F(Qdq, AnotherScaleIsThatTensorsAlone) {
  const int codes = tensor("block2/add_QuantizeLinear_Output");
  Bytes file = file_;
  ASSERT_TRUE(set_scale(graph_, file, codes, 0.125f, -100));
  const auto again = read_onnx(file, "m", "");
  ASSERT_TRUE(again) << again.error().what;
  ASSERT_EQ(again->tensors.size(), graph_.tensors.size());
  for (std::size_t i = 0; i < graph_.tensors.size(); ++i) {
    const TensorSpec &before = graph_.tensors[i].spec, &after = again->tensors[i].spec;
    EXPECT_EQ(before.name, after.name);
    if (static_cast<int>(i) == codes) {
      EXPECT_THAT(after.quantization.scale, ElementsAre(0.125f));
      EXPECT_THAT(after.quantization.zero_point, ElementsAre(-100));
    } else {
      EXPECT_TRUE(before.quantization == after.quantization) << before.name;
    }
  }
  ASSERT_EQ(again->layers.size(), graph_.layers.size());
  for (std::size_t l = 0; l < graph_.layers.size(); ++l)
    EXPECT_EQ(graph_.layers[l].inputs, again->layers[l].inputs);
}

TEST_F(Qdq, TensorsThatShareAScaleBecauseValuesAreOnlyMovedGetItTogether) {
  const int pool = tensor("pool/mean/spatial_QuantizeLinear_Output"),
            flat = tensor("pool/mean_QuantizeLinear_Output");
  for (const int one : {pool, flat}) {
    Bytes file = file_;
    ASSERT_TRUE(set_scale(graph_, file, one, 0.5f, 7));
    const auto again = read_onnx(file, "m", "");
    ASSERT_TRUE(again);
    for (const int both : {pool, flat})
      EXPECT_THAT(again->tensors[static_cast<std::size_t>(both)].spec.quantization.scale,
                  ElementsAre(0.5f));
  }
}

TEST_F(Qdq, WhatCannotHaveAnotherScaleIsRefused) {
  const auto refused = [&](int tensor, float scale, const std::string& what) {
    Bytes file = file_;
    const auto done = set_scale(graph_, file, tensor, scale, 0);
    ASSERT_FALSE(done) << what;
    EXPECT_THAT(done.error().what, HasSubstr(what));
  };
  refused(tensor("stem/conv"), 1, "the integers themselves");
  refused(tensor("block2/add_QuantizeLinear_Output"), 0, "the scale 0");
  refused(static_cast<int>(graph_.tensors.size()), 1, "there is no tensor");
}

TEST(QdqFile, AScaleThatTwoOperatorsShareWithoutAReasonIsRefused) {
  const std::string scale = tensor("s", 1, {}, field(9, std::string_view("\0\0\x80\x3f", 4)));
  const auto q = [](const char* x, const char* made) {
    return field(1, node("QuantizeLinear", {x, "s"}, {made}));
  };
  const auto d = [](const char* x, const char* made) {
    return field(1, node("DequantizeLinear", {x, "s"}, {made}));
  };
  const std::string graph = field(1, node("Relu", {"x"}, {"a"})) + q("a", "a8") + d("a8", "ad") +
                            field(1, node("Tanh", {"ad"}, {"b"})) + q("b", "b8") + d("b8", "y") +
                            field(2, "g") + field(5, scale) + field(11, value("x", 1, {2})) +
                            field(12, value("y", 1, {2}));
  const std::string file = number(1, 8) + field(7, graph) + field(8, field(1, "") + number(2, 17));
  const auto read = read_onnx(view_of(file), "m", "");
  ASSERT_TRUE(read) << read.error().what;
  for (std::size_t i = 0; i < read->tensors.size(); ++i) {
    if (read->tensors[i].spec.name != "a8") continue;
    Bytes copy = view_of(file).copy();
    const auto done = set_scale(*read, copy, static_cast<int>(i), 2, 0);
    ASSERT_FALSE(done);
    EXPECT_THAT(done.error().what, HasSubstr("shares the scale of 'a8' with 'b8'"));
  }
}

}  // namespace
}  // namespace edgeprobe::model
