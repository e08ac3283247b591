// SPDX-License-Identifier: Apache-2.0
// What whole numbers an input may be, by what the graph looks up with them.
#include "model/feeds.h"

#include <gtest/gtest.h>

namespace edgeprobe::model {
namespace {

int add(Graph& graph, const std::string& name, DType dtype, Shape shape, bool constant = false) {
  ModelTensor tensor;
  tensor.spec.name = name;
  tensor.spec.dtype = dtype;
  tensor.spec.shape = std::move(shape);
  tensor.is_constant = constant;
  graph.tensors.push_back(std::move(tensor));
  return static_cast<int>(graph.tensors.size()) - 1;
}

void layer(Graph& graph, const std::string& type, std::vector<int> inputs,
           std::vector<int> outputs) {
  Layer one;
  one.index = static_cast<int>(graph.layers.size());
  one.type = type;
  one.inputs = std::move(inputs);
  one.outputs = std::move(outputs);
  graph.layers.push_back(std::move(one));
}

TEST(Feeds, IndicesStayWithinTheirTableAndMasksAreOne) {
  Graph graph;
  const int ids = add(graph, "ids", DType::kInt64, {1, 8}),
            mask = add(graph, "mask", DType::kInt64, {1, 8}),
            image = add(graph, "image", DType::kFloat32, {1, 4});
  const int table = add(graph, "words", DType::kFloat32, {30, 16}, true),
            small = add(graph, "kinds", DType::kFloat32, {2, 16}, true);
  const int as_int32 = add(graph, "c", DType::kInt32, {1, 8}),
            flat = add(graph, "f", DType::kInt32, {8});
  const int found = add(graph, "e", DType::kFloat32, {1, 8, 16}),
            kinds = add(graph, "k", DType::kFloat32, {8, 16}),
            weights = add(graph, "m", DType::kFloat32, {1, 8});
  graph.inputs = {ids, mask, image};
  layer(graph, "Cast", {ids}, {as_int32});
  layer(graph, "Gather", {table, as_int32}, {found});
  layer(graph, "Cast", {mask}, {weights});
  auto list = feeds(graph);
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0].name, "ids");
  EXPECT_EQ(list[0].low, 0);
  EXPECT_EQ(list[0].high, 29);
  EXPECT_EQ(list[1].low, 1);
  EXPECT_EQ(list[1].high, 1);
  EXPECT_EQ(to_text(list), "ids 0 to 29 (rows of 'words'), mask all 1");
  EXPECT_EQ(feed_of(list, "image"), nullptr);

  // The smallest table counts, and another path may lead to it.
  layer(graph, "Reshape", {as_int32}, {flat});
  layer(graph, "Gather", {small, flat}, {kinds});
  EXPECT_EQ(feeds(graph)[0].high, 1);
}

TEST(Feeds, TheTableOfTfliteStandsWhereTheOperatorHasIt) {
  for (const bool embedding : {false, true}) {
    Graph graph;
    const int ids = add(graph, "ids", DType::kInt32, {4}),
              table = add(graph, "t", DType::kFloat32, {7, 3}, true),
              out = add(graph, "o", DType::kFloat32, {4, 3});
    graph.inputs = {ids};
    layer(graph, embedding ? "EMBEDDING_LOOKUP" : "GATHER",
          embedding ? std::vector{ids, table} : std::vector{table, ids}, {out});
    EXPECT_EQ(feeds(graph).at(0).high, 6);
  }
  // The table of a lookup is not an index.
  Graph graph;
  const int rows = add(graph, "rows", DType::kInt32, {4, 2}),
            one = add(graph, "one", DType::kInt32, {1}, true),
            out = add(graph, "o", DType::kInt32, {1, 2});
  graph.inputs = {rows};
  layer(graph, "GATHER", {rows, one}, {out});
  EXPECT_EQ(feeds(graph).at(0).table, "");
}

TEST(Feeds, QuantisedAndSmallIntegersAreNone) {
  Graph graph;
  const int pixels = add(graph, "pixels", DType::kUInt8, {1, 4}),
            codes = add(graph, "codes", DType::kInt16, {1, 4});
  graph.tensors[static_cast<std::size_t>(codes)].spec.quantization = {{0.5f}, {0}, 0};
  graph.inputs = {pixels, codes};
  EXPECT_TRUE(feeds(graph).empty());
}

}  // namespace
}  // namespace edgeprobe::model
