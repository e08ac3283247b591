// SPDX-License-Identifier: Apache-2.0
// Plans over the tensors of a model: graphs drawn by hand, and those of the repository.
#include "stretch/schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "core/index.h"
#include "drawn.h"
#include "model/graph.h"
#include "source_dir.h"

namespace edgeprobe::stretch::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// input -> stem -> a, b -> cat -> output, and a plan with the merge of a and b.
struct Towers {
  Drawn drawn;
  int input, stem, a_inner, a, b, cat, output;
  Plan plan;

  explicit Towers(const std::string& format = "onnx", Shape slice = {1, 2, 3},
                  Shape whole = {1, 4, 3}, const std::string& join = "Concat")
      : drawn(format) {
    input = drawn.input("input");
    stem = drawn.layer("stem", {input});
    a_inner = drawn.layer("a_inner", {stem});
    a = drawn.layer("a", {a_inner}, slice);
    b = drawn.layer("b", {stem}, slice);
    cat = drawn.layer("cat", {a, b}, whole, join);
    output = drawn.layer("output", {cat});
    drawn.graph.outputs = {output};
    redraw();
  }
  /// The plan again, after a change of the graph.
  void redraw() {
    plan = plan_of(drawn.graph,
                   {{"first", {"input"}, {"stem"}},
                    {"tower_a", {"stem"}, {"a"}},
                    {"tower_b", {"stem"}, {"b"}},
                    {"head", {"cat"}, {"output"}}},
                   {{run("first"), signal("go"), run("tower_a"), wait("b done"), run("head")},
                    {wait("go"), run("tower_b"), signal("b done")}},
                   {{"cat", {{"a", 0, 2}, {"b", 2, 2}}}});
  }
  Result<Schedule> schedule() const { return schedule_of(plan, drawn.graph); }
  std::string refusal() const {
    const auto made = schedule();
    EXPECT_FALSE(made);
    if (made) return "";
    EXPECT_EQ(made.error().kind, ErrorKind::kUsage);
    return made.error().what;
  }
};

TEST(Schedule, IsThePlanOverTheTensorsOfAModel) {
  const Towers towers;
  const auto made = towers.schedule();
  ASSERT_TRUE(made) << made.error().what;
  ASSERT_EQ(made->parts.size(), 4u);
  EXPECT_THAT(made->parts[1].layers, ElementsAre(1, 2));
  EXPECT_THAT(made->parts[1].inputs, ElementsAre(towers.stem));
  EXPECT_THAT(made->parts[1].outputs, ElementsAre(towers.a));
  EXPECT_THAT(made->parts[3].layers, ElementsAre(5));
  EXPECT_THAT(made->parts[3].inputs, ElementsAre(towers.cat));
  EXPECT_THAT(made->program_of, ElementsAre(0, 0, 1, 0));
  EXPECT_EQ(made->flags, 2u);
  ASSERT_EQ(made->programs.size(), 2u);
  EXPECT_EQ(made->programs[0][3].kind, Step::Kind::kWait);
  EXPECT_EQ(made->programs[0][3].index, made->programs[1][2].index);
  EXPECT_EQ(made->programs[1][1].index, 2u);
  EXPECT_THAT(made->order, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(
      made->before,
      ElementsAre(ElementsAre(false, true, true, true), ElementsAre(false, false, false, true),
                  ElementsAre(false, false, false, true), ElementsAre(false, false, false, false)));
  ASSERT_EQ(made->views.size(), 2u);
  EXPECT_EQ(made->views[1].tensor, towers.b);
  EXPECT_EQ(made->views[1].whole, towers.cat);
  EXPECT_EQ(made->views[0].offset, 0u);
  EXPECT_EQ(made->views[1].offset, 6u);
}

TEST(Schedule, SuitsOneStructureAlone) {
  Towers towers;
  towers.plan.format = "tflite";
  EXPECT_EQ(towers.refusal(),
            "the plan is of a model in the format 'tflite', this one is in 'onnx'");
  towers.redraw();
  towers.plan.layers[3] = "Conv(stem) -> b float32[1,2,4]";
  EXPECT_EQ(towers.refusal(),
            "model.layers[3]: the plan has 'Conv(stem) -> b float32[1,2,4]', the model "
            "'Conv(stem) -> b float32[1,2,3]': the plan is of another model");
  towers.redraw();
  towers.plan.layers.pop_back();
  EXPECT_EQ(towers.refusal(),
            "model.layers: the plan has 5 layers, the model 6: the plan is of another model");
  towers.redraw();
  towers.plan.programs[0].steps.pop_back();
  EXPECT_EQ(towers.refusal(), "pieces[3]: no program runs 'head'");
}

TEST(Schedule, AModelWithAStateIsRefused) {
  Towers towers;
  towers.drawn.graph.tensors[0].is_variable = true;
  const auto made = towers.schedule();
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().kind, ErrorKind::kUnsupported);
  EXPECT_EQ(made.error().what,
            "the model keeps a state in 'input': only models whose layers depend on tensors alone "
            "can be taken apart");
}

TEST(Schedule, APieceHasItsInputsAndNoOthers) {
  Towers towers;
  Piece& head = towers.plan.pieces[3];
  head.inputs = {};
  EXPECT_EQ(towers.refusal(), "pieces[3].inputs: piece 'head' needs 'cat', too");
  head.inputs = {"cat", "stem"};
  EXPECT_EQ(towers.refusal(), "pieces[3].inputs: piece 'head' does not need 'stem'; leave it out");
  head.inputs = {"cat", "a_inner"};
  EXPECT_EQ(towers.refusal(),
            "pieces[3].inputs[1]: 'a_inner' is no input of the model, and no piece makes it");
  head.inputs = {"catt"};
  EXPECT_EQ(towers.refusal(),
            "pieces[3].inputs[0]: the model has no tensor 'catt'; did you mean 'cat'?");
  head.inputs = {"cat"};
  head.outputs = {"something"};
  EXPECT_EQ(towers.refusal(), "pieces[3].outputs[0]: the model has no tensor 'something'");
  head.outputs = {"input"};
  EXPECT_EQ(towers.refusal(), "pieces[3].outputs[0]: no layer makes 'input'");
}

TEST(Schedule, WhatAPieceMakesOnTheWayIsFedWhereAnotherHandsItOn) {
  Towers towers;
  // 'a_inner' is made by tower_b now, so that tower_a no longer computes it.
  towers.plan.pieces[2].outputs.push_back("a_inner");
  EXPECT_EQ(towers.refusal(), "pieces[1].inputs: piece 'tower_a' needs 'a_inner', too");
}

TEST(Schedule, APieceReadsWhatIsMadeBefore) {
  Towers towers;
  towers.plan.programs[0].steps.erase(towers.plan.programs[0].steps.begin() + 3);
  EXPECT_EQ(towers.refusal(),
            "pieces[3]: piece 'head' on processor 'cpu0' reads 'cat', which piece 'tower_b' on "
            "'cpu1' may not have made yet: let it wait for a flag that is signalled behind that "
            "piece");
  towers.redraw();
  towers.plan.programs[0].steps = {run("first"), signal("go"), wait("b done"), run("head"),
                                   run("tower_a")};
  EXPECT_EQ(towers.refusal(),
            "pieces[3]: piece 'head' on processor 'cpu0' reads 'cat', which piece 'tower_a' makes "
            "behind it: run that one first");
}

TEST(Schedule, AFlagOverAThirdProcessorIsEnough) {
  Towers towers;
  towers.plan = plan_of(towers.drawn.graph, towers.plan.pieces,
                        {{run("first"), signal("go"), run("tower_a"), wait("relayed"), run("head")},
                         {wait("go"), run("tower_b"), signal("b done")},
                         {wait("b done"), signal("relayed")}},
                        towers.plan.merges);
  const auto made = towers.schedule();
  ASSERT_TRUE(made) << made.error().what;
  EXPECT_TRUE(made->before[2][3]);
}

TEST(Schedule, OutputsOfCapturedLayersComeFromTheFirstPieceThatMakesThem) {
  Towers towers;
  Drawn& drawn = towers.drawn;
  drawn.graph.outputs = {towers.output, towers.a_inner, towers.stem, towers.cat, towers.input};
  const auto made = towers.schedule();
  ASSERT_TRUE(made) << made.error().what;
  EXPECT_THAT(made->parts[1].outputs, ElementsAre(towers.a, towers.a_inner));
  EXPECT_THAT(made->parts[0].outputs, ElementsAre(towers.stem));
  EXPECT_THAT(made->parts[3].outputs, ElementsAre(towers.output));
}

TEST(Schedule, AnOutputThatTwoPiecesComputeComesFromTheFirst) {
  Towers towers;
  // Without a piece for the stem, both towers compute it.
  Plan& plan = towers.plan;
  plan.pieces.erase(plan.pieces.begin());
  plan.pieces[0].inputs = plan.pieces[1].inputs = {"input"};
  plan.programs[0].steps = {run("tower_a"), wait("b done"), run("head")};
  plan.programs[1].steps = {run("tower_b"), signal("b done")};
  towers.drawn.graph.outputs.push_back(towers.stem);
  const auto made = towers.schedule();
  ASSERT_TRUE(made) << made.error().what;
  EXPECT_THAT(made->parts[0].outputs, ElementsAre(towers.a, towers.stem));
  EXPECT_THAT(made->parts[1].layers, ElementsAre(0, 3));
  EXPECT_THAT(made->parts[1].outputs, ElementsAre(towers.b));
}

TEST(Schedule, AnOutputThatNoPieceMakesIsNamed) {
  Towers towers;
  towers.drawn.graph.outputs.push_back(towers.drawn.layer("aside", {towers.stem}));
  towers.redraw();
  EXPECT_EQ(towers.refusal(),
            "'aside' is an output of the model that no piece makes; let one make it");
  // A layer that no output needs may lie in no piece.
  towers.drawn.graph.outputs.pop_back();
  EXPECT_TRUE(towers.schedule());
}

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
            "pieces[3].inputs[0]: 'cat' is no input of the model, and no piece makes it");
}

TEST(ScheduleMerge, ItsSlicesLieOneBehindTheOther) {
  EXPECT_TRUE(Towers("tflite", {1, 1, 2, 3}, {1, 1, 4, 3}, "CONCATENATION").schedule());
  EXPECT_EQ(Towers("onnx", {2, 2, 3}, {2, 4, 3}).refusal(),
            "merges[0]: 'cat' (2x4x3) is joined along dimension 1, and those before it are not all "
            "1: its slices do not lie one behind the other; let a piece make it");
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
            "may not have made yet: let it wait for a flag that is signalled behind that piece");
}

TEST(Schedule, OfARealModelHasEachLayerOnce) {
  model::FileBytes file;
  const auto graph =
      model::load(std::string(test::source_dir()) + "/models/inception_like.onnx", file);
  ASSERT_TRUE(graph) << graph.error().what;
  const Plan plan = plan_of(*graph,
                            {{"stem", {"image"}, {"stem"}},
                             {"one", {"stem"}, {"block1/one", "block1/conv5"}},
                             {"two", {"stem"}, {"block1/conv3", "block1/project"}},
                             {"head", {"block1/concat"}, {"probabilities"}}},
                            {{run("stem"), signal("stem"), run("one"), wait("two"), run("head")},
                             {wait("stem"), run("two"), signal("two")}},
                            {{"block1/concat",
                              {{"block1/one", 0, 12},
                               {"block1/conv3", 12, 12},
                               {"block1/conv5", 24, 12},
                               {"block1/project", 36, 12}}}});
  const auto read = read_plan(to_json(plan));
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(*read, plan);
  const auto made = schedule_of(*read, *graph);
  ASSERT_TRUE(made) << made.error().what;
  std::vector<int> times(graph->layers.size());
  for (const model::Part& part : made->parts)
    for (const int layer : part.layers) ++times[at(layer)];
  for (std::size_t i = 0; i < times.size(); ++i)
    EXPECT_EQ(times[i], graph->layers[i].type == "Concat" && i < 20 ? 0 : 1) << plan.layers[i];
  EXPECT_EQ(made->views[3].offset, 36u * 32 * 32);
}

TEST(Schedule, OfManyPiecesTakesSeconds) {
  Drawn drawn;
  std::vector<Piece> pieces;
  std::vector<std::vector<Step>> programs(2);
  int last = drawn.input("t0");
  for (int i = 0; i < static_cast<int>(kMostPieces); ++i) {
    const std::string from = "t" + std::to_string(i), to = "t" + std::to_string(i + 1);
    last = drawn.layer(to, {last});
    pieces.push_back({to, {from}, {to}});
    std::vector<Step>& steps = programs[at(i % 2)];
    if (i > 0) steps.push_back(wait(from));
    steps.push_back(run(to));
    steps.push_back(signal(to));
  }
  drawn.graph.outputs = {last};
  const Plan plan = plan_of(drawn.graph, std::move(pieces), std::move(programs));
  const auto made = schedule_of(plan, drawn.graph);
  ASSERT_TRUE(made) << made.error().what;
  EXPECT_TRUE(made->before[0][kMostPieces - 1]);
  EXPECT_FALSE(made->before[kMostPieces - 1][0]);
  EXPECT_EQ(made->order.size(), kMostPieces);
}

}  // namespace
}  // namespace edgeprobe::stretch::testing
