// SPDX-License-Identifier: Apache-2.0
// What is in IO_SPEC and STATS, as JSON and as the structures of a serial line, and the seal of an
// EXTENSION there.
#include <gtest/gtest.h>

#include "bytes.h"
#include "protocol/io_spec.h"
#include "protocol/message.h"
#include "protocol/serial.h"

namespace edgeprobe::protocol::testing {
namespace {

std::string problem_of(const char* text) {
  const auto spec = io_spec_from_json(text);
  return spec ? "none" : spec.error().what;
}

TEST(IoSpec, IsReadWithItsQuantisation) {
  const auto spec = io_spec_from_json(
      R"({"input": [{"name": "x", "shape": [1, 8, 8, 3], "dtype": "int8", "scale": 0.5,
          "zero_point": -3, "prequantized_dtype": "float32", "class_name": ["a"]}],
          "output": [{"name": "y", "shape": [1, -1], "dtype": "float32"}], "entry": "main"})");
  ASSERT_TRUE(spec) << spec.error().what;
  const IoTensor& input = spec->inputs.at(0);
  EXPECT_EQ(input.spec.name, "x");
  EXPECT_EQ(input.spec.shape, (Shape{1, 8, 8, 3}));
  EXPECT_EQ(input.spec.dtype, DType::kInt8);
  EXPECT_EQ(input.spec.quantization.scale, std::vector<float>{0.5f});
  EXPECT_EQ(input.spec.quantization.zero_point, std::vector<std::int64_t>{-3});
  EXPECT_EQ(input.prequantized, DType::kFloat32);
  EXPECT_EQ(spec->outputs.at(0).spec.shape, (Shape{1, -1}));
  const auto again = io_spec_from_json(to_json(*spec));
  ASSERT_TRUE(again);
  EXPECT_EQ(to_json(*again), to_json(*spec));
}

TEST(IoSpec, SaysWhereItIsWrong) {
  EXPECT_EQ(problem_of("not json"), "IO_SPEC: the payload is not JSON");
  EXPECT_EQ(problem_of("3"), "IO_SPEC: the payload is not an object");
  EXPECT_EQ(problem_of("[]"), "IO_SPEC: the payload is not an object");
  EXPECT_EQ(problem_of(R"([[{"index": 1}]])"), "IO_SPEC: the payload is not an object");
  EXPECT_TRUE(io_spec_from_json(R"([[{"index": 1}], [{"index": 0}]])"));  // From a client of 2022.
  EXPECT_EQ(problem_of(R"({"input": []})"), "IO_SPEC: output is missing");
  EXPECT_EQ(problem_of(R"({"input": [{"shape": [1]}], "output": []})"),
            "IO_SPEC: input[0] has no dtype");
  EXPECT_EQ(problem_of(R"({"input": [], "output": [{"shape": [1], "dtype": "float33"}]})"),
            "IO_SPEC: output[0].dtype is 'float33', which is not a known dtype");
  EXPECT_EQ(problem_of(R"({"input": [{"shape": [1e40], "dtype": "int8"}], "output": []})"),
            "IO_SPEC: input[0].shape has a dimension that is not a size");
  EXPECT_EQ(problem_of(R"({"input": [{"shape": [2], "dtype": "int8", "scale": "big"}],
                          "output": []})"),
            "IO_SPEC: input[0].scale is not a number");
  // Quantisation details of a client of 2022.
  EXPECT_EQ(problem_of("[[{\"name\": \"input\"}], []]"), "none");
}

IoSpec some_spec(DType dtype) {
  IoSpec spec;
  spec.inputs.push_back({{"a", dtype, {1, 8, 8, 3}, {}}, {}});
  spec.inputs.push_back({{"b", dtype, {7}, {}}, {}});
  spec.outputs.push_back({{"c", dtype, {1, 10}, {}}, {}});
  spec.entry = "main";
  spec.model = "net";
  return spec;
}

TEST(Serial, IoSpecReadsBackAsItWas) {
  for (const DType dtype : {DType::kFloat32, DType::kInt8, DType::kUInt8, DType::kInt64}) {
    const IoSpec spec = some_spec(dtype);
    const auto g4 = io_spec_to_serial(spec, Generation::kG4);
    ASSERT_TRUE(g4) << g4.error().what;
    ASSERT_EQ(g4->size(), kIoSpecBytesG3);
    const auto read = io_spec_from_serial(*g4, Generation::kG3);
    ASSERT_TRUE(read) << read.error().what;
    ASSERT_EQ(read->inputs.size(), 2u);
    EXPECT_EQ(read->inputs[0].spec.shape, (Shape{1, 8, 8, 3}));
    EXPECT_EQ(read->inputs[1].spec.shape, (Shape{7}));
    EXPECT_EQ(read->outputs.at(0).spec.shape, (Shape{1, 10}));
    EXPECT_EQ(read->outputs[0].spec.dtype, dtype);
    EXPECT_EQ(read->entry, "main");
    EXPECT_EQ(read->model, "net");
    const auto g2 = io_spec_to_serial(spec, Generation::kG2);
    ASSERT_TRUE(g2) << g2.error().what;
    ASSERT_EQ(g2->size(), kIoSpecBytesG2);
    const auto short_read = io_spec_from_serial(*g2, Generation::kG2);
    ASSERT_TRUE(short_read) << short_read.error().what;
    EXPECT_EQ(short_read->inputs.at(0).spec.shape, (Shape{1, 8, 8, 3}));
    EXPECT_EQ(short_read->outputs.at(0).spec.shape, (Shape{10}));
    EXPECT_EQ(short_read->outputs[0].spec.dtype, dtype);
  }
}

TEST(Serial, IoSpecRefusesWhatHasNoRoomAndWhatCannotBe) {
  IoSpec deep = some_spec(DType::kInt8);
  deep.inputs[0].spec.shape = {1, 1, 1, 1, 1};
  EXPECT_EQ(io_spec_to_serial(deep, Generation::kG4).error().what,
            "IO_SPEC on a serial line: 'a' has more than 4 dimensions");
  IoSpec mixed = some_spec(DType::kInt8);
  mixed.outputs[0].spec.dtype = DType::kFloat32;
  EXPECT_TRUE(io_spec_to_serial(mixed, Generation::kG4));
  EXPECT_FALSE(io_spec_to_serial(mixed, Generation::kG2));
  auto bytes = io_spec_to_serial(some_spec(DType::kInt8), Generation::kG4);
  ASSERT_TRUE(bytes);
  (*bytes)[0] = std::byte{200};
  EXPECT_EQ(io_spec_from_serial(*bytes, Generation::kG4).error().what,
            "IO_SPEC on a serial line: it says 200 tensors");
  EXPECT_EQ(io_spec_from_serial({bytes->data(), 100}, Generation::kG4).error().what,
            "IO_SPEC on a serial line: it has 100 bytes, not 356");
}

TEST(Serial, FiguresReadBackAsTheyWere) {
  const std::vector<DeviceFigure> figures{{"host_bytes_peak", 1, 4096}, {"cycles", 0, 7}};
  const Bytes g4 = figures_to_serial(figures, Generation::kG4);
  EXPECT_EQ(g4.size(), 96u);
  EXPECT_EQ(figures_from_serial(g4, Generation::kG4).value(), figures);
  const Bytes g2 = figures_to_serial(figures, Generation::kG2);
  EXPECT_EQ(g2.size(), 80u);
  EXPECT_EQ(figures_from_serial(g2, Generation::kG2).value()[0],
            (DeviceFigure{"host_bytes_peak", 0, 4096}));
  EXPECT_FALSE(figures_from_serial({g2.data(), 41}, Generation::kG2));
}

// "printf abc | sha256sum" begins with ba7816bf8f01cfea.
TEST(Seal, IsOfThePayloadInFrontOfIt) {
  EXPECT_EQ(ByteView(sealed(view_of("abc"))).text(), "abcba7816bf8f01cfea");
  Message message;
  message.payload = sealed(view_of("abc"));
  message.header.payload = static_cast<std::uint32_t>(message.payload.size());
  ASSERT_TRUE(take_seal(message));
  EXPECT_EQ(message.bytes().text(), "abc");
  EXPECT_EQ(message.header.payload, 3u);
  EXPECT_FALSE(take_seal(message)) << "it has none any more";
}

TEST(Seal, IsBrokenByEachBit) {
  const Bytes whole = sealed(view_of("a sample"));
  for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
    Message message;
    message.payload = whole;
    message.payload[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
    EXPECT_FALSE(take_seal(message)) << "bit " << bit;
  }
}

}  // namespace
}  // namespace edgeprobe::protocol::testing
