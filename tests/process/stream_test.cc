// SPDX-License-Identifier: Apache-2.0
// Both sides of a socket in this process: what arrives, a length that is announced but never sent,
// and how long each side waits.
#include "process/stream.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <string>
#include <thread>

#include "process/pipe.h"

namespace edgeprobe::process {
namespace {

using namespace std::chrono_literals;

struct Pair {
  Stream ours, theirs;
};
Pair connected() {
  auto ends = socket_pair();
  EXPECT_TRUE(ends) << ends.error().what;
  return {Stream(std::move(ends->ours)), Stream(std::move(ends->theirs))};
}

Wait within(std::chrono::milliseconds limit) { return {deadline_after(limit)}; }

std::size_t open_descriptors() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
    ++count;
  return count;
}

TEST(Stream, SendsPartsThatAreLargerThanItsBuffer) {
  Pair pair = connected();
  const Bytes large(std::size_t{3} << 20, std::byte{7});
  Bytes got;
  std::thread reader([&] {
    EXPECT_EQ(pair.theirs.receive(got, 5 + large.size() + 3, within(60s)), Transfer::kDone);
  });
  EXPECT_EQ(pair.ours.send({view_of("front"), {}, large, view_of("end")}, within(60s)),
            Transfer::kDone);
  reader.join();
  ASSERT_EQ(got.size(), 5 + large.size() + 3);
  EXPECT_EQ(ByteView(got).sub(0, 5).text(), "front");
  EXPECT_TRUE(std::equal(large.begin(), large.end(), got.begin() + 5));
  EXPECT_EQ(ByteView(got).sub(5 + large.size(), 3).text(), "end");
}

TEST(Stream, TimesOutWithoutAReaderOrWriter) {
  Pair pair = connected();
  Bytes got;
  auto start = Clock::now();
  EXPECT_EQ(pair.ours.receive(got, 1, within(100ms)), Transfer::kLate);
  EXPECT_GE(Clock::now() - start, 100ms);
  start = Clock::now();
  EXPECT_EQ(pair.ours.send({Bytes(std::size_t{8} << 20)}, within(100ms)), Transfer::kLate);
  EXPECT_LT(Clock::now() - start, 60s);
}

TEST(Stream, TakesWhatIsThereAtTheDeadline) {
  Pair pair = connected();
  EXPECT_EQ(pair.theirs.send({view_of("here")}, within(60s)), Transfer::kDone);
  Bytes got;
  EXPECT_EQ(pair.ours.receive(got, 4, {Clock::now() - 1s}), Transfer::kDone);
  EXPECT_EQ(pair.ours.receive(got, 1, {Clock::now() - 1s}), Transfer::kLate);
}

TEST(Stream, IsStoppedSoon) {
  Pair pair = connected();
  std::atomic<bool> stop{false};
  std::thread later([&] {
    std::this_thread::sleep_for(50ms);
    stop = true;
  });
  Bytes got;
  const auto start = Clock::now();
  EXPECT_EQ(pair.ours.receive(got, 1, {kForever, &stop}), Transfer::kStopped);
  EXPECT_LT(Clock::now() - start, 60s);
  later.join();
}

TEST(Stream, WhoseOtherSideClosedIsAnAnswerAndNoSignal) {
  Pair pair = connected();
  pair.theirs.close();
  Bytes got;
  EXPECT_EQ(pair.ours.send({view_of("to nobody")}, within(60s)), Transfer::kClosed);
  EXPECT_EQ(pair.ours.receive(got, 1, within(60s)), Transfer::kClosed);
}

TEST(Stream, BelievesNoLengthThatIsOnlyClaimed) {
  Pair pair = connected();
  EXPECT_EQ(pair.theirs.send({view_of("abc")}, within(60s)), Transfer::kDone);
  pair.theirs.close();
  Bytes got;
  EXPECT_EQ(pair.ours.receive(got, std::uint64_t{1} << 45, within(60s)), Transfer::kClosed);
  EXPECT_LE(got.capacity(), std::size_t{4} << 20);
}

TEST(Stream, HandsOverADescriptor) {
  Pair pair = connected();
  const Descriptor file(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const std::size_t before = open_descriptors();
  {
    EXPECT_EQ(pair.ours.send({view_of("a"), view_of("b")}, within(60s), file.get()),
              Transfer::kDone);
    std::byte two[2];
    Descriptor came;
    EXPECT_EQ(pair.theirs.receive(two, 2, within(60s), &came), Transfer::kDone);
    EXPECT_GE(came.get(), 0);
    EXPECT_NE(::fcntl(came.get(), F_GETFD) & FD_CLOEXEC, 0);
    EXPECT_EQ(pair.ours.send({view_of("c")}, within(60s), file.get()), Transfer::kDone);
    EXPECT_EQ(pair.theirs.receive(two, 1, within(60s)), Transfer::kDone)
        << "one that nobody asked for is closed";
  }
  EXPECT_EQ(open_descriptors(), before);
}

TEST(Pipe, EndsLieAboveTheStandardDescriptorsAndAreClosedByExec) {
  for (const auto& ends : {socket_pair(), pipe_from_child()}) {
    ASSERT_TRUE(ends);
    for (const int fd : {ends->ours.get(), ends->theirs.get()}) {
      EXPECT_GE(fd, 10);
      EXPECT_NE(::fcntl(fd, F_GETFD) & FD_CLOEXEC, 0);
    }
  }
}

TEST(Deadline, DeadlineInCenturiesIsInTheFuture) {
  EXPECT_GT(deadline_after(std::chrono::milliseconds::max()), Clock::now());
  EXPECT_LE(deadline_after(-1ms), Clock::now());
}

}  // namespace
}  // namespace edgeprobe::process
