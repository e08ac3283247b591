// SPDX-License-Identifier: Apache-2.0
// Parts of .onnx files, byte by byte; what they compute is in onnx_cut_test.py.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/cut.h"
#include "model/onnx/onnx.h"
#include "proto_writer.h"

namespace edgeprobe::model {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

Graph read(std::string_view file) {
  auto graph = read_onnx(view_of(file), "m.onnx", "");
  EXPECT_TRUE(graph) << graph.error().what;
  return graph ? *std::move(graph) : Graph{};
}

std::string cut_text(const Graph& graph, std::string_view file, const Part& part) {
  const auto bytes = cut(graph, view_of(file), part);
  EXPECT_TRUE(bytes) << bytes.error().what;
  return bytes ? std::string(ByteView(*bytes).text()) : "";
}

void expect_refused(std::string_view file, const Part& part, ErrorKind kind,
                    const std::string& what) {
  const auto bytes = cut(read(file), view_of(file), part);
  ASSERT_FALSE(bytes) << what;
  EXPECT_EQ(bytes.error().kind, kind) << bytes.error().what;
  EXPECT_THAT(bytes.error().what, HasSubstr(what));
}

TEST(CutOnnx, IsTheFileWithoutWhatThePartDoesNotNeed) {
  const SmallOnnx small;  // Tensors: x, w, sum, y.
  const std::string file = small.bytes();
  const std::string sum = value("sum", 1, {2});
  const auto with = [&](const std::string& graph) {
    return number(1, 8) + field(2, "test") + field(7, graph) +
           field(8, field(1, "") + number(2, 17));
  };
  EXPECT_EQ(cut_text(read(file), file, {{0}, {0}, {2}}),
            with(field(1, small.add) + field(2, "g") + field(5, small.w) + field(11, small.x) +
                 field(12, sum)));
  EXPECT_EQ(cut_text(read(file), file, {{1}, {2}, {3}}),
            with(field(1, small.relu) + field(2, "g") + field(11, sum) + field(12, small.y)));
}

TEST(CutOnnx, KeepsFieldsThatItDoesNotKnowAndDropsTraining) {
  SmallOnnx small;
  small.in_graph =
      tag(203, 3) + number(1, 7) + tag(203, 4) + field(204, "graph") + field(10, "text");
  small.in_model = field(25, field(1, "f")) + field(20, field(1, "training")) +
                   field(14, field(1, "k") + field(2, "v"));
  const std::string file = small.bytes();
  const std::string part = cut_text(read(file), file, {{1}, {2}, {3}});
  EXPECT_THAT(part, HasSubstr(tag(203, 3) + number(1, 7) + tag(203, 4) + field(204, "graph") +
                              field(10, "text")));
  EXPECT_THAT(part, HasSubstr(field(25, field(1, "f")) + field(14, field(1, "k") + field(2, "v"))));
  EXPECT_THAT(part, Not(HasSubstr("training")));
}

TEST(CutOnnx, KeepsTheNamesOfOpenDimensions) {
  SmallOnnx small;
  small.x = value("x", 1, {-1});
  small.w = tensor("w", 1, {1}, field(9, "1234"));
  small.in_graph = field(13, value("sum", 1, {-1}));
  const std::string file = small.bytes();
  EXPECT_THAT(cut_text(read(file), file, {{1}, {2}, {3}}),
              HasSubstr(field(11, value("sum", 1, {-1}))));
  // Not even the number of dimensions is known.
  small.in_graph.clear();
  small.x = field(1, "x") + field(2, field(1, number(1, 1)));
  const std::string open = small.bytes();
  EXPECT_THAT(cut_text(read(open), open, {{1}, {2}, {3}}),
              HasSubstr(field(11, field(1, "sum") + field(2, field(1, number(1, 1))))));
}

TEST(CutOnnx, PartsThatDoNotFit) {
  SmallOnnx small;
  const std::string file = small.bytes();
  expect_refused(file, {{}, {0}, {3}}, ErrorKind::kUsage, "needs at least one layer");
  expect_refused(file, {{0}, {0}, {}}, ErrorKind::kUsage, "needs at least one output");
  expect_refused(file, {{2}, {0}, {3}}, ErrorKind::kUsage, "names layer 2, the graph has 2");
  expect_refused(file, {{1, 0}, {0}, {3}}, ErrorKind::kUsage, "ascending");
  expect_refused(file, {{0}, {4}, {2}}, ErrorKind::kUsage, "names tensor 4, the graph has 4");
  expect_refused(file, {{1}, {}, {3}}, ErrorKind::kUsage,
                 "lacks the input 'sum', which layer 1 reads");
  expect_refused(file, {{0}, {0}, {3}}, ErrorKind::kUsage, "does not make its output 'y'");
  expect_refused(file, {{0}, {0}, {2, 2}}, ErrorKind::kUsage, "has the output 'sum' twice");
  expect_refused(file, {{0}, {0, 0}, {2}}, ErrorKind::kUsage, "has the input 'x' twice");
  expect_refused(file, {{0}, {0, 1}, {2}}, ErrorKind::kUsage, "has the constant 'w' as an input");
  expect_refused(file, {{0, 1}, {0, 2}, {3}}, ErrorKind::kUsage, "makes its input 'sum' itself");
}

TEST(CutOnnx, AnInputNeedsAType) {
  SmallOnnx small;
  small.add = node("Whatever", {"x", "w"}, {"sum"}, field(7, "somewhere"));
  const std::string file = small.bytes();
  expect_refused(file, {{1}, {2}, {3}}, ErrorKind::kUnsupported,
                 "the type of 'sum' is unknown, so it cannot be an input");
  EXPECT_THAT(one_op(read(file), 1).layers, ElementsAre(0, 1)) << "it is computed instead";
}

TEST(CutOnnx, AnotherFileThanTheGraphs) {
  SmallOnnx small;
  const std::string file = small.bytes();
  const Graph graph = read(file);
  const Part part{{1}, {2}, {3}};
  small.in_graph = field(1, node("Neg", {"y"}, {"z"}));
  EXPECT_EQ(cut(graph, view_of(small.bytes()), part).error().kind, ErrorKind::kUsage);
  small = {};
  small.relu = node("Neg", {"sum"}, {"y"});
  EXPECT_EQ(cut(graph, view_of(small.bytes()), part).error().kind, ErrorKind::kUsage);
  small = {};
  small.w = tensor("w", 1, {1}, field(9, "1234"));
  EXPECT_EQ(cut(graph, view_of(small.bytes()), {{0}, {0}, {2}}).error().kind, ErrorKind::kUsage);
  EXPECT_EQ(cut(graph, view_of("nothing of the kind"), part).error().kind, ErrorKind::kCorrupt);
}

std::string branch(const std::string& nodes, std::string_view output) {
  return field(5, field(1, "then_branch") + field(6, nodes + field(12, value(output, 1, {2}))));
}

TEST(ImplicitInputs, AreWhatBodiesReadAndDoNotMake) {
  SmallOnnx small;
  const std::string inner = branch(field(1, node("Mul", {"own", "sum"}, {"deep"})), "deep");
  const std::string outer =
      branch(field(1, node("Neg", {"w"}, {"own"})) + field(1, node("If", {"own"}, {"r"}, inner)) +
                 field(1, node("Add", {"r", "nowhere"}, {"t"})),
             "t");
  small.relu = node("If", {"x"}, {"y"}, outer);
  const std::string file = small.bytes();
  const Graph graph = read(file);
  EXPECT_THAT(graph.layers[0].implicit_inputs, IsEmpty());
  EXPECT_THAT(graph.layers[1].implicit_inputs, ElementsAre(1, 2));
  EXPECT_EQ(graph.subgraph_count, 3);
  const Part part = one_op(graph, 1);
  EXPECT_THAT(part.layers, ElementsAre(1));
  EXPECT_THAT(part.inputs, ElementsAre(0, 2));
  EXPECT_THAT(cut_text(graph, file, part), HasSubstr(field(5, small.w)));
}

TEST(ImplicitInputs, ABodyInPartsIsOneBody) {
  SmallOnnx small;
  const std::string g =
      field(5, field(1, "then_branch") + field(6, field(1, node("Add", {"own", "sum"}, {"t"}))) +
                   field(6, field(1, node("Neg", {"w"}, {"own"})) + field(12, value("t", 1, {2}))));
  small.relu = node("If", {"x"}, {"y"}, g);
  small.in_graph = field(1, node("Relu", {"y"}, {"own"}));
  const Graph graph = read(small.bytes());
  EXPECT_THAT(graph.layers[1].implicit_inputs, ElementsAre(1, 2)) << "`own` is the body's";
  EXPECT_EQ(graph.subgraph_count, 2);
}

TEST(PartFor, AnOutputThatNoLayerMakesIsAnInput) {
  SmallOnnx small;
  small.in_graph = field(12, small.x) + field(12, value("w", 1, {2}));
  const std::string file = small.bytes();
  const Graph graph = read(file);
  const Part part = rest_after(graph, 0, graph.outputs);
  EXPECT_THAT(part.inputs, ElementsAre(0, 2));
  EXPECT_THAT(part.outputs, ElementsAre(3, 0, 1));
  EXPECT_THAT(cut_text(graph, file, part), HasSubstr(field(5, small.w)));
}

}  // namespace
}  // namespace edgeprobe::model
