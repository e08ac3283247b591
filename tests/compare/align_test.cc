// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <numeric>
#include <optional>

#include "compare/align/align.h"
#include "compare/align/layout.h"

namespace edgeprobe::compare {
namespace {

using trace::Stage;

Item layer(std::string name, std::string type, Shape shape, int position = -1) {
  return {std::move(name), std::move(type), std::move(shape),
          DType::kFloat32, Stage::kLayer,   position};
}

Item end(Stage stage, std::string name, Shape shape, int position) {
  return {std::move(name), "", std::move(shape), DType::kFloat32, stage, position};
}

using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;
Pairs pairs(const Alignment& alignment) {
  Pairs found;
  for (const AlignedPair& pair : alignment.pairs) found.emplace_back(pair.reference, pair.target);
  return found;
}

TEST(Layout, MovesChannelsAndNeverCuts) {
  EXPECT_EQ(layout_of({1, 8, 9, 3}, {1, 8, 9, 3}), std::vector<int>{});
  EXPECT_EQ(layout_of({1, 8, 9, 3}, {1, 3, 8, 9}), (std::vector<int>{0, 2, 3, 1}));
  EXPECT_EQ(layout_of({1, 3, 8, 9}, {1, 8, 9, 3}), (std::vector<int>{0, 3, 1, 2}));
  EXPECT_EQ(layout_of({8, 9, 3}, {3, 8, 9}), (std::vector<int>{1, 2, 0}));
  EXPECT_EQ(layout_of({1, 1, 1, 64}, {1, 64}), std::vector<int>{});
  EXPECT_EQ(layout_of({-1, 10}, {4, 10}), std::vector<int>{});
  EXPECT_FALSE(layout_of({1, 1001}, {1, 1000}));
  EXPECT_FALSE(layout_of({1, 8, 9, 3}, {1, 9, 8, 3}));
  EXPECT_FALSE(layout_of({2, 12}, {4, 6}));
}

TEST(Layout, TransposesValuesAndFindsTheChannels) {
  // NCHW 1x2x2x3, values 0..11: channel c of pixel p is 6 c + p.
  std::vector<float> values(12);
  std::iota(values.begin(), values.end(), 0.f);
  const auto moved = transposed(make_tensor("t", {1, 2, 2, 3}, values), {0, 2, 3, 1});
  ASSERT_TRUE(moved);
  EXPECT_EQ(moved->spec.shape, (Shape{1, 2, 3, 2}));
  EXPECT_EQ(*to_float(*moved), (std::vector<float>{0, 6, 1, 7, 2, 8, 3, 9, 4, 10, 5, 11}));
  EXPECT_EQ(channel_axis({1, 2, 3, 2}, {0, 2, 3, 1}), 3);
  EXPECT_EQ(channel_axis({1, 2, 2, 3}, {0, 3, 1, 2}), 1);
  EXPECT_EQ(channel_axis({3, 8, 9}, {2, 0, 1}), 0);
  EXPECT_EQ(channel_axis({1, 10}, {}), 1);
  EXPECT_EQ(channel_axis({}, {}), -1);
  EXPECT_FALSE(transposed(make_tensor("t", {1, 2, 2, 3}, values), {0, 1}));
}

TEST(Align, PairsBranchesInAnotherOrderByTheirValues) {
  const std::vector<Item> reference{layer("a1", "Conv", {1, 4}, 0), layer("a2", "Conv", {1, 4}, 1),
                                    layer("b1", "Conv", {1, 4}, 2), layer("b2", "Conv", {1, 4}, 3)};
  std::vector<Item> target = reference;
  for (Item& item : target) item.name = "t_" + item.name;
  AlignOptions options;
  const std::size_t partner[] = {2, 3, 0, 1};
  options.correlation = [&](std::size_t i, std::size_t j, const std::vector<int>&) {
    return std::optional(partner[i] == j ? 0.999 : 0.3);
  };
  EXPECT_EQ(pairs(align(reference, target, options)), (Pairs{{0, 2}, {1, 3}, {2, 0}, {3, 1}}));
  // Values that do not distinguish them leave them in order.
  options.correlation = [](std::size_t, std::size_t, const std::vector<int>&) {
    return std::optional(0.999);
  };
  EXPECT_EQ(pairs(align(reference, target, options)), (Pairs{{0, 0}, {1, 1}, {2, 2}, {3, 3}}));
}

TEST(Align, PairsEqualNamesWhateverTheirOrder) {
  const auto a = align({layer("x", "CONV_2D", {1, 4}, 0), layer("y", "ADD", {1, 4}, 1)},
                       {layer("y", "ADD", {1, 4}, 0), layer("x", "CONV_2D", {1, 4}, 1)});
  EXPECT_EQ(pairs(a), (Pairs{{0, 1}, {1, 0}}));
  EXPECT_EQ(a.pairs[0].how, Match::kName);
  EXPECT_EQ(a.coverage(), 1);
}

TEST(Align, DoesNotPairEqualNamesOfOtherShapes) {
  const auto a = align({layer("x", "CONV_2D", {1, 4}, 0)}, {layer("x", "CONV_2D", {1, 5}, 0)});
  EXPECT_TRUE(a.pairs.empty());
  EXPECT_EQ(a.unmatched_reference, std::vector<std::size_t>{0});
  EXPECT_EQ(a.unmatched_target, std::vector<std::size_t>{0});
  EXPECT_EQ(a.coverage(), 0);
}

TEST(Align, PairsByOrderAroundConversions) {
  const auto a = align({layer("a", "CONV_2D", {1, 4}, 0), layer("b", "ADD", {1, 4}, 1),
                        layer("c", "SQUEEZE", {1, 4}, 2)},
                       {layer("q0", "QUANTIZE", {1, 4}, 0), layer("p", "CONV_2D", {1, 4}, 1),
                        layer("q", "ADD", {1, 4}, 2), layer("r", "RESHAPE", {1, 1, 4}, 3),
                        layer("q1", "DEQUANTIZE", {1, 4}, 4)});
  EXPECT_EQ(pairs(a), (Pairs{{0, 1}, {1, 2}, {2, 3}}));
  EXPECT_EQ(a.pairs[0].how, Match::kOrder);
  EXPECT_EQ(a.conversions_target, (std::vector<std::size_t>{0, 4}));
  EXPECT_TRUE(a.unmatched_target.empty());
}

TEST(Align, LeavesAnInsertedLayerOut) {
  const auto a = align({layer("", "CONV_2D", {1, 4}, 0), layer("", "ADD", {1, 4}, 1),
                        layer("", "CONV_2D", {1, 8}, 2)},
                       {layer("", "CONV_2D", {1, 4}, 0), layer("", "MUL", {1, 4}, 1),
                        layer("", "ADD", {1, 4}, 2), layer("", "CONV_2D", {1, 8}, 3)});
  EXPECT_EQ(pairs(a), (Pairs{{0, 0}, {1, 2}, {2, 3}}));
  EXPECT_EQ(a.unmatched_target, std::vector<std::size_t>{1});
}

TEST(Align, NamesAreBordersForTheOrder) {
  // The only unpaired CONV of the target comes after "m": it is not the first CONV of the
  // reference.
  const auto a = align({layer("a", "CONV_2D", {1, 4}, 0), layer("m", "ADD", {1, 4}, 1),
                        layer("b", "CONV_2D", {1, 4}, 2)},
                       {layer("m", "ADD", {1, 4}, 0), layer("z", "CONV_2D", {1, 4}, 1)});
  EXPECT_EQ(pairs(a), (Pairs{{1, 0}, {2, 1}}));
}

TEST(Align, AFusedNameTakesTheLastOfItsOperators) {
  const std::vector<Item> plain{
      layer("c/Conv2D", "CONV_2D", {1, 4}, 0), layer("c/BiasAdd", "ADD", {1, 4}, 1),
      layer("c/Relu", "RELU", {1, 4}, 2), layer("d/Conv2D", "CONV_2D", {1, 4}, 3)};
  // The converter adds "d/Conv2D" to the first name because both share a constant.
  const std::vector<Item> fused{layer("c/Relu;c/BiasAdd;c/Conv2D;d/Conv2D", "CONV_2D", {1, 4}, 0),
                                layer("d/Conv2D;d/BiasAdd", "CONV_2D", {1, 4}, 1)};
  for (const bool swapped : {false, true}) {
    const auto a = swapped ? align(fused, plain) : align(plain, fused);
    EXPECT_EQ(pairs(a), (swapped ? Pairs{{0, 2}, {1, 3}} : Pairs{{2, 0}, {3, 1}}));
    EXPECT_EQ(a.groups.size(), 1u);
    EXPECT_EQ(a.coverage(), 1);
    EXPECT_TRUE(a.unmatched_reference.empty() && a.unmatched_target.empty());
  }
}

TEST(Align, ReportsTheOperatorsBehindAFusedOne) {
  const auto a = align(
      {layer("c/Conv2D", "CONV_2D", {1, 4}, 0), layer("c/BiasAdd", "ADD", {1, 4}, 1),
       layer("c/Relu", "RELU", {1, 4}, 2), layer("p", "MEAN", {1, 4}, 3)},
      {layer("c/Conv2D;c/BiasAdd;c/Relu", "CONV_2D", {1, 4}, 0), layer("p", "MEAN", {1, 4}, 1)});
  EXPECT_EQ(pairs(a), (Pairs{{2, 0}, {3, 1}}));
  EXPECT_EQ(a.pairs[0].how, Match::kNamePart);
  ASSERT_EQ(a.groups.size(), 1u);
  EXPECT_EQ(a.groups[0].reference, (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_EQ(a.groups[0].target, std::vector<std::size_t>{0});
  EXPECT_EQ(a.coverage(), 1);
}

TEST(Align, OutputsInAnotherOrderPairByShape) {
  const auto a = align({end(Stage::kModelInput, "in", {1, 240, 320, 3}, 0),
                        end(Stage::kModelOutput, "Identity", {1, 4420, 4}, 0),
                        end(Stage::kModelOutput, "Identity_1", {1, 4420, 2}, 1)},
                       {end(Stage::kModelInput, "input", {1, 3, 240, 320}, 0),
                        end(Stage::kModelOutput, "scores", {1, 4420, 2}, 0),
                        end(Stage::kModelOutput, "boxes", {1, 4420, 4}, 1)});
  EXPECT_EQ(pairs(a), (Pairs{{0, 0}, {1, 2}, {2, 1}}));
  EXPECT_EQ(a.pairs[0].permutation, (std::vector<int>{0, 2, 3, 1}));
}

TEST(Align, CubesFollowTheLayoutOfTheOthers) {
  const auto a = align({layer("a", "", {1, 8, 8, 8}, 0), layer("b", "", {1, 4, 4, 16}, 1),
                        layer("c", "", {1, 2, 2, 32}, 2)},
                       {layer("a", "", {1, 8, 8, 8}, 0), layer("b", "", {1, 16, 4, 4}, 1),
                        layer("c", "", {1, 32, 2, 2}, 2)});
  EXPECT_EQ(a.pairs[0].permutation, (std::vector<int>{0, 2, 3, 1}));
}

TEST(Align, OtherTypesNeedValuesThatCorrelate) {
  const std::vector<Item> r{layer("a", "RELU", {1, 4}, 0), layer("b", "RELU", {1, 4}, 1)},
      t{layer("x", "CONV_2D", {1, 4}, 0)};
  EXPECT_TRUE(align(r, t).pairs.empty());
  AlignOptions options;
  options.correlation = [](std::size_t i, std::size_t, const std::vector<int>&) {
    return i == 1 ? 0.99 : 0.3;
  };
  const auto a = align(r, t, options);
  EXPECT_EQ(pairs(a), (Pairs{{1, 0}}));
  EXPECT_EQ(a.pairs[0].how, Match::kValues);
}

TEST(Align, UnknownTypesPairByShapeInOrder) {
  const auto a = align({layer("1", "", {1, 4}), layer("2", "", {1, 6}), layer("3", "", {1, 4})},
                       {layer("x", "", {1, 6}), layer("y", "", {1, 4})});
  EXPECT_EQ(pairs(a), (Pairs{{1, 0}, {2, 1}}));
  EXPECT_EQ(a.pairs[0].how, Match::kShape);
}

TEST(Align, AMappingComesFirst) {
  AlignOptions options;
  options.mapping = {{"a", "y"}};
  const auto a = align({layer("a", "ADD", {1, 4}, 0)},
                       {layer("a", "ADD", {1, 4}, 0), layer("y", "MUL", {1, 4}, 1)}, options);
  EXPECT_EQ(pairs(a), (Pairs{{0, 1}}));
  EXPECT_EQ(a.pairs[0].how, Match::kMapping);
}

// As many tensors as a trace can have channels. Examining each again for every other one would take
// 4,000,000,000 steps.
TEST(Align, ManyTensorsOfOneNameArePairedInOneWalk) {
  constexpr std::size_t kMany = 65'535;
  const std::vector<Item> reference(kMany, layer("same", "", {3})),
      target(kMany, layer("same", "", {3})), others(kMany, layer("same", "", {4}));
  const auto all = pairs(align(reference, target));
  ASSERT_EQ(all.size(), kMany);
  for (std::size_t i = 0; i < kMany; ++i) ASSERT_EQ(all[i], (std::pair{i, i}));
  EXPECT_TRUE(align(reference, others).pairs.empty());
  AlignOptions mapped;
  mapped.mapping = {{"same", "same"}};
  EXPECT_EQ(pairs(align(reference, target, mapped)), all);
  const std::vector<Item> ends(kMany, end(Stage::kModelOutput, "", {3}, 1));
  EXPECT_EQ(align(ends, ends).pairs.size(), kMany);
}

TEST(Align, NamesThatOccurTwicePairInOrderAroundOtherShapes) {
  const std::vector<Item> reference{layer("x", "A", {3}), layer("x", "A", {4}),
                                    layer("x", "A", {3})};
  const std::vector<Item> target{layer("x", "A", {4}), layer("x", "A", {3}), layer("x", "A", {3})};
  EXPECT_EQ(pairs(align(reference, target)), (Pairs{{0, 1}, {1, 0}, {2, 2}}));
}

TEST(Align, HearsThatItIsToStop) {
  const std::vector<Item> items{layer("a", "A", {3}), end(Stage::kModelOutput, "out", {4}, 0)};
  std::atomic<bool> stop = true;
  const Control control{&stop, {}};
  EXPECT_TRUE(align(items, items, {}, control).pairs.empty());
  stop = false;
  EXPECT_EQ(align(items, items, {}, control).pairs.size(), 2u);
}

TEST(Align, NothingAlignsWithNothing) {
  EXPECT_EQ(align({}, {}).coverage(), 1);
  EXPECT_EQ(align({layer("a", "ADD", {1}, 0)}, {}).coverage(), 0);
}

}  // namespace
}  // namespace edgeprobe::compare
