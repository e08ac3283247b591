// SPDX-License-Identifier: Apache-2.0
#include "trace/frame_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "support.h"
#include "trace/record/chunk_file.h"

namespace edgeprobe::trace {
namespace {

TEST(FrameIndex, AnyOrderOfFramesGivesTheSameRanges) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    std::set<std::uint32_t> expected;
    FrameIndex index;
    for (int i = 0; i < 60; ++i) {
      const auto frame =
          static_cast<std::uint32_t>(round % 2 ? random() % 100 : 4294967295u - random() % 100);
      expected.insert(frame);
      index.add(frame);
      if (random() % 10 == 0) index.end_chunk();
    }
    index.end_chunk();
    std::set<std::uint32_t> found;
    for (const auto& [first, last] : index.frames())
      for (std::uint64_t frame = first; frame <= last; ++frame)
        EXPECT_TRUE(found.insert(static_cast<std::uint32_t>(frame)).second);
    ASSERT_EQ(found, expected);
    EXPECT_EQ(index.frame_count(), expected.size());
    const auto text = index.to_text();
    ASSERT_TRUE(text);
    const auto again = FrameIndex::from_text(*text);
    ASSERT_TRUE(again);
    EXPECT_EQ(again->frames(), index.frames());
    EXPECT_EQ(again->chunks(), index.chunks());
  }
}

TEST(FrameIndex, TextsOfAnotherFormAreNothing) {
  EXPECT_TRUE(FrameIndex::from_text({{"frames", "0-3 5"}, {"chunks", "0-3 3-5"}}));
  for (const char* frames : {"3-0", "0-3 3", "5 1", "a", "1 ", " 1", "1  2", "-1", "1-",
                             "4294967296", "1,2", "+1", "0x1"})
    EXPECT_FALSE(FrameIndex::from_text({{"frames", frames}, {"chunks", "0"}})) << frames;
  EXPECT_FALSE(FrameIndex::from_text({{"frames", "0"}}));
}

TEST(FrameIndex, ScatteredFramesAreNotIndexed) {
  FrameIndex index;
  for (std::uint32_t frame = 0; frame < 200'000; ++frame) index.add(frame * 2);
  index.end_chunk();
  EXPECT_FALSE(index.to_text());
}

// A file with one chunk that contains a message of frame 6, and an arbitrary index.
void write_with_index(const std::filesystem::path& path, std::uint32_t indexed, int messages = 1) {
  auto file = ChunkFile::create(path, false);
  ASSERT_TRUE(file);
  ASSERT_TRUE(
      file->add_channel(1, 0, "/layer/x", "x-tensor", {{"dtype", "uint8"}, {"shape", "4"}}));
  mcap::Builder record;
  std::vector<ChunkEntry> entries;
  for (int i = 0; i < messages; ++i) {
    entries.push_back({1, indexed, 9, record.size()});
    const std::size_t mark = record.begin(mcap::Op::kMessage);
    record.u16(1);
    record.u32(6);
    record.u64(9);
    record.u64(9);
    record.raw("abcd", 4);
    record.end(mark);
  }
  ASSERT_TRUE(file->add_chunk({view_of(record.bytes())}, entries));
  ASSERT_TRUE(file->finish());
}

TEST(FrameIndex, AnIndexThatLiesIsFoundAtTheFirstUse) {
  Folder folder;
  write_with_index(folder / "good", 6);
  const auto good = Reader::open(folder / "good");
  ASSERT_TRUE(good);
  EXPECT_EQ((*good->read(6, 1))->bytes.text(), "abcd");
  EXPECT_TRUE(good->problems().empty());

  write_with_index(folder / "lie", 5);
  for (const bool verify : {true, false}) {
    ReaderOptions options;
    options.verify_checksums = verify;
    const auto reader = Reader::open(folder / "lie", options);
    ASSERT_TRUE(reader);
    EXPECT_EQ(reader->frames(), std::vector<std::uint32_t>{5});
    const auto tensor = reader->read(5, 1);
    ASSERT_FALSE(tensor);
    EXPECT_EQ(tensor.error().kind, ErrorKind::kCorrupt);
    EXPECT_EQ(reader->problems().size(), 1u);
    EXPECT_FALSE(reader->read(5, 1));
    EXPECT_EQ(reader->problems().size(), 1u);
    int visited = 0;
    EXPECT_TRUE(reader->visit([&](const ReadChannel&, std::uint32_t, std::uint64_t, ByteView) {
      return ++visited, Status();
    }));
    EXPECT_EQ(visited, 0);
  }
  ReaderOptions walking;
  walking.use_index = false;
  EXPECT_EQ(Reader::open(folder / "lie", walking)->frames(), std::vector<std::uint32_t>{6});
}

TEST(FrameIndex, OpeningByItGivesWhatWalkingGives) {
  Folder folder;
  WriterOptions small;
  small.ring_bytes = 4096;
  small.chunk_bytes = 500;
  auto writer = Writer::open(folder / "t", small);
  ASSERT_TRUE(writer);
  const auto a = *writer->add_channel(byte_channel(Stage::kLayer, "a", 30));
  const auto b = *writer->add_channel(byte_channel(Stage::kLayer, "b", 7));
  std::mt19937 random(5);
  std::vector<std::uint32_t> frames(300);
  for (std::uint32_t i = 0; i < 300; ++i) frames[i] = i * 2;
  std::shuffle(frames.begin(), frames.end(), random);
  for (const std::uint32_t frame : frames) {
    ASSERT_TRUE(writer->write(a, frame, frame, noise(30, frame)));
    if (frame % 3) {
      ASSERT_TRUE(writer->write(b, frame, frame, noise(7, frame)));
    }
    if (frame % 5) {
      ASSERT_TRUE(writer->frame({frame, frame, std::to_string(frame), "", {}, {}}));
    }
  }
  ASSERT_TRUE(writer->close());
  ReaderOptions walking;
  walking.use_index = false;
  const auto one = read_everything(*Reader::open(folder / "t")),
             other = read_everything(*Reader::open(folder / "t", walking));
  ASSERT_TRUE(one && other);
  EXPECT_EQ(difference(*one, *other), "");
  EXPECT_EQ(one->frames.size(), 300u);
}

}  // namespace
}  // namespace edgeprobe::trace
