// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <set>
#include <thread>

#include "hand_clock.h"
#include "support.h"
#include "trace/read/verify.h"
#include "trace/record/writer.h"

namespace edgeprobe::trace {
namespace {

WriterOptions by_bytes(std::uint64_t bytes) {
  WriterOptions options;
  options.rotation.part_bytes = bytes;
  return options;
}

// One frame: two tensors and a record.
Status write_frame(Writer& writer, ChannelId a, ChannelId b, std::uint32_t frame,
                   std::uint64_t seed = 0) {
  if (auto done = writer.write(a, frame, 1000 + frame, noise(100, seed + frame * 2)); !done)
    return done;
  if (auto done = writer.write(b, frame, 1000 + frame, noise(200, seed + frame * 2 + 1)); !done)
    return done;
  return writer.frame({frame, 1000 + frame, "s" + std::to_string(frame), "", {}, {}});
}

TEST(Rotation, EachPartIsACompleteTraceAndNoFrameIsSplit) {
  Folder folder;
  auto writer = Writer::open(folder / "t.mcap", by_bytes(3000));
  ASSERT_TRUE(writer) << writer.error().what;
  ASSERT_TRUE(writer->metadata("edgeprobe.run", {{"model", "m.tflite"}}));
  const auto a = *writer->add_channel(byte_channel(Stage::kModelInput, "a", 100));
  for (std::uint32_t frame = 0; frame < 2; ++frame)
    ASSERT_TRUE(writer->frame({frame, 5, "before b", "", {}, {}}));
  // after the record channel
  const auto b = *writer->add_channel(byte_channel(Stage::kModelOutput, "b", 200));
  for (std::uint32_t frame = 2; frame < 100; ++frame)
    ASSERT_TRUE(write_frame(*writer, a, b, frame));
  const auto statistics = writer->close();
  const WrittenFiles files = writer->files();
  ASSERT_TRUE(statistics) << statistics.error().what;
  EXPECT_EQ(statistics->messages, 98u * 3 + 2);
  ASSERT_GT(files.paths.size(), 9u);
  EXPECT_EQ(files.paths[0], folder / "t-000.mcap");
  EXPECT_EQ(files.paths[1], folder / "t-001.mcap");
  std::uint32_t next = 0;
  std::set<std::string> stream;
  for (std::size_t i = 0; i < files.paths.size(); ++i) {
    EXPECT_TRUE(verify(files.paths[i])->problems.empty());
    const auto reader = Reader::open(files.paths[i]);
    ASSERT_TRUE(reader);
    ASSERT_EQ(reader->channels().size(), 2u);
    EXPECT_EQ(reader->metadata().at("edgeprobe.run").at("model"), "m.tflite");
    EXPECT_EQ(reader->metadata().at("edgeprobe.part").at("part"), std::to_string(i));
    stream.insert(reader->metadata().at("edgeprobe.part").at("series"));
    for (const std::uint32_t frame : reader->frames()) {
      EXPECT_EQ(frame, next++);
      if (frame < 2) continue;
      for (const ReadChannel& channel : reader->channels()) {
        const bool is_b = channel.channel.spec.name == "b";
        const auto tensor = reader->read(frame, channel.id);
        ASSERT_TRUE(tensor && *tensor) << frame;
        EXPECT_EQ((*tensor)->bytes.copy(), noise(is_b ? 200 : 100, frame * 2 + is_b));
      }
    }
  }
  EXPECT_EQ(next, 100u);
  EXPECT_EQ(stream.size(), 1u);
}

TEST(Rotation, ByTime) {
  Folder folder;
  HandClock time;
  WriterOptions options;
  options.rotation.part_time = std::chrono::milliseconds(30);
  auto writer = Writer::open(folder / "t.mcap", options, /*replace=*/false, time);
  ASSERT_TRUE(writer);
  for (const int passed : {0, 29, 1, 60, 29}) {
    time.wind(std::chrono::milliseconds(passed));
    const auto frame = static_cast<std::uint32_t>(writer->statistics().frames);
    ASSERT_TRUE(writer->frame({frame, 0, "s", "", {}, {}}));
  }
  ASSERT_TRUE(writer->close());
  std::vector<std::vector<std::uint32_t>> frames;
  for (const auto& path : writer->files().paths) frames.push_back(Reader::open(path)->frames());
  EXPECT_EQ(frames, (std::vector<std::vector<std::uint32_t>>{{0, 1}, {2}, {3, 4}}));
}

TEST(Rotation, OnlyTheNewestPartsOfItsOwnAreKept) {
  Folder folder;
  put_file(folder / "t-001.mcap", view_of("somebody's"));
  WriterOptions options = by_bytes(1);
  options.rotation.newest_parts = 3;
  auto writer = Writer::open(folder / "t.mcap", options);
  ASSERT_TRUE(writer);
  for (std::uint32_t frame = 0; frame < 6; ++frame) {
    ASSERT_TRUE(writer->frame({frame, 0, "s", "", {}, {}}));
    if (frame == 2) {  // the part of frame 1 is renamed, and another file takes its name
      std::filesystem::rename(folder / "t-002.mcap", folder / "kept.mcap");
      put_file(folder / "t-002.mcap", view_of("another's"));
    }
  }
  const auto statistics = writer->close();
  const WrittenFiles files = writer->files();
  ASSERT_TRUE(statistics) << statistics.error().what;
  EXPECT_EQ(files.removed, 3u);
  EXPECT_EQ(statistics->frames, 6u);
  EXPECT_EQ(files.paths, (std::vector<std::filesystem::path>{
                             folder / "t-004.mcap", folder / "t-005.mcap", folder / "t-006.mcap"}));
  for (std::uint32_t i = 0; i < 3; ++i) {
    const auto reader = Reader::open(files.paths[i]);
    ASSERT_TRUE(reader);
    EXPECT_EQ(reader->frames(), std::vector<std::uint32_t>{3 + i});
    EXPECT_EQ(reader->metadata().at("edgeprobe.part").at("part"), std::to_string(3 + i));
  }
  EXPECT_EQ(file_bytes(folder / "t-001.mcap"), view_of("somebody's").copy());
  EXPECT_EQ(file_bytes(folder / "t-002.mcap"), view_of("another's").copy());
  EXPECT_EQ(folder.file_count(), 6u);
}

// A new file often reuses a free inode, and a file may be rewritten in place: only the contents
// show to which recording it belongs.
TEST(Rotation, AnotherRecordingInTheSameInodeIsLeftAlone) {
  Folder folder;
  WriterOptions options = by_bytes(1);
  options.rotation.newest_parts = 3;
  auto writer = Writer::open(folder / "t.mcap", options);
  ASSERT_TRUE(writer);
  for (std::uint32_t frame = 0; frame < 3; ++frame)
    ASSERT_TRUE(writer->frame({frame, 0, "s", "", {}, {}}));
  std::filesystem::remove(folder / "t-000.mcap");
  auto other = Writer::open(folder / "t.mcap", by_bytes(1'000'000));
  ASSERT_TRUE(other);
  ASSERT_TRUE(other->frame({7, 0, "other", "", {}, {}}));
  ASSERT_TRUE(other->flush());
  put_file(folder / "t-001.mcap", view_of("another's"));
  for (std::uint32_t frame = 3; frame < 9; ++frame)
    ASSERT_TRUE(writer->frame({frame, 0, "s", "", {}, {}}));
  EXPECT_TRUE(std::filesystem::exists(folder / "t-000.mcap")) << "it is being recorded";
  EXPECT_EQ(file_bytes(folder / "t-001.mcap"), view_of("another's").copy());
  ASSERT_TRUE(other->close());
  const auto reader = Reader::open(folder / "t-000.mcap");
  ASSERT_TRUE(reader) << reader.error().what;
  EXPECT_EQ(reader->frames(), std::vector<std::uint32_t>{7});
  ASSERT_TRUE(writer->close());
  EXPECT_EQ(writer->files().paths.size(), 3u);
  EXPECT_EQ(folder.file_count(), 5u);
}

TEST(Rotation, SeriesAloneGoOnInTheNextPart) {
  Folder folder;
  auto writer = Writer::open(folder / "t.mcap", by_bytes(5000));
  ASSERT_TRUE(writer);
  const std::string json = "{\"values\":[" + std::string(500, '1') + "]}";
  for (int i = 0; i < 100; ++i)
    ASSERT_TRUE(writer->stream("/sensor/light", 1000 + static_cast<std::uint64_t>(i), json));
  const auto statistics = writer->close();
  const WrittenFiles files = writer->files();
  ASSERT_TRUE(statistics);
  EXPECT_EQ(files.paths.size(), 10u);
  EXPECT_EQ(statistics->messages, 100u);
  for (const auto& part : files.paths) EXPECT_LT(std::filesystem::file_size(part), 10'000u);
}

TEST(Rotation, SeriesSplitNoFrameThatIsUnderWay) {
  Folder folder;
  auto writer = Writer::open(folder / "t.mcap", by_bytes(3000));
  ASSERT_TRUE(writer);
  const auto a = *writer->add_channel(byte_channel(Stage::kModelInput, "a", 2000));
  const auto b = *writer->add_channel(byte_channel(Stage::kModelOutput, "b", 2000));
  for (std::uint32_t frame = 0; frame < 20; ++frame) {
    for (const ChannelId channel : {a, b}) {
      ASSERT_TRUE(writer->write(channel, frame, frame, noise(2000, frame)));
      for (int i = 0; i < 2; ++i)
        ASSERT_TRUE(writer->stream("/sensor/light", frame, std::string(1000, '1')));
    }
    ASSERT_TRUE(writer->frame({frame, frame, "s", "", {}, {}}));
    ASSERT_TRUE(writer->stream("/mark/end", frame, "{}"));
  }
  // A frame that never ends does not keep series in one part for ever.
  ASSERT_TRUE(writer->write(a, 20, 20, noise(2000, 20)));
  for (int i = 0; i < 20; ++i)
    ASSERT_TRUE(writer->stream("/sensor/light", 20, std::string(1000, '1')));
  const auto statistics = writer->close();
  const WrittenFiles files = writer->files();
  ASSERT_TRUE(statistics);
  EXPECT_GE(files.paths.size(), 24u);
  std::uint32_t next = 0;
  for (const auto& part : files.paths) {
    const auto reader = Reader::open(part);
    ASSERT_TRUE(reader);
    for (const std::uint32_t frame : reader->frames()) {
      EXPECT_EQ(frame, next++) << part;
      if (frame < 20) {
        EXPECT_TRUE(*reader->read(frame, reader->channels()[1].id)) << part;
      }
    }
  }
  EXPECT_EQ(next, 21u);
}

TEST(Rotation, SeveralThreadsLoseNothing) {
  Folder folder;
  auto writer = Writer::open(folder / "t.mcap", by_bytes(20'000));
  ASSERT_TRUE(writer);
  std::vector<ChannelId> ids;
  for (int t = 0; t < 4; ++t)
    ids.push_back(*writer->add_channel(byte_channel(Stage::kLayer, std::to_string(t), 100)));
  std::vector<std::thread> threads;
  std::atomic<int> failures{0};
  for (std::size_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (std::uint32_t frame = 0; frame < 500; ++frame)
        failures += !writer->write(ids[t], frame, 0, noise(100, frame * 4 + t));
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
  const auto statistics = writer->close();
  const WrittenFiles files = writer->files();
  ASSERT_TRUE(statistics);
  // A thread that is far ahead fills three parts with its 50,000 bytes; late frames go into the
  // open one.
  ASSERT_GE(files.paths.size(), 3u);
  std::set<std::pair<std::string, std::uint32_t>> seen;
  for (const auto& part : files.paths) {
    const auto reader = Reader::open(part);
    ASSERT_TRUE(reader);
    ASSERT_TRUE(reader->visit([&](const ReadChannel& channel, std::uint32_t frame, std::uint64_t,
                                  ByteView bytes) {
      const std::string& name = channel.channel.spec.name;
      EXPECT_EQ(bytes.copy(), noise(100, frame * 4 + static_cast<std::uint64_t>(name[0] - '0')));
      EXPECT_TRUE(seen.emplace(name, frame).second);
      return Status();
    }));
  }
  EXPECT_EQ(seen.size(), 2000u);
}

TEST(Rotation, TwoProcessesWithOneNameBothFinishAndLoseNothing) {
  Folder folder;
  constexpr std::uint32_t kFrames = 300;
  const auto record = [&](std::uint64_t seed) {
    auto writer = Writer::open(folder / "t.mcap", by_bytes(5000));
    if (!writer) return false;
    const auto a = writer->add_channel(byte_channel(Stage::kModelInput, "a", 100));
    const auto b = writer->add_channel(byte_channel(Stage::kModelOutput, "b", 200));
    bool good = a && b && writer->metadata("test.seed", {{"seed", std::to_string(seed)}});
    for (std::uint32_t frame = 0; good && frame < kFrames; ++frame)
      good = write_frame(*writer, *a, *b, frame, seed).has_value();
    return good && writer->close().has_value();
  };
  std::vector<pid_t> children;
  for (const std::uint64_t seed : {1'000'000u, 2'000'000u}) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) ::_exit(record(seed) ? 0 : 1);
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  std::map<std::string, std::set<std::uint32_t>> frames;  // by series
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    const auto reader = Reader::open(entry.path());
    ASSERT_TRUE(reader) << reader.error().what;
    EXPECT_TRUE(reader->is_finished() && reader->problems().empty());
    const std::uint64_t seed = std::stoull(reader->metadata().at("test.seed").at("seed"));
    for (const std::uint32_t frame : reader->frames()) {
      EXPECT_TRUE(frames[reader->metadata().at("edgeprobe.part").at("series")].insert(frame).second)
          << frame;
      EXPECT_EQ((*reader->read(frame, reader->channels()[0].id))->bytes.copy(),
                noise(100, seed + frame * 2));
      EXPECT_EQ((*reader->read(frame, reader->channels()[1].id))->bytes.copy(),
                noise(200, seed + frame * 2 + 1));
    }
  }
  ASSERT_EQ(frames.size(), 2u);
  for (const auto& [stream, seen] : frames) EXPECT_EQ(seen.size(), kFrames);
}

TEST(Rotation, AfterCloseNothingIsTaken) {
  Folder folder;
  auto writer = Writer::open(folder / "t.mcap", by_bytes(1'000'000));
  ASSERT_TRUE(writer);
  EXPECT_EQ(writer->write(1, 0, 0, {}).error().kind, ErrorKind::kUsage)
      << "a channel that is not there";
  ASSERT_TRUE(writer->close());
  EXPECT_EQ(writer->files().paths.size(), 1u);
  EXPECT_FALSE(writer->close());
  EXPECT_FALSE(writer->frame({}));
  EXPECT_FALSE(writer->add_channel(byte_channel(Stage::kLayer, "x", 1)));
  EXPECT_FALSE(Writer::open(folder / "no" / "t.mcap", by_bytes(1)));
}

}  // namespace
}  // namespace edgeprobe::trace
