// SPDX-License-Identifier: Apache-2.0
// recover, pack and verify: what is kept, what is said, and what the official reader makes of the
// results.
#include "trace/read/copy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <random>

#include "support.h"
#include "trace/mcap/decode.h"
#include "trace/mcap/mcap.h"
#include "trace/read/verify.h"

namespace edgeprobe::trace {
namespace {

WriterOptions small_chunks(std::size_t chunk = 300) {
  WriterOptions options;
  options.ring_bytes = 4096;
  options.chunk_bytes = chunk;
  return options;
}

CopyOptions quick() {
  CopyOptions options;
  options.sync = false;  // thousands of files
  return options;
}

Compression compression(const char* name) { return *compression_from(name, nullptr); }

// Offsets of the Chunk records.
std::vector<std::size_t> chunks_of(ByteView file) {
  std::vector<std::size_t> chunks;
  std::size_t at = sizeof mcap::kMagic;
  while (const auto record = mcap::record_at(file, at)) {
    if (record->op == mcap::Op::kChunk) chunks.push_back(at);
    if (record->op == mcap::Op::kDataEnd) break;
    at = record->end();
  }
  return chunks;
}

class Recover : public testing::Test {
 protected:
  // Recovers the first `sizes` bytes of t.mcap into cuts/N.mcap; the official reader judges the
  // results.
  void check_cuts(const std::vector<std::size_t>& sizes) {
    const Bytes whole = file_bytes(folder_ / "t.mcap");
    std::filesystem::create_directory(folder_ / "cuts");
    for (const std::size_t size : sizes) {
      put_file(folder_ / "cut.mcap", ByteView(whole).sub(0, size));
      const auto report = recover(folder_ / "cut.mcap",
                                  folder_ / "cuts" / (std::to_string(size) + ".mcap"), quick());
      if (size < sizeof mcap::kMagic) {
        ASSERT_FALSE(report);
        continue;
      }
      ASSERT_TRUE(report) << size << ": " << report.error().what;
      ASSERT_EQ(report->lost_something(), size < whole.size()) << size;
      const auto reader = Reader::open(folder_ / "cuts" / (std::to_string(size) + ".mcap"));
      ASSERT_TRUE(reader) << size << ": " << reader.error().what;
      ASSERT_TRUE(reader->is_finished());
      ASSERT_TRUE(reader->problems().empty()) << size << ": " << reader->problems()[0];
    }
    if (!has_python())
      GTEST_SKIP() << "no Python at " << TRACE_TEST_PYTHON << " (script/setup makes it)";
    const auto [code, output] = run_python(
        "read_recovered.py", {(folder_ / "t.mcap").string(), (folder_ / "cuts").string()});
    ASSERT_EQ(code, 0) << output;
    const auto checked = static_cast<std::size_t>(
        std::count_if(sizes.begin(), sizes.end(), [](std::size_t s) { return s >= 8; }));
    EXPECT_EQ(output.substr(0, output.find(' ')), std::to_string(checked));
  }
  Folder folder_{Folder::Files::kMany};
};

TEST_F(Recover, CutAtEveryByteOfASmallFile) {
  for (const char* codec : {"none", "zstd", "lz4"}) {
    ASSERT_TRUE(write_sample(folder_ / "plain.mcap", 3, small_chunks(150)));
    ASSERT_TRUE(pack(folder_ / "plain.mcap", folder_ / "t.mcap", compression(codec), quick()));
    const Bytes whole = file_bytes(folder_ / "t.mcap");
    EXPECT_GE(chunks_of(whole).size(), 3u);
    EXPECT_EQ(ByteView(whole).text().find(codec) != std::string_view::npos,
              codec != std::string_view("none"))
        << "no chunk is packed";
    std::vector<std::size_t> sizes(whole.size() + 1);
    for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i] = i;
    check_cuts(sizes);
    for (const char* name : {"plain.mcap", "t.mcap", "cuts"})
      std::filesystem::remove_all(folder_ / name);
  }
}

TEST_F(Recover, CutAtRandomBytesOfALargerFilePackedOrNot) {
  for (const char* codec : {"none", "zstd", "lz4"}) {
    ASSERT_TRUE(write_sample(folder_ / "plain.mcap", 4000, small_chunks(2000)));
    ASSERT_TRUE(pack(folder_ / "plain.mcap", folder_ / "t.mcap", compression(codec), quick()));
    const std::size_t size = std::filesystem::file_size(folder_ / "t.mcap");
    ASSERT_GT(chunks_of(file_bytes(folder_ / "t.mcap")).size(), 100u);
    std::mt19937 random(7);
    std::vector<std::size_t> sizes{size};
    for (int i = 0; i < 20; ++i) sizes.push_back(random() % size);
    std::sort(sizes.begin(), sizes.end());
    check_cuts(sizes);
    for (const char* name : {"plain.mcap", "t.mcap", "cuts"})
      std::filesystem::remove_all(folder_ / name);
  }
}

TEST_F(Recover, DamagedChunksAreLeftOutCountedAndSaid) {
  ASSERT_TRUE(write_sample(folder_ / "t.mcap", 60, small_chunks()));
  Bytes bytes = file_bytes(folder_ / "t.mcap");
  const auto chunks = chunks_of(bytes);
  ASSERT_GT(chunks.size(), 10u);
  const auto reference = read_everything(*Reader::open(folder_ / "t.mcap"));
  bytes[chunks[2] + 100] ^= std::byte{1};  // a value: the checksum is wrong
  bytes[chunks[5] + 8] = std::byte{0x80};  // its length: 2^63 bytes
  // its length: 768 bytes too many
  bytes[chunks[8] + 2] = static_cast<std::byte>(std::to_integer<int>(bytes[chunks[8] + 2]) + 3);
  put_file(folder_ / "t.mcap", bytes);
  const auto report = recover(folder_ / "t.mcap", folder_ / "r.mcap");
  ASSERT_TRUE(report) << report.error().what;
  EXPECT_EQ(report->chunks, chunks.size() - 2)
      << "the last damage spoils a length alone: the chunk itself is whole";
  EXPECT_EQ(report->damaged_chunks, 1u);
  EXPECT_TRUE(report->was_finished);
  EXPECT_GE(report->problems.size(), 2u);
  const auto reader = Reader::open(folder_ / "r.mcap");
  ASSERT_TRUE(reader);
  EXPECT_TRUE(reader->problems().empty()) << reader->problems()[0];
  EXPECT_EQ(reader->metadata().at("edgeprobe.recovered").at("damaged_chunks"), "1");
  const auto found = read_everything(*reader);
  ASSERT_TRUE(found);
  EXPECT_GT(found->tensors.size(), reference->tensors.size() * 8 / 10);
  for (const auto& [key, sum] : found->tensors) EXPECT_EQ(reference->tensors.at(key), sum);
  EXPECT_TRUE(verify(folder_ / "r.mcap")->problems.empty());
}

TEST_F(Recover, AChunkThatClaimsTerabytesCostsOnlyItself) {
  ASSERT_TRUE(write_sample(folder_ / "plain.mcap", 60, small_chunks()));
  ASSERT_TRUE(pack(folder_ / "plain.mcap", folder_ / "t.mcap", compression("zstd"), quick()));
  Bytes bytes = file_bytes(folder_ / "t.mcap");
  const auto chunks = chunks_of(bytes);
  ASSERT_GT(chunks.size(), 10u);
  std::size_t claiming = 3;
  // a compressed one: its codec has a length
  while (bytes[chunks[claiming] + 9 + 28] == std::byte{0}) ++claiming;
  bytes[chunks[claiming] + 9 + 16 + 5] = std::byte{0x5f};  // its decoded size: 104 TB
  put_file(folder_ / "t.mcap", bytes);
  const auto report = recover(folder_ / "t.mcap", folder_ / "r.mcap", quick());
  ASSERT_TRUE(report) << report.error().what;
  EXPECT_EQ(report->chunks, chunks.size() - 1);
  EXPECT_EQ(report->damaged_chunks, 1u);
}

TEST_F(Recover, ChunksBehindTheDamageAreFoundWithoutASummary) {
  ASSERT_TRUE(write_sample(folder_ / "plain.mcap", 60, small_chunks()));
  for (const char* codec : {"none", "zstd", "lz4"}) {
    ASSERT_TRUE(pack(folder_ / "plain.mcap", folder_ / "t.mcap", compression(codec), quick()));
    Bytes bytes = file_bytes(folder_ / "t.mcap");
    const auto chunks = chunks_of(bytes);
    bytes.resize(chunks.back() + 20);  // no footer
    // a hole, as after a loss of power
    for (std::size_t i = 0; i < 9; ++i) bytes[chunks[3] + i] = std::byte{0};
    put_file(folder_ / "cut.mcap", bytes);
    const auto report = recover(folder_ / "cut.mcap", folder_ / "r.mcap", quick());
    ASSERT_TRUE(report) << report.error().what;
    EXPECT_EQ(report->chunks, chunks.size() - 2) << codec;
    EXPECT_FALSE(report->was_finished);
    EXPECT_EQ(verify(folder_ / "r.mcap")->chunks, chunks.size() - 2);
    std::filesystem::remove(folder_ / "t.mcap");
    std::filesystem::remove(folder_ / "r.mcap");
  }
}

// Other writers describe a channel in the first chunk that uses it.
TEST_F(Recover, ChannelsOfADamagedFirstChunkSaveTheSoundOnesBehindIt) {
  ASSERT_TRUE(write_sample(folder_ / "t.mcap", 60, small_chunks()));
  const Bytes bytes = file_bytes(folder_ / "t.mcap");
  const auto reference = read_everything(*Reader::open(folder_ / "t.mcap"));
  const auto chunks = chunks_of(bytes);
  std::string out(reinterpret_cast<const char*>(mcap::kMagic), sizeof mcap::kMagic), described;
  for (std::size_t at = sizeof mcap::kMagic; at < chunks[0];) {
    const auto record = mcap::record_at(bytes, at);
    const ByteView whole = ByteView(bytes).sub(at, record->end() - at);
    (record->op == mcap::Op::kSchema || record->op == mcap::Op::kChannel ? described : out) +=
        whole.text();
    at = record->end();
  }
  const auto fields = mcap::chunk_fields(mcap::record_at(bytes, chunks[0])->content);
  described += fields->stored.text();
  const auto number = [](std::uint64_t value, std::size_t width) {
    return std::string(reinterpret_cast<const char*>(&value), width);
  };
  const std::string chunk = number(0, 8) + number(0, 8) + number(described.size(), 8) +
                            number(/*wrong*/ 1, 4) + number(0, 4) + number(described.size(), 8) +
                            described;
  out += "\x06" + number(chunk.size(), 8) + chunk;
  out += ByteView(bytes).sub(chunks[1], chunks.back() - chunks[1]).text();  // and no summary
  put_file(folder_ / "cut.mcap", view_of(out));
  const auto report = recover(folder_ / "cut.mcap", folder_ / "r.mcap", quick());
  ASSERT_TRUE(report) << report.error().what;
  EXPECT_EQ(report->chunks, chunks.size() - 2);
  EXPECT_EQ(report->damaged_chunks, 1u);
  EXPECT_TRUE(
      std::any_of(report->problems.begin(), report->problems.end(), [](const std::string& problem) {
        return problem.find("that only a damaged chunk describes") != std::string::npos;
      }));
  const auto found = read_everything(*Reader::open(folder_ / "r.mcap"));
  ASSERT_TRUE(found);
  EXPECT_GT(found->tensors.size(), reference->tensors.size() * 8 / 10);
  for (const auto& [key, sum] : found->tensors) EXPECT_EQ(reference->tensors.at(key), sum);
}

TEST_F(Recover, NothingIsOverwrittenAndNothingIsLeftBehind) {
  ASSERT_TRUE(write_sample(folder_ / "t.mcap", 60, small_chunks()));
  const Bytes before = file_bytes(folder_ / "t.mcap");
  const auto onto_itself = recover(folder_ / "t.mcap", folder_ / "t.mcap");
  ASSERT_FALSE(onto_itself);
  EXPECT_EQ(onto_itself.error().kind, ErrorKind::kUsage);
  EXPECT_EQ(file_bytes(folder_ / "t.mcap"), before);

  const std::atomic<bool> stop{true};
  const Control control{&stop, {}};
  for (const auto& result :
       {recover(folder_ / "t.mcap", folder_ / "r.mcap", {}, control),
        pack(folder_ / "t.mcap", folder_ / "r.mcap", compression("zstd"), {}, control)}) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, ErrorKind::kInterrupted);
  }
  EXPECT_EQ(verify(folder_ / "t.mcap", control).error().kind, ErrorKind::kInterrupted);
  EXPECT_EQ(folder_.file_count(), 1u);
}

TEST_F(Recover, ANewerVersionIsRefused) {
  {
    auto writer = Writer::open(folder_ / "t.mcap");
    ASSERT_TRUE(writer->metadata("edgeprobe.trace", {{"version", "2"}}));
    ASSERT_TRUE(writer->close());
  }
  const auto report = recover(folder_ / "t.mcap", folder_ / "r.mcap");
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind, ErrorKind::kUnsupported);
  EXPECT_EQ(folder_.file_count(), 1u);
}

using Pack = Recover;

TEST_F(Pack, ThereAndBackGivesTheSameTrace) {
  ASSERT_TRUE(write_sample(folder_ / "t.mcap", 500, small_chunks(3000)));
  const auto reference = read_everything(*Reader::open(folder_ / "t.mcap"));
  for (const char* codec : {"zstd", "lz4"}) {
    const auto packed = pack(folder_ / "t.mcap", folder_ / codec, compression(codec), quick());
    ASSERT_TRUE(packed) << packed.error().what;
    EXPECT_EQ(packed->messages, 2000u);
    EXPECT_LT(packed->bytes_after, packed->bytes_before);
    const auto found = read_everything(*Reader::open(folder_ / codec));
    ASSERT_TRUE(found);
    EXPECT_EQ(difference(*found, *reference), "");
    EXPECT_TRUE(verify(folder_ / codec)->problems.empty());
    const auto back = pack(folder_ / codec, folder_ / "back", compression("none"), quick());
    ASSERT_TRUE(back);
    EXPECT_EQ(difference(*read_everything(*Reader::open(folder_ / "back")), *reference), "");
    EXPECT_EQ(back->bytes_after, packed->bytes_before) << "chunk by chunk as it was";
    std::filesystem::remove(folder_ / "back");
    if (!has_python()) continue;
    const auto [code, output] = run_python("read_with_mcap.py", {(folder_ / codec).string()});
    EXPECT_EQ(code, 0) << output;
    EXPECT_EQ(std::count(output.begin(), output.end(), '\n'), 2000);
  }
}

TEST_F(Pack, WhatTheOfficialWriterWritesIsPackedAndRecovered) {
  if (!has_python())
    GTEST_SKIP() << "no Python at " << TRACE_TEST_PYTHON << " (script/setup makes it)";
  for (const std::string layout : {"chunked", "loose"})
    for (const std::string from : {"none", "lz4"}) {
      const auto path = folder_ / (layout + from);
      const auto [code, lines] = run_python("write_with_mcap.py", {path.string(), from, layout});
      ASSERT_EQ(code, 0) << lines;
      const auto reference = read_everything(*Reader::open(path));
      const auto packed = pack(path, folder_ / "p", compression("zstd"), quick());
      ASSERT_TRUE(packed) << packed.error().what;
      EXPECT_EQ(difference(*read_everything(*Reader::open(folder_ / "p")), *reference), "")
          << layout << from;
      const auto recovered = recover(path, folder_ / "r", quick());
      ASSERT_TRUE(recovered) << recovered.error().what;
      EXPECT_FALSE(recovered->lost_something()) << recovered->problems.size();
      EXPECT_EQ(difference(*read_everything(*Reader::open(folder_ / "r")), *reference), "")
          << layout << from;
      for (const char* file : {"p", "r"}) {
        const auto [read_code, output] =
            run_python("read_with_mcap.py", {(folder_ / file).string()});
        EXPECT_EQ(read_code, 0) << output;
        std::filesystem::remove(folder_ / file);
      }
    }
}

TEST_F(Pack, DamagedAndUnfinishedFilesAreRefused) {
  ASSERT_TRUE(write_sample(folder_ / "t.mcap", 60, small_chunks()));
  Bytes bytes = file_bytes(folder_ / "t.mcap");
  bytes[chunks_of(bytes)[3] + 80] ^= std::byte{4};
  put_file(folder_ / "damaged.mcap", bytes);
  put_file(folder_ / "cut.mcap", ByteView(bytes).sub(0, chunks_of(bytes)[3]));
  for (const char* name : {"damaged.mcap", "cut.mcap"}) {
    const auto packed = pack(folder_ / name, folder_ / "p.mcap", compression("lz4"));
    ASSERT_FALSE(packed);
    EXPECT_EQ(packed.error().kind, ErrorKind::kCorrupt);
    EXPECT_NE(packed.error().what.find("trace recover"), std::string::npos) << packed.error().what;
  }
  EXPECT_EQ(folder_.file_count(), 3u);
}

TEST_F(Pack, LevelsAndNamesAreChecked) {
  const int zero = 0, twenty = 20, twelve = 12;
  EXPECT_EQ(compression_from("zstd", nullptr)->level, 1);
  EXPECT_EQ(compression_from("lz4", &twelve)->level, 12);
  EXPECT_FALSE(compression_from("zstd", &zero));
  EXPECT_FALSE(compression_from("zstd", &twenty));
  EXPECT_FALSE(compression_from("none", &zero));
  EXPECT_EQ(compression_from("gzip", nullptr).error().kind, ErrorKind::kUsage);
}

TEST_F(Pack, WhatIsPackedIsNeverTakenForABomb) {
  const Bytes zeros(std::size_t{64} << 20);
  const auto packed = encode(compression("zstd"), zeros);
  ASSERT_TRUE(packed);
  EXPECT_TRUE(packed->empty()) << "64 MiB of zeros pack 10,000-fold: they are stored plainly";
  // a frame whose content does not matter: its claimed size is refused before decoding
  Bytes bomb(7000);
  const auto refused = decode("zstd", bomb, zeros.size());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kLimit);
  EXPECT_NE(refused.error().what.find("bomb"), std::string::npos) << refused.error().what;
}

TEST_F(Pack, AFileOfManySmallBombsIsRefused) {
  // 16 MiB of zeros in 1.5 KB, 300 times: 5 GB from half a megabyte.
  const auto path = folder_ / "t.mcap";
  {
    auto writer = Writer::open(path);
    const auto id =
        *writer->add_channel(byte_channel(Stage::kLayer, "x", (std::size_t{16} << 20) - 31));
    ASSERT_TRUE(writer->write(id, 0, 0, Bytes((std::size_t{16} << 20) - 31)));
    ASSERT_TRUE(writer->close());
  }
  ASSERT_TRUE(pack(path, folder_ / "p.mcap", compression("zstd"), quick()));
  const Bytes packed = file_bytes(folder_ / "p.mcap");
  const std::size_t start = chunks_of(packed)[0], end = mcap::record_at(packed, start)->end();
  ASSERT_LT(end - start, 4000u);
  Bytes bombs(packed.begin(), packed.begin() + static_cast<std::ptrdiff_t>(start));
  for (int i = 0; i < 300; ++i)
    bombs.insert(bombs.end(), packed.begin() + static_cast<std::ptrdiff_t>(start),
                 packed.begin() + static_cast<std::ptrdiff_t>(end));
  put_file(folder_ / "bombs.mcap", bombs);
  const auto reader = Reader::open(folder_ / "bombs.mcap");
  ASSERT_FALSE(reader);
  EXPECT_EQ(reader.error().kind, ErrorKind::kLimit);
  EXPECT_NE(reader.error().what.find("when decoded"), std::string::npos) << reader.error().what;
}

using Verify = Recover;

TEST_F(Verify, EveryFlippedByteOfTheDataIsFound) {
  ASSERT_TRUE(write_sample(folder_ / "t.mcap", 6, small_chunks()));
  const Bytes whole = file_bytes(folder_ / "t.mcap");
  ASSERT_TRUE(verify(folder_ / "t.mcap")->problems.empty());
  const auto chunks = chunks_of(whole);
  std::size_t missed = 0, tried = 0;
  Bytes flipped = whole;
  for (const std::size_t chunk : chunks)
    for (std::size_t at = chunk + mcap::kRecordHead + 16; at < mcap::record_at(whole, chunk)->end();
         ++at, ++tried) {
      flipped[at] ^= std::byte{16};
      put_file(folder_ / "f.mcap", flipped);
      const auto report = verify(folder_ / "f.mcap");
      missed += report && report->problems.empty();
      flipped[at] = whole[at];
    }
  EXPECT_GT(tried, 1000u);
  EXPECT_EQ(missed, 0u);
}

TEST_F(Verify, IndexesThatLieAreFound) {
  ASSERT_TRUE(write_sample(folder_ / "t.mcap", 6, small_chunks()));
  Bytes bytes = file_bytes(folder_ / "t.mcap");
  std::size_t at = chunks_of(bytes)[1];
  while (mcap::record_at(bytes, at)->op != mcap::Op::kMessageIndex)
    at = mcap::record_at(bytes, at)->end();
  bytes[at + mcap::kRecordHead + 6] ^= std::byte{1};  // a time
  put_file(folder_ / "t.mcap", bytes);
  const auto report = verify(folder_ / "t.mcap");
  ASSERT_TRUE(report);
  ASSERT_EQ(report->problems.size(), 1u);
  EXPECT_NE(report->problems[0].find("message indexes"), std::string::npos);
}

}  // namespace
}  // namespace edgeprobe::trace
