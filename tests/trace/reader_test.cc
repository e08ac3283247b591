// SPDX-License-Identifier: Apache-2.0
#include "trace/read/reader.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdio>
#include <fstream>

#include "core/file.h"
#include "support.h"
#include "trace/mcap/crc32.h"
#include "trace/mcap/mcap.h"

namespace edgeprobe::trace {
namespace {

using mcap::Builder;
using mcap::Op;

// A file assembled by hand.
class Handmade {
 public:
  Handmade() {
    bytes.raw(mcap::kMagic, 8);
    record(Op::kHeader, [](Builder& b) {
      b.text("");
      b.text("handmade");
    });
  }
  template <class Fill>
  void record(Op op, const Fill& fill) {
    const std::size_t mark = bytes.begin(op);
    fill(bytes);
    bytes.end(mark);
  }
  void channel(std::uint16_t id, const std::string& topic, const mcap::TextMap& keys,
               const std::string& encoding = "x-tensor") {
    record(Op::kChannel, [&](Builder& b) {
      b.u16(id);
      b.u16(0);
      b.text(topic);
      b.text(encoding);
      b.map(keys);
    });
  }
  static void message_into(Builder& b, std::uint16_t channel, std::uint32_t frame,
                           const std::string& data) {
    const std::size_t mark = b.begin(Op::kMessage);
    b.u16(channel);
    b.u32(frame);
    b.u64(5);
    b.u64(5);
    b.raw(data.data(), data.size());
    b.end(mark);
  }
  void message(std::uint16_t channel, std::uint32_t frame, const std::string& data) {
    message_into(bytes, channel, frame, data);
  }
  void chunk(const std::string& records, std::uint64_t claimed, const std::string& codec = "",
             std::uint64_t stored_length = ~0ull) {
    record(Op::kChunk, [&](Builder& b) {
      b.u64(0);
      b.u64(0);
      b.u64(claimed);
      b.u32(crc32(view_of(records)));
      b.text(codec);
      b.u64(stored_length == ~0ull ? records.size() : stored_length);
      b.raw(records.data(), records.size());
    });
  }
  void end(std::uint64_t summary_start = 0) {
    record(Op::kDataEnd, [](Builder& b) { b.u32(0); });
    record(Op::kFooter, [&](Builder& b) {
      b.u64(summary_start);
      b.u64(0);
      b.u32(0);
    });
    bytes.raw(mcap::kMagic, 8);
  }
  Result<Reader> open(const Folder& folder) const {
    put_file(folder / "h.mcap", view_of(bytes.bytes()));
    return Reader::open(folder / "h.mcap");
  }
  Builder bytes;
};

const mcap::TextMap kThreeBytes{{"dtype", "uint8"}, {"shape", "3"}};

std::string problems(const Reader& reader) {
  std::string all;
  for (const std::string& problem : reader.problems()) all += problem + "\n";
  return all;
}

TEST(Reader, ReadsMessagesOutsideChunks) {
  Folder folder;
  Handmade file;
  file.channel(9, "/layer/a", kThreeBytes);
  file.message(9, 1, "abc");
  file.message(9, 0, "xyz");
  file.end();
  const auto reader = file.open(folder);
  ASSERT_TRUE(reader) << reader.error().what;
  EXPECT_EQ(problems(*reader), "");
  EXPECT_EQ(reader->library(), "handmade");
  EXPECT_EQ(reader->frames(), (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ((*reader->read(1, 9))->bytes.text(), "abc");
  EXPECT_EQ((*reader->read(0, 9))->bytes.text(), "xyz");
}

TEST(Reader, ForeignChannelsAreIgnoredWithASentence) {
  Folder folder;
  Handmade file;
  file.channel(1, "/camera", {}, "cdr");
  file.channel(2, "/layer/a", kThreeBytes);
  file.channel(3, "/layer/bad", {{"dtype", "uint8"}});
  file.channel(4, "/future_stage/a", kThreeBytes);
  for (std::uint16_t id = 1; id <= 5; ++id) file.message(id, 0, "abc");
  file.record(Op::kMetadata, [](Builder& b) {
    b.text("somebody.else");
    b.map({{"k", "v"}});
  });
  file.record(static_cast<Op>(0x93), [](Builder& b) { b.text("private"); });
  file.end();
  const auto reader = file.open(folder);
  ASSERT_TRUE(reader) << reader.error().what;
  EXPECT_EQ(reader->channels().size(), 1u);
  EXPECT_EQ(reader->metadata().at("somebody.else").at("k"), "v");
  const std::string text = problems(*reader);
  EXPECT_NE(text.find("channel '/camera' (encoding 'cdr')"), std::string::npos) << text;
  EXPECT_NE(text.find("'/layer/bad': its metadata has no shape"), std::string::npos) << text;
  EXPECT_NE(text.find("'/future_stage/a'"), std::string::npos) << text;
  EXPECT_NE(text.find("messages on channel 5 come before its description"), std::string::npos)
      << text;
  EXPECT_EQ(reader->problems().size(), 4u) << text;
}

TEST(Reader, RepeatedChannelsAndMessagesKeepTheFirst) {
  Folder folder;
  Handmade file;
  file.channel(1, "/layer/a", kThreeBytes);
  file.channel(1, "/layer/a", kThreeBytes);  // describing the same channel again is normal
  file.message(1, 0, "one");
  file.channel(1, "/layer/other", kThreeBytes);
  file.message(1, 0, "two");
  file.end();
  const auto reader = file.open(folder);
  ASSERT_TRUE(reader);
  EXPECT_EQ((*reader->read(0, 1))->bytes.text(), "one");
  const std::string text = problems(*reader);
  EXPECT_NE(text.find("comes again"), std::string::npos) << text;
  EXPECT_NE(text.find("sequence numbers repeat"), std::string::npos) << text;
  EXPECT_EQ(reader->problems().size(), 2u) << text;
}

TEST(Reader, MessageOfAnotherLengthIsNotATensor) {
  Folder folder;
  Handmade file;
  file.channel(1, "/layer/a", kThreeBytes);
  for (std::uint32_t frame = 0; frame < 5; ++frame) file.message(1, frame, "toolong");
  file.message(1, 5, "abc");
  file.end();
  const auto reader = file.open(folder);
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->channels()[0].messages, 1u);
  EXPECT_EQ(reader->frames(), (std::vector<std::uint32_t>{5}));
  EXPECT_EQ(
      problems(*reader),
      "frame 0 of '/layer/a' has 7 bytes, expected 3; messages of a wrong length are ignored\n");
}

TEST(Reader, ChunksThatLieAreSkipped) {
  std::string records;
  {
    Builder b;
    Handmade::message_into(b, 1, 7, "abc");
    records = b.bytes();
  }
  struct Case {
    std::uint64_t claimed, stored;
    const char* codec;
  };
  for (const Case& lie :
       {Case{std::uint64_t{1} << 63, ~0ull, ""}, Case{records.size(), std::uint64_t{1} << 63, ""},
        Case{records.size() + 1, ~0ull, ""}, Case{std::uint64_t{1} << 63, ~0ull, "zstd"},
        Case{255u << 20, ~0ull, "zstd"}, Case{100, ~0ull, "lz4"}, Case{100, ~0ull, "brotli"},
        Case{std::uint64_t{1} << 63, ~0ull, "lz4"}}) {
    Folder folder;
    Handmade file;
    file.channel(1, "/layer/a", kThreeBytes);
    file.chunk(records, lie.claimed, lie.codec, lie.stored);
    file.chunk(records, records.size());
    file.end();
    const auto reader = file.open(folder);
    ASSERT_TRUE(reader) << reader.error().what;
    EXPECT_EQ(reader->problems().size(), 1u) << lie.codec << lie.claimed;
    EXPECT_NE(problems(*reader).find("the chunk at offset"), std::string::npos);
    EXPECT_EQ((*reader->read(7, 1))->bytes.text(), "abc");
  }
}

TEST(Reader, AChunkOfRecordsBeyondItsEndIsSkipped) {
  Folder folder;
  Builder inner;
  Handmade::message_into(inner, 1, 7, "abc");
  std::string records = inner.bytes();
  records[1] = 100;  // the length of the message
  Handmade file;
  file.channel(1, "/layer/a", kThreeBytes);
  file.chunk(records, records.size());
  file.end();
  const auto reader = file.open(folder);
  ASSERT_TRUE(reader);
  EXPECT_TRUE(reader->frames().empty());
  EXPECT_NE(problems(*reader).find("holds a record that does not fit it"), std::string::npos);
}

TEST(Reader, AFooterThatPointsBackOrOutsideIsNotBelieved) {
  for (const std::uint64_t start : {std::uint64_t{1}, std::uint64_t{8}, std::uint64_t{60},
                                    std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
    Folder folder;
    Handmade file;
    file.channel(1, "/layer/a", kThreeBytes);
    file.message(1, 0, "abc");
    file.end(start);
    const auto reader = file.open(folder);
    ASSERT_TRUE(reader) << reader.error().what;
    EXPECT_EQ((*reader->read(0, 1))->bytes.text(), "abc");
  }
}

TEST(Reader, RefusesOtherFilesAndNewerVersions) {
  Folder folder;
  const auto why = [&](std::string_view bytes) {
    put_file(folder / "x", view_of(bytes));
    auto reader = Reader::open(folder / "x");
    return reader ? std::string("opened") : reader.error().what;
  };
  EXPECT_NE(why("").find("the file is empty"), std::string::npos);
  EXPECT_NE(why("hello world").find("the first 8 bytes"), std::string::npos);
  EXPECT_NE(why("version https://git-lfs.github.com/spec/v1\n").find("Git LFS"), std::string::npos);
  EXPECT_EQ(Reader::open(folder / "absent").error().kind, ErrorKind::kNotFound);
  EXPECT_FALSE(Reader::open(folder.path()));
  EXPECT_FALSE(Reader::open("/dev/zero"));

  Handmade file;
  file.record(Op::kMetadata, [](Builder& b) {
    b.text("edgeprobe.trace");
    b.map({{"version", "2"}});
  });
  file.end();
  const auto reader = file.open(folder);
  ASSERT_FALSE(reader);
  EXPECT_EQ(reader.error().kind, ErrorKind::kUnsupported);
  EXPECT_NE(reader.error().what.find("version '2'"), std::string::npos);
}

TEST(Reader, BrokenFrameRecordsAreToldAndTheFrameStays) {
  Folder folder;
  Handmade file;
  file.channel(1, "/frame", {}, "json");
  const std::vector<std::string> records{R"({"label": 3, "sample": "a%2Fb", "more": [1]})",
                                         "not json",
                                         "[]",
                                         R"({"label": "x"})",
                                         R"({"label": 3000000000})",
                                         R"({"label": 1.5})",
                                         R"({"sha256": "short"})",
                                         R"({"latency_ns": -1})",
                                         R"({"latency_ns": 18446744073709551615})",
                                         "{}",
                                         std::string(70000, ' '),
                                         std::string(60000, '[')};
  for (std::uint32_t frame = 0; frame < records.size(); ++frame)
    file.message(1, frame, records[frame]);
  file.message(1, 0, "{}");
  file.end();
  const auto reader = file.open(folder);
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->frames().size(), records.size());
  EXPECT_EQ(reader->records()[0].sample, "a/b");
  EXPECT_EQ(reader->records()[0].label, 3);
  EXPECT_FALSE(reader->records()[3].label);
  EXPECT_EQ(reader->problems().size(), 11u) << problems(*reader);
}

TEST(Reader, TheNumberOfSentencesIsBounded) {
  Folder folder;
  Handmade file;
  file.channel(1, "/frame", {}, "json");
  for (std::uint32_t frame = 0; frame < 1000; ++frame) file.message(1, frame, "no");
  file.end();
  const auto reader = file.open(folder);
  ASSERT_TRUE(reader);
  ASSERT_EQ(reader->problems().size(), 101u);
  EXPECT_EQ(reader->problems().back(), "and 900 more problems");
}

TEST(Reader, AMegabyteNameIsShortenedWhereItIsShown) {
  Folder folder;
  Handmade file;
  file.channel(1, "/layer/" + std::string(1 << 20, 'n'), kThreeBytes);
  file.channel(2, "/" + std::string(1 << 20, 'n'), kThreeBytes);
  file.message(1, 0, "abc");
  file.end();
  const auto reader = file.open(folder);
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->channels().size(), 1u);
  EXPECT_LT(problems(*reader).size(), 1000u);
}

TEST(Reader, FramesInAnyOrderOverManyChunksAreFound) {
  Folder folder;
  Handmade file;
  file.channel(1, "/layer/a", kThreeBytes);
  for (std::uint32_t i = 0; i < 200; ++i) {
    const std::uint32_t frame = (i * 73) % 200 * 10;
    Builder records;
    char text[4];
    std::snprintf(text, sizeof text, "%03u", frame / 10);
    Handmade::message_into(records, 1, frame, text);
    file.chunk(records.bytes(), records.size());
  }
  file.end();
  const auto reader = file.open(folder);
  ASSERT_TRUE(reader);
  for (std::uint32_t frame = 0; frame < 2000; ++frame) {
    const auto tensor = reader->read(frame, 1);
    ASSERT_TRUE(tensor);
    ASSERT_EQ(tensor->has_value(), frame % 10 == 0);
    if (!*tensor) continue;
    EXPECT_EQ(std::stoul(std::string((*tensor)->bytes.text())), frame / 10);
  }
}

std::size_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::size_t total = 0, resident = 0;
  statm >> total >> resident;
  return resident * 4096;
}

TEST(Reader, MemoryDoesNotGrowWithTheFile) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers keep memory of their own";
#endif
  Folder folder;
  {
    auto writer = Writer::open(folder / "t.mcap");
    const auto id = *writer->add_channel(byte_channel(Stage::kLayer, "x", 1 << 20));
    const Bytes tensor = noise(1 << 20, 1);
    for (std::uint32_t frame = 0; frame < 200; ++frame)
      ASSERT_TRUE(writer->write(id, frame, 0, tensor));
    ASSERT_TRUE(writer->close());
  }
  const std::size_t before = resident_bytes();
  std::size_t most = 0;
  auto reader = Reader::open(folder / "t.mcap");
  ASSERT_TRUE(reader);
  most = std::max(most, resident_bytes());
  ASSERT_TRUE(reader->visit([&](const ReadChannel&, std::uint32_t, std::uint64_t, ByteView) {
    most = std::max(most, resident_bytes());
    return Status();
  }));
  for (std::uint32_t frame = 0; frame < 200; ++frame) {
    ASSERT_TRUE(*reader->read(frame * 73 % 200, 1));
    most = std::max(most, resident_bytes());
  }
  EXPECT_LT(most - before, std::size_t{24} << 20) << "200 MB were read";
}

}  // namespace
}  // namespace edgeprobe::trace
