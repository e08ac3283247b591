// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <future>
#include <thread>

#include "hand_clock.h"
#include "support.h"
#include "trace/record/descriptor_sink.h"
#include "trace/record/file_sink.h"
#include "trace/record/memory_sink.h"
#include "trace/record/writer.h"

namespace edgeprobe::trace {
namespace {

using std::chrono::milliseconds;

enum class Through { kSocket, kPipe };

// Two ends of a connection: the first is for writing, the second for reading.
std::pair<Descriptor, Descriptor> connected(Through kind = Through::kSocket) {
  int ends[2] = {-1, -1};
  if (kind == Through::kPipe) {
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    return {Descriptor(ends[1]), Descriptor(ends[0])};
  }
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

void make_nonblocking(const Descriptor& descriptor) {
  ASSERT_EQ(::fcntl(descriptor.get(), F_SETFL, ::fcntl(descriptor.get(), F_GETFL) | O_NONBLOCK), 0);
}

struct Reading {
  std::size_t most = ~std::size_t{0};  // the descriptor is closed after this number of bytes
  std::size_t step = 1 << 16;
  milliseconds nap{0};  // before each step
};
Bytes read_all(Descriptor from, const Reading& how = {}) {
  Bytes all, part(how.step);
  while (all.size() < how.most) {
    if (how.nap.count()) std::this_thread::sleep_for(how.nap);
    const ssize_t got = ::read(from.get(), part.data(), std::min(how.step, how.most - all.size()));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    all.insert(all.end(), part.begin(), part.begin() + got);
  }
  return all;
}
std::future<Bytes> reading(Descriptor from, const Reading& how = {}) {
  return std::async(std::launch::async, [from = std::move(from), how]() mutable {
    return read_all(std::move(from), how);
  });
}

WriterOptions small_chunks() {
  WriterOptions options;
  options.chunk_bytes = 20'000;
  options.flush_ms = 5;
  return options;
}

// Records the same calls as the other cases; returns the problem, or "".
std::string record(Result<Writer> writer, std::uint32_t frames = 200) {
  if (!writer) return writer.error().what;
  Status done = writer->metadata("edgeprobe.run", {{"model", "m.tflite"}});
  std::vector<ChannelId> ids;
  for (const std::size_t size : {100u, 1500u}) {
    const auto id = writer->add_channel(byte_channel(Stage::kLayer, std::to_string(size), size));
    if (!id) return id.error().what;
    ids.push_back(*id);
  }
  for (std::uint32_t frame = 0; done && frame < frames; ++frame) {
    const std::uint64_t time = HandClock::kStart + frame;
    done = writer->frame({frame, time, "s" + std::to_string(frame), "", 1, 1000});
    if (done) done = writer->stream("/sensor/light", time, "{\"values\":[1]}");
    if (done) done = writer->write(ids[0], frame, time, noise(100, frame));
    if (done) done = writer->write(ids[1], frame, time, noise(1500, frame));
    if (done && frame == frames / 2) done = writer->flush();
  }
  const auto closed = writer->close();
  if (!done) return done.error().what;
  return closed ? "" : closed.error().what;
}

Bytes in_memory(const TimeSource& time, std::uint32_t frames = 200) {
  Bytes bytes;
  EXPECT_EQ(record(Writer::open(std::make_unique<MemorySink>(bytes), small_chunks(), time), frames),
            "");
  return bytes;
}

TEST(Sinks, AFileMemoryASocketAndAPipeGetTheSameBytes) {
  Folder folder;
  const HandClock time;
  const Bytes memory = in_memory(time);
  ASSERT_GT(memory.size(), 300'000u);
  EXPECT_EQ(in_memory(time), memory);

  EXPECT_EQ(record(Writer::open(folder / "t.mcap", small_chunks(), false, time)), "");
  EXPECT_EQ(file_bytes(folder / "t.mcap"), memory);
  for (const Through kind : {Through::kSocket, Through::kPipe})
    for (const bool blocks : {true, false}) {
      auto [ours, theirs] = connected(kind);
      if (!blocks) make_nonblocking(ours);
      auto peer = reading(std::move(theirs));
      EXPECT_EQ(record(Writer::open(std::make_unique<DescriptorSink>(std::move(ours)),
                                    small_chunks(), time)),
                "");
      EXPECT_EQ(peer.get(), memory) << (kind == Through::kPipe) << blocks;
    }
}

TEST(Sinks, WhatIsInMemoryIsRead) {
  Folder folder;
  const HandClock time;
  const auto memory = Reader::open(in_memory(time));
  ASSERT_TRUE(memory) << memory.error().what;
  EXPECT_TRUE(memory->is_finished() && memory->problems().empty());
  ASSERT_EQ(record(Writer::open(folder / "t.mcap")), "");
  const auto file = Reader::open(folder / "t.mcap");
  ASSERT_TRUE(file);
  EXPECT_EQ(difference(*read_everything(*memory), *read_everything(*file)), "");
  EXPECT_EQ(memory->path(), "memory");
  EXPECT_FALSE(Reader::open(Bytes())) << "an empty one is not a trace";
}

// Writes into memory, and counts the chunks.
class CountingSink final : public RecordSink {
 public:
  CountingSink(Bytes& out, std::atomic<int>& chunks) : into_(out), chunks_(chunks) {}
  Status append(const std::vector<ByteView>& parts, const Shorten& shorten) override {
    Status done = into_.append(parts, shorten);
    if (!parts.empty() && parts[0].size > 0 && parts[0].data[0] == std::byte{6}) ++chunks_;
    return done;
  }
  std::uint64_t size() const override { return into_.size(); }
  Status sync() override { return into_.sync(); }
  Status end(End how) override { return into_.end(how); }

 private:
  MemorySink into_;
  std::atomic<int>& chunks_;
};

TEST(Sinks, AnOpenChunkIsClosedByTheClockAlone) {
  HandClock time;
  Bytes bytes;
  auto options = small_chunks();
  options.flush_ms = 20;
  std::atomic<int> chunks{0};
  auto writer = Writer::open(std::make_unique<CountingSink>(bytes, chunks), options, time);
  ASSERT_TRUE(writer);
  const auto id = *writer->add_channel(byte_channel(Stage::kLayer, "x", 10));
  ASSERT_TRUE(writer->write(id, 0, 0, noise(10, 0)));
  std::this_thread::sleep_for(milliseconds(100));
  ASSERT_TRUE(writer->write(id, 1, 0, noise(10, 1)));
  EXPECT_EQ(chunks, 0);
  time.wind(milliseconds(21));
  for (int tries = 0; tries < 20'000 && chunks == 0; ++tries)
    std::this_thread::sleep_for(milliseconds(5));
  EXPECT_EQ(chunks, 1);
  ASSERT_TRUE(writer->write(id, 2, 0, noise(10, 2)));
  ASSERT_TRUE(writer->close());
  const auto reader = Reader::open(bytes);
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->frames().size(), 3u);
  // Two chunks: frames 0 and 1 when the clock was advanced, frame 2 at the end.
  const auto count = [&](std::byte op, std::size_t length) {
    std::size_t at = 8, found = 0;
    while (at + 9 <= bytes.size() - 8) {
      std::uint64_t size;
      std::memcpy(&size, bytes.data() + at + 1, 8);
      found += bytes[at] == op;
      at += 9 + size;
    }
    EXPECT_EQ(at, length);
    return found;
  };
  EXPECT_EQ(count(std::byte{6}, bytes.size() - 8), 2u);
}

TEST(Sinks, PartsNeedAPathAndReplaceNothing) {
  Folder folder;
  Bytes bytes;
  WriterOptions options;
  options.rotation.part_bytes = 1000;
  EXPECT_EQ(Writer::open(std::make_unique<MemorySink>(bytes), options).error().kind,
            ErrorKind::kUsage);
  EXPECT_EQ(Writer::open(folder / "t.mcap", options, true).error().kind, ErrorKind::kUsage);
  EXPECT_EQ(folder.file_count(), 0u);
}

TEST(Sinks, TheOfficialReaderReadsAStreamAsItComes) {
  if (!has_python())
    GTEST_SKIP() << "no Python at " << TRACE_TEST_PYTHON << " (script/setup makes it)";
  Folder folder;
  const auto fifo = folder / "stream";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  auto peer =
      std::async(std::launch::async, [&] { return run_python("read_stream.py", {fifo.string()}); });
  Descriptor ours(::open(fifo.c_str(), O_WRONLY | O_CLOEXEC));
  ASSERT_GE(ours.get(), 0);
  EXPECT_EQ(record(Writer::open(std::make_unique<DescriptorSink>(std::move(ours)), small_chunks())),
            "");
  const auto [code, output] = peer.get();
  EXPECT_EQ(code, 0) << output;
  EXPECT_EQ(output, "/frame 200\n/layer/100 200\n/layer/1500 200\n/sensor/light 200\nfinished\n");

  // The bytes of the stream, saved in a file, are a trace with an index.
  put_file(folder / "t.mcap", in_memory(HandClock()));
  const auto [whole, text] = run_python("read_with_mcap.py", {(folder / "t.mcap").string()});
  EXPECT_EQ(whole, 0) << text;
}

// SIGPIPE would end this program, like an application that does not handle it.
TEST(Sinks, APeerThatVanishesIsAnErrorAndHasWhatItGot) {
  ASSERT_EQ(std::signal(SIGPIPE, SIG_DFL), SIG_DFL);
  const HandClock time;
  const Bytes whole = in_memory(time, 2000);
  for (const Through kind : {Through::kSocket, Through::kPipe})
    for (const bool blocks : {true, false}) {
      auto [ours, theirs] = connected(kind);
      if (!blocks) make_nonblocking(ours);
      auto peer = reading(std::move(theirs), {.most = 200'000});
      auto writer =
          Writer::open(std::make_unique<DescriptorSink>(std::move(ours)), small_chunks(), time);
      const std::string problem = record(std::move(writer), 2000);
      EXPECT_NE(problem.find("the receiver of the trace has closed its end after "),
                std::string::npos)
          << problem;
      const Bytes got = peer.get();
      ASSERT_EQ(got.size(), 200'000u);
      EXPECT_TRUE(std::equal(got.begin(), got.end(), whole.begin()));
      const auto reader = Reader::open(got);
      ASSERT_TRUE(reader) << reader.error().what;
      EXPECT_FALSE(reader->is_finished());
      ASSERT_GT(reader->frames().size(), 80u);
      for (const std::uint32_t frame : reader->frames())
        for (const ReadChannel& channel : reader->channels())
          if (const auto tensor = reader->read(frame, channel.id); tensor && *tensor) {
            EXPECT_EQ((*tensor)->bytes.copy(), noise((*tensor)->bytes.size, frame));
          }
      sigset_t pending;
      ASSERT_EQ(::sigpending(&pending), 0);
      EXPECT_FALSE(::sigismember(&pending, SIGPIPE));
    }
}

TEST(Sinks, AfterAFailureNothingIsSentAndTheErrorStays) {
  auto [ours, theirs] = connected();
  theirs.close();
  DescriptorSink sink(std::move(ours));
  const Bytes bytes = noise(100, 1);
  const auto first = sink.append({bytes}, nullptr), second = sink.append({bytes}, nullptr);
  ASSERT_FALSE(first);
  EXPECT_EQ(first.error().kind, ErrorKind::kTarget);
  EXPECT_EQ(second.error().what, first.error().what);
  EXPECT_EQ(sink.end(RecordSink::End::kBroken).error().what, first.error().what);
  EXPECT_EQ(sink.size(), 0u);
}

TEST(Sinks, ASlowPeerGetsEverything) {
  const HandClock time;
  const Bytes whole = in_memory(time);
  for (const Through kind : {Through::kSocket, Through::kPipe}) {
    auto [ours, theirs] = connected(kind);
    const int room = 4096;  // doubled by the kernel
    if (kind == Through::kSocket) {
      ASSERT_EQ(::setsockopt(ours.get(), SOL_SOCKET, SO_SNDBUF, &room, sizeof room), 0);
    }
    auto peer = reading(std::move(theirs), {.step = 8192, .nap = milliseconds(2)});
    EXPECT_EQ(record(Writer::open(std::make_unique<DescriptorSink>(std::move(ours)), small_chunks(),
                                  time)),
              "");
    EXPECT_EQ(peer.get(), whole);
  }
}

TEST(Sinks, APeerThatStandsStillIsGivenUp) {
  for (const Through kind : {Through::kSocket, Through::kPipe})
    for (const bool blocks : {true, false}) {
      auto [ours, theirs] = connected(kind);
      if (!blocks) make_nonblocking(ours);
      DescriptorSink::Options options;
      options.longest_wait = milliseconds(50);
      DescriptorSink sink(std::move(ours), options);
      const Bytes bytes = noise(4 << 20, 1);
      const auto began = std::chrono::steady_clock::now();
      const auto done = sink.append({bytes}, nullptr);
      ASSERT_FALSE(done);
      EXPECT_EQ(done.error().kind, ErrorKind::kLimit);
      EXPECT_NE(done.error().what.find("took nothing for 0.05 s after "), std::string::npos)
          << done.error().what;
      EXPECT_GE(std::chrono::steady_clock::now() - began, milliseconds(50));
      // The sent bytes have arrived, and no others.
      (void)sink.end(RecordSink::End::kBroken);
      const Bytes got = read_all(std::move(theirs));
      EXPECT_EQ(got.size(), sink.size());
      EXPECT_TRUE(std::equal(got.begin(), got.end(), bytes.begin()));
    }
}

// Short writes, EAGAIN and EINTR: a small buffer, and an alarm every millisecond in the sending
// thread.
TEST(Sinks, InterruptedSendsGoOn) {
  static std::atomic<int> interruptions{0};
  struct sigaction action {
  }, before{};
  action.sa_handler = [](int) { ++interruptions; };  // without SA_RESTART
  ASSERT_EQ(::sigaction(SIGALRM, &action, &before), 0);
  const Bytes head = noise(10, 2), bytes = noise(1 << 20, 1), tail = noise(3, 3);
  Bytes expected = head;
  for (const Bytes* part : {&bytes, &tail})
    expected.insert(expected.end(), part->begin(), part->end());
  for (const Through kind : {Through::kSocket, Through::kPipe})
    for (const bool blocks : {true, false}) {
      auto [ours, theirs] = connected(kind);
      if (!blocks) make_nonblocking(ours);
      // The peer's thread inherits the mask.
      sigset_t alarms;
      ::sigemptyset(&alarms);
      ::sigaddset(&alarms, SIGALRM);
      ASSERT_EQ(::pthread_sigmask(SIG_BLOCK, &alarms, nullptr), 0);
      auto peer = reading(std::move(theirs), {.step = 16'384, .nap = milliseconds(1)});
      ASSERT_EQ(::pthread_sigmask(SIG_UNBLOCK, &alarms, nullptr), 0);
      const itimerval often{{0, 1000}, {0, 1000}}, never{};
      ASSERT_EQ(::setitimer(ITIMER_REAL, &often, nullptr), 0);
      DescriptorSink sink(std::move(ours));
      EXPECT_TRUE(sink.append({head, bytes, {}, tail}, nullptr));
      ASSERT_EQ(::setitimer(ITIMER_REAL, &never, nullptr), 0);
      EXPECT_EQ(sink.size(), expected.size());
      EXPECT_TRUE(sink.end(RecordSink::End::kWhole));
      EXPECT_EQ(peer.get(), expected);
    }
  EXPECT_GT(interruptions, 10);
  ASSERT_EQ(::sigaction(SIGALRM, &before, nullptr), 0);
}

TEST(Sinks, ADiscardedFileIsGoneAndAHiddenOneHasItsNameAtTheEnd) {
  Folder folder;
  const Bytes bytes = noise(100, 1);
  for (const bool hidden : {false, true})
    for (const auto how :
         {RecordSink::End::kWhole, RecordSink::End::kBroken, RecordSink::End::kDiscarded}) {
      auto sink = FileSink::create(folder / "t", {/*replace=*/false, hidden, 0});
      ASSERT_TRUE(sink);
      ASSERT_TRUE((*sink)->append({bytes}, nullptr));
      EXPECT_EQ(std::filesystem::exists(folder / "t"), !hidden);
      ASSERT_TRUE((*sink)->end(how));
      sink->reset();
      const bool stays =
          how == RecordSink::End::kWhole || (how == RecordSink::End::kBroken && !hidden);
      EXPECT_EQ(std::filesystem::exists(folder / "t"), stays);
      std::filesystem::remove(folder / "t");
      EXPECT_EQ(folder.file_count(), 0u);
    }
}

}  // namespace
}  // namespace edgeprobe::trace
