// SPDX-License-Identifier: Apache-2.0
// Sums over kernels, by hand.
#include <gtest/gtest.h>

#include "bench/layer_times.h"

namespace edgeprobe::bench {
namespace {

using std::chrono::microseconds;

engine::OpTime op(const std::string& type, std::vector<int> layers, int us, bool inner = false) {
  return {"", type, std::move(layers), "f32", inner, microseconds(us)};
}

model::Graph four_layers() {
  model::Graph graph;
  for (const char* const type : {"CONV_2D", "RELU", "CONV_2D", "SOFTMAX"}) {
    model::Layer layer;
    layer.index = static_cast<int>(graph.layers.size());
    layer.type = type;
    graph.layers.push_back(layer);
  }
  return graph;
}

TEST(LayerTimes, CountsTotalMeanAndShareByType) {
  const model::Graph graph = four_layers();
  // Layers 0 and 1 are one kernel; no kernel names layer 3.
  const auto times =
      layer_times({{op("gemm", {0, 1}, 30), op("gemm", {2}, 50), op("copy", {}, 20)},
                   {op("gemm", {0, 1}, 50), op("gemm", {2}, 30), op("copy", {}, 20)}},
                  &graph);
  EXPECT_EQ(times.runs, 2u);
  EXPECT_NEAR(times.total, 100e-6, 1e-12);
  EXPECT_EQ(times.layers_known, 3u);
  EXPECT_EQ(times.layers_all, 4u);
  ASSERT_EQ(times.types.size(), 3u);
  double shares = 0;
  for (const TypeTime& type : times.types) shares += type.share;
  EXPECT_NEAR(shares, 1, 1e-12);
  const KernelTime& fused = times.kernels[0];
  EXPECT_EQ(fused.type, "CONV_2D+RELU");
  EXPECT_EQ(fused.engine_type, "gemm");
  EXPECT_NEAR(fused.mean, 40e-6, 1e-12);
  EXPECT_NEAR(fused.share, 0.4, 1e-9);
  EXPECT_EQ(fused.seconds.size(), 2u);
}

TEST(LayerTimes, SumsKernelsOfOneTypeAndSortsTypesByTheirTime) {
  const auto times = layer_times({{op("A", {0}, 10), op("B", {1}, 25), op("A", {2}, 10)}}, nullptr);
  ASSERT_EQ(times.types.size(), 2u);
  EXPECT_EQ(times.types[0].type, "B");
  EXPECT_EQ(times.types[1].count, 2u);
  EXPECT_NEAR(times.types[1].total, 20e-6, 1e-12);
  EXPECT_NEAR(times.types[1].mean, 10e-6, 1e-12);
  EXPECT_EQ(times.layers_all, 0u);
}

TEST(LayerTimes, OperatorsInsideADelegateTakeItsPlaceInTheTypes) {
  const model::Graph graph = four_layers();
  const auto times = layer_times({{op("Delegate", {}, 80), op("SOFTMAX", {3}, 20),
                                   op("GEMM", {}, 50, true), op("GEMM", {}, 10, true)}},
                                 &graph);
  EXPECT_NEAR(times.total, 100e-6, 1e-12);  // Each time is counted once.
  ASSERT_EQ(times.types.size(), 3u);
  EXPECT_EQ(times.types[0].type, "GEMM");
  EXPECT_NEAR(times.types[0].share, 0.6, 1e-9);
  EXPECT_EQ(times.types[0].count, 2u);
  EXPECT_NEAR(times.types[1].share + times.types[2].share, 0.4, 1e-9);
  EXPECT_EQ(times.types[1].type, "(inside the delegate, not reported)");
  EXPECT_TRUE(times.kernels.back().inner);
}

TEST(LayerTimes, AKernelThatDidNotAlwaysRunIsAveragedOverAllRuns) {
  const auto times = layer_times({{op("A", {}, 10)}, {op("A", {}, 10), op("B", {}, 10)}}, nullptr);
  EXPECT_NEAR(times.kernels[1].mean, 5e-6, 1e-12);
  EXPECT_EQ(times.kernels[1].seconds.size(), 1u);
  EXPECT_EQ(layer_times({}, nullptr).kernels.size(), 0u);
}

}  // namespace
}  // namespace edgeprobe::bench
