// SPDX-License-Identifier: Apache-2.0
// What travels between the two processes reads back as it was, and nothing else is believed.
#include <random>

#include "core/text.h"
#include "engine/wire.h"
#include "fixtures.h"

namespace edgeprobe::engine::testing {
namespace {

SessionOptions some_options() {
  SessionOptions options;
  options.threads = 3;
  options.delegates = {{"/a/b.so", {{"key", "value"}, {"", std::string("nul\0in it", 9)}}},
                       {"c.so", {}}};
  options.delegates[1].kind = Delegate::Kind::kGpu;
  options.profile = true;
  options.own = OnnxRuntimeOptions{Optimization::kBasic, false};
  options.precision = Precision::kEngine;
  options.cpus = {0, 3};
  options.folder = "/models";
  options.input_shapes = {{"x", {1, 2, 3}}, {"y", {}}};
  return options;
}

TensorSpec some_spec() {
  return {"weird \x1b name", DType::kInt16, {4, -1, 5}, {{0.5f, 0.25f}, {3, -4}, 2}};
}

TEST(Wire, BeginsAMessageWithTheLowestBytesFirst) {
  const unsigned char expected[] = {'E', 'P', 'W', '1', 5, 0, 0, 0, 0x22, 0x11, 0, 0, 0, 0, 0, 0};
  const Bytes header = wire::header(wire::Step::kInfer, 0x1122);
  EXPECT_EQ(ByteView(header).text(),
            std::string_view(reinterpret_cast<const char*>(expected), sizeof expected));
  const auto read = wire::read_header(header);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->step, wire::Step::kInfer);
  EXPECT_EQ(read->length, 0x1122u);
  Bytes other = header;
  other[3] = std::byte{'2'};
  EXPECT_FALSE(wire::read_header(other));
}

TEST(Wire, ReadsBackWhatWasWritten) {
  wire::Writer out;
  wire::write(out, some_spec());
  wire::write(out, some_options());
  wire::write(out, EngineIdentity{"tflite", "2", "/lib.so", "ab", {"xnnpack"}});
  wire::write(out, EngineChoice{"litert", "/x.so"});

  wire::Reader in(out.bytes());
  const TensorSpec spec = wire::read_spec(in);
  EXPECT_EQ(spec.name, some_spec().name);
  EXPECT_EQ(spec.dtype, DType::kInt16);
  EXPECT_EQ(spec.shape, some_spec().shape);
  EXPECT_EQ(spec.quantization, some_spec().quantization);
  EXPECT_EQ(wire::read_options(in), some_options());
  const EngineIdentity identity = wire::read_identity(in);
  EXPECT_EQ(identity.library, "/lib.so");
  EXPECT_EQ(identity.abilities, std::vector<std::string>{"xnnpack"});
  const EngineChoice choice = wire::read_choice(in);
  EXPECT_EQ(choice.kind, "litert");
  EXPECT_EQ(choice.library, "/x.so");
  EXPECT_TRUE(in.ok());
}

TEST(Wire, NoticesEveryTruncation) {
  wire::Writer out;
  wire::write(out, some_spec());
  wire::write(out, some_options());
  for (std::size_t length = 0; length < out.bytes().size(); ++length) {
    wire::Reader in(ByteView(out.bytes().data(), length));
    wire::read_spec(in);
    wire::read_options(in);
    EXPECT_FALSE(in.ok()) << length;
  }
}

/// Replaces three bytes at random positions with random values.
Bytes changed(Bytes bytes, std::mt19937& generator) {
  for (int change = 0; change < 3; ++change)
    bytes[generator() % bytes.size()] = static_cast<std::byte>(generator() & 255u);
  return bytes;
}

TEST(Wire, RefusesOptionsThatCannotBeRead) {
  wire::Writer out;
  wire::write(out, some_options());
  std::mt19937 generator(1);
  std::size_t refused = 0;
  for (int round = 0; round < 20'000; ++round) {
    const Bytes bytes = changed(out.bytes(), generator);
    wire::Reader in(bytes);
    const SessionOptions read = wire::read_options(in);
    if (in.ok()) continue;
    EXPECT_EQ(read, SessionOptions{});
    ++refused;
  }
  EXPECT_GT(refused, 10'000u);  // Most changes make another key, or invalid JSON.
}

TEST(Wire, SurvivesChangedBytes) {
  wire::Writer out;
  wire::write(out, some_spec());
  std::mt19937 generator(1);
  std::size_t good = 0;
  for (int round = 0; round < 50'000; ++round) {
    const Bytes bytes = changed(out.bytes(), generator);
    wire::Reader in(bytes);
    const TensorSpec spec = wire::read_spec(in);
    const wire::Arena arena = wire::arena_for({spec}, {});
    EXPECT_LE(arena.inputs[0].offset + arena.inputs[0].length, arena.size);
    good += in.ok();
  }
  // Changes in names and numbers are accepted, changes in lengths and counts are refused.
  EXPECT_GT(good, 5'000u);
  EXPECT_LT(good, 45'000u);
}

// A process that a malicious model controls may write this: users index zero points by channel.
TEST(Wire, RefusesZeroPointsThatFitNoScales) {
  TensorSpec spec{"x", DType::kInt8, {1, 1000}, {std::vector<float>(1000, 1.f), {3, 4}, 1}};
  const auto read = [](const TensorSpec& written) {
    wire::Writer out;
    wire::write(out, written);
    wire::Reader in(out.bytes());
    wire::read_spec(in);
    return in.ok();
  };
  EXPECT_FALSE(read(spec));
  const Bytes bytes(1000);
  const auto values = to_float({spec, bytes});  // to_float() is safe by itself, too.
  ASSERT_FALSE(values);
  EXPECT_EQ(values.error().kind, ErrorKind::kCorrupt);
  spec.quantization.zero_point.clear();
  EXPECT_TRUE(read(spec));
  spec.quantization.zero_point = {7};
  EXPECT_TRUE(read(spec));
  spec.quantization.zero_point.assign(1000, 7);
  EXPECT_TRUE(read(spec));
}

TEST(Wire, WordsForPeopleArePrintable) {
  const std::string hostile = "\x1b]0;title\x07\r\nagrees";
  wire::Writer out;
  wire::write(out, EngineIdentity{hostile, hostile, "/lib.so", hostile, {hostile}});
  wire::Reader in(out.bytes());
  const EngineIdentity identity = wire::read_identity(in);
  for (const std::string& text :
       {identity.kind, identity.version, identity.sha256, identity.abilities[0]}) {
    EXPECT_EQ(text, sanitized(hostile));
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
  }
}

TEST(Wire, LaysTensorsOutWithoutOverlap) {
  const std::vector<TensorSpec> inputs = {{"a", DType::kUInt8, {65}, {}},
                                          {"b", DType::kFloat32, {3}, {}}};
  const std::vector<TensorSpec> outputs = {{"open", DType::kFloat32, {-1, 4}, {}},
                                           {"c", DType::kInt64, {2}, {}}};
  const wire::Arena arena = wire::arena_for(inputs, outputs);
  EXPECT_EQ(arena.inputs[0].length, 65u);
  EXPECT_EQ(arena.inputs[1].offset, 128u);  // 65 rounded up to 64-byte steps
  EXPECT_EQ(arena.inputs[1].length, 12u);
  EXPECT_EQ(arena.outputs[0].length, 0u);  // travels in the reply
  EXPECT_EQ(arena.outputs[1].offset, 192u);
  EXPECT_EQ(arena.size, 256u);
}

TEST(Wire, LapsAndMemoryReadBackAsTheyWere) {
  Iteration iteration;
  iteration.start = std::chrono::nanoseconds(5);
  iteration.latency = std::chrono::nanoseconds(7);
  iteration.run_delay = std::chrono::nanoseconds(0);
  iteration.op_times = {{"n", "t", {3}, "f32", true, std::chrono::nanoseconds(9)}};
  wire::Writer out;
  RepeatOptions asked;
  asked.count = 3;
  asked.duration = std::chrono::seconds(2);
  asked.scheduling = false;
  wire::write(out, asked);
  wire::write(out, Iterations{{iteration, {}}, true, "absent"});
  wire::write(out, MemoryUse{1, std::nullopt, 3, std::nullopt, 0});

  wire::Reader in(out.bytes());
  const RepeatOptions options = wire::read_repeat(in);
  EXPECT_EQ(options.count, 3u);
  EXPECT_EQ(options.duration, std::chrono::seconds(2));
  EXPECT_FALSE(options.scheduling);
  const Iterations iterations = wire::read_iterations(in);
  ASSERT_EQ(iterations.iterations.size(), 2u);
  EXPECT_EQ(iterations.iterations[0].start, iteration.start);
  EXPECT_EQ(iterations.iterations[0].run_delay, iteration.run_delay);  // none at all is not unknown
  EXPECT_EQ(iterations.iterations[0].cpu, std::nullopt);
  EXPECT_EQ(iterations.iterations[0].op_times[0].layers, std::vector<int>{3});
  EXPECT_EQ(iterations.iterations[1].run_delay, std::nullopt);
  EXPECT_TRUE(iterations.stopped);
  EXPECT_EQ(iterations.no_scheduling, "absent");
  const MemoryUse use = wire::read_memory(in);
  EXPECT_EQ(use.peak_before_load, 1u);
  EXPECT_EQ(use.peak_after_load, std::nullopt);
  EXPECT_EQ(use.arena, 0u);
  EXPECT_TRUE(in.ok());
}

}  // namespace
}  // namespace edgeprobe::engine::testing
