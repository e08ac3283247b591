// SPDX-License-Identifier: Apache-2.0
// A file cut at every byte, and one with every byte flipped: an error, a problem, or the same
// contents.
#include <gtest/gtest.h>

#include <algorithm>

#include "support.h"
#include "trace/mcap/mcap.h"

namespace edgeprobe::trace {
namespace {

WriterOptions small_chunks() {
  WriterOptions options;
  options.ring_bytes = 4096;
  options.chunk_bytes = 600;
  return options;
}

// Frames whose four messages (three tensors, one record) are all in chunks that end at or before
// `size`.
std::size_t messages_in_whole_chunks(ByteView file, std::size_t size) {
  std::size_t count = 0;
  for (std::size_t at = sizeof mcap::kMagic; at < size;) {
    const auto record = mcap::record_at(file.sub(0, size), at);
    if (!record || record->op == mcap::Op::kDataEnd) break;
    at = record->end();
    if (record->op != mcap::Op::kChunk) continue;
    // fields without compression
    const ByteView body = record->content.sub(40, record->content.size - 40);
    for (std::size_t next = 0; next < body.size;) {
      const auto inner = mcap::record_at(body, next);
      count += inner->op == mcap::Op::kMessage;
      next = inner->end();
    }
  }
  return count;
}

TEST(Damage, CutAtEveryByteKeepsAllEarlierWholeChunks) {
  Folder folder(Folder::Files::kMany);
  ASSERT_TRUE(write_sample(folder / "t.mcap", 30, small_chunks()));
  const Bytes whole = file_bytes(folder / "t.mcap");
  const auto reference = read_everything(*Reader::open(folder / "t.mcap"));
  ASSERT_TRUE(reference);
  ASSERT_GT(messages_in_whole_chunks(whole, whole.size()), 100u);

  for (std::size_t size = 0; size < whole.size(); ++size) {
    put_file(folder / "cut.mcap", ByteView(whole).sub(0, size));
    const auto reader = Reader::open(folder / "cut.mcap");
    if (size < sizeof mcap::kMagic) {
      ASSERT_FALSE(reader);
      continue;
    }
    ASSERT_TRUE(reader) << size << ": " << reader.error().what;
    ASSERT_FALSE(reader->is_finished());
    ASSERT_FALSE(reader->problems().empty());
    const auto found = read_everything(*reader);
    ASSERT_TRUE(found) << found.error().what;
    for (const auto& [key, sum] : found->tensors)
      ASSERT_EQ(reference->tensors.at(key), sum) << size;
    std::size_t records = 0;
    for (const FrameRecord& record : reader->records()) records += !record.sample.empty();
    ASSERT_EQ(found->tensors.size() + records, messages_in_whole_chunks(whole, size)) << size;
  }
}

TEST(Damage, FlippedBitsAreAnErrorAProblemOrHarmless) {
  Folder folder(Folder::Files::kMany);
  ASSERT_TRUE(write_sample(folder / "t.mcap", 12, small_chunks()));
  const Bytes whole = file_bytes(folder / "t.mcap");
  const auto reference = read_everything(*Reader::open(folder / "t.mcap"));
  ASSERT_TRUE(reference);
  Bytes flipped = whole;
  std::size_t refused = 0, told = 0, harmless = 0;
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (const unsigned mask : {1u << (at % 8), 0xffu}) {
      flipped[at] = whole[at] ^ static_cast<std::byte>(mask);
      put_file(folder / "flip.mcap", flipped);
      const auto reader = Reader::open(folder / "flip.mcap");
      if (!reader) {
        ++refused;
      } else {
        const auto found = read_everything(*reader);
        if (!found || !reader->problems().empty()) {
          ++told;
        } else {
          ++harmless;
          ASSERT_EQ(difference(*found, *reference), "")
              << "byte " << at << " ^ " << mask << ": and not a word about it";
        }
      }
      flipped[at] = whole[at];
    }
  EXPECT_GT(refused, 0u);
  EXPECT_GT(told, whole.size() / 2);
  RecordProperty("refused", static_cast<int>(refused));
  RecordProperty("told", static_cast<int>(told));
  RecordProperty("harmless", static_cast<int>(harmless));
}

TEST(Damage, OneBrokenChunkCostsOnlyItself) {
  Folder folder(Folder::Files::kMany);
  ASSERT_TRUE(write_sample(folder / "t.mcap", 60, small_chunks()));
  Bytes bytes = file_bytes(folder / "t.mcap");
  const auto reference = read_everything(*Reader::open(folder / "t.mcap"));
  // The second chunk claims 2^63 bytes: the walk stops there, and continues at the third one, using
  // the summary.
  std::size_t at = sizeof mcap::kMagic;
  for (int chunks = 0;; at = mcap::record_at(bytes, at)->end())
    if (mcap::record_at(bytes, at)->op == mcap::Op::kChunk && ++chunks == 2) break;
  const std::size_t lost = messages_in_whole_chunks(bytes, mcap::record_at(bytes, at)->end()) -
                           messages_in_whole_chunks(bytes, at);
  bytes[at + 8] = std::byte{0x80};
  put_file(folder / "t.mcap", bytes);
  const auto reader = Reader::open(folder / "t.mcap");
  ASSERT_TRUE(reader);
  EXPECT_NE(reader->problems()[0].find("reading goes on at the next chunk"), std::string::npos)
      << reader->problems()[0];
  const auto found = read_everything(*reader);
  ASSERT_TRUE(found);
  EXPECT_GE(found->tensors.size() + lost, reference->tensors.size());
  EXPECT_LT(found->tensors.size(), reference->tensors.size());
}

TEST(Damage, ADamagedTensorIsAnErrorUnlessChecksAreOff) {
  Folder folder(Folder::Files::kMany);
  {
    auto writer = Writer::open(folder / "t.mcap");
    const auto id = *writer->add_channel(byte_channel(Stage::kLayer, "x", 1000));
    ASSERT_TRUE(writer->write(id, 4, 0, Bytes(1000, std::byte{0x55})));
    ASSERT_TRUE(writer->close());
  }
  Bytes bytes = file_bytes(folder / "t.mcap");
  const Bytes run(100, std::byte{0x55});
  *std::search(bytes.begin(), bytes.end(), run.begin(), run.end()) = std::byte{0};
  put_file(folder / "t.mcap", bytes);

  const auto reader = Reader::open(folder / "t.mcap");
  ASSERT_TRUE(reader);
  const auto tensor = reader->read(4, 1);
  ASSERT_FALSE(tensor);
  EXPECT_EQ(tensor.error().kind, ErrorKind::kCorrupt);
  EXPECT_NE(tensor.error().what.find("frame 4 of '/layer/x'"), std::string::npos)
      << tensor.error().what;
  EXPECT_EQ(reader->problems().size(), 1u);
  EXPECT_FALSE(reader->read(4, 1));
  EXPECT_EQ(reader->problems().size(), 1u) << "the same problem twice";

  ReaderOptions trusting;
  trusting.verify_checksums = false;
  EXPECT_TRUE(*Reader::open(folder / "t.mcap", trusting)->read(4, 1));
}

}  // namespace
}  // namespace edgeprobe::trace
