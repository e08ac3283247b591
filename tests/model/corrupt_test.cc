// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>

#include "core/file.h"
#include "model/graph.h"
#include "model/tflite/tflite.h"
#include "small_model.h"
#include "source_dir.h"

namespace edgeprobe::model {
namespace {

using edgeprobe::testing::flat_numbers;
using edgeprobe::testing::flat_table;
using edgeprobe::testing::flat_text;
using edgeprobe::testing::SmallModel;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using namespace std::string_view_literals;

void expect_refused(ByteView file, ErrorKind kind, const std::string& what) {
  const auto graph = read_tflite(file, "m.tflite");
  ASSERT_FALSE(graph);
  EXPECT_EQ(graph.error().kind, kind) << graph.error().what;
  EXPECT_THAT(graph.error().what, StartsWith("m.tflite"));
  EXPECT_THAT(graph.error().what, HasSubstr(what));
}

TEST(ForeignFormat, IsNamedWithAdvice) {
  expect_refused({}, ErrorKind::kCorrupt, "is empty (0 bytes)");
  expect_refused(view_of("abc\n"), ErrorKind::kCorrupt, "text file of 4 bytes");
  expect_refused(view_of("version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 3\n"),
                 ErrorKind::kUnsupported, "git lfs pull");
  expect_refused(view_of("\x08\x07\x12\x07pytorch"sv), ErrorKind::kUnsupported, "ONNX");
  expect_refused(view_of("PK\x03\x04 archive"sv), ErrorKind::kUnsupported, "ZIP");
  expect_refused(view_of("\x89HDF\r\n\x1a\n....."sv), ErrorKind::kUnsupported, "HDF5");
  expect_refused(view_of("\n <!DOCTYPE html><html>"sv), ErrorKind::kUnsupported, "HTML");
  expect_refused(view_of("<?xml version=\"1.0\"?>"sv), ErrorKind::kUnsupported, "XML");
  expect_refused(view_of("\x01\x02\x03"sv), ErrorKind::kCorrupt, "3 bytes");
  expect_refused(view_of("\x1c\0\0\0TFL2\0\0\0\0"sv), ErrorKind::kCorrupt, "\"TFL2\"");
  expect_refused(view_of("\x1c\0\0\0TFL3"sv), ErrorKind::kCorrupt, "root table at offset 0");
}

TEST(Corrupt, LabelsAndNamesCannotDriveATerminal) {
  const auto error = read_tflite(view_of("x"), "a\x1b[2J").error();
  EXPECT_THAT(error.what, StartsWith("a\\x1b[2J"));
}

struct Breakage {
  const char* where;  // The part that the sentence must name.
  ErrorKind kind;
  void (*apply)(SmallModel&);
};

class Broken : public ::testing::TestWithParam<Breakage> {};

TEST_P(Broken, FieldIsNamed) {
  SmallModel small;
  GetParam().apply(small);
  const auto graph = read_tflite(small.bytes(), "m.tflite");
  ASSERT_FALSE(graph);
  EXPECT_EQ(graph.error().kind, GetParam().kind) << graph.error().what;
  EXPECT_THAT(graph.error().what,
              StartsWith("m.tflite: " + std::string(GetParam().where) + " at offset "));
}

INSTANTIATE_TEST_SUITE_P(
    Fields, Broken,
    ::testing::Values(
        Breakage{"version", ErrorKind::kUnsupported,
                 [](SmallModel& m) { m.model->scalar(0, std::uint32_t{2}); }},
        Breakage{"subgraphs", ErrorKind::kCorrupt, [](SmallModel& m) { m.graphs->tables.clear(); }},
        Breakage{"subgraphs", ErrorKind::kCorrupt,
                 [](SmallModel& m) { m.graphs->claimed = 0xffffffff; }},
        Breakage{"subgraphs[0].tensors", ErrorKind::kCorrupt,
                 [](SmallModel& m) { m.tensors->claimed = 0xffffffff; }},
        Breakage{"buffers", ErrorKind::kCorrupt,
                 [](SmallModel& m) { m.buffers->claimed = 0x40000000; }},
        Breakage{"buffers[1].data", ErrorKind::kCorrupt,
                 [](SmallModel& m) { m.filter_buffer->children[0]->claimed = 1 << 20; }},
        Breakage{"buffers[1].offset", ErrorKind::kCorrupt,
                 [](SmallModel& m) {
                   m.filter_buffer->scalar(1, ~std::uint64_t{0}).scalar(2, std::uint64_t{2});
                 }},
        Breakage{"buffers[1].offset", ErrorKind::kCorrupt,
                 [](SmallModel& m) {
                   m.filter_buffer->scalar(1, std::uint64_t{8}).scalar(2, ~std::uint64_t{0});
                 }},
        Breakage{"subgraphs[0].tensors[1].name", ErrorKind::kCorrupt,
                 [](SmallModel& m) { m.filter->children[3]->claimed = 1 << 30; }},
        Breakage{"subgraphs[0].tensors[1].type", ErrorKind::kUnsupported,
                 [](SmallModel& m) { m.filter->scalar(1, std::int8_t{-1}); }},
        Breakage{"subgraphs[0].tensors[1].type", ErrorKind::kUnsupported,
                 [](SmallModel& m) { m.filter->scalar(1, std::int8_t{99}); }},
        Breakage{"subgraphs[0].tensors[3].shape", ErrorKind::kCorrupt,
                 [](SmallModel& m) {
                   m.conv->child(0, flat_numbers<std::int32_t>({1, -2147483647}));
                 }},
        Breakage{
            "subgraphs[0].tensors[3].shape", ErrorKind::kCorrupt,
            [](SmallModel& m) {
              m.conv->child(0, flat_numbers<std::int32_t>({2147483647, 2147483647, 2147483647}));
            }},
        Breakage{"subgraphs[0].tensors[3].shape", ErrorKind::kLimit,
                 [](SmallModel& m) {
                   m.conv->child(0, flat_numbers(std::vector<std::int32_t>(33, 1)));
                 }},
        Breakage{"subgraphs[0].tensors[1].buffer", ErrorKind::kCorrupt,
                 [](SmallModel& m) { m.filter->scalar(2, std::uint32_t{5}); }},
        Breakage{"subgraphs[0].tensors[1].buffer", ErrorKind::kCorrupt,
                 [](SmallModel& m) {
                   m.filter->child(0, flat_numbers<std::int32_t>({2, 3, 3, 4}));
                 }},
        Breakage{"subgraphs[0].tensors[1].quantization.quantized_dimension", ErrorKind::kCorrupt,
                 [](SmallModel& m) { m.filter->children[4]->scalar(6, std::int32_t{4}); }},
        Breakage{"subgraphs[0].tensors[1].quantization.quantized_dimension", ErrorKind::kCorrupt,
                 [](SmallModel& m) { m.filter->children[4]->scalar(6, std::int32_t{-1}); }},
        Breakage{"subgraphs[0].tensors[1].quantization.scale", ErrorKind::kCorrupt,
                 [](SmallModel& m) { m.filter->children[4]->scalar(6, std::int32_t{1}); }},
        Breakage{"subgraphs[0].tensors[1].quantization.zero_point", ErrorKind::kCorrupt,
                 [](SmallModel& m) {
                   m.filter->children[4]->child(3, flat_numbers<std::int64_t>({0, 0, 0}));
                 }},
        Breakage{"subgraphs[0].inputs[0]", ErrorKind::kCorrupt,
                 [](SmallModel& m) { m.graph->child(1, flat_numbers<std::int32_t>({-1})); }},
        Breakage{"subgraphs[0].outputs[1]", ErrorKind::kCorrupt,
                 [](SmallModel& m) {
                   m.graph->child(2, flat_numbers<std::int32_t>({6, 7}));
                 }},
        Breakage{"subgraphs[0].operators[0].inputs[2]", ErrorKind::kCorrupt,
                 [](SmallModel& m) {
                   m.op_conv->child(1, flat_numbers<std::int32_t>({0, 1, 2147483647}));
                 }},
        Breakage{"subgraphs[0].operators[2].outputs[0]", ErrorKind::kCorrupt,
                 [](SmallModel& m) { m.op_dense->child(2, flat_numbers<std::int32_t>({-2})); }},
        Breakage{"subgraphs[0].operators[1].opcode_index", ErrorKind::kCorrupt,
                 [](SmallModel& m) { m.op_custom->scalar(0, std::uint32_t{3}); }},
        Breakage{"operator_codes[0]", ErrorKind::kCorrupt,
                 [](SmallModel& m) {
                   m.code_conv->scalar(0, std::int8_t{-3}).scalar(3, std::int32_t{-3});
                 }},
        Breakage{
            "metadata[0].buffer", ErrorKind::kCorrupt,
            [](SmallModel& m) { m.model->children[6]->tables[0]->scalar(1, std::uint32_t{9}); }},
        Breakage{"signature_defs[0].signature_key", ErrorKind::kCorrupt, [](SmallModel& m) {
                   m.model->children[7]->tables[0]->children[2]->claimed = 1 << 24;
                 }}));

TEST(Corrupt, NamesOfAnySizeAndContentAreKept) {
  SmallModel small;
  const std::string name = std::string("\x1b[31m\0</script>=cmd", 18) + std::string(1 << 20, 'n');
  small.conv->child(3, flat_text(name));
  small.code_custom->child(1, flat_text("..\x1b/"));
  const auto graph = read_tflite(small.bytes(), "m");
  ASSERT_TRUE(graph) << graph.error().what;
  EXPECT_EQ(graph->tensors[3].spec.name, name);
  EXPECT_EQ(graph->layers[1].type, "CUSTOM:..\x1b/");
}

// A file may contain a table once and list it a million times.
TEST(Corrupt, SharedTablesDoNotMultiplyTheWork) {
  const auto limited = [](const SmallModel& small) {
    const Bytes file = small.bytes();
    // Measures processor time, which excludes other programs.
    const std::clock_t start = std::clock();
    const auto graph = read_tflite(file, "m.tflite");
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    ASSERT_FALSE(graph);
    EXPECT_EQ(graph.error().kind, ErrorKind::kLimit) << graph.error().what;
    EXPECT_THAT(graph.error().what, HasSubstr("share"));
    EXPECT_LT(seconds, 15.0);
  };
  SmallModel tensors;  // 300 000 references to one tensor with a name of 100 kB would be 30 GB.
  tensors.conv->child(3, flat_text(std::string(100'000, 'n')));
  tensors.tensors->tables.assign(300'000, tensors.conv);
  limited(tensors);
  SmallModel layers;
  layers.code_custom->child(1, flat_text(std::string(100'000, 'n')));
  layers.operators->tables.assign(300'000, layers.op_custom);
  limited(layers);
  SmallModel graphs;
  graphs.graphs->tables.assign(300'000, graphs.graph);
  limited(graphs);
  SmallModel small_tables;  // Even a table of a few bytes takes hundreds in memory.
  small_tables.tensors->tables.assign(3'000'000, flat_table());
  limited(small_tables);
}

TEST(Corrupt, AnyVtableIsChecked) {
  const Bytes good = SmallModel().bytes();
  std::uint32_t root = 0;
  std::memcpy(&root, good.data(), 4);
  std::int32_t distance = 0;
  std::memcpy(&distance, good.data() + root, 4);
  const auto with = [&](std::size_t at, auto value) {
    Bytes bad = good;
    std::memcpy(bad.data() + at, &value, sizeof(value));
    return bad;
  };
  expect_refused(with(root, std::int32_t{-2147483647}), ErrorKind::kCorrupt, "outside of the file");
  expect_refused(with(root, std::int32_t{2147483647}), ErrorKind::kCorrupt, "outside of the file");
  expect_refused(with(root - static_cast<std::uint32_t>(distance), std::uint16_t{65534}),
                 ErrorKind::kCorrupt, "vtable of 65534");
  expect_refused(with(root - static_cast<std::uint32_t>(distance), std::uint16_t{3}),
                 ErrorKind::kCorrupt, "vtable of 3");
  expect_refused(with(0, std::uint32_t{0xfffffff0}), ErrorKind::kCorrupt, "past the end");
  expect_refused(with(0, std::uint32_t{0}), ErrorKind::kCorrupt, "refers to itself");
}

// Everything that takes a graph must be able to use a graph that was read.
void use(const Graph& graph, ByteView file) {
  const std::vector<int> captured = capturable(graph);
  (void)capture_groups(graph, captured, 1000);
  (void)graph.macs();
  (void)graph.parameters();
  for (std::size_t i = 0; i < graph.tensors.size(); ++i)
    (void)constant(graph, file, static_cast<int>(i));
  if (const auto promoted = promote(graph, file, captured)) {
    EXPECT_TRUE(read_tflite(*promoted, "promoted"));
  }
}

TEST(Corrupt, EveryTruncationIsASentence) {
  const Bytes good = SmallModel().bytes();
  ASSERT_TRUE(read_tflite(good, "m"));
  for (std::size_t size = 0; size < good.size(); ++size) {
    const Bytes cut(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size));
    const auto graph = read_tflite(cut, "m");
    if (graph) use(*graph, cut);  // Only padding and the ends of strings may be missing.
    EXPECT_TRUE(!graph || size + 16 > good.size()) << size;
  }
}

TEST(Corrupt, EveryBitFlipIsReadOrRefused) {
  const Bytes good = SmallModel().bytes();
  std::size_t refused = 0;
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    Bytes bad = good;
    bad[bit / 8] ^= static_cast<std::byte>(1 << (bit % 8));
    const auto graph = read_tflite(bad, "m");
    if (graph) use(*graph, bad);
    refused += !graph;
  }
  EXPECT_GT(refused, good.size());  // Most bytes belong to the structure.
}

std::filesystem::path shared_data() {
  const char* const given = std::getenv("EDGEPROBE_SHARED_DATA");
  return given ? std::filesystem::path(given)
               : std::filesystem::path(edgeprobe::test::source_dir()) / ".." / "shared" / "data";
}

TEST(SharedModels, TruncatedAndFlippedRealModelsNeverCrash) {
  const auto path = shared_data() / "models" / "tflm" / "micro_speech_quantized.tflite";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";
  const Bytes good = *read_file(path);
  for (std::size_t size = 0; size < good.size(); size += 64) {
    const Bytes cut(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size));
    if (const auto graph = read_tflite(cut, "m")) use(*graph, cut);
  }
  for (std::size_t bit = 0; bit < good.size() * 8; bit += 37) {
    Bytes bad = good;
    bad[bit / 8] ^= static_cast<std::byte>(1 << (bit % 8));
    if (const auto graph = read_tflite(bad, "m")) use(*graph, bad);
  }
}

TEST(SharedModels, InvalidFilesAreRefusedOrReadWithoutHarm) {
  const auto folder = shared_data() / "models" / "invalid";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << folder << " is not there";
  const std::map<std::string, std::string> expected{
      {"bad_identifier.tflite", "\"XXXX\" where a .tflite has \"TFL3\""},
      {"invalid_model.bin", "text file of 25 bytes"},
      {"truncated_half.tflite", "buffers[0] at offset 100 refers to offset"},
      {"truncated.onnx", "the file is cut short or damaged"},
      {"model_invoking_error.tflite", ""},  // Valid files whose custom ops no engine has.
      {"posenet_mobilenet_v1_075_353_481_16_quant_decoder.tflite", ""}};
  std::size_t seen = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const auto known = expected.find(entry.path().filename().string());
    FileBytes bytes;
    const auto graph = load(entry.path(), bytes);
    if (known == expected.end()) continue;
    ++seen;
    EXPECT_EQ(graph.has_value(), known->second.empty()) << entry.path();
    if (graph) use(*graph, bytes);
    if (!graph) {
      EXPECT_THAT(graph.error().what, HasSubstr(known->second));
    }
  }
  EXPECT_EQ(seen, expected.size());
}

TEST(Load, RefusesAnythingButAFile) {
  FileBytes bytes;
  EXPECT_EQ(load("/nonexistent/m.tflite", bytes).error().kind, ErrorKind::kNotFound);
  EXPECT_FALSE(load(std::filesystem::temp_directory_path(), bytes));
}

}  // namespace
}  // namespace edgeprobe::model
