// SPDX-License-Identifier: Apache-2.0
#include "trace/export/export.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <sstream>

#include "core/file.h"
#include "support.h"
#include "trace/export/zip.h"
#include "trace/mcap/encode.h"
#include "trace/read/copy.h"

namespace edgeprobe::trace {
namespace {

using namespace std::string_literals;

Bytes joined(const std::vector<Bytes>& parts) {
  Bytes all;
  for (const Bytes& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

template <class T>
Bytes bytes_of(const std::vector<T>& values) {
  Bytes bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

std::set<std::string> lines(const std::string& text) {
  std::set<std::string> all;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) all.insert(line);
  return all;
}

class Export : public testing::Test {
 protected:
  // Frames 3, 5 and 9; channel "sometimes" is missing in frame 5.
  void SetUp() override {
    auto writer = Writer::open(folder_ / "t.mcap");
    Channel q = byte_channel(Stage::kModelInput, "q", 2);
    q.spec.dtype = DType::kInt8;
    q.spec.quantization = {{0.5f}, {-1}, 0};
    Channel half = byte_channel(Stage::kLayer, "b", 2);
    half.spec.dtype = DType::kBFloat16;
    half.spec.shape = {1};
    Channel file = byte_channel(Stage::kRawInput, "file", 1);
    file.spec.shape = {-1};
    file.encoding = "encoded";
    const std::vector<Channel> channels{q,
                                        float_channel(Stage::kModelOutput, "=cmd,\"x\"", {1, 2}),
                                        byte_channel(Stage::kLayer, "../../etc/passwd", 3),
                                        half,
                                        file,
                                        float_channel(Stage::kLayer, "scalar", {})};
    std::vector<ChannelId> ids;
    for (const Channel& channel : channels) ids.push_back(*writer->add_channel(channel));
    for (const std::uint32_t frame : {5u, 3u, 9u}) {
      const auto put = [&](std::size_t i, const Bytes& bytes) {
        ASSERT_TRUE(writer->write(ids[i], frame, 7, bytes));
      };
      put(0, bytes_of<std::int8_t>({-128, static_cast<std::int8_t>(frame)}));
      put(1, bytes_of<float>({0.1f, -1.5f}));
      if (frame != 5) put(2, noise(3, frame));
      put(3, bytes_of<std::uint16_t>({0x3fc0}));  // 1.5
      put(4, noise(frame, frame));
      put(5, bytes_of<float>({static_cast<float>(frame)}));
      FrameRecord record;
      record.frame = frame;
      record.time_ns = 7;
      record.sample = "=HYPERLINK(\"x\")";
      if (frame != 9) record.label = 4;
      ASSERT_TRUE(writer->frame(record));
    }
    ASSERT_TRUE(writer->close());
    reader_.emplace(*Reader::open(folder_ / "t.mcap"));
  }
  Folder folder_;
  std::optional<Reader> reader_;
};

TEST_F(Export, NumPyReadsTheArchive) {
  const auto report = export_npz(*reader_, folder_ / "t.npz", {});
  ASSERT_TRUE(report) << report.error().what;
  EXPECT_EQ(report->tensors, 17u);
  if (!has_python()) GTEST_SKIP() << "no Python at " << TRACE_TEST_PYTHON;
  const auto [code, output] = run_python("digest_npz.py", {(folder_ / "t.npz").string()});
  ASSERT_EQ(code, 0) << output;
  const auto sum = [](const Bytes& bytes) { return sha256(bytes); };
  EXPECT_EQ(lines(output),
            (std::set<std::string>{
                "frames <u4 3 " + sum(bytes_of<std::uint32_t>({3, 5, 9})),
                "labels <i8 3 " + sum(bytes_of<std::int64_t>({4, 4, -1})),
                "model_input/q |i1 3x2 " + sum(bytes_of<std::int8_t>({-128, 3, -128, 5, -128, 9})),
                "model_output/=cmd,\"x\" <f4 3x1x2 " +
                    sum(bytes_of<float>({0.1f, -1.5f, 0.1f, -1.5f, 0.1f, -1.5f})),
                "layer/_./_./etc/passwd |u1 2x3 " + sum(joined({noise(3, 3), noise(3, 9)})),
                "layer/_./_./etc/passwd.frames <u4 2 " + sum(bytes_of<std::uint32_t>({3, 9})),
                "layer/b <u2 3x1 " + sum(bytes_of<std::uint16_t>({0x3fc0, 0x3fc0, 0x3fc0})),
                "raw_input/file/000003.bin bytes 3 " + sum(noise(3, 3)),
                "raw_input/file/000005.bin bytes 5 " + sum(noise(5, 5)),
                "raw_input/file/000009.bin bytes 9 " + sum(noise(9, 9)),
                "layer/scalar <f4 3 " + sum(bytes_of<float>({3.f, 5.f, 9.f}))}))
      << output;
}

TEST_F(Export, AnnotationsAreKeptAsTheyAre) {
  {
    auto writer = Writer::open(folder_ / "a.mcap");
    Channel channel;
    channel.stage = Stage::kModelOutput;
    channel.spec = {"out", DType::kFloat32, {1}, {}};
    const auto id = *writer->add_channel(channel);
    for (std::uint32_t frame = 0; frame < 2; ++frame) {
      ASSERT_TRUE(writer->write(id, frame, 7, bytes_of<float>({0.5f})));
      FrameRecord record;
      record.frame = frame;
      if (frame == 1) record.annotation = FrameAnnotation{"boxes", R"([{"x": 1.50}])"};
      ASSERT_TRUE(writer->frame(record));
    }
    FrameRecord large;
    large.annotation =
        FrameAnnotation{"text", '"' + std::string(kLongestAnnotation - 1, 'x') + '"'};
    const auto refused = writer->frame(large);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::kLimit);
    EXPECT_NE(refused.error().what.find("12289 bytes, at most 12288"), std::string::npos);
    ASSERT_TRUE(writer->close());
  }
  ASSERT_TRUE(
      pack(folder_ / "a.mcap", folder_ / "packed.mcap", *compression_from("zstd", nullptr)));
  ASSERT_TRUE(recover(folder_ / "packed.mcap", folder_ / "r.mcap"));
  const auto reader = Reader::open(folder_ / "r.mcap");
  ASSERT_TRUE(reader);
  ASSERT_TRUE(reader->records()[1].annotation);
  EXPECT_EQ(reader->records()[1].annotation->value, R"([{"x": 1.50}])");
  ASSERT_TRUE(export_csv(*reader, folder_ / "a.csv", {}));
  EXPECT_EQ(ByteView(file_bytes(folder_ / "a.csv")).text(),
            "frame,time_ns,sample,label,stage,tensor,index,stored,value,annotation\n"
            "0,,,,model_output,out,0,0.5,0.5,\n"
            "1,,,,model_output,out,0,0.5,0.5,"
            "\"{\"\"kind\"\":\"\"boxes\"\",\"\"value\"\":[{\"\"x\"\": 1.50}]}\"\n");
  ASSERT_TRUE(export_npz(*reader, folder_ / "a.npz", {}));
  const Bytes archive = file_bytes(folder_ / "a.npz");
  EXPECT_NE(ByteView(archive).text().find(R"({"1":{"kind":"boxes","value":[{"x": 1.50}]}})"),
            std::string_view::npos);
}

TEST_F(Export, OneTensorOfOneFrame) {
  ASSERT_TRUE(export_npz(*reader_, folder_ / "one.npz", {{5u, "layer/scalar"}, false}));
  if (!has_python()) GTEST_SKIP() << "no Python at " << TRACE_TEST_PYTHON;
  const auto [code, output] = run_python("digest_npz.py", {(folder_ / "one.npz").string()});
  EXPECT_NE(output.find("layer/scalar <f4 1 " + sha256(bytes_of<float>({5.f}))), std::string::npos)
      << output;
  EXPECT_EQ(lines(output).size(), 3u) << output;  // with frames and labels
}

TEST_F(Export, TheTableHasOneValueARowAndNoFormulas) {
  const auto report = export_csv(*reader_, folder_ / "t.csv", {});
  ASSERT_TRUE(report) << report.error().what;
  const Bytes bytes = file_bytes(folder_ / "t.csv");
  const std::string text(ByteView(bytes).text());
  std::istringstream in(text);
  const std::string sample = "3,7,\"'=HYPERLINK(\"\"x\"\")\",";
  std::string line;
  std::getline(in, line);
  EXPECT_EQ(line, "frame,time_ns,sample,label,stage,tensor,index,stored,value");
  std::getline(in, line);  // (-128 + 1) * 0.5 = -63.5
  EXPECT_EQ(line, sample + "4,model_input,q,0,-128,-63.5");
  std::getline(in, line);
  EXPECT_EQ(line, sample + "4,model_input,q,1,3,2");
  std::getline(in, line);
  EXPECT_EQ(line, sample + "4,model_output,\"'=cmd,\"\"x\"\"\",0,0.1,0.1");
  EXPECT_NE(text.find(",b,0,1.5,1.5\n"), std::string::npos);
  EXPECT_EQ(report->rows, 2u * 3 + 2 * 3 + 3 * 2 + 3 + 3);
  ASSERT_EQ(report->notes.size(), 1u);
  EXPECT_EQ(report->notes[0], "3 encoded files were left out (--npz keeps them)");
}

TEST_F(Export, NothingIsOverwrittenUnlessAsked) {
  put_file(folder_ / "there", view_of("precious"));
  EXPECT_EQ(export_npz(*reader_, folder_ / "there", {}).error().kind, ErrorKind::kUsage);
  EXPECT_EQ(export_csv(*reader_, folder_ / "there", {}).error().kind, ErrorKind::kUsage);
  EXPECT_EQ(file_bytes(folder_ / "there"), view_of("precious").copy());
  EXPECT_TRUE(export_csv(*reader_, folder_ / "there", {{}, true}));
}

TEST_F(Export, NothingIsLeftBehindWhenItFails) {
  const std::size_t before = folder_.file_count();
  EXPECT_NE(export_npz(*reader_, folder_ / "x", {{std::nullopt, "scalr"}, false})
                .error()
                .what.find("the nearest name is 'scalar'"),
            std::string::npos);
  EXPECT_EQ(export_csv(*reader_, folder_ / "x", {{4u, ""}, false}).error().kind,
            ErrorKind::kNotFound);
  const std::atomic<bool> stop{true};
  EXPECT_EQ(export_npz(*reader_, folder_ / "x", {}, {&stop, {}}).error().kind,
            ErrorKind::kInterrupted);
  EXPECT_EQ(export_csv(*reader_, folder_ / "x", {}, {&stop, {}}).error().kind,
            ErrorKind::kInterrupted);
  EXPECT_EQ(folder_.file_count(), before);
}

TEST(Zip, NamesStayInsideAndDistinct) {
  EXPECT_EQ(archive_name("a/b/c"), "a/b/c");
  EXPECT_EQ(archive_name("/etc/../x"), "unknown/etc/_./x");
  EXPECT_EQ(archive_name("a\\b\0\x1b"s), "a_b__");
  Folder folder;
  auto zip = ZipWriter::create(folder / "z.zip", false);
  EXPECT_EQ(*zip->begin("a", ".npy"), "a.npy");
  ASSERT_TRUE(zip->end());
  EXPECT_EQ(*zip->begin("a", ".npy"), "a~2.npy");
  ASSERT_TRUE(zip->end());
  EXPECT_EQ(*zip->begin("b~2", ".npy"), "b~2.npy");
  ASSERT_TRUE(zip->end());
  for (const char* const name : {"b.npy", "b~3.npy", "b~4.npy"}) {
    EXPECT_EQ(*zip->begin("b", ".npy"), name);
    ASSERT_TRUE(zip->end());
  }
  // One name 60,000 times: counting from the start each time would take 1,800,000,000 lookups.
  for (int i = 0; i < 60'000; ++i) {
    const auto name = zip->begin("c", ".npy");
    ASSERT_TRUE(name && zip->end());
    if (i == 59'999) {
      EXPECT_EQ(*name, "c~60000.npy");
    }
  }
  ASSERT_TRUE(zip->finish());
}

TEST(Zip, LargeMembersAreStreamed) {
  Folder folder;
  const Bytes block = noise(700'000, 3);
  auto writer = Writer::open(folder / "t.mcap");
  const auto id = *writer->add_channel(byte_channel(Stage::kLayer, "x", block.size()));
  std::vector<Bytes> all;
  for (std::uint32_t frame = 0; frame < 10; ++frame) {
    all.push_back(noise(block.size(), frame));
    ASSERT_TRUE(writer->write(id, frame, 0, all.back()));
  }
  ASSERT_TRUE(writer->close());
  ASSERT_TRUE(export_npz(*Reader::open(folder / "t.mcap"), folder / "t.npz", {}));
  if (!has_python()) GTEST_SKIP() << "no Python at " << TRACE_TEST_PYTHON;
  const auto [code, output] = run_python("digest_npz.py", {(folder / "t.npz").string()});
  EXPECT_NE(output.find("layer/x |u1 10x700000 " + sha256(joined(all))), std::string::npos)
      << output;
}

TEST(Csv, TextCellsAreNeutral) {
  EXPECT_EQ(csv_text("plain"), "plain");
  EXPECT_EQ(csv_text("=1+1"), "'=1+1");
  EXPECT_EQ(csv_text("@x"), "'@x");
  EXPECT_EQ(csv_text("  -2"), "'  -2");
  EXPECT_EQ(csv_text("\t=1"), "\\x09=1");
  EXPECT_EQ(csv_text("a\nb"), "a\\x0ab");
  EXPECT_EQ(csv_text("a,\"b\""), "\"a,\"\"b\"\"\"");
}

}  // namespace
}  // namespace edgeprobe::trace
