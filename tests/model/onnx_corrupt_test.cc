// SPDX-License-Identifier: Apache-2.0
// .onnx files that lie: every one is refused with a sentence, or read without harm.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>

#include "core/file.h"
#include "model/format.h"
#include "model/onnx/onnx.h"
#include "model/tflite/tflite.h"
#include "proto_writer.h"
#include "small_model.h"
#include "source_dir.h"

namespace edgeprobe::model {
namespace {

using namespace testing;
using ::testing::HasSubstr;
using ::testing::StartsWith;

void use(const Graph& graph, ByteView file) {
  (void)graph.macs();
  for (std::size_t i = 0; i < graph.tensors.size(); ++i)
    if (const auto values = constant(graph, file, static_cast<int>(i))) (void)to_float(*values);
  const auto tensors = capturable(graph);
  (void)capture_groups(graph, tensors, 64);
  (void)promote(graph, file, tensors);
  (void)attributes(graph, file);
  const int most = file.size < 4096 ? 8 : 1;  // Each is read twice.
  for (const Layer& layer : graph.layers) {
    if (layer.index >= most) break;
    (void)cut(graph, file, one_op(graph, layer.index));
    (void)cut(graph, file, rest_after(graph, layer.index, graph.outputs));
  }
}

void expect_refused(const std::string& file, ErrorKind kind, const std::string& what) {
  const auto graph = read_model(view_of(file), "m.onnx", "");
  ASSERT_FALSE(graph) << what;
  EXPECT_EQ(graph.error().kind, kind) << graph.error().what;
  EXPECT_THAT(graph.error().what, StartsWith("m.onnx"));
  EXPECT_THAT(graph.error().what, HasSubstr(what));
}

TEST(CorruptOnnx, CutAtEveryByteAndWithEveryBitFlipped) {
  const std::string good = SmallOnnx{}.bytes();
  for (std::size_t size = 0; size < good.size(); ++size) {
    const std::string cut = good.substr(0, size);
    if (const auto graph = read_onnx(view_of(cut), "m", "")) use(*graph, view_of(cut));
  }
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    std::string bad = good;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << (bit % 8)));
    if (const auto graph = read_onnx(view_of(bad), "m", "")) use(*graph, view_of(bad));
  }
}

TEST(CorruptOnnx, ABodyCutAtEveryByteAndWithEveryBitFlipped) {
  SmallOnnx small;
  const std::string inner =
      field(5, field(1, "else_branch") + field(6, field(1, node("Add", {"own", "sum"}, {"t"})) +
                                                      field(12, value("t", 1, {2}))));
  const std::string body =
      field(1, node("Neg", {"w"}, {"own"})) + field(1, node("If", {"own"}, {"r"}, inner)) +
      field(12, value("r", 1, {2})) + field(5, tensor("v", 1, {1}, field(9, "1234"))) +
      field(11, value("in", 1, {2}));
  small.relu = node("If", {"x"}, {"y"}, field(5, field(1, "then_branch") + field(6, body)));
  small.in_graph = field(13, value("sum", 1, {-1})) +
                   field(14, field(1, "sum") + field(2, field(1, "SCALE_TENSOR") + field(2, "w")));
  const std::string good = small.bytes();
  ASSERT_TRUE(read_onnx(view_of(good), "m", ""));
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    std::string bad = good;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << (bit % 8)));
    if (const auto graph = read_onnx(view_of(bad), "m", "")) use(*graph, view_of(bad));
    bad = good.substr(0, bit / 8);
    if (bit % 8) continue;
    if (const auto graph = read_onnx(view_of(bad), "m", "")) use(*graph, view_of(bad));
  }
}

TEST(CorruptOnnx, ACutFileThatChangedSinceItWasRead) {
  SmallOnnx small;
  const std::string good = small.bytes();
  const Graph graph = *read_onnx(view_of(good), "m", "");
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    std::string bad = good;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << (bit % 8)));
    const auto part = cut(graph, view_of(bad), one_op(graph, 0));
    if (part) EXPECT_TRUE(read_onnx(*part, "part", "")) << bit;
    else EXPECT_FALSE(part.error().what.empty());
  }
}

TEST(CorruptOnnx, OurOwnModelCutAndFlippedNeverCrashes) {
  const Bytes good =
      *read_file(std::filesystem::path(edgeprobe::test::source_dir()) / "models/signs_int8.onnx");
  for (std::size_t size = 0; size < good.size(); size += 211) {
    const Bytes cut(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size));
    const auto graph = read_onnx(cut, "m", "");
    EXPECT_FALSE(graph) << size;  // Every length except the last ends inside of a message.
  }
  for (std::size_t bit = 0; bit < good.size() * 8; bit += 997) {
    Bytes bad = good;
    bad[bit / 8] ^= static_cast<std::byte>(1 << (bit % 8));
    if (const auto graph = read_onnx(bad, "m", "")) use(*graph, bad);
  }
}

TEST(CorruptOnnx, LengthsAndNumbersThatPassTheEnd) {
  SmallOnnx small;
  small.in_model = tag(2, 2) + varint(1 << 20);
  expect_refused(small.bytes(), ErrorKind::kCorrupt, "of 1048576 bytes, where 0 are left");
  small.in_model = tag(2, 2) + varint(~std::uint64_t{0});
  expect_refused(small.bytes(), ErrorKind::kCorrupt, "of 18446744073709551615 bytes");
  small.in_model = tag(1, 0) + std::string(11, '\xff');
  expect_refused(small.bytes(), ErrorKind::kCorrupt, "over 10 bytes");
  small.in_model = tag(99, 1) + "1234";
  expect_refused(small.bytes(), ErrorKind::kCorrupt, "ends inside a number");
  small.in_model = tag(99, 6);
  expect_refused(small.bytes(), ErrorKind::kCorrupt, "wire type 6");
  small.in_model = std::string(1, '\0');
  expect_refused(small.bytes(), ErrorKind::kCorrupt, "a field whose number is 0");
  small.in_model = tag(99, 3) + number(1, 1);
  expect_refused(small.bytes(), ErrorKind::kCorrupt, "ends inside a number");
  small.in_model.clear();
  for (int i = 0; i < 200; ++i) small.in_model += tag(99, 3);
  expect_refused(small.bytes(), ErrorKind::kLimit, "groups inside each other");
}

TEST(CorruptOnnx, GraphsThatDoNotFitTogether) {
  SmallOnnx small;
  small.add = node("Add", {"x", "nowhere"}, {"sum"});
  expect_refused(small.bytes(), ErrorKind::kCorrupt,
                 "takes 'nowhere', which no part of the graph makes");
  small = {};
  small.add = node("Add", {"x", "w"}, {"y"});
  expect_refused(small.bytes(), ErrorKind::kCorrupt,
                 "makes 'y', which another part of the graph makes already");
  small = {};
  small.add = node("", {"x", "w"}, {"sum"});
  expect_refused(small.bytes(), ErrorKind::kCorrupt, "names no operator");
  small = {};
  small.y = value("z", 1, {2});
  expect_refused(small.bytes(), ErrorKind::kCorrupt, "is 'z', which no part of the graph makes");
  small = {};
  small.in_graph = field(5, small.w);
  expect_refused(small.bytes(), ErrorKind::kCorrupt, "makes 'w'");
  expect_refused(number(1, 8) + field(2, "test") + field(8, number(2, 17)), ErrorKind::kCorrupt,
                 "graph at offset 0 is missing");
}

TEST(CorruptOnnx, ACircleOfNodesIsReadWithAWarning) {
  SmallOnnx small;
  small.add = node("Add", {"x", "y"}, {"sum"});
  const std::string file = small.bytes();
  const auto graph = read_model(view_of(file), "m", "");
  ASSERT_TRUE(graph) << graph.error().what;
  ASSERT_FALSE(graph->warnings.empty());
  EXPECT_THAT(graph->warnings.back(),
              HasSubstr("nodes come before others that compute their inputs"));
  use(*graph, view_of(file));
}

TEST(CorruptOnnx, TensorsWhoseValuesDoNotFit) {
  const auto refused = [](const std::string& w, ErrorKind kind, const std::string& what) {
    SmallOnnx small;
    small.w = w;
    expect_refused(small.bytes(), kind, what);
  };
  refused(tensor("w", 1, {3}, field(9, "12345678")), ErrorKind::kCorrupt,
          "has 8 bytes of values, its shape 3 of float32 needs 12");
  refused(tensor("w", 1, {2}, ""), ErrorKind::kCorrupt,
          "has 0 entries of values, its shape 2 of float32 needs 2");
  refused(tensor("w", 7, {2}, field(7, varint(5))), ErrorKind::kCorrupt,
          "has 1 entries of values, its shape 2 of int64 needs 2");
  refused(tensor("w", 99, {2}, field(9, "12345678")), ErrorKind::kUnsupported, "element type 99");
  refused(tensor("w", 0, {2}, field(9, "12345678")), ErrorKind::kUnsupported, "element type 0");
  refused(tensor("w", 1, {-2}, field(9, "12345678")), ErrorKind::kCorrupt, "has the shape -2");
  refused(tensor("w", 1, {std::int64_t{1} << 40, std::int64_t{1} << 40}, ""), ErrorKind::kCorrupt,
          "at most 2^56 elements");
  refused(tensor("w", 1, std::vector<std::int64_t>(33, 1), field(9, "1234")), ErrorKind::kLimit,
          "33 dimensions");
  refused(tensor("w", 1, {2}, field(3, number(1, 0)) + field(9, "12345678")),
          ErrorKind::kUnsupported, "one segment");
}

TEST(CorruptOnnx, TypesThatAreNoNumbersAreShownAndRefusedWhenRead) {
  SmallOnnx small;
  for (const auto& [type, size, word] :
       {std::tuple(17, 2, "float8_e4m3fn"), std::tuple(21, 1, "uint4"),
        std::tuple(14, 16, "complex64")}) {
    small.in_graph = field(
        5, tensor("odd", type, {2}, field(9, std::string(static_cast<std::size_t>(size), '\1'))));
    const std::string file = small.bytes();
    const auto graph = read_model(view_of(file), "m", "");
    ASSERT_TRUE(graph) << graph.error().what;
    EXPECT_EQ(graph->tensors[2].stored_type, word);
    EXPECT_EQ(graph->tensors[2].spec.dtype, DType::kOther);
    (void)constant(*graph, view_of(file), 2);
  }
}

TEST(CorruptOnnx, NestedBodiesHaveALimit) {
  std::string body = field(1, node("Relu", {"x"}, {"r"}));
  for (int i = 0; i < 40; ++i)
    body = field(1, node("If", {"x"}, {"r"}, field(5, field(1, "then_branch") + field(6, body))));
  SmallOnnx small;
  small.in_graph = body;
  expect_refused(small.bytes(), ErrorKind::kLimit, "over 32 nested operators");
}

TEST(CorruptOnnx, ManyAttributesOrInputsCostNoMoreThanTheirBytes) {
  std::string attributes;
  for (int i = 0; i < 300; ++i) attributes += field(5, field(1, "a") + number(3, 1));
  SmallOnnx small;
  small.add = node("Add", {"x", "w"}, {"sum"}, attributes);
  expect_refused(small.bytes(), ErrorKind::kLimit, "over 256 attributes");
  const std::clock_t began = std::clock();
  for (const char* type : {"Max", "Concat", "com.microsoft:QLinearConcat", "Einsum"}) {
    const std::string_view name(type);
    const std::size_t colon = name.find(':');
    small.add = node(colon == name.npos ? name : name.substr(colon + 1),
                     std::vector<std::string>(100000, "w"), {"sum"},
                     colon == name.npos ? "" : field(7, name.substr(0, colon)));
    const std::string file = small.bytes();
    if (const auto graph = read_onnx(view_of(file), "m", "")) use(*graph, view_of(file));
  }
  EXPECT_LT(std::clock() - began, 20 * CLOCKS_PER_SEC) << "processor time";
}

TEST(CorruptOnnx, ManyEmptyPartsEndAtTheBudget) {
  // Two bytes of each would become several hundred in memory.
  const std::clock_t began = std::clock();
  SmallOnnx small;
  small.in_graph.reserve(4 << 20);
  // initializer
  while (small.in_graph.size() < 4 << 20) small.in_graph += std::string("\x2a\0", 2);
  expect_refused(small.bytes(), ErrorKind::kLimit, "too many empty parts");
  EXPECT_LT(std::clock() - began, 10 * CLOCKS_PER_SEC) << "processor time";
}

TEST(CorruptOnnx, OneFormatUnderTheNameOfTheOther) {
  const std::string onnx = SmallOnnx{}.bytes();
  const auto as_tflite = read_tflite(view_of(onnx), "m.tflite");
  ASSERT_FALSE(as_tflite);
  EXPECT_EQ(as_tflite.error().what, "m.tflite is an ONNX model where a .tflite model was expected");
  const Bytes tflite = edgeprobe::testing::SmallModel{}.bytes();
  const auto as_onnx = read_onnx(tflite, "m.onnx", "");
  ASSERT_FALSE(as_onnx);
  EXPECT_EQ(as_onnx.error().what, "m.onnx is a .tflite model where an .onnx model was expected");
  // load() uses the contents, not the extension.
  EXPECT_EQ(read_model(tflite, "m.onnx", "")->format, "tflite");
  EXPECT_EQ(read_model(view_of(onnx), "m.tflite", "")->format, "onnx");
}

TEST(CorruptOnnx, OtherFormatsAreStillNamed) {
  expect_refused(std::string("\0\0\0\0ORTM\0\0\0\0", 12), ErrorKind::kUnsupported,
                 "is a .ort model");
  expect_refused(std::string("\x08\x01\x12\x04text", 8), ErrorKind::kUnsupported, "SavedModel");
  expect_refused(":this text begins with the tag of a graph", ErrorKind::kCorrupt,
                 "is a text file");
  // A SavedModel and the first version of ONNX begin with the same bytes; the graph distinguishes
  // them.
  SmallOnnx small;
  const std::string first = number(1, 1) + field(2, "old") + field(7, small.graph());
  EXPECT_EQ(*format_of(view_of(first), "m"), Format::kOnnx);
}

TEST(SharedModels, ATruncatedOnnxModelIsRefused) {
  const char* data = std::getenv("EDGEPROBE_SHARED_DATA");
  const auto path =
      (data ? std::filesystem::path(data)
            : std::filesystem::path(edgeprobe::test::source_dir()) / "../shared/data") /
      "models/onnx/mnist.onnx";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";
  const Bytes good = *read_file(path);
  for (std::size_t size = 1; size < good.size(); size += 13) {
    const Bytes cut(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size));
    if (const auto graph = read_onnx(cut, "m", "")) use(*graph, cut);
  }
}

}  // namespace
}  // namespace edgeprobe::model
