// SPDX-License-Identifier: Apache-2.0
// Plans over the tensors of a model: graphs drawn by hand, and those of the repository.
#include "stretch/schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "core/index.h"
#include "model/graph.h"
#include "model/state.h"
#include "source_dir.h"
#include "towers.h"

namespace edgeprobe::stretch::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

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
            "the model keeps a state in 'input': only models whose layers depend only on tensors "
            "can be divided");
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
            "pieces[3].inputs[1]: 'a_inner' is not an input of the model, and no piece makes it");
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
  // Now tower_b makes 'a_inner', so tower_a no longer computes it.
  towers.plan.pieces[2].outputs.push_back("a_inner");
  EXPECT_EQ(towers.refusal(), "pieces[1].inputs: piece 'tower_a' needs 'a_inner', too");
}

TEST(Schedule, APieceCanReadWhatItHandsOnItself) {
  Towers towers;
  towers.plan.pieces[1].outputs.push_back("a_inner");
  const auto made = towers.schedule();
  ASSERT_TRUE(made) << made.error().what;
  EXPECT_THAT(made->parts[1].layers, ElementsAre(1, 2));
  EXPECT_THAT(made->parts[1].inputs, ElementsAre(towers.stem));
  EXPECT_THAT(made->parts[1].outputs, ElementsAre(towers.a, towers.a_inner));
}

TEST(Schedule, APieceReadsWhatIsMadeBefore) {
  Towers towers;
  towers.plan.programs[0].steps.erase(towers.plan.programs[0].steps.begin() + 3);
  EXPECT_EQ(
      towers.refusal(),
      "pieces[3]: piece 'head' on processor 'cpu0' reads 'cat', which piece 'tower_b' on "
      "'cpu1' may not have made yet: let it wait for a flag that is signalled after that piece");
  towers.redraw();
  towers.plan.programs[0].steps = {run("first"), signal("go"), wait("b done"), run("head"),
                                   run("tower_a")};
  EXPECT_EQ(towers.refusal(),
            "pieces[3]: piece 'head' on processor 'cpu0' reads 'cat', which piece 'tower_a' makes "
            "after it: run that one first");
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
  // A layer that no output needs may be in no piece.
  towers.drawn.graph.outputs.pop_back();
  EXPECT_TRUE(towers.schedule());
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

TEST(Schedule, AnyModelCanBeOnePiece) {
  const char* const given = std::getenv("EDGEPROBE_SHARED_DATA");
  const std::filesystem::path source = test::source_dir();
  std::size_t models = 0;
  for (const std::filesystem::path& folder :
       {source / "models", given ? std::filesystem::path(given) / "models" : source / "models"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      const std::string kind = entry.path().extension();
      if (kind != ".onnx" && kind != ".tflite") continue;
      model::FileBytes file;
      const auto graph = model::load(entry.path(), file);
      if (!graph || !model::state_of(*graph).empty()) continue;
      const std::vector<std::string> names = tensor_texts(*graph);
      std::vector<bool> fed(graph->tensors.size());
      for (const int tensor : graph->inputs) fed[at(tensor)] = true;
      std::vector<int> outputs;
      for (const model::Layer& layer : graph->layers)
        for (const int tensor : layer.outputs)
          if (std::count(graph->outputs.begin(), graph->outputs.end(), tensor))
            outputs.push_back(tensor);
      if (outputs.size() != std::set<int>(graph->outputs.begin(), graph->outputs.end()).size())
        continue;  // The output is a constant or an input.
      const model::Part whole = model::part_for(*graph, outputs, fed);
      Piece piece{"all", {}, {}};
      for (const int tensor : whole.inputs) piece.inputs.push_back(names[at(tensor)]);
      for (const int tensor : outputs) piece.outputs.push_back(names[at(tensor)]);
      const Plan plan = plan_of(*graph, {piece}, {{run("all")}});
      const auto read = read_plan(to_json(plan));
      ASSERT_TRUE(read) << entry.path() << ": " << read.error().what;
      EXPECT_EQ(*read, plan) << entry.path();
      const auto made = schedule_of(*read, *graph);
      ASSERT_TRUE(made) << entry.path() << ": " << made.error().what;
      EXPECT_EQ(made->parts[0].layers, whole.layers) << entry.path();
      ++models;
    }
  EXPECT_GE(models, 4u);
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
