// SPDX-License-Identifier: Apache-2.0
// Which Concats no processor has to compute, and where their slices lie.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "core/index.h"
#include "towers.h"

namespace edgeprobe::stretch::testing {
namespace {

using ::testing::ElementsAre;

TEST(ScheduleMerge, IsAConcatOfItsSlices) {
  EXPECT_EQ(Towers("onnx", {1, 2, 3}, {1, 4, 3}, "Add").refusal(),
            "merges[0]: 'cat' is the output of no Concat; let a piece make it");
  Towers towers;
  towers.drawn.graph.layers[4].inputs = {towers.b, towers.a};
  towers.redraw();
  const char* const kOthers =
      "merges[0]: 'cat' is not made of these slices: name all inputs of its layer in their order";
  EXPECT_EQ(towers.refusal(), kOthers);
  towers.drawn.graph.layers[4].inputs = {towers.a, -1, towers.b};
  towers.redraw();
  EXPECT_TRUE(towers.schedule());
  towers.drawn.graph.layers[4].inputs = {towers.a, towers.b, towers.stem};
  towers.redraw();
  EXPECT_EQ(towers.refusal(), kOthers);
  towers.redraw();
  towers.plan.merges[0].tensor = "ca";
  EXPECT_EQ(towers.refusal(), "merges[0].tensor: the model has no tensor 'ca'; did you mean 'a'?");
  towers.plan.merges.clear();
  EXPECT_EQ(towers.refusal(),
            "pieces[3].inputs[0]: 'cat' is not an input of the model, and no piece makes it");
}

TEST(ScheduleMerge, ItsSlicesLieOneBehindTheOther) {
  EXPECT_TRUE(Towers("tflite", {1, 1, 2, 3}, {1, 1, 4, 3}, "CONCATENATION").schedule());
  EXPECT_EQ(Towers("onnx", {2, 2, 3}, {2, 4, 3}).refusal(),
            "merges[0]: 'cat' (2x4x3) is joined along dimension 1, and those before it are not all "
            "1: its slices are not contiguous in memory; let a piece make it");
  EXPECT_TRUE(Towers("onnx", {2, 4, 3}, {4, 4, 3}).schedule());
  const char* const kApart =
      "merges[0]: 'cat' and its slices do not go together along one dimension";
  EXPECT_EQ(Towers("onnx", {1, 2, 3}, {1, 5, 3}).refusal(), kApart);
  EXPECT_EQ(Towers("onnx", {1, 2, 3}, {1, 3, 3}).refusal(), kApart);
  EXPECT_EQ(Towers("onnx", {1, 2, 3}, {1, 4, 4}).refusal(), kApart);
  EXPECT_EQ(Towers("onnx", {1, 2, 3}, {1, 2, 3}).refusal(), kApart);
  EXPECT_EQ(Towers("onnx", {1, 2, 3}, {4, 3}).refusal(), kApart);
  EXPECT_EQ(Towers("onnx", {1, 2, -1}, {1, 4, -1}).refusal(),
            "merges[0]: 'cat' or its slice 'a' has no fixed size; let a piece make it");
  EXPECT_EQ(Towers("onnx", {1, 2, 0}, {1, 4, 0}).refusal(),
            "merges[0]: 'cat' or its slice 'a' has no fixed size; let a piece make it");
  Towers towers;
  towers.plan.merges[0].slices = {{"a", 0, 1}, {"b", 1, 3}};
  EXPECT_EQ(towers.refusal(), "merges[0]: 'cat' takes 1 of 'a', which has 2 along dimension 1");
}

TEST(ScheduleMerge, ItsSlicesHaveItsTypeAndScale) {
  const char* const kOther =
      "merges[0]: 'cat' has another type or scale than its slice 'b'; let a piece convert it";
  Towers towers("tflite", {1, 2, 3}, {1, 4, 3}, "CONCATENATION");
  model::ModelTensor& b = towers.drawn.graph.tensors[at(towers.b)];
  b.spec.dtype = DType::kInt8;
  towers.redraw();
  EXPECT_EQ(towers.refusal(), kOther);
  for (const int tensor : {towers.a, towers.b, towers.cat}) {
    TensorSpec& spec = towers.drawn.graph.tensors[at(tensor)].spec;
    spec.dtype = DType::kInt8;
    spec.quantization = {{0.5f}, {3}, 0};
  }
  towers.redraw();
  EXPECT_TRUE(towers.schedule());
  b.spec.quantization.scale = {0.25f};
  EXPECT_EQ(towers.refusal(), kOther);
  b.spec.quantization = {{0.5f}, {4}, 0};
  EXPECT_EQ(towers.refusal(), kOther);
}

TEST(ScheduleMerge, ItsSlicesAreMadeByPieces) {
  Towers towers;
  towers.drawn.graph.tensors[at(towers.b)].is_constant = true;
  towers.drawn.graph.layers.erase(towers.drawn.graph.layers.begin() + 3);
  for (std::size_t i = 0; i < towers.drawn.graph.layers.size(); ++i)
    towers.drawn.graph.layers[i].index = static_cast<int>(i);
  towers.redraw();
  towers.plan.pieces.erase(towers.plan.pieces.begin() + 2);
  towers.plan.programs[1].steps = {signal("b done")};
  EXPECT_EQ(towers.refusal(),
            "merges[0]: 'cat' has the constant 'b' among its slices; let a piece make it");

  Towers others;
  others.plan.pieces.erase(others.plan.pieces.begin() + 2);
  others.plan.programs[1].steps = {signal("b done")};
  EXPECT_EQ(others.refusal(), "merges[0]: no piece makes its slice 'b'");
  others.plan.merges[0].slices[1].tensor = "bb";
  EXPECT_EQ(others.refusal(),
            "merges[0].slices[1]: the model has no tensor 'bb'; did you mean 'b'?");
}

TEST(ScheduleMerge, AnInputOfTheModelCanBeASlice) {
  Drawn drawn;
  const int x = drawn.input("x", {1, 1, 3});
  const int y = drawn.layer("y", {x}, {1, 2, 3});
  const int cat = drawn.layer("cat", {x, y}, {1, 3, 3}, "Concat");
  drawn.graph.outputs = {cat};
  const auto made = schedule_of(plan_of(drawn.graph, {{"y", {"x"}, {"y"}}}, {{run("y")}},
                                        {{"cat", {{"x", 0, 1}, {"y", 1, 2}}}}),
                                drawn.graph);
  ASSERT_TRUE(made) << made.error().what;
  EXPECT_EQ(made->views[1].offset, 3u);
}

TEST(ScheduleMerge, AWholeInAnotherOneIsMadeByAllItsSlices) {
  Drawn drawn;
  const int x = drawn.input("x");
  const int a = drawn.layer("a", {x}, {1, 1, 3}), b = drawn.layer("b", {x}, {1, 2, 3});
  const int inner = drawn.layer("inner", {a, b}, {1, 3, 3}, "Concat");
  const int c = drawn.layer("c", {x}, {1, 4, 3});
  const int outer = drawn.layer("outer", {c, inner}, {1, 7, 3}, "Concat");
  drawn.graph.outputs = {drawn.layer("output", {outer})};
  Plan plan =
      plan_of(drawn.graph,
              {{"a", {"x"}, {"a"}},
               {"b", {"x"}, {"b"}},
               {"c", {"x"}, {"c"}},
               {"head", {"outer"}, {"output"}}},
              {{run("a"), run("c"), wait("b"), run("head")}, {run("b"), signal("b")}},
              {{"outer", {{"c", 0, 4}, {"inner", 4, 3}}}, {"inner", {{"a", 0, 1}, {"b", 1, 2}}}});
  const auto made = schedule_of(plan, drawn.graph);
  ASSERT_TRUE(made) << made.error().what;
  std::vector<std::vector<std::size_t>> views;
  for (const Schedule::View& view : made->views)
    views.push_back({at(view.tensor), at(view.whole), view.offset});
  EXPECT_THAT(views,
              ElementsAre(ElementsAre(at(c), at(outer), 0u), ElementsAre(at(inner), at(outer), 12u),
                          ElementsAre(at(a), at(inner), 0u), ElementsAre(at(b), at(inner), 3u)));
  plan.programs[0].steps.erase(plan.programs[0].steps.begin() + 2);
  EXPECT_EQ(schedule_of(plan, drawn.graph).error().what,
            "pieces[3]: piece 'head' on processor 'cpu0' reads 'outer', which piece 'b' on 'cpu1' "
            "may not have made yet: let it wait for a flag that is signalled after that piece");
}

}  // namespace
}  // namespace edgeprobe::stretch::testing
