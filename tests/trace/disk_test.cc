// SPDX-License-Identifier: Apache-2.0
// Full, read-only and failing disks: a clear error, and what was written before stays. Real ones
// where the system lets us mount a small tmpfs; the errors that a tmpfs does not give come from a
// pwritev of our own.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <functional>
#include <string>

#include "support.h"
#include "trace/read/copy.h"
#include "trace/read/verify.h"
#include "trace/record/writer.h"

namespace {

std::atomic<int> fail_with{0};   // errno of every later pwritev
std::atomic<int> fail_after{0};  // … after this number of successful calls

}  // namespace

// Replaces the C library's function in the whole program.
extern "C" ssize_t pwritev(int fd, const iovec* parts, int count, off_t offset) {
  if (fail_with && fail_after.fetch_sub(1) <= 0) {
    errno = fail_with;
    return -1;
  }
  return ::syscall(SYS_pwritev, fd, parts, count, offset, 0);
}

namespace edgeprobe::trace {
namespace {

// Returns the problem, or "".
using Scenario = std::function<std::string(const std::filesystem::path& disk)>;

void put_text(const char* path, const std::string& text) { std::ofstream(path) << text; }

// Mounts a tmpfs of `bytes` at `at`, visible only to this process: returns "", or the reason for a
// failure.
std::string mount_small(const std::filesystem::path& at, const char* size) {
  const auto user = std::to_string(::getuid()), group = std::to_string(::getgid());
  if (::unshare(CLONE_NEWNS) != 0) {
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
      return std::string("no mount namespace: ") + std::strerror(errno);
    put_text("/proc/self/setgroups", "deny");
    put_text("/proc/self/uid_map", "0 " + user + " 1");
    put_text("/proc/self/gid_map", "0 " + group + " 1");
  }
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
    return std::string("no private mounts: ") + std::strerror(errno);
  const std::string options = std::string("size=") + size;
  if (::mount("tmpfs", at.c_str(), "tmpfs", 0, options.c_str()) != 0)
    return std::string("no tmpfs: ") + std::strerror(errno);
  return "";
}

class Disk : public testing::Test {
 protected:
  // Runs the scenario in a separate process on a small disk; skips the test if this machine cannot
  // have one.
  void on_small_disk(const char* size, const Scenario& scenario) {
    const auto disk = folder_ / "disk";
    std::filesystem::create_directory(disk);
    int pipe[2];
    ASSERT_EQ(::pipe(pipe), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      std::string text = mount_small(disk, size);
      int code = 77;
      if (text.empty()) {
        text = scenario(disk);
        code = text.empty() ? 0 : 1;
      }
      (void)!::write(pipe[1], text.data(), text.size());
      ::_exit(code);
    }
    ::close(pipe[1]);
    std::string text;
    std::array<char, 1024> buffer;
    for (ssize_t got; (got = ::read(pipe[0], buffer.data(), buffer.size())) > 0;)
      text.append(buffer.data(), static_cast<std::size_t>(got));
    ::close(pipe[0]);
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
      GTEST_SKIP() << "a small disk cannot be mounted: " << text;
    EXPECT_EQ(status, 0) << text;
  }
  Folder folder_;
};

// Writes frames of 10 KB until one is refused.
struct Filled {
  std::uint32_t taken = 0, flushed = 0;
  Error error;
};
template <class AnyWriter>
Filled fill(AnyWriter& writer, ChannelId id, std::uint32_t most = 100'000) {
  Filled filled;
  for (std::uint32_t frame = 0; frame < most; ++frame) {
    auto done = writer.write(id, frame, frame, noise(10'000, frame));
    if (done) filled.taken = frame + 1;
    if (done) done = writer.flush();
    if (!done) {
      filled.error = done.error();
      return filled;
    }
    filled.flushed = frame + 1;
  }
  return filled;
}

std::string wrong_frames(const std::filesystem::path& path, std::uint32_t expected, bool finished) {
  const auto reader = Reader::open(path);
  if (!reader) return reader.error().what;
  if (reader->is_finished() != finished) return finished ? "it has no footer" : "it has a footer";
  if (reader->frames().size() != expected)
    return std::to_string(reader->frames().size()) + " frames, expected " +
           std::to_string(expected);
  for (const std::uint32_t frame : reader->frames())
    if (const auto tensor = reader->read(frame, reader->channels()[0].id);
        !tensor || !*tensor || (*tensor)->bytes.copy() != noise(10'000, frame))
      return "frame " + std::to_string(frame) + " is not what was written";
  return "";
}

bool says(const Error& error, std::initializer_list<const char*> words) {
  return std::all_of(words.begin(), words.end(),
                     [&](const char* word) { return error.what.find(word) != std::string::npos; });
}

TEST_F(Disk, FullWhileRecording) {
  on_small_disk("1m", [&](const std::filesystem::path& disk) -> std::string {
    auto writer = Writer::open(disk / "t.mcap");
    if (!writer) return writer.error().what;
    const auto id = writer->add_channel(byte_channel(Stage::kLayer, "x", 10'000));
    const Filled filled = fill(*writer, *id);
    if (filled.flushed < 50)
      return "only " + std::to_string(filled.flushed) +
             " frames fit into 1 MiB: " + filled.error.what;
    if (filled.error.kind != ErrorKind::kLimit ||
        !says(filled.error,
              {"is full", disk.c_str(), "in all", "free some space", "trace recover"}))
      return "the error says: " + filled.error.what;
    if (writer->frame({}).has_value() || writer->write(*id, 0, 0, noise(10'000, 0)).has_value())
      return "it goes on after the error";
    const auto closed = writer->close();
    if (closed || closed.error().what != filled.error.what) return "close() says something else";
    if (auto wrong = wrong_frames(disk / "t.mcap", filled.flushed, false); !wrong.empty())
      return wrong;
    const auto recovered = recover(disk / "t.mcap", folder_ / "r.mcap");
    if (!recovered) return recovered.error().what;
    return wrong_frames(folder_ / "r.mcap", filled.flushed, true);
  });
}

// Nothing was flushed and one chunk would contain everything: the first messages that fit are kept,
// each complete.
TEST_F(Disk, FullInTheMiddleOfAChunkKeepsWhatFits) {
  on_small_disk("1m", [&](const std::filesystem::path& disk) -> std::string {
    WriterOptions options;
    options.flush_ms = 1'000'000;
    options.ring_bytes = std::size_t{8} << 20;
    options.chunk_bytes = std::size_t{4} << 20;
    auto writer = Writer::open(disk / "t.mcap", options);
    if (!writer) return writer.error().what;
    const auto id = writer->add_channel(byte_channel(Stage::kLayer, "x", 10'000));
    const auto other = writer->add_channel(byte_channel(Stage::kModelOutput, "y", 40));
    for (std::uint32_t frame = 0; frame < 200; ++frame)
      if (!writer->write(*id, frame, frame, noise(10'000, frame)) ||
          !writer->write(*other, frame, frame, noise(40, frame)) ||
          !writer->frame({frame, frame, std::to_string(frame), "", {}, {}}))
        return "write";
    const auto closed = writer->close();
    if (closed || closed.error().kind != ErrorKind::kLimit ||
        !says(closed.error(), {"is full", "trace recover", "The first 1.0"}))
      return closed ? "2 MB went into 1 MiB" : closed.error().what;
    const auto verified = verify(disk / "t.mcap");
    if (!verified || verified->is_finished || verified->chunks != 1 ||
        verified->problems.size() != 1)
      return "verify() says something else than that the end is missing";
    // 1 MiB is 104 frames of 10 KB with their overhead; the last one may lack a part.
    const auto recovered = recover(disk / "t.mcap", folder_ / "r.mcap");
    if (!recovered) return recovered.error().what;
    const auto reader = Reader::open(folder_ / "r.mcap");
    if (!reader || !reader->problems().empty()) return "the recovered file is not sound";
    const auto last = static_cast<std::uint32_t>(reader->frames().size()) - 1;
    if (last < 100 || last > 104) return std::to_string(last + 1) + " frames were kept";
    for (const std::uint32_t frame : reader->frames()) {
      const auto x = reader->read(frame, *id), y = reader->read(frame, *other);
      if (!x || !*x || (*x)->bytes.copy() != noise(10'000, frame))
        return "frame " + std::to_string(frame) + " is not what was written";
      if (frame < last && (!y || !*y || (*y)->bytes.copy() != noise(40, frame)))
        return "frame " + std::to_string(frame) + " lacks its output";
    }
    return "";
  });
}

TEST_F(Disk, FullOnlyWhenItIsClosed) {
  for (const bool flushed : {true, false})
    on_small_disk("1m", [&](const std::filesystem::path& disk) -> std::string {
      WriterOptions options;
      options.flush_ms = 1'000'000;
      auto writer = Writer::open(disk / "t.mcap", options);
      const auto id = writer->add_channel(byte_channel(Stage::kLayer, "x", 10'000));
      for (std::uint32_t frame = 0; frame < 20; ++frame) {
        if (!writer->write(*id, frame, frame, noise(10'000, frame))) return "write";
        if (frame == (flushed ? 19 : 9) && !writer->flush()) return "flush";
      }
      const int ballast = ::open((disk / "ballast").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
      const Bytes block(4096);
      while (::write(ballast, block.data(), block.size()) > 0) {
      }
      ::close(ballast);
      const auto closed = writer->close();
      // If the summary fits into the last page of the file, closing succeeds.
      if (closed)
        return flushed ? wrong_frames(disk / "t.mcap", 20, true) : "a full disk took 100 KB";
      if (closed.error().kind != ErrorKind::kLimit ||
          !says(closed.error(), {"is full", "trace recover"}))
        return closed.error().what;
      return wrong_frames(disk / "t.mcap", flushed ? 20 : 10, false);
    });
}

TEST_F(Disk, FullWhileAPartBegins) {
  on_small_disk("1m", [&](const std::filesystem::path& disk) -> std::string {
    WriterOptions options;
    options.rotation.part_bytes = 200'000;
    auto writer = Writer::open(disk / "t.mcap", options);
    const auto id = writer->add_channel(byte_channel(Stage::kLayer, "x", 10'000));
    const Filled filled = fill(*writer, *id);
    if (!says(filled.error, {"is full"})) return filled.error.what;
    if (writer->close().has_value()) return "close() says that all is well";
    std::size_t frames = 0;
    for (const auto& entry : std::filesystem::directory_iterator(disk)) {
      const auto reader = Reader::open(entry.path());
      if (!reader) return reader.error().what;
      frames += reader->frames().size();
    }
    return frames == filled.flushed ? ""
                                    : std::to_string(frames) + " frames are there, " +
                                          std::to_string(filled.flushed) + " were flushed";
  });
}

TEST_F(Disk, FullWhileCopyingLeavesNothing) {
  ASSERT_TRUE(write_sample(folder_ / "t.mcap", 20'000));
  on_small_disk("1m", [&](const std::filesystem::path& disk) -> std::string {
    for (const auto& result :
         {recover(folder_ / "t.mcap", disk / "r.mcap"),
          pack(folder_ / "t.mcap", disk / "p.mcap", *compression_from("lz4", nullptr))}) {
      if (result) return "5 MB went into 1 MiB";
      if (result.error().kind != ErrorKind::kLimit || !says(result.error(), {"is full"}))
        return result.error().what;
      if (says(result.error(), {"trace recover"}))
        return "it tells to recover a file that is gone: " + result.error().what;
    }
    return std::filesystem::is_empty(disk) ? "" : "something was left behind";
  });
}

TEST_F(Disk, ReadOnly) {
  on_small_disk("1m", [&](const std::filesystem::path& disk) -> std::string {
    if (::mount(nullptr, disk.c_str(), nullptr, MS_REMOUNT | MS_RDONLY, "size=1m") != 0)
      return std::strerror(errno);
    const auto writer = Writer::open(disk / "t.mcap");
    if (writer) return "a read-only disk was written to";
    if (writer.error().kind != ErrorKind::kTarget ||
        !says(writer.error(), {"mounted read-only", disk.c_str()}))
      return writer.error().what;
    return "";
  });
}

TEST_F(Disk, LargerThanTheUserMayWrite) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{100'000, 100'000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    auto writer = Writer::open(folder_ / "t.mcap");
    const auto id = writer->add_channel(byte_channel(Stage::kLayer, "x", 10'000));
    const Filled filled = fill(*writer, *id);
    const bool good = filled.error.kind == ErrorKind::kLimit && says(filled.error, {"ulimit -f"}) &&
                      filled.flushed > 5 && !writer->close() &&
                      wrong_frames(folder_ / "t.mcap", filled.flushed, false).empty();
    ::_exit(good ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(Disk, QuotaAndFailingDisks) {
  struct Kind {
    int code;
    ErrorKind kind;
    const char* words;
  };
  for (const Kind& kind : {Kind{EDQUOT, ErrorKind::kLimit, "quota"},
                           Kind{EIO, ErrorKind::kTarget, "input/output error"},
                           Kind{ENOSPC, ErrorKind::kLimit, "is full"}})
    for (const bool in_close : {false, true}) {
      const auto path = folder_ / ("t" + std::to_string(kind.code) + (in_close ? "c" : ""));
      auto writer = Writer::open(path);
      ASSERT_TRUE(writer);
      const auto id = writer->add_channel(byte_channel(Stage::kLayer, "x", 10'000));
      Filled filled = fill(*writer, *id, 10);
      fail_after = 0;
      fail_with = kind.code;
      if (!in_close) filled = fill(*writer, *id, 10);
      const auto closed = writer->close();
      fail_with = 0;
      ASSERT_FALSE(closed);
      EXPECT_TRUE(in_close || filled.error.what == closed.error().what) << filled.error.what;
      EXPECT_EQ(closed.error().kind, kind.kind);
      EXPECT_TRUE(says(closed.error(), {kind.words, "the disk at '/", "another", "trace recover"}))
          << closed.error().what;
      EXPECT_EQ(wrong_frames(path, 10, false), "");
    }
}

}  // namespace
}  // namespace edgeprobe::trace
