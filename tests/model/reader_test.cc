// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "core/file.h"
#include "model/format.h"
#include "model/graph.h"
#include "model/tflite/tflite.h"
#include "small_model.h"

namespace edgeprobe::model {
namespace {

using edgeprobe::testing::flat_numbers;
using edgeprobe::testing::flat_table;
using edgeprobe::testing::flat_text;
using edgeprobe::testing::flat_vector;
using edgeprobe::testing::SmallModel;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Graph read(const SmallModel& small) {
  auto graph = read_tflite(small.bytes(), "small");
  EXPECT_TRUE(graph) << graph.error().what;
  return graph ? *std::move(graph) : Graph{};
}

TEST(ReadTflite, ShowsWhatTheFileHolds) {
  const SmallModel small;
  const Graph graph = read(small);
  EXPECT_EQ(graph.format, "tflite");
  EXPECT_EQ(graph.description, "small");
  EXPECT_EQ(graph.file_size, small.bytes().size());
  EXPECT_EQ(graph.sha256, sha256(small.bytes()));
  EXPECT_THAT(graph.inputs, ElementsAre(0));
  EXPECT_THAT(graph.outputs, ElementsAre(6));
  EXPECT_THAT(graph.signatures, ElementsAre("serve"));
  EXPECT_EQ(graph.metadata, (std::map<std::string, std::size_t>{{"note", 9}}));
  EXPECT_THAT(graph.warnings, IsEmpty());
  ASSERT_EQ(graph.layers.size(), 3u);
  EXPECT_EQ(graph.layers[0].type, "CONV_2D");
  EXPECT_EQ(graph.layers[1].type, "CUSTOM:Twist");
  EXPECT_EQ(graph.layers[1].custom_name, "Twist");
  EXPECT_THAT(graph.layers[2].inputs, ElementsAre(4, 5, -1));
  ASSERT_EQ(graph.tensors.size(), 7u);
  const ModelTensor& filter = graph.tensors[1];
  EXPECT_EQ(filter.spec.name, "filter");
  EXPECT_EQ(filter.spec.dtype, DType::kInt8);
  EXPECT_EQ(filter.spec.shape, (Shape{2, 3, 3, 3}));
  EXPECT_EQ(filter.spec.quantization, (Quantization{{0.1f, 0.2f}, {0, 0}, 0}));
  EXPECT_TRUE(filter.is_constant);
  EXPECT_FALSE(graph.tensors[3].is_constant);
}

TEST(ReadTflite, NeedNotHashTheFile) {
  const SmallModel small;
  const auto graph = read_unhashed(small.bytes(), "small", {});
  ASSERT_TRUE(graph) << graph.error().what;
  EXPECT_EQ(graph->sha256, "");
  EXPECT_EQ(graph->tensors.size(), read(small).tensors.size());
  EXPECT_FALSE(read_unhashed(view_of("neither format"), "text", {}));
}

TEST(ReadTflite, CountsWorkAndParameters) {
  const Graph graph = read(SmallModel());
  EXPECT_EQ(graph.layers[0].macs, 4u * 4 * 2 * (3 * 3 * 3));  // Each of 32 outputs sees 27 inputs.
  EXPECT_EQ(graph.layers[0].parameters, 2u * 27 + 2);
  EXPECT_EQ(graph.layers[1].macs, std::nullopt);
  EXPECT_EQ(graph.layers[1].parameters, 0u);
  EXPECT_EQ(graph.layers[2].macs, 5u * 32);
  EXPECT_THAT(graph.layers[2].weights, ElementsAre(5));
  EXPECT_EQ(graph.macs(), 864u + 160);
  EXPECT_EQ(graph.parameters(), 56u + 160);
}

TEST(ReadTflite, CountsSharedWeightsOnce) {
  SmallModel small;
  small.operators->tables = {small.op_conv, small.op_custom, small.op_dense, small.op_dense};
  const Graph graph = read(small);
  EXPECT_EQ(graph.layers[2].parameters + graph.layers[3].parameters, 320u);
  EXPECT_EQ(graph.parameters(), 56u + 160);
}

TEST(ReadTflite, GivesTheValuesOfAConstant) {
  const SmallModel small;
  const Graph graph = read(small);
  const auto filter = constant(graph, small.bytes(), 1);
  ASSERT_TRUE(filter);
  ASSERT_EQ(filter->bytes.size(), 54u);
  for (std::size_t i = 0; i < 54; ++i) EXPECT_EQ(filter->bytes[i], static_cast<std::byte>(i % 7));
  // Channel 1 has the second scale.
  EXPECT_FLOAT_EQ((*to_float(*filter))[27 + 1], 0.2f * (28 % 7));
  EXPECT_EQ(constant(graph, small.bytes(), 3).error().kind, ErrorKind::kUsage);
  EXPECT_EQ(constant(graph, small.bytes(), 7).error().kind, ErrorKind::kUsage);
  EXPECT_EQ(constant(graph, ByteView(), 1).error().kind, ErrorKind::kCorrupt);
}

TEST(ReadTflite, OpensTheDimensionsThatTheSignatureLeavesOpen) {
  SmallModel small;
  small.input->child(7, flat_numbers<std::int32_t>({-1, 4, 4, 3}));
  small.conv->child(7, flat_numbers<std::int32_t>({-1, 4}));  // Another rank: ignored.
  const Graph graph = read(small);
  EXPECT_EQ(graph.tensors[0].spec.shape, (Shape{-1, 4, 4, 3}));
  EXPECT_EQ(graph.tensors[3].spec.shape, (Shape{1, 4, 4, 2}));
}

TEST(ReadTflite, ReadsConstantsBehindTheFlatBuffer) {
  SmallModel small;
  small.filter_buffer->children.clear();
  small.filter_buffer->scalar(1, std::uint64_t{1}).scalar(2, std::uint64_t{54});
  const std::size_t end = small.bytes().size();
  small.filter_buffer->scalar(1, std::uint64_t{end});
  Bytes file = small.bytes();
  ASSERT_EQ(file.size(), end);
  file.resize(end + 54, std::byte{9});
  const auto graph = read_tflite(file, "small");
  ASSERT_TRUE(graph) << graph.error().what;
  EXPECT_EQ(constant(*graph, file, 1)->bytes, Bytes(54, std::byte{9}));

  file.pop_back();
  const auto cut = read_tflite(file, "small");
  EXPECT_EQ(cut.error().kind, ErrorKind::kCorrupt);
  EXPECT_THAT(cut.error().what, HasSubstr("buffers[1].offset"));
}

TEST(ReadTflite, PassesDoubtfulScalesOnWithAWarning) {
  for (const float scale : {0.f, -1.f, std::numeric_limits<float>::infinity(),
                            std::numeric_limits<float>::quiet_NaN()}) {
    SmallModel small;
    small.filter->children[4]->child(2, flat_numbers<float>({0.1f, scale}));
    const Graph graph = read(small);
    ASSERT_EQ(graph.warnings.size(), 1u);
    EXPECT_THAT(graph.warnings[0], HasSubstr("subgraphs[0].tensors[1] \"filter\" has the scale"));
    EXPECT_THAT(graph.warnings[0], HasSubstr("at index 1"));
    EXPECT_EQ(graph.tensors[1].spec.quantization.scale.size(), 2u);
  }
}

TEST(ReadTflite, ReadsVariablesSparseAndNonNumericTensors) {
  SmallModel small;
  small.conv->scalar(5, std::uint8_t{1});
  small.twisted->scalar(1, std::int8_t{5});
  small.weights->child(6, flat_table());
  small.buffers->tables[3]->child(0, flat_text("only twelve."));
  const Graph graph = read(small);
  EXPECT_TRUE(graph.tensors[3].is_variable);
  EXPECT_EQ(graph.tensors[4].spec.dtype, DType::kOther);
  EXPECT_EQ(graph.tensors[4].stored_type, "string");
  EXPECT_TRUE(graph.tensors[5].is_sparse);
  EXPECT_EQ(constant(graph, small.bytes(), 5).error().kind, ErrorKind::kUnsupported);
  EXPECT_THAT(capturable(graph), ElementsAre(6));
}

TEST(ReadTflite, CountsOtherSubgraphsAndLeavesTheirTensorsAlone) {
  SmallModel small;
  auto body = flat_table();
  body->child(0, flat_vector({small.input, small.output}))
      .child(1, flat_numbers<std::int32_t>({0}))
      .child(2, flat_numbers<std::int32_t>({1}))
      .child(3, flat_vector({}));
  small.graphs->tables.push_back(body);
  const Graph graph = read(small);
  EXPECT_EQ(graph.subgraph_count, 2);
  EXPECT_EQ(graph.tensors.size(), 7u);
  EXPECT_THAT(capturable(graph), ElementsAre(3, 4, 6));

  body->child(2, flat_numbers<std::int32_t>({2}));
  const auto broken = read_tflite(small.bytes(), "small");
  EXPECT_THAT(broken.error().what, HasSubstr("subgraphs[1].outputs[0]"));
}

TEST(ReadTflite, NamesOperatorsThatAreNewerThanItself) {
  SmallModel small;
  small.code_custom->scalar(0, std::int8_t{127}).scalar(3, std::int32_t{4711});
  const Graph graph = read(small);
  EXPECT_EQ(graph.layers[1].type, "BUILTIN_4711");
  EXPECT_EQ(graph.layers[1].macs, std::nullopt);
}

// Shapes, and in the comment the sum calculated by hand.
struct WorkCase {
  const char* what;
  std::int8_t code;
  std::vector<std::vector<std::int32_t>> inputs;
  std::vector<std::int32_t> output;
  std::optional<std::uint64_t> macs;
};

class Work : public ::testing::TestWithParam<WorkCase> {};

TEST_P(Work, IsCountedByTheOperator) {
  const WorkCase& work = GetParam();
  SmallModel small;
  small.code_conv->scalar(0, std::int8_t{work.code}).scalar(3, std::int32_t{work.code});
  std::vector<std::int32_t> indices;
  auto add = [&](const std::vector<std::int32_t>& shape) {
    auto tensor = flat_table();
    tensor->child(0, flat_numbers(shape)).child(3, flat_text("t"));
    indices.push_back(static_cast<std::int32_t>(small.tensors->tables.size()));
    small.tensors->tables.push_back(tensor);
  };
  for (const auto& shape : work.inputs) add(shape);
  auto op = flat_table();
  op->scalar(0, std::uint32_t{0}).child(1, flat_numbers(indices));
  add(work.output);
  op->child(2, flat_numbers<std::int32_t>({indices.back()}));
  small.operators->tables = {op};
  EXPECT_EQ(read(small).layers[0].macs, work.macs) << work.what;
}

INSTANTIATE_TEST_SUITE_P(
    Operators, Work,
    ::testing::Values(
        WorkCase{"strided convolution",
                 3,
                 {{1, 8, 8, 3}, {16, 3, 3, 3}},
                 {1, 4, 4, 16},
                 4 * 4 * 16 * 27},
        WorkCase{"grouped convolution",
                 3,
                 {{1, 8, 8, 4}, {16, 3, 3, 2}},
                 {1, 8, 8, 16},
                 8 * 8 * 16 * 18},
        WorkCase{
            "depthwise convolution", 4, {{1, 8, 8, 4}, {1, 3, 3, 8}}, {1, 8, 8, 8}, 8 * 8 * 8 * 9},
        WorkCase{"fully connected, batch of 2", 9, {{2, 10}, {7, 10}}, {2, 7}, 2 * 7 * 10},
        WorkCase{"transposed convolution",
                 67,
                 {{4}, {6, 3, 3, 5}, {1, 4, 4, 5}},
                 {1, 8, 8, 6},
                 4 * 4 * 5 * 6 * 9},
        WorkCase{"matrix product", 126, {{3, 4, 5}, {3, 5, 6}}, {3, 4, 6}, 3 * 4 * 6 * 5},
        WorkCase{"addition", 0, {{4}, {4}}, {4}, 0},
        WorkCase{"pooling", 17, {{1, 4, 4, 1}}, {1, 2, 2, 1}, 0},
        WorkCase{"LSTM", 16, {{1, 4}}, {1, 4}, std::nullopt},
        WorkCase{
            "a filter of another rank", 3, {{1, 8, 8, 3}, {16, 27}}, {1, 4, 4, 16}, std::nullopt},
        WorkCase{"an unknown output shape", 3, {{1, 8, 8, 3}, {16, 3, 3, 3}}, {}, std::nullopt},
        WorkCase{"more than 2^62",
                 9,
                 {{1 << 29, 1 << 29}, {1 << 29, 1 << 29}},
                 {1 << 29, 1 << 29},
                 std::nullopt}));

TEST(ReadTflite, TransposedMatrixProductsSumOverTheOtherDimension) {
  SmallModel small;
  small.code_conv->scalar(0, std::int8_t{126}).scalar(3, std::int32_t{126});
  small.conv->child(0, flat_numbers<std::int32_t>({5, 4})).children.erase(4);
  small.twisted->child(0, flat_numbers<std::int32_t>({5, 6})).children.erase(4);
  small.output->child(0, flat_numbers<std::int32_t>({4, 6})).children.erase(4);
  auto options = flat_table();
  options->scalar(0, std::uint8_t{1});
  auto op = flat_table();
  op->scalar(0, std::uint32_t{0}).scalar(3, std::uint8_t{101}).child(4, options);
  op->child(1, flat_numbers<std::int32_t>({3, 4})).child(2, flat_numbers<std::int32_t>({6}));
  small.operators->tables = {op};
  EXPECT_EQ(read(small).layers[0].macs, 4u * 6 * 5);
}

}  // namespace
}  // namespace edgeprobe::model
