// SPDX-License-Identifier: Apache-2.0
// Small files that released versions wrote, each with its contents as JSON beside it: every later
// version must read them as they were. tests/golden/trace/vN/ is never changed; a new version adds
// a folder.
//
// EDGEPROBE_GOLDEN_OUT=FOLDER writes the set as the current version would.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "source_dir.h"
#include "support.h"
#include "trace/channel_text.h"
#include "trace/read/copy.h"
#include "trace/read/verify.h"
#include "trace/record/writer.h"

namespace edgeprobe::trace {
namespace {

using nlohmann::json;

const std::filesystem::path kGolden =
    std::filesystem::path(edgeprobe::test::source_dir()) / "tests" / "golden" / "trace";

std::string hex(ByteView bytes) {
  std::string text;
  for (const std::byte b : bytes) {
    text += "0123456789abcdef"[std::to_integer<int>(b) >> 4];
    text += "0123456789abcdef"[std::to_integer<int>(b) & 15];
  }
  return text;
}

json twin_of(const Reader& reader) {
  json twin;
  twin["finished"] = reader.is_finished();
  twin["library"] = reader.library();
  twin["metadata"] = reader.metadata();
  for (const ReadChannel& c : reader.channels()) {
    const TensorSpec& spec = c.channel.spec;
    twin["channels"].push_back({{"topic", topic_of(c.channel)},
                                {"metadata", metadata_of(c.channel)},
                                {"messages", c.messages},
                                {"dtype", name(spec.dtype)},
                                {"shape", spec.shape},
                                {"scale", spec.quantization.scale},
                                {"zero_point", spec.quantization.zero_point}});
  }
  for (const FrameRecord& r : reader.records()) {
    json frame{
        {"frame", r.frame}, {"time_ns", r.time_ns}, {"sample", r.sample}, {"sha256", r.sha256}};
    if (r.label) frame["label"] = *r.label;
    if (r.latency_ns) frame["latency_ns"] = *r.latency_ns;
    twin["frames"].push_back(frame);
  }
  EXPECT_TRUE(reader.visit(
      [&](const ReadChannel& channel, std::uint32_t frame, std::uint64_t time, ByteView bytes) {
        twin["messages"].push_back({{"topic", topic_of(channel.channel)},
                                    {"frame", frame},
                                    {"time_ns", time},
                                    {"data", hex(bytes)}});
        return Status();
      }));
  return twin;
}

std::vector<Channel> every_kind() {
  std::vector<Channel> channels;
  Channel file;
  file.stage = Stage::kRawInput;
  file.spec = {"50% größe\x01", DType::kUInt8, {-1}, {}};
  file.encoding = "encoded";
  channels.push_back(file);
  Channel pixels;
  pixels.stage = Stage::kRawInput;
  pixels.spec = {"camera", DType::kUInt8, {2, 3, 3}, {}};
  pixels.encoding = "pixels";
  pixels.extra["owner"] = "somebody";
  channels.push_back(pixels);
  std::int32_t position = 0;
  for (const DType dtype :
       {DType::kFloat32, DType::kFloat16, DType::kBFloat16, DType::kFloat64, DType::kInt8,
        DType::kUInt8, DType::kInt16, DType::kUInt16, DType::kInt32, DType::kUInt32, DType::kInt64,
        DType::kUInt64, DType::kBool, DType::kInt4}) {
    Channel channel;
    channel.stage = position % 2 ? Stage::kLayer : Stage::kIntermediate;
    channel.spec = {std::string("net/") + name(dtype), dtype, {1, 3}, {}};
    channel.position = position++;
    channel.tensor = 100 + position;
    channel.layer_type = position % 2 ? "" : "CONV_2D";
    if (dtype == DType::kInt8) channel.spec.quantization = {{0.5f, 0.25f, 0.125f}, {0}, 1};
    channels.push_back(channel);
  }
  Channel input;
  input.stage = Stage::kModelInput;
  input.spec = {"input", DType::kInt8, {1, 2, 2, 1}, {{0.0078125f}, {-1}, 0}};
  input.position = 0;
  channels.push_back(input);
  Channel output;
  output.stage = Stage::kModelOutput;
  output.spec = {"", DType::kFloat32, {}, {}};  // no name, a scalar
  output.position = 0;
  channels.push_back(output);
  return channels;
}

void record(Writer& writer, std::uint32_t frames) {
  ASSERT_TRUE(
      writer.metadata("edgeprobe.run", {{"model", "net.tflite"},
                                        {"threads", "2"},
                                        {"recipe", "resize 2 2 bilinear\nnormalize 0 255"}}));
  const auto channels = every_kind();
  std::vector<ChannelId> ids;
  for (const Channel& channel : channels) ids.push_back(*writer.add_channel(channel));
  for (std::uint32_t i = 0; i < frames; ++i) {
    const std::uint32_t frame = i * 3 + 1;
    const std::uint64_t time = 1'700'000'000'000'000'000ull + frame;
    for (std::size_t c = 0; c < channels.size(); ++c) {
      if (c == 1 && i == 1) continue;  // a frame without this tensor
      const std::size_t size = message_size(channels[c]).value_or(5 + i);
      ASSERT_TRUE(writer.write(ids[c], frame, time, noise(size, frame * 100 + c)));
    }
    FrameRecord about{
        frame, time, "cat/größe 50%/\x1b" + std::to_string(i) + ".png", std::string(64, 'a'),
        {},    {}};
    if (i != 1) about.label = static_cast<int>(i) - 1;
    if (i != 2) about.latency_ns = 1234567 + i;
    ASSERT_TRUE(writer.frame(about));
  }
}

void write_set(const std::filesystem::path& folder) {
  WriterOptions options;
  options.ring_bytes = 1 << 16;
  options.chunk_bytes = 700;
  options.flush_ms = 1'000'000;
  {
    auto writer = Writer::open(folder / "plain.mcap", options);
    record(*writer, 3);
    ASSERT_TRUE(writer->close());
  }
  for (const char* codec : {"zstd", "lz4"})
    ASSERT_TRUE(pack(folder / "plain.mcap", folder / (std::string(codec) + ".mcap"),
                     *compression_from(codec, nullptr)));
  const Bytes whole = file_bytes(folder / "plain.mcap");
  put_file(folder / "cut.mcap", ByteView(whole).sub(0, whole.size() * 6 / 10));
  ASSERT_TRUE(recover(folder / "cut.mcap", folder / "recovered.mcap"));
  options.rotation.part_bytes = ~std::uint64_t{0};
  auto parts = Writer::open(folder / "part.mcap", options);
  record(*parts, 1);
  ASSERT_TRUE(parts->close());
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".mcap") continue;
    auto beside = entry.path();
    std::ofstream(beside.replace_extension(".json"))
        << twin_of(*Reader::open(entry.path())).dump(1) << "\n";
  }
}

TEST(Golden, EveryVersionsFilesAreReadAsTheyWere) {
  if (const char* out = std::getenv("EDGEPROBE_GOLDEN_OUT")) write_set(out);
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kGolden)) {
    if (entry.path().extension() != ".mcap") continue;
    ++files;
    auto beside = entry.path();
    const json twin = json::parse(std::ifstream(beside.replace_extension(".json")));
    for (const bool use_index : {true, false}) {
      ReaderOptions options;
      options.use_index = use_index;
      const auto reader = Reader::open(entry.path(), options);
      ASSERT_TRUE(reader) << reader.error().what;
      const json found = twin_of(*reader);
      EXPECT_EQ(found, twin) << entry.path().filename() << ": "
                             << json::diff(twin, found).dump().substr(0, 1000);
      EXPECT_EQ(reader->problems().empty(), reader->is_finished()) << entry.path().filename();
    }
    EXPECT_EQ(verify(entry.path())->problems.empty(), twin["finished"].get<bool>())
        << entry.path().filename();
  }
  EXPECT_GE(files, 6u);
}

TEST(Golden, TheOfficialReaderFindsWhatTheTwinsSay) {
  if (!has_python())
    GTEST_SKIP() << "no Python at " << TRACE_TEST_PYTHON << " (script/setup makes it)";
  const auto [code, output] = run_python("check_twins.py", {kGolden.string()});
  EXPECT_EQ(code, 0) << output;
}

// Features of a newer version, which this one must refuse with a reason.
TEST(Golden, NewerVersionsAndOtherProfilesAreRefused) {
  Folder folder;
  const auto refusal = [&](const char* from, const std::string& to) -> std::string {
    Bytes bytes = file_bytes(kGolden / "v1" / "part-000.mcap");
    const ByteView pattern = view_of(from);
    for (auto at = bytes.begin();
         (at = std::search(at, bytes.end(), pattern.begin(), pattern.end())) != bytes.end(); ++at)
      std::copy(view_of(to).begin(), view_of(to).end(), at);
    put_file(folder / "t.mcap", bytes);
    const auto reader = Reader::open(folder / "t.mcap");
    return reader ? "" : std::string(name(reader.error().kind)) + ": " + reader.error().what;
  };
  EXPECT_NE(refusal("MCAP0", "MCAP1").find("unsupported: "), std::string::npos);
  EXPECT_NE(refusal("MCAP0", "MCAP1").find("MCAP major version '1'"), std::string::npos);
  EXPECT_EQ(refusal("x-tensor", "x-tensor"), "");
  {
    auto writer = Writer::open(folder / "n.mcap");
    ASSERT_TRUE(writer->metadata("edgeprobe.trace", {{"version", "2"}}));
    ASSERT_TRUE(writer->close());
  }
  const auto newer = Reader::open(folder / "n.mcap");
  ASSERT_FALSE(newer);
  EXPECT_EQ(newer.error().kind, ErrorKind::kUnsupported);
  EXPECT_NE(newer.error().what.find("version '2'; this program reads version 1"), std::string::npos)
      << newer.error().what;
  // A robot's log: another profile, with nothing that a trace describes.
  ASSERT_TRUE(Writer::open(folder / "r.mcap")->close());
  Bytes robot = file_bytes(folder / "r.mcap");
  const std::string own = "edgeprobe", other = "ros2-bags";
  std::copy(view_of(other).begin(), view_of(other).end(),
            std::search(robot.begin(), robot.end(), view_of(own).begin(), view_of(own).end()));
  put_file(folder / "r.mcap", robot);
  const auto refused = Reader::open(folder / "r.mcap");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().what.find("profile 'ros2-bags'"), std::string::npos)
      << refused.error().what;
}

}  // namespace
}  // namespace edgeprobe::trace
