// SPDX-License-Identifier: Apache-2.0
#include "trace/record/writer.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <limits>
#include <thread>

#include "core/file.h"
#include "support.h"

namespace edgeprobe::trace {
namespace {

std::string text(const Reader& reader) {
  std::string all;
  for (const std::string& problem : reader.problems()) all += problem + "\n";
  return all;
}

Reader opened(const std::filesystem::path& path) {
  auto reader = Reader::open(path);
  EXPECT_TRUE(reader) << reader.error().what;
  return std::move(*reader);
}

TEST(Writer, WhatWasWrittenComesBack) {
  Folder folder;
  ASSERT_TRUE(write_sample(folder / "t.mcap", 20));
  const Reader reader = opened(folder / "t.mcap");
  EXPECT_EQ(text(reader), "");
  EXPECT_TRUE(reader.is_finished());
  ASSERT_EQ(reader.channels().size(), 3u);
  EXPECT_EQ(reader.channels()[0].channel.spec.quantization, (Quantization{{0.5f}, {-1}, 0}));
  EXPECT_EQ(reader.channels()[1].channel.spec.shape, (Shape{1, 2, 2, 3}));
  EXPECT_EQ(reader.channels()[1].messages, 20u);
  ASSERT_EQ(reader.frames().size(), 20u);
  EXPECT_EQ(reader.records()[7].sample, "a/7.png");
  EXPECT_EQ(reader.records()[7].label, 1);
  EXPECT_EQ(reader.records()[7].time_ns, 1'000'000'007u);
  EXPECT_EQ(reader.metadata().at("edgeprobe.run").at("threads"), "2");
  EXPECT_EQ(reader.metadata().at("edgeprobe.run").count("crc32"), 0u);
  for (const std::uint32_t frame : {19u, 0u, 7u})
    for (const ReadChannel& channel : reader.channels()) {
      const auto tensor = reader.read(frame, channel.id);
      ASSERT_TRUE(tensor && *tensor);
      EXPECT_EQ((*tensor)->bytes.copy(),
                noise(*channel.channel.spec.byte_size(), frame * 10u + channel.id));
    }
  EXPECT_FALSE(*reader.read(99, reader.channels()[0].id));
  EXPECT_EQ(reader.read(0, 999).error().kind, ErrorKind::kNotFound);
}

TEST(Writer, AnEmptyTraceIsWhole) {
  Folder folder;
  ASSERT_TRUE(write_sample(folder / "t.mcap", 0));
  const Reader reader = opened(folder / "t.mcap");
  EXPECT_EQ(text(reader), "");
  EXPECT_TRUE(reader.frames().empty());
  EXPECT_EQ(reader.channels().size(), 3u);
}

TEST(Writer, SeveralThreadsWriteAtOnce) {
  Folder folder;
  constexpr std::uint32_t kThreads = 4, kFrames = 300;
  WriterOptions options;
  options.ring_bytes = 64 << 10;
  options.chunk_bytes = 16 << 10;
  options.flush_ms = 2;
  {
    auto writer = Writer::open(folder / "t.mcap", options);
    ASSERT_TRUE(writer);
    std::vector<ChannelId> ids;
    for (std::uint32_t t = 0; t < kThreads; ++t)
      ids.push_back(*writer->add_channel(
          byte_channel(Stage::kLayer, "l" + std::to_string(t), 100 + 3000 * t)));
    std::vector<std::thread> threads;
    std::atomic<int> failures{0};
    for (std::uint32_t t = 0; t < kThreads; ++t)
      threads.emplace_back([&, t] {
        for (std::uint32_t frame = 0; frame < kFrames; ++frame) {
          if (!writer->write(ids[t], frame, frame, noise(100 + 3000 * t, frame * kThreads + t)))
            ++failures;
          if (t == 0 && !writer->frame({frame, frame, "s", "", {}, {}})) ++failures;
        }
      });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(failures, 0);
    const auto statistics = writer->close();
    ASSERT_TRUE(statistics);
    EXPECT_EQ(statistics->messages, kThreads * kFrames + kFrames);
    EXPECT_EQ(statistics->dropped_messages, 0u);
  }
  const Reader reader = opened(folder / "t.mcap");
  EXPECT_EQ(text(reader), "");
  for (std::uint32_t t = 0; t < kThreads; ++t)
    for (std::uint32_t frame = 0; frame < kFrames; ++frame) {
      const auto tensor = reader.read(frame, reader.channels()[t].id);
      ASSERT_TRUE(tensor && *tensor) << t << " " << frame;
      ASSERT_EQ((*tensor)->bytes.copy(), noise(100 + 3000 * t, frame * kThreads + t));
    }
}

TEST(Writer, ATensorLargerThanTheRingIsWrittenUnderBothPolicies) {
  for (const WhenFull policy : {WhenFull::kBlock, WhenFull::kDropFrame}) {
    Folder folder;
    WriterOptions options;
    options.ring_bytes = 16 << 10;
    options.when_full = policy;
    auto writer = Writer::open(folder / "t.mcap", options);
    const auto small = writer->add_channel(byte_channel(Stage::kModelInput, "small", 10));
    const auto large = writer->add_channel(byte_channel(Stage::kLayer, "large", 1 << 20));
    const auto exact = writer->add_channel(byte_channel(Stage::kLayer, "exact", (16 << 10) - 31));
    for (std::uint32_t frame = 0; frame < 5; ++frame) {
      ASSERT_TRUE(writer->write(*large, frame, 0, noise(1 << 20, frame)));
      ASSERT_TRUE(writer->write(*small, frame, 0, noise(10, frame)));
      if (policy == WhenFull::kBlock) {
        ASSERT_TRUE(writer->write(*exact, frame, 0, noise((16 << 10) - 31, frame)));
      }
    }
    ASSERT_TRUE(writer->close());
    const Reader reader = opened(folder / "t.mcap");
    EXPECT_EQ(text(reader), "");
    for (std::uint32_t frame = 0; frame < 5; ++frame) {
      EXPECT_EQ((*reader.read(frame, *large))->bytes.copy(), noise(1 << 20, frame));
      EXPECT_EQ((*reader.read(frame, *small))->bytes.copy(), noise(10, frame));
      if (policy == WhenFull::kBlock) {
        EXPECT_EQ((*reader.read(frame, *exact))->bytes.copy(), noise((16 << 10) - 31, frame));
      }
    }
  }
}

// Frames of growing size: the second record is larger than the ring, which cannot grow before the
// first one is written.
TEST(Writer, ARingThatHasToGrowNeverBlocksForGood) {
  constexpr std::size_t kFirst = 600'000, kSecond = 1'000'000;
  // Made in advance, so that the second frame comes while the first one waits.
  const auto values_of_first = noise(kFirst, 1), values_of_second = noise(kSecond, 2);
  for (int round = 0; round < 20; ++round) {
    Folder folder;
    WriterOptions options;
    options.ring_bytes = 16 << 10;
    options.ring_most = 4 << 20;
    options.when_full = WhenFull::kBlock;
    auto writer = Writer::open(folder / "t.mcap", options);
    const auto first = writer->add_channel(byte_channel(Stage::kLayer, "first", kFirst));
    const auto second = writer->add_channel(byte_channel(Stage::kLayer, "second", kSecond));
    writer->expect_frame(1 << 20);
    ASSERT_TRUE(writer->write(*first, 0, 0, values_of_first));
    ASSERT_TRUE(writer->write(*second, 0, 0, values_of_second));
    ASSERT_TRUE(writer->close());
    const Reader reader = opened(folder / "t.mcap");
    EXPECT_EQ((*reader.read(0, *first))->bytes.copy(), values_of_first);
    EXPECT_EQ((*reader.read(0, *second))->bytes.copy(), values_of_second);
  }
}

TEST(Writer, DropsWholeRestsOfFramesAndSaysHowMany) {
  Folder folder;
  WriterOptions options;
  options.ring_bytes = 8 << 10;
  options.flush_ms = 60'000;
  options.when_full = WhenFull::kDropFrame;
  options.chunk_bytes = 1 << 20;  // clamped to half the ring
  auto writer = Writer::open(folder / "t.mcap", options);
  const auto a = *writer->add_channel(byte_channel(Stage::kModelInput, "a", 1000));
  const auto b = *writer->add_channel(byte_channel(Stage::kModelOutput, "b", 4));
  const std::uint32_t frames = 20000;
  for (std::uint32_t frame = 0; frame < frames; ++frame) {
    ASSERT_TRUE(writer->write(a, frame, frame, noise(1000, 5)));
    ASSERT_TRUE(writer->write(b, frame, frame, noise(4, frame)));
  }
  const auto statistics = writer->close();
  ASSERT_TRUE(statistics);
  EXPECT_GT(statistics->dropped_frames, 0u) << "the disk kept up; the test shows nothing";
  EXPECT_EQ(statistics->messages + statistics->dropped_messages, 2u * frames);

  const Reader reader = opened(folder / "t.mcap");
  EXPECT_EQ(text(reader), "");
  EXPECT_EQ(reader.metadata().at("edgeprobe.dropped").at("frames"),
            std::to_string(statistics->dropped_frames));
  EXPECT_EQ(reader.metadata().at("edgeprobe.dropped").at("messages"),
            std::to_string(statistics->dropped_messages));
  std::uint64_t whole = 0, partial = 0;
  for (const std::uint32_t frame : reader.frames()) {
    const bool has_a = reader.read(frame, a)->has_value(),
               has_b = reader.read(frame, b)->has_value();
    EXPECT_FALSE(!has_a && has_b) << "the rest of frame " << frame << " was not dropped";
    ++(has_a && has_b ? whole : partial);
  }
  EXPECT_EQ(2 * whole + partial, statistics->messages);
}

TEST(Writer, ChecksWhatItIsGiven) {
  Folder folder;
  auto writer = Writer::open(folder / "t.mcap");
  const auto id = *writer->add_channel(byte_channel(Stage::kLayer, "x", 10));
  EXPECT_EQ(writer->write(id, 0, 0, noise(9, 0)).error().what,
            "'/layer/x', frame 0: 9 bytes, expected 10");
  EXPECT_EQ(writer->write(77, 0, 0, noise(10, 0)).error().kind, ErrorKind::kUsage);
  EXPECT_EQ(writer->add_channel(float_channel(Stage::kLayer, "y", {-1})).error().kind,
            ErrorKind::kUsage);
  FrameRecord long_name;
  long_name.sample = std::string(1 << 20, 's');
  EXPECT_EQ(writer->frame(long_name).error().kind, ErrorKind::kLimit);
  ASSERT_TRUE(writer->close());
  EXPECT_EQ(writer->write(id, 0, 0, noise(10, 0)).error().kind, ErrorKind::kUsage);
  EXPECT_EQ(writer->close().error().kind, ErrorKind::kUsage);
  EXPECT_EQ(text(opened(folder / "t.mcap")), "");
}

TEST(Writer, OddNamesComeBackExactly) {
  Folder folder;
  using namespace std::string_literals;
  const std::vector<std::string> names{
      "",         "..",   "../../x",   "a\x1b[31m", "nul\0inside"s,
      "\xff\xfe", "=cmd", "</script>", "%41",       std::string(20000, 'n')};
  auto writer = Writer::open(folder / "t.mcap");
  for (const std::string& name : names)
    ASSERT_TRUE(writer->add_channel(byte_channel(Stage::kLayer, name, 1)));
  ASSERT_TRUE(writer->metadata("edgeprobe.run", {{"model", "\xff%\x1b"}, {"crc32", "mine"}}));
  ASSERT_TRUE(writer->frame({0, 0, "\xff/%41\x1b", "", {}, {}}));
  ASSERT_TRUE(writer->close());
  const Reader reader = opened(folder / "t.mcap");
  EXPECT_EQ(text(reader), "");
  for (std::size_t i = 0; i < names.size(); ++i)
    EXPECT_EQ(reader.channels()[i].channel.spec.name, names[i]);
  EXPECT_EQ(reader.records()[0].sample, "\xff/%41\x1b");
  EXPECT_EQ(reader.metadata().at("edgeprobe.run").at("model"), "\xef\xbf\xbd%\x1b");
}

TEST(Writer, RefusesLinksAndExistingFilesAndKeepsThem) {
  Folder folder;
  put_file(folder / "precious", view_of("precious"));
  std::filesystem::create_symlink(folder / "precious", folder / "link");
  std::filesystem::create_symlink(folder / "nowhere", folder / "dangling");
  for (const char* name : {"precious", "link", "dangling"})
    EXPECT_EQ(Writer::open(folder / name).error().kind, ErrorKind::kUsage) << name;
  EXPECT_EQ(Writer::open(folder / "absent" / "t.mcap").error().kind, ErrorKind::kNotFound);
  EXPECT_EQ(Writer::open(folder.path()).error().kind, ErrorKind::kUsage);
  EXPECT_EQ(Writer::open(folder.path(), {}, true).error().kind, ErrorKind::kUsage);
  EXPECT_EQ(Writer::open("/dev/null", {}, true).error().kind, ErrorKind::kUsage);
  EXPECT_EQ(file_bytes(folder / "precious"), view_of("precious").copy());
  EXPECT_EQ(folder.file_count(), 3u);

  for (const char* name : {"link", "dangling"}) {
    EXPECT_EQ(Writer::open(folder / name, {}, true).error().kind, ErrorKind::kUsage) << name;
    EXPECT_TRUE(std::filesystem::is_symlink(folder / name)) << "the link was replaced";
  }
  EXPECT_EQ(file_bytes(folder / "precious"), view_of("precious").copy()) << "the link was followed";
  ASSERT_TRUE(Writer::open(folder / "precious", {}, true)->close());
  EXPECT_EQ(text(opened(folder / "precious")), "");
  EXPECT_EQ(folder.file_count(), 3u) << "a temporary file was left behind";
}

TEST(Writer, AFileThatIsBeingWrittenIsNotReplaced) {
  Folder folder;
  for (const bool replacing : {false, true}) {
    auto writer = Writer::open(folder / "t.mcap", {}, replacing);
    ASSERT_TRUE(writer) << writer.error().what;
    const auto id = writer->add_channel(byte_channel(Stage::kLayer, "x", 100));
    ASSERT_TRUE(writer->write(*id, 3, 0, noise(100, 3)));
    for (const bool replace : {true, false}) {
      const auto second = Writer::open(folder / "t.mcap", {}, replace);
      ASSERT_FALSE(second);
      EXPECT_EQ(second.error().kind, ErrorKind::kUsage);
      EXPECT_EQ(replace,
                second.error().what.find("another recording is writing it") != std::string::npos)
          << second.error().what;
    }
    EXPECT_EQ(folder.file_count(), 1u) << "a temporary file was left behind";
    ASSERT_TRUE(writer->close());
    EXPECT_EQ(opened(folder / "t.mcap").frames(), std::vector<std::uint32_t>{3});
  }
}

TEST(Writer, FilesAreForTheirOwnerAlone) {
  Folder folder;
  const mode_t before = ::umask(0);
  ASSERT_TRUE(Writer::open(folder / "new.mcap")->close());
  put_file(folder / "old.mcap", view_of("x"));
  ::chmod((folder / "old.mcap").c_str(), 0666);
  ASSERT_TRUE(Writer::open(folder / "old.mcap", {}, true)->close());
  ::umask(before);
  for (const char* name : {"new.mcap", "old.mcap"}) {
    struct stat info {};
    ASSERT_EQ(::stat((folder / name).c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 07777, 0600u) << name;
  }
}

TEST(Writer, LeavesNothingBehindWhenOpenFails) {
  Folder folder;
  WriterOptions options;
  options.ring_bytes = std::numeric_limits<std::size_t>::max() / 2;
  EXPECT_EQ(Writer::open(folder / "t.mcap", options).error().kind, ErrorKind::kLimit);
  EXPECT_EQ(folder.file_count(), 0u);
}

// A limit on the size of files: fails like a full disk, at a size that the test chooses.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) {
    old_handler_ = std::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &old_);
    const rlimit now{bytes, old_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &now);
  }
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &old_);
    std::signal(SIGXFSZ, old_handler_);
  }

 private:
  rlimit old_{};
  void (*old_handler_)(int);
};

TEST(Writer, AFullDiskIsReportedAndTheFileNeverLooksFinished) {
  for (const rlim_t room : {4u, 100u, 1000u, 5000u, 50000u, 100000u}) {
    Folder folder;
    bool failed = false;
    {
      const FullDisk full(room);
      WriterOptions options;
      options.ring_bytes = 16 << 10;
      options.chunk_bytes = 4 << 10;
      auto writer = Writer::open(folder / "t.mcap", options);
      if (!writer) {
        EXPECT_EQ(writer.error().kind, ErrorKind::kLimit);
        EXPECT_EQ(folder.file_count(), 0u);
        continue;
      }
      const auto id = writer->add_channel(byte_channel(Stage::kLayer, "x", 1000));
      for (std::uint32_t frame = 0; id && frame < 200; ++frame)
        if (auto done = writer->write(*id, frame, frame, noise(1000, frame)); !done) {
          EXPECT_EQ(done.error().kind, ErrorKind::kLimit);
          failed = true;
        }
      const auto closed = writer->close();
      ASSERT_FALSE(closed);
      EXPECT_EQ(closed.error().kind, ErrorKind::kLimit) << closed.error().what;
      EXPECT_NE(closed.error().what.find("t.mcap"), std::string::npos);
      failed = true;
    }
    EXPECT_TRUE(failed);
    const Reader reader = opened(folder / "t.mcap");
    EXPECT_FALSE(reader.is_finished());
    EXPECT_NE(text(reader).find("no footer"), std::string::npos);
    for (const std::uint32_t frame : reader.frames())
      EXPECT_EQ((*reader.read(frame, 1))->bytes.copy(), noise(1000, frame));
  }
}

TEST(Writer, AReaderSeesWhatIsFlushedWhileTheWriterGoesOn) {
  Folder folder;
  WriterOptions options;
  options.flush_ms = 5;
  auto writer = Writer::open(folder / "t.mcap", options);
  const auto id = *writer->add_channel(byte_channel(Stage::kLayer, "x", 10));
  ASSERT_TRUE(writer->write(id, 0, 0, noise(10, 0)));
  for (int tries = 0; tries < 20'000; ++tries) {
    if (!opened(folder / "t.mcap").frames().empty()) return;
    ::usleep(5000);
  }
  FAIL() << "nothing was flushed within 100 seconds";
}

}  // namespace
}  // namespace edgeprobe::trace
