// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/graph.h"
#include "model/tflite/tflite.h"
#include "small_model.h"

namespace edgeprobe::model {
namespace {

using edgeprobe::testing::flat_numbers;
using edgeprobe::testing::SmallModel;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Capturable, ListsOutputsOfOperatorsOnceInExecutionOrder) {
  SmallModel small;
  small.op_custom->child(2, flat_numbers<std::int32_t>({4, -1, 3, 0}));
  EXPECT_THAT(capturable(*read_tflite(small.bytes(), "m")), ElementsAre(3, 4, 6));
}

TEST(Capturable, LeavesOutWhatNoInputChanges) {
  // The first layer reads only constants; the second is a custom op, which may do anything.
  SmallModel small;
  small.op_conv->child(1, flat_numbers<std::int32_t>({1, 1, 2}));
  EXPECT_THAT(capturable(*read_tflite(small.bytes(), "m")), ElementsAre(4, 6));
  small = SmallModel();
  small.code_conv->scalar(0, std::int8_t{77}).scalar(3, std::int32_t{77});  // SHAPE of the input.
  small.op_custom->scalar(0, std::uint32_t{2});
  EXPECT_THAT(capturable(*read_tflite(small.bytes(), "m")), ElementsAre(6));
  small.graph_outputs = flat_numbers<std::int32_t>({6, 3});
  small.graph->child(2, small.graph_outputs);
  EXPECT_THAT(capturable(*read_tflite(small.bytes(), "m")), ElementsAre(3, 6));
}

TEST(CaptureGroups, FillTheBudgetInOrder) {
  const Graph graph = *read_tflite(SmallModel().bytes(), "m");  // 32, 32 and 5 bytes.
  using Groups = std::vector<std::vector<int>>;
  EXPECT_EQ(capture_groups(graph, {3, 4, 6}, 1000), (Groups{{3, 4, 6}}));
  EXPECT_EQ(capture_groups(graph, {3, 4, 6}, 64), (Groups{{3, 4}, {6}}));
  EXPECT_EQ(capture_groups(graph, {3, 4, 6}, 37), (Groups{{3}, {4, 6}}));
  EXPECT_EQ(capture_groups(graph, {3, 4, 6}, 1), (Groups{{3}, {4}, {6}}));
  EXPECT_EQ(capture_groups(graph, {}, 1), Groups{});
}

TEST(CaptureGroups, SeparateTensorsOfOneName) {
  Graph graph = *read_tflite(SmallModel().bytes(), "m");
  using Groups = std::vector<std::vector<int>>;
  graph.tensors[6].spec.name = graph.tensors[3].spec.name;
  EXPECT_EQ(capture_groups(graph, {3, 4, 6}, 1000), (Groups{{3, 4}, {6}}));
  graph.tensors[4].spec.name = graph.tensors[3].spec.name;
  EXPECT_EQ(capture_groups(graph, {3, 4, 6}, 1000), (Groups{{3}, {4}, {6}}));
}

TEST(CaptureGroups, CountOpenDimensionsAsOne) {
  SmallModel small;
  small.conv->child(7, flat_numbers<std::int32_t>({-1, -1, 4, 2}));
  const Graph graph = *read_tflite(small.bytes(), "m");
  using Groups = std::vector<std::vector<int>>;
  EXPECT_EQ(capture_groups(graph, {3, 4}, 40), (Groups{{3, 4}}));  // 8 and 32 bytes.
}

TEST(Promote, AppendsOutputsAndDropsSignatures) {
  const Bytes file = SmallModel().bytes();
  const Graph graph = *read_tflite(file, "m");
  const auto promoted = promote(graph, file, {4, 3, 6, 4});
  ASSERT_TRUE(promoted) << promoted.error().what;
  const Graph again = *read_tflite(*promoted, "m");
  EXPECT_THAT(again.outputs, ElementsAre(6, 4, 3));
  EXPECT_EQ(again.outputs, promoted_outputs(graph, {4, 3, 6, 4}));
  EXPECT_THAT(again.signatures, IsEmpty());
  EXPECT_EQ(again.tensors[1].data_offset, graph.tensors[1].data_offset);
}

TEST(Promote, ChangesTwoReferencesAndOnlyAppendsElsewhere) {
  const Bytes file = SmallModel().bytes();
  const Bytes promoted = *promote(*read_tflite(file, "m"), file, {3, 4});
  ASSERT_GT(promoted.size(), file.size());
  EXPECT_LT(promoted.size(), file.size() + 64);
  std::size_t changed = 0;
  for (std::size_t i = 0; i < file.size(); ++i) changed += file[i] != promoted[i];
  EXPECT_LE(changed, 8u);  // The reference to the outputs, and the distance from the model to its
                           // vtable.
}

TEST(Promote, KeepsValuesThatStandBehindTheFlatBuffer) {
  SmallModel small;
  small.filter_buffer->children.clear();
  small.filter_buffer->scalar(1, std::uint64_t{2}).scalar(2, std::uint64_t{54});
  const std::size_t end = small.bytes().size();
  small.filter_buffer->scalar(1, std::uint64_t{end});
  Bytes file = small.bytes();
  file.resize(end + 54, std::byte{9});
  const Graph graph = *read_tflite(file, "m");
  const Bytes promoted = *promote(graph, file, {3});
  EXPECT_EQ(constant(*read_tflite(promoted, "m"), promoted, 1)->bytes, Bytes(54, std::byte{9}));
}

TEST(Promote, RefusesTensorsThatNoOperatorComputes) {
  const Bytes file = SmallModel().bytes();
  const Graph graph = *read_tflite(file, "m");
  for (const int tensor : {-1, 0, 1, 7, 2147483647}) {
    const auto promoted = promote(graph, file, {3, tensor});
    EXPECT_EQ(promoted.error().kind, ErrorKind::kUsage) << tensor;
    EXPECT_THAT(promoted.error().what, HasSubstr("tensor " + std::to_string(tensor)));
  }
}

TEST(Promote, RefusesAFileWithoutAListOfOutputs) {
  SmallModel small;
  small.graph->children.erase(2);
  const Bytes file = small.bytes();
  EXPECT_EQ(promote(*read_tflite(file, "m"), file, {3}).error().kind, ErrorKind::kUnsupported);
}

TEST(Promote, PatchesAVectorThatInputsAndOutputsShare) {
  SmallModel small;
  small.graph->child(1, small.graph_outputs);
  const Bytes file = small.bytes();
  const auto promoted = promote(*read_tflite(file, "m"), file, {3});
  ASSERT_TRUE(promoted) << promoted.error().what;
  const Graph again = *read_tflite(*promoted, "m");
  EXPECT_THAT(again.inputs, ElementsAre(6));
  EXPECT_THAT(again.outputs, ElementsAre(6, 3));
}

}  // namespace
}  // namespace edgeprobe::model
