// SPDX-License-Identifier: Apache-2.0
#include "trace/read/events.h"

#include <gtest/gtest.h>

#include "support.h"
#include "trace/mcap/mcap.h"
#include "trace/read/reader.h"
#include "trace/record/chunk_file.h"

namespace edgeprobe::trace {
namespace {

struct Line {
  ChannelId channel;
  std::uint64_t time_ns;
  std::string json;
};

// A file of one chunk with these messages; channel 1 is an accelerometer, 2 a mark, 3 the level.
std::filesystem::path file_with(const std::filesystem::path& folder,
                                const std::vector<Line>& lines) {
  const auto path = folder / "series.mcap";
  auto file = ChunkFile::create(path, true);
  EXPECT_TRUE(file) << (file ? "" : file.error().what);
  EXPECT_TRUE(file->add_channel(1, 0, "/sensor/accelero%25meter", "json", {}));
  EXPECT_TRUE(file->add_channel(2, 0, "/mark/camera", "json", {}));
  EXPECT_TRUE(file->add_channel(3, 0, "/level", "json", {}));
  mcap::Builder messages;
  std::vector<ChunkEntry> entries;
  for (const Line& line : lines) {
    entries.push_back({line.channel, 0, line.time_ns, messages.size()});
    const auto mark = messages.begin(mcap::Op::kMessage);
    messages.u16(line.channel);
    messages.u32(0);
    messages.u64(line.time_ns);
    messages.u64(line.time_ns);
    messages.raw(line.json.data(), line.json.size());
    messages.end(mark);
  }
  EXPECT_TRUE(file->add_chunk({view_of(messages.bytes())}, entries));
  EXPECT_TRUE(file->finish());
  return path;
}

struct Read {
  std::vector<std::pair<EventStream, Event>> events;
  std::vector<std::string> problems;
};
Read read(const std::filesystem::path& path) {
  Read out;
  const auto done =
      visit_events(path, out.problems, [&](const EventStream& stream, const Event& event) {
        out.events.emplace_back(stream, event);
        return Status();
      });
  EXPECT_TRUE(done);
  return out;
}

TEST(EventStream, KnowsItsTopics) {
  EXPECT_EQ(event_stream_from("/sensor/light", "json")->kind, EventStreamKind::kSensor);
  EXPECT_EQ(event_stream_from("/mark/", "json")->name, "");
  EXPECT_EQ(event_stream_from("/level", "json")->kind, EventStreamKind::kLevel);
  EXPECT_FALSE(event_stream_from("/level", "protobuf"));
  EXPECT_FALSE(event_stream_from("/sensors/light", "json"));
}

TEST(EventStream, GivesEveryMomentInFileOrder) {
  const Folder folder;
  const auto got =
      read(file_with(folder.path(), {{1, 10, R"({"values":[1,-2.5],"unit":"m/s^2","frame":7})"},
                                     {1, 12, R"({"values":null,"unit":"m/s^2","reason":"absent"})"},
                                     {2, 11, R"({"text":"restarted"})"},
                                     {3, 13, R"({"from":"layers","to":"io","reason":"time"})"}}));
  ASSERT_EQ(got.events.size(), 4u);
  EXPECT_EQ(got.events[0].first.name, "accelero%meter");
  EXPECT_EQ(got.events[0].second.time_ns, 10u);
  EXPECT_EQ(got.events[0].second.frame, 7u);
  EXPECT_EQ(*got.events[0].second.values, (std::vector<double>{1, -2.5}));
  EXPECT_EQ(got.events[0].second.unit, "m/s^2");
  EXPECT_FALSE(got.events[1].second.values);
  EXPECT_EQ(got.events[1].second.reason, "absent");
  EXPECT_EQ(got.events[2].second.text, "restarted");
  EXPECT_EQ(got.events[3].second.to, "io");
  EXPECT_TRUE(got.problems.empty());
}

TEST(EventStream, LeavesOutWhatIsNoMomentAndSaysSo) {
  const Folder folder;
  const auto got = read(file_with(
      folder.path(), {{1, 1, "{"}, {1, 2, R"({"values":["x"]})"}, {1, 3, R"({"values":[4]})"}}));
  ASSERT_EQ(got.events.size(), 1u);
  EXPECT_EQ(got.events[0].second.time_ns, 3u);
  EXPECT_EQ(got.problems.size(), 2u);
}

TEST(EventStream, AreNoFramesAndNoProblemOfTheReader) {
  const Folder folder;
  const auto reader = Reader::open(file_with(folder.path(), {{1, 1, R"({"values":[4]})"}}));
  ASSERT_TRUE(reader) << reader.error().what;
  EXPECT_TRUE(reader->frames().empty());
  EXPECT_TRUE(reader->channels().empty());
  ASSERT_EQ(reader->stream().size(), 3u);
  EXPECT_EQ(reader->stream()[0].stream.name, "accelero%meter");
  EXPECT_EQ(reader->stream()[0].messages, 1u);
  EXPECT_EQ(reader->stream()[1].messages, 0u);
  for (const std::string& problem : reader->problems())
    EXPECT_EQ(problem.find("ignored"), std::string::npos) << problem;
}

}  // namespace
}  // namespace edgeprobe::trace
