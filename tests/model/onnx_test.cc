// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "model/graph.h"
#include "model/onnx/onnx.h"
#include "proto_writer.h"

namespace edgeprobe::model {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::SmallOnnx;

Graph read(const std::string& bytes) {
  auto graph = read_model(view_of(bytes), "m.onnx", "");
  EXPECT_TRUE(graph) << graph.error().what;
  return graph ? *std::move(graph) : Graph{};
}

TEST(ReadOnnx, ShowsLayersTensorsAndConstants) {
  const std::string file = SmallOnnx{}.bytes();
  const Graph graph = read(file);
  EXPECT_EQ(graph.format, "onnx");
  EXPECT_EQ(graph.producer, "test");
  EXPECT_EQ(graph.opsets.at("ai.onnx"), 17);
  EXPECT_EQ(graph.sha256.size(), 64u);
  ASSERT_EQ(graph.layers.size(), 2u);
  EXPECT_EQ(graph.layers[0].type, "Add");
  EXPECT_EQ(graph.layers[0].version, 17);
  ASSERT_EQ(graph.tensors.size(), 4u);
  EXPECT_EQ(graph.tensors[2].spec.name, "sum");
  EXPECT_EQ(graph.tensors[2].spec.shape, Shape{2});  // The file does not state it: it follows from
                                                     // x and w.
  EXPECT_EQ(graph.tensors[2].spec.dtype, DType::kFloat32);
  EXPECT_EQ(graph.parameters(), 2u);
  const auto w = constant(graph, view_of(file), 1);
  ASSERT_TRUE(w);
  EXPECT_THAT(*to_float(*w), ElementsAre(1.f, 2.f));
  EXPECT_THAT(capturable(graph), ElementsAre(2, 3));
}

TEST(ReadOnnx, TakesTheFieldsInAnyOrderAndAMessageInParts) {
  const SmallOnnx small;
  using namespace testing;
  const std::string late =
      field(7, field(12, small.y) + field(1, small.add)) + field(8, number(2, 13)) +
      field(7, field(1, small.relu) + field(5, small.w) + field(11, small.x)) + number(1, 8);
  const Graph graph = read(late);
  EXPECT_EQ(graph.layers.size(), 2u);
  EXPECT_EQ(graph.opsets.at("ai.onnx"), 13);
}

TEST(ReadOnnx, PassesOverWhatItDoesNotKnow) {
  using namespace testing;
  SmallOnnx small;
  // A field of every wire type, a nested group, and a negative number of ten bytes.
  small.in_model = number(200, ~std::uint64_t{0}) + tag(201, 1) + "12345678" + tag(202, 5) +
                   "1234" + field(203, "text") + tag(204, 3) + tag(205, 3) + number(1, 7) +
                   tag(205, 4) + tag(204, 4);
  EXPECT_EQ(read(small.bytes()).layers.size(), 2u);
}

TEST(ReadOnnx, MissingDimensionsAndTypesStayOpen) {
  using namespace testing;
  SmallOnnx small;
  small.x = value("x", 1, {-1, 2});
  small.add = node("MyOp", {"x", "w"}, {"sum"}, field(7, "my.domain"));
  small.y = field(1, "y");
  const Graph graph = read(small.bytes());
  EXPECT_EQ(graph.layers[0].type, "my.domain:MyOp");
  EXPECT_EQ(graph.tensors[0].spec.shape, (Shape{-1, 2}));
  EXPECT_EQ(graph.tensors[2].stored_type, "unknown");
  EXPECT_FALSE(graph.tensors[2].shape_known);
  EXPECT_EQ(graph.layers[0].macs, std::nullopt);
  EXPECT_THAT(capturable(graph), ElementsAre());
  ASSERT_EQ(graph.warnings.size(), 1u);
  EXPECT_THAT(graph.warnings[0], HasSubstr("the types of 2 tensors"));
}

TEST(ReadOnnx, GroupsCountAnUnknownShapeAsAtLeastASixteenthOfTheBudget) {
  Graph graph;
  for (int i = 0; i < 20; ++i) {
    ModelTensor tensor;
    tensor.shape_known = false;
    tensor.spec.name = "t" + std::to_string(i);
    graph.tensors.push_back(tensor);
  }
  std::vector<int> all;
  for (int i = 0; i < 20; ++i) all.push_back(i);
  const auto groups = capture_groups(graph, all, 1600);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].size(), 16u);
}

TEST(PromoteOnnx, OnlyAddsBytesAtTheEnd) {
  const std::string file = SmallOnnx{}.bytes();
  const Graph graph = read(file);
  const auto promoted = promote(graph, view_of(file), {2});
  ASSERT_TRUE(promoted) << promoted.error().what;
  EXPECT_EQ(ByteView(*promoted).text().substr(0, file.size()), file);
  EXPECT_EQ(promoted->size() - file.size(),
            2u + 2u + 2u + 3u);  // Graph, output and name, a tag and a length each; "sum".
  EXPECT_THAT(read_model(*promoted, "p", "")->outputs, ElementsAre(3, 2));
  EXPECT_EQ(promote(graph, view_of(file), {3})->size(), file.size());
  EXPECT_EQ(promote(graph, view_of(file), {1}).error().kind, ErrorKind::kUsage);
  SmallOnnx other;
  other.x = testing::value("x", 1, {1});
  EXPECT_EQ(promote(graph, view_of(other.bytes()), {2}).error().kind, ErrorKind::kCorrupt);
}

// A shape stored outside of the file determines other shapes; promote() must find it again.
TEST(PromoteOnnx, FindsTheValuesOutsideThatShapesFollowFrom) {
  std::string name = (std::filesystem::temp_directory_path() / "edgeprobe-shape-XXXXXX").string();
  ASSERT_NE(::mkdtemp(name.data()), nullptr);
  std::ofstream(name + "/shape.bin", std::ios::binary)
      << std::string("\2\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0", 16);
  SmallOnnx small;
  small.w = testing::tensor("shape", 7, {2}, testing::external("shape.bin", "", ""));
  small.add = testing::node("Reshape", {"x", "shape"}, {"sum"});
  small.y = testing::field(1, "y");
  const std::string file = small.bytes();
  const auto graph = read_onnx(view_of(file), "m", name);
  ASSERT_TRUE(graph) << graph.error().what;
  EXPECT_EQ(graph->tensors[2].spec.shape, (Shape{2, 1}));
  const auto promoted = promote(*graph, view_of(file), {2});
  EXPECT_TRUE(promoted) << promoted.error().what;
  std::filesystem::remove_all(name);
}

class ExternalValues : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name =
        (std::filesystem::temp_directory_path() / "edgeprobe-external-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    root_ = name;
    std::filesystem::create_directories(root_ / "model/inner");
    put("outside.bin", std::string(64, 'o'));
    put("model/w.bin", std::string(16, '\0') + std::string("\0\0\x80\x3f\0\0\0\x40", 8));
    put("model/inner/w.bin", std::string(8, '\0'));
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  void put(const std::string& name, const std::string& contents) {
    std::ofstream(root_ / name, std::ios::binary) << contents;
  }

  Result<Graph> read_with(std::string_view location, std::string_view offset = "",
                          std::string_view length = "") {
    SmallOnnx small;
    small.w = testing::tensor("w", 1, {2}, testing::external(location, offset, length));
    file_ = small.bytes();
    put("model/m.onnx", file_);
    FileBytes loaded;
    return load(root_ / "model/m.onnx", loaded);
  }
  void expect_refused(ErrorKind kind, const std::string& what, std::string_view location,
                      std::string_view offset = "", std::string_view length = "") {
    const auto graph = read_with(location, offset, length);
    ASSERT_FALSE(graph) << location;
    EXPECT_EQ(graph.error().kind, kind) << graph.error().what;
    EXPECT_THAT(graph.error().what, HasSubstr(what));
  }

  std::filesystem::path root_;
  std::string file_;
};

TEST_F(ExternalValues, AreReadFromTheModelsFolder) {
  const auto graph = read_with("w.bin", "16", "8");
  ASSERT_TRUE(graph) << graph.error().what;
  EXPECT_EQ(graph->tensors[1].external_file, "w.bin");
  EXPECT_EQ(graph->tensors[1].storage, ModelTensor::Storage::kExternal);
  EXPECT_THAT(*to_float(*constant(*graph, view_of(file_), 1)), ElementsAre(1.f, 2.f));
  const auto promoted = promote(*graph, view_of(file_), {2});
  EXPECT_TRUE(promoted) << promoted.error().what;
  const std::string before = graph->sha256;
  put("model/w.bin", std::string(24, '\1'));
  EXPECT_NE(read_with("w.bin", "16", "8")->sha256, before);  // Other weights are another model.
  EXPECT_TRUE(read_with("inner/w.bin"));
  EXPECT_TRUE(read_with("./w.bin", "0"));
}

TEST_F(ExternalValues, AreNotFollowedOutOfTheFolder) {
  expect_refused(ErrorKind::kUnsupported, "'..'", "../outside.bin");
  expect_refused(ErrorKind::kUnsupported, "'..'", "inner/../../outside.bin");
  expect_refused(ErrorKind::kUnsupported, "'..'", "inner/../w.bin");
  expect_refused(ErrorKind::kUnsupported, "absolute", (root_ / "model/w.bin").string());
  expect_refused(ErrorKind::kUnsupported, "is empty or contains a NUL byte", "");
  expect_refused(ErrorKind::kUnsupported, "is empty or contains a NUL byte",
                 std::string_view("w.bin\0x", 7));
  std::filesystem::create_symlink(root_ / "outside.bin", root_ / "model/link.bin");
  std::filesystem::create_directory_symlink(root_, root_ / "model/up");
  std::filesystem::create_symlink(root_ / "model/w.bin", root_ / "model/inside.bin");
  expect_refused(ErrorKind::kUnsupported, "through a link", "link.bin");
  expect_refused(ErrorKind::kUnsupported, "through a link", "up/outside.bin");
  EXPECT_TRUE(read_with("inside.bin"));
}

TEST_F(ExternalValues, MissingOrTruncatedValuesAreNamed) {
  expect_refused(ErrorKind::kNotFound, "nothere.bin", "nothere.bin");
  expect_refused(ErrorKind::kUsage, "not a regular file", "inner");
  expect_refused(ErrorKind::kCorrupt, "which has 24 bytes", "w.bin", "17");
  expect_refused(ErrorKind::kCorrupt, "which has 24 bytes", "w.bin", "18446744073709551615");
  expect_refused(ErrorKind::kCorrupt, "needs 8", "w.bin", "0", "12");
  expect_refused(ErrorKind::kCorrupt, "expected whole numbers", "w.bin", "-1");
  expect_refused(ErrorKind::kCorrupt, "expected whole numbers", "w.bin", "0x10");
  expect_refused(ErrorKind::kCorrupt, "expected whole numbers", "w.bin", "99999999999999999999");
}

TEST_F(ExternalValues, AreCheckedAgainWhenTheyAreRead) {
  const auto graph = read_with("w.bin", "16");
  ASSERT_TRUE(graph);
  put("model/w.bin", "short");
  EXPECT_EQ(constant(*graph, view_of(file_), 1).error().kind, ErrorKind::kCorrupt);
  std::filesystem::remove(root_ / "model/w.bin");
  std::filesystem::create_symlink(root_ / "outside.bin", root_ / "model/w.bin");
  EXPECT_EQ(constant(*graph, view_of(file_), 1).error().kind, ErrorKind::kUnsupported);
  EXPECT_EQ(constant(*read_onnx(view_of(file_), "m", ""), view_of(file_), 1).error().kind,
            ErrorKind::kUsage);
}

TEST(FileBytes, AreMappedAboveTheLimitAndStayInPlaceWhenMoved) {
  std::string name = (std::filesystem::temp_directory_path() / "edgeprobe-large-XXXXXX").string();
  const int file = ::mkstemp(name.data());
  ASSERT_GE(file, 0);
  // Sparse: takes no bytes on the disk.
  ASSERT_EQ(::ftruncate(file, static_cast<off_t>(FileBytes::kMappedAbove + 1)), 0);
  ::close(file);
  auto opened = FileBytes::open(name);
  std::filesystem::remove(name);
  ASSERT_TRUE(opened) << opened.error().what;
  EXPECT_TRUE(opened->is_mapped());
  EXPECT_EQ(opened->view().size, FileBytes::kMappedAbove + 1);
  const std::byte* const data = opened->view().data;
  const FileBytes moved = *std::move(opened);
  EXPECT_EQ(moved.view().data, data);
  EXPECT_FALSE(FileBytes(Bytes(3)).is_mapped());
}

}  // namespace
}  // namespace edgeprobe::model
