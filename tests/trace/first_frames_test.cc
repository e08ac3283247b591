// SPDX-License-Identifier: Apache-2.0
// The first frames of a recording under way, against the whole recording read by our reader.
#include "trace/read/first_frames.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "support.h"
#include "trace/read/events.h"

namespace edgeprobe::trace {
namespace {

// Each chunk is one message, so that a file can be cut between any two.
WriterOptions small_chunks() {
  WriterOptions options;
  options.chunk_bytes = 1;
  return options;
}

Everything everything_of(const std::filesystem::path& path) {
  const auto reader = Reader::open(path);
  EXPECT_TRUE(reader) << (reader ? "" : reader.error().what);
  EXPECT_TRUE(reader->is_finished());
  auto all = read_everything(*reader);
  EXPECT_TRUE(all);
  return all ? std::move(*all) : Everything();
}

TEST(FirstFrames, TheyAreTheWholeTraceOfARecordingThatIsNotLonger) {
  const Folder folder;
  ASSERT_TRUE(write_sample(folder / "app.mcap", 5));
  auto frames = FirstFrames::open(folder / "app.mcap", 8);
  ASSERT_TRUE(frames);
  ASSERT_TRUE(frames->poll());
  EXPECT_EQ(frames->count(), 5u);
  EXPECT_TRUE(frames->is_complete());
  EXPECT_FALSE(frames->goes_on());
  ASSERT_TRUE(frames->copy(folder / "copy.mcap"));
  EXPECT_EQ(difference(everything_of(folder / "copy.mcap"), everything_of(folder / "app.mcap")),
            "");
}

TEST(FirstFrames, TheSameNumberOfFramesIsTheWholeRecordingOnceItIsFinished) {
  const Folder folder;
  ASSERT_TRUE(write_sample(folder / "app.mcap", 5));
  auto frames = FirstFrames::open(folder / "app.mcap", 5);
  ASSERT_TRUE(frames);
  ASSERT_TRUE(frames->poll());
  EXPECT_FALSE(frames->goes_on());
}

TEST(FirstFrames, OfALongerOneTheyAreWhatAShorterRecordingHolds) {
  const Folder folder;
  ASSERT_TRUE(write_sample(folder / "app.mcap", 40, small_chunks()));
  ASSERT_TRUE(write_sample(folder / "short.mcap", 3));
  auto frames = FirstFrames::open(folder / "app.mcap", 3);
  ASSERT_TRUE(frames);
  ASSERT_TRUE(frames->poll());
  EXPECT_EQ(frames->count(), 3u);
  EXPECT_TRUE(frames->goes_on());
  ASSERT_TRUE(frames->copy(folder / "copy.mcap"));
  EXPECT_EQ(difference(everything_of(folder / "copy.mcap"), everything_of(folder / "short.mcap")),
            "");
}

TEST(FirstFrames, AFileThatGrowsGivesThemAsTheirRecordsCome) {
  const Folder folder;
  ASSERT_TRUE(write_sample(folder / "whole.mcap", 10, small_chunks()));
  ASSERT_TRUE(write_sample(folder / "short.mcap", 4));
  const Bytes whole = file_bytes(folder / "whole.mcap");
  put_file(folder / "app.mcap", ByteView(whole).sub(0, 20));
  auto frames = FirstFrames::open(folder / "app.mcap", 4);
  ASSERT_TRUE(frames);
  std::size_t last = 0;
  for (std::size_t size = 20; size < whole.size() && !frames->is_complete(); size += 97) {
    std::ofstream(folder / "app.mcap", std::ios::binary | std::ios::in | std::ios::ate)
        .write(reinterpret_cast<const char*>(whole.data()) + size,
               static_cast<std::streamsize>(std::min<std::size_t>(97, whole.size() - size)));
    ASSERT_TRUE(frames->poll());
    EXPECT_GE(frames->count(), last);
    EXPECT_LE(frames->count(), last + 1);
    last = frames->count();
  }
  EXPECT_EQ(frames->count(), 4u);
  EXPECT_TRUE(frames->goes_on());
  ASSERT_TRUE(frames->copy(folder / "copy.mcap"));
  EXPECT_EQ(difference(everything_of(folder / "copy.mcap"), everything_of(folder / "short.mcap")),
            "");
}

TEST(FirstFrames, AFrameWithoutItsRecordIsLeftOut) {
  const Folder folder;
  {
    auto writer = Writer::open(folder / "app.mcap");
    ASSERT_TRUE(writer);
    const auto id = writer->add_channel(float_channel(Stage::kLayer, "a", {2}));
    ASSERT_TRUE(id);
    for (std::uint32_t frame = 0; frame < 3; ++frame) {
      ASSERT_TRUE(writer->write(*id, frame, 1000 + frame, noise(8, frame)));
      FrameRecord record;
      record.frame = frame;
      if (frame == 1) continue;
      ASSERT_TRUE(writer->frame(record));
    }
    ASSERT_TRUE(writer->close());
  }
  auto frames = FirstFrames::open(folder / "app.mcap", 8);
  ASSERT_TRUE(frames);
  ASSERT_TRUE(frames->poll());
  EXPECT_EQ(frames->count(), 2u);
  ASSERT_TRUE(frames->copy(folder / "copy.mcap"));
  const auto reader = Reader::open(folder / "copy.mcap");
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->frames(), (std::vector<std::uint32_t>{0, 2}));
}

TEST(FirstFrames, EventsBeforeTheLastOfThemAreKept) {
  const Folder folder;
  {
    auto writer = Writer::open(folder / "app.mcap", small_chunks());
    ASSERT_TRUE(writer);
    ASSERT_TRUE(writer->stream("/mark/assertion.labels", 500, R"({"text":"holds"})"));
    FrameRecord record;
    ASSERT_TRUE(writer->frame(record));
    record.frame = 1;
    ASSERT_TRUE(writer->frame(record));
    ASSERT_TRUE(writer->stream("/mark/late", 3000, R"({"text":"after both"})"));
    ASSERT_TRUE(writer->close());
  }
  auto frames = FirstFrames::open(folder / "app.mcap", 1);
  ASSERT_TRUE(frames);
  ASSERT_TRUE(frames->poll());
  ASSERT_TRUE(frames->copy(folder / "copy.mcap"));
  std::vector<std::string> problems, told;
  ASSERT_TRUE(visit_events(
      folder / "copy.mcap", problems, [&](const EventStream& stream, const Event& event) {
        told.push_back(stream.name + " " + event.text + " " + std::to_string(event.time_ns));
        return Status();
      }));
  EXPECT_EQ(told, (std::vector<std::string>{"assertion.labels holds 500"}));
}

TEST(FirstFrames, NothingIsOverwritten) {
  const Folder folder;
  ASSERT_TRUE(write_sample(folder / "app.mcap", 2));
  auto frames = FirstFrames::open(folder / "app.mcap", 1);
  ASSERT_TRUE(frames);
  ASSERT_TRUE(frames->poll());
  const auto done = frames->copy(folder / "app.mcap");
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, ErrorKind::kUsage);
}

}  // namespace
}  // namespace edgeprobe::trace
