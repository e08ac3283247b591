// SPDX-License-Identifier: Apache-2.0
// Traces whose frames and channels are strewn over all chunks, as of writers whose threads
// interleave: read in linear time.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "support.h"
#include "trace/read/copy.h"
#include "trace/read/message_places.h"

namespace edgeprobe::trace {
namespace {

constexpr std::uint32_t kFrames = 2000, kChannels = 16;
constexpr std::size_t kSize = 8;

std::uint64_t seed(std::uint32_t frame, std::uint32_t channel) {
  return std::uint64_t{frame} * kChannels + channel;
}

/// Every message of frames x channels except `left_out`, in random order.
void write_strewn(const std::filesystem::path& path,
                  std::pair<std::uint32_t, std::uint32_t> left_out) {
  WriterOptions options;
  options.chunk_bytes = 2000;
  auto writer = Writer::open(path, options);
  ASSERT_TRUE(writer) << writer.error().what;
  std::vector<ChannelId> ids;
  for (std::uint32_t c = 0; c < kChannels; ++c)
    ids.push_back(
        *writer->add_channel(byte_channel(Stage::kLayer, "c" + std::to_string(c), kSize)));
  std::vector<std::pair<std::uint32_t, std::uint32_t>> all;
  for (std::uint32_t f = 0; f < kFrames; ++f)
    for (std::uint32_t c = 0; c < kChannels; ++c)
      if (std::pair{f, c} != left_out) all.emplace_back(f, c);
  std::mt19937 random(7);
  std::shuffle(all.begin(), all.end(), random);
  for (const auto& [f, c] : all) ASSERT_TRUE(writer->write(ids[c], f, f, noise(kSize, seed(f, c))));
  for (std::uint32_t f = 0; f < kFrames; ++f)
    ASSERT_TRUE(writer->frame({f, f, std::to_string(f), "", {}, {}}));
  ASSERT_TRUE(writer->close());
}

Reader opened(const std::filesystem::path& path, const ReaderOptions& options = {}) {
  auto reader = Reader::open(path, options);
  EXPECT_TRUE(reader) << reader.error().what;
  return *std::move(reader);
}

/// If each message were searched for in every chunk, these 32,000 reads would walk 11 million
/// chunks.
void expect_all(const Reader& reader, std::pair<std::uint32_t, std::uint32_t> left_out) {
  for (std::uint32_t f = 0; f < kFrames; ++f)
    for (std::uint32_t c = 0; c < kChannels; ++c) {
      const auto tensor = reader.read(f, reader.channels()[c].id);
      ASSERT_TRUE(tensor) << tensor.error().what;
      ASSERT_EQ(tensor->has_value(), (std::pair{f, c} != left_out));
      if (tensor->has_value()) {
        ASSERT_EQ((*tensor)->bytes.copy(), noise(kSize, seed(f, c))) << f << " " << c;
      }
    }
  EXPECT_TRUE(reader.problems().empty());
}

TEST(Strewn, EveryMessageIsFound) {
  const Folder folder;
  const std::pair<std::uint32_t, std::uint32_t> left_out{17, 3};
  write_strewn(folder / "t.mcap", left_out);
  expect_all(opened(folder / "t.mcap"), left_out);
  expect_all(opened(folder / "t.mcap", {true, false}), left_out);
  ASSERT_TRUE(pack(folder / "t.mcap", folder / "packed.mcap", *compression_from("zstd", nullptr)));
  expect_all(opened(folder / "packed.mcap"), left_out);
}

TEST(Strewn, WindowsOfFramesHoldTheSame) {
  const Folder folder;
  write_strewn(folder / "t.mcap", {0, 0});
  const auto file = MappedFile::open(folder / "t.mcap");
  ASSERT_TRUE(file);
  Problems problems;
  auto contents = scan(*file, "t", problems, Depth::kMessages);
  ASSERT_TRUE(contents);
  const auto body = [&](std::size_t i) -> std::optional<ByteView> {
    return file->bytes().sub(contents->segments[i].offset, contents->segments[i].size);
  };
  MessagePlaces all, some;
  all.walk(*contents, 0, body);
  std::size_t walks = 0;
  for (std::uint32_t f = 0; f < kFrames; ++f) {
    ASSERT_TRUE(all.covers(f));
    if (!some.covers(f)) {
      some.walk(*contents, f, body, 1000);
      ++walks;
    }
    ASSERT_TRUE(some.covers(f));
    for (std::uint32_t c = 0; c < kChannels; ++c) {
      const auto *a = all.find(f, c), *b = some.find(f, c);
      ASSERT_EQ(a == nullptr, b == nullptr);
      ASSERT_EQ(a == nullptr, f == 0 && c == 0);
      if (a) {
        ASSERT_EQ(std::pair(a->segment, a->record), std::pair(b->segment, b->record));
      }
    }
  }
  EXPECT_GT(walks, 10u);
  EXPECT_LT(walks, 100u);
}

TEST(Strewn, ADamagedChunkIsToldForWhatItMightHold) {
  const Folder folder;
  write_strewn(folder / "t.mcap", {0, 0});
  Bytes bytes = file_bytes(folder / "t.mcap");
  {
    // Changes one byte of a tensor: only its chunk's checksum reveals this.
    const Bytes values = noise(kSize, seed(1000, 5));
    const auto at = std::search(bytes.begin(), bytes.end(), values.begin(), values.end());
    ASSERT_NE(at, bytes.end());
    *at ^= std::byte{1};
  }
  put_file(folder / "bad.mcap", bytes);
  const Reader strewn = opened(folder / "bad.mcap");
  std::size_t failed = 0, right = 0;
  for (std::uint32_t f = 0; f < kFrames; ++f)
    for (std::uint32_t c = 0; c < kChannels; ++c) {
      if (f == 0 && c == 0) continue;
      const auto tensor = strewn.read(f, strewn.channels()[c].id);
      if (!tensor) {
        EXPECT_EQ(tensor.error().kind, ErrorKind::kCorrupt);
        ++failed;
      } else {
        ASSERT_TRUE(tensor->has_value());
        ASSERT_EQ((*tensor)->bytes.copy(), noise(kSize, seed(f, c)));
        ++right;
      }
    }
  EXPECT_FALSE(strewn.read(1000, strewn.channels()[5].id));
  EXPECT_GT(failed, 10u);
  EXPECT_GT(right, 10u);
  EXPECT_FALSE(strewn.problems().empty());
}

}  // namespace
}  // namespace edgeprobe::trace
