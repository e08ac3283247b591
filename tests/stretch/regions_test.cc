// SPDX-License-Identifier: Apache-2.0
// Which branches of a graph lie side by side. Graphs are small and drawn by hand.
#include "stretch/regions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace edgeprobe::stretch::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A graph of layers with one output each: layer i makes tensor 100 + i, tensors below are inputs.
class Drawn {
 public:
  explicit Drawn(int inputs) {
    graph_.format = "onnx";
    graph_.tensors.resize(200);
    for (model::ModelTensor& tensor : graph_.tensors) {
      tensor.spec.dtype = DType::kFloat32;
      tensor.spec.shape = {2, 5};
    }
    for (int i = 0; i < inputs; ++i) graph_.inputs.push_back(i);
  }
  /// Returns its tensor.
  int layer(std::vector<int> inputs, std::optional<std::uint64_t> macs = 10,
            const char* type = "Conv") {
    model::Layer layer;
    layer.index = static_cast<int>(graph_.layers.size());
    layer.type = type;
    layer.inputs = std::move(inputs);
    layer.outputs = {100 + layer.index};
    layer.macs = macs;
    graph_.layers.push_back(layer);
    return layer.outputs.front();
  }
  model::Graph& with_outputs(std::vector<int> outputs) {
    graph_.outputs = std::move(outputs);
    return graph_;
  }

 private:
  model::Graph graph_;
};

std::vector<std::vector<int>> layers_of(const Region& region) {
  std::vector<std::vector<int>> all;
  for (const Branch& branch : region.branches) all.push_back(branch.part.layers);
  return all;
}

TEST(Regions, AChainHasNone) {
  Drawn drawn(1);
  const int end = drawn.layer({drawn.layer({drawn.layer({0})})});
  const model::Graph& graph = drawn.with_outputs({end});
  const auto regions = regions_of(graph);
  ASSERT_TRUE(regions);
  EXPECT_THAT(regions->list, IsEmpty());
  EXPECT_EQ(regions->longest_way, 30u);
  EXPECT_EQ(limit(graph, *regions), 1.0);
}

TEST(Regions, BranchesOfOneLayerMeetInAnother) {
  Drawn drawn(1);
  const int fork = drawn.layer({0});
  const int light = drawn.layer({fork}, 10);
  const int heavy = drawn.layer({drawn.layer({fork}, 15)}, 15);
  const int join = drawn.layer({light, heavy, fork}, 0, "Concat");
  const model::Graph& graph = drawn.with_outputs({drawn.layer({join})});
  const auto regions = regions_of(graph);
  ASSERT_TRUE(regions);
  ASSERT_EQ(regions->list.size(), 1u);
  const Region& region = regions->list.front();
  EXPECT_EQ(region.fork, 0);
  EXPECT_EQ(region.join, 4);
  EXPECT_THAT(layers_of(region), ElementsAre(ElementsAre(2, 3), ElementsAre(1)));
  EXPECT_EQ(region.branches[0].macs, 30u);
  EXPECT_THAT(region.branches[0].part.inputs, ElementsAre(fork));
  EXPECT_THAT(region.branches[0].part.outputs, ElementsAre(heavy));
  EXPECT_EQ(region.branches[0].bytes_out, 40u);
  // Of 60 units of work, 10 can run in parallel with 30.
  EXPECT_DOUBLE_EQ(speed_up(graph, regions->list, 2).value(), 1.2);
  EXPECT_DOUBLE_EQ(limit(graph, *regions).value(), 1.2);
}

TEST(Regions, AWayAroundIsNoBranch) {
  Drawn drawn(1);
  const int fork = drawn.layer({0});
  const int add = drawn.layer({fork, drawn.layer({fork})}, 0, "Add");
  const auto regions = regions_of(drawn.with_outputs({add}));
  ASSERT_TRUE(regions);
  EXPECT_THAT(regions->list, IsEmpty());
}

TEST(Regions, BranchesWithoutWorkAreNone) {
  Drawn drawn(1);
  const int fork = drawn.layer({0});
  const int gate = drawn.layer({fork}, 0, "Sigmoid");
  const int join = drawn.layer({gate, drawn.layer({fork})}, 0, "Mul");
  const auto regions = regions_of(drawn.with_outputs({join}));
  ASSERT_TRUE(regions);
  EXPECT_THAT(regions->list, IsEmpty());
}

TEST(Regions, TowersComeFromTheInputsAndGoToTheOutputs) {
  Drawn drawn(2);
  const int a = drawn.layer({drawn.layer({0})}), b = drawn.layer({drawn.layer({1})});
  const model::Graph& graph = drawn.with_outputs({a, b});
  const auto regions = regions_of(graph);
  ASSERT_TRUE(regions);
  ASSERT_EQ(regions->list.size(), 1u);
  EXPECT_EQ(regions->list[0].fork, -1);
  EXPECT_EQ(regions->list[0].join, -1);
  EXPECT_THAT(layers_of(regions->list[0]), ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3)));
  EXPECT_DOUBLE_EQ(speed_up(graph, regions->list, 2).value(), 2);
}

TEST(Regions, OneLiesInABranchOfAnother) {
  Drawn drawn(1);
  const int fork = drawn.layer({0});
  const int inner = drawn.layer({fork});
  const int meet = drawn.layer({drawn.layer({inner}), drawn.layer({inner})}, 0, "Concat");
  const int join = drawn.layer({meet, drawn.layer({fork})}, 0, "Concat");
  const auto regions = regions_of(drawn.with_outputs({join}));
  ASSERT_TRUE(regions);
  ASSERT_EQ(regions->list.size(), 2u);
  EXPECT_EQ(regions->list[0].inside, -1);
  EXPECT_EQ(regions->list[1].fork, 1);
  EXPECT_EQ(regions->list[1].inside, 0);
}

TEST(Regions, BranchesThatExchangeTensorsAreOne) {
  Drawn drawn(1);
  const int fork = drawn.layer({0});
  const int a = drawn.layer({fork}), b = drawn.layer({fork, a});
  const model::Graph& graph = drawn.with_outputs({drawn.layer({a, b}, 0, "Concat")});
  const auto regions = regions_of(graph);
  ASSERT_TRUE(regions);
  EXPECT_THAT(regions->list, IsEmpty());
  EXPECT_EQ(limit(graph, *regions), 1.0);
}

// Heads of a detector meet in one Concat with those of other maps: this is not a region, but offers
// parallel paths.
TEST(Regions, WhatCouldRunSideBySideWithoutARegionIsInTheLimit) {
  Drawn drawn(1);
  const int first = drawn.layer({0}), second = drawn.layer({first});
  const int boxes = drawn.layer({drawn.layer({first}), drawn.layer({second})}, 0, "Concat");
  const int scores = drawn.layer({drawn.layer({first}), drawn.layer({second}), boxes}, 0, "Concat");
  const model::Graph& graph = drawn.with_outputs({scores});
  const auto regions = regions_of(graph);
  ASSERT_TRUE(regions);
  EXPECT_EQ(regions->longest_way, 30u);
  EXPECT_DOUBLE_EQ(limit(graph, *regions).value(), 2);
}

TEST(Regions, TheShapeOfAnotherBranchIsWaitedFor) {
  Drawn drawn(1);
  const int fork = drawn.layer({0});
  const int a = drawn.layer({fork});
  const int shape = drawn.layer({a}, 0, "Shape");
  const int b = drawn.layer({drawn.layer({fork}), shape}, 0, "Reshape");
  const auto regions = regions_of(drawn.with_outputs({drawn.layer({a, b}, 0, "Concat")}));
  ASSERT_TRUE(regions);
  for (const Region& region : regions->list)
    for (const Branch& branch : region.branches) EXPECT_THAT(branch.part.inputs, ElementsAre(fork));
}

TEST(Regions, UnknownWorkHasNoGain) {
  Drawn drawn(1);
  const int fork = drawn.layer({0});
  const int join = drawn.layer({drawn.layer({fork}, std::nullopt), drawn.layer({fork})}, 0, "Add");
  const model::Graph& graph = drawn.with_outputs({join});
  const auto regions = regions_of(graph);
  ASSERT_TRUE(regions);
  ASSERT_EQ(regions->list.size(), 1u);
  EXPECT_EQ(regions->list[0].branches[1].unknown, 1u);
  EXPECT_FALSE(speed_up(graph, regions->list, 2));
  EXPECT_FALSE(limit(graph, *regions));
}

TEST(Regions, AStateAndACircleAreRefused) {
  Drawn kept(1);
  model::Graph& state = kept.with_outputs({kept.layer({0, 5})});
  state.tensors[5].is_variable = true;
  const auto refused = regions_of(state);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kUnsupported);
  EXPECT_THAT(refused.error().what, HasSubstr("keeps a state"));
  Drawn circle(1);
  circle.layer({0, 101});
  const auto damaged = regions_of(circle.with_outputs({circle.layer({100})}));
  ASSERT_FALSE(damaged);
  EXPECT_EQ(damaged.error().kind, ErrorKind::kCorrupt);
}

}  // namespace
}  // namespace edgeprobe::stretch::testing
