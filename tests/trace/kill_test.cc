// SPDX-License-Identifier: Apache-2.0
// kill -9 at random times: everything that was flushed is in the recovered file, and nothing in
// it is wrong, for our reader and for the official one. EDGEPROBE_KILLS says how often (default
// 60).
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <random>
#include <set>
#include <sstream>
#include <thread>

#include "support.h"
#include "trace/read/copy.h"
#include "trace/record/writer.h"

namespace edgeprobe::trace {
namespace {

constexpr std::size_t kSizes[] = {40, 700, 3000};
constexpr int kAtOnce = 50;  // runs that wait for the official reader

struct Plan {
  WriterOptions options;
  std::uint32_t flush_every = 1;
  int life_us = 0;
};

Plan plan_for(std::mt19937& random) {
  Plan plan;
  plan.options.ring_bytes = std::size_t{4096} << random() % 8;
  plan.options.chunk_bytes = 500 + random() % 20'000;
  plan.options.flush_ms = 1 + static_cast<int>(random() % 20);
  plan.options.rotation.part_bytes = random() % 2 ? 0 : 20'000 + random() % 200'000;
  plan.flush_every = 1 + static_cast<std::uint32_t>(random() % 20);
  plan.life_us = static_cast<int>(random() % 30'000);
  return plan;
}

// Writes until it is killed; reports through the pipe which frame was flushed last, and through
// memory which one was written last.
[[noreturn]] void record(const std::filesystem::path& path, const Plan& plan, int pipe,
                         std::atomic<std::uint32_t>& written) {
  auto writer = Writer::open(path, plan.options);
  if (!writer) ::_exit(1);
  std::vector<ChannelId> ids;
  for (const std::size_t size : kSizes)
    ids.push_back(*writer->add_channel(byte_channel(Stage::kLayer, std::to_string(size), size)));
  for (std::uint32_t frame = 1;; ++frame) {
    for (std::size_t i = 0; i < ids.size(); ++i)
      if (!writer->write(ids[i], frame, frame, noise(kSizes[i], frame * 3 + i))) ::_exit(2);
    if (!writer->frame({frame, frame, std::to_string(frame), "", {}, {}})) ::_exit(3);
    written = frame;
    if (frame % plan.flush_every) continue;
    if (!writer->flush() || ::write(pipe, &frame, sizeof frame) != sizeof frame) ::_exit(4);
  }
}

// Waits until a process has used `microseconds` of CPU time: on a busy machine, it gets its CPU
// late.
void wait_for_cpu_time(pid_t process, int microseconds) {
  clockid_t clock{};
  ASSERT_EQ(::clock_getcpuclockid(process, &clock), 0);
  // A process that waits for its disk uses little CPU time.
  for (int tries = 0; tries < 20'000; ++tries) {
    timespec used{};
    ASSERT_EQ(::clock_gettime(clock, &used), 0);
    if (used.tv_sec * 1'000'000 + used.tv_nsec / 1000 >= microseconds) return;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
}

TEST(Kill, NineAtRandomMomentsLosesAtMostWhatWasNotFlushed) {
  const char* const asked = std::getenv("EDGEPROBE_KILLS");
  const int kills = asked ? std::max(1, std::atoi(asked)) : 60;
  void* const memory =
      ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  auto& written = *new (memory) std::atomic<std::uint32_t>(0);
  std::mt19937 random(20'240);
  std::uint64_t frames = 0, flushed_frames = 0, lost_frames = 0, parts = 0, empty = 0,
                longest_loss = 0;
  std::optional<Folder> runs;
  std::uint64_t checked_files = 0, checked_frames = 0;
  for (int kill = 0; kill < kills; ++kill) {
    if (!runs) runs.emplace();
    const auto folder = *runs / std::to_string(kill);
    std::filesystem::create_directory(folder);
    const Plan plan = plan_for(random);
    written = 0;
    int pipe[2];
    ASSERT_EQ(::pipe(pipe), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      ::close(pipe[0]);
      record(folder / "t.mcap", plan, pipe[1], written);
    }
    ::close(pipe[1]);
    wait_for_cpu_time(child, plan.life_us);
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status))
        << "the writer ended by itself with code " << WEXITSTATUS(status);
    std::uint32_t flushed = 0;
    for (std::uint32_t frame; ::read(pipe[0], &frame, sizeof frame) == sizeof frame;)
      flushed = frame;
    ::close(pipe[0]);

    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      files.push_back(entry.path());
    std::set<std::pair<std::uint32_t, std::string>> found;
    std::uint32_t last = 0;
    for (const auto& file : files) {
      CopyOptions quick;
      quick.sync = false;
      const auto recovered = file.string() + ".recovered";
      const auto report = recover(file, recovered, quick);
      // killed before the first record of a file; flushed data is in the earlier parts
      if (!report) {
        ASSERT_LT(std::filesystem::file_size(file), 8u) << report.error().what;
        continue;
      }
      ++parts;
      const auto reader = Reader::open(recovered);
      ASSERT_TRUE(reader) << reader.error().what;
      ASSERT_TRUE(reader->is_finished());
      ASSERT_TRUE(reader->problems().empty()) << reader->problems()[0];
      ASSERT_TRUE(reader->visit(
          [&](const ReadChannel& channel, std::uint32_t frame, std::uint64_t, ByteView bytes) {
            const std::string& name = channel.channel.spec.name;
            const auto i = static_cast<std::size_t>(
                std::find(std::begin(kSizes), std::end(kSizes), std::stoul(name)) - kSizes);
            EXPECT_EQ(bytes.copy(), noise(kSizes[i], frame * 3 + i)) << frame << " " << name;
            EXPECT_TRUE(found.emplace(frame, name).second);
            return Status();
          }));
      for (const FrameRecord& r : reader->records()) {
        EXPECT_TRUE(r.sample.empty() || (r.sample == std::to_string(r.frame) &&
                                         found.emplace(r.frame, "record").second));
        last = std::max(last, r.frame);
      }
    }
    for (std::uint32_t frame = 1; frame <= flushed; ++frame)
      for (const char* what : {"40", "700", "3000", "record"})
        ASSERT_TRUE(found.count({frame, what})) << "kill " << kill << ": frame " << frame << " of "
                                                << flushed << " flushed lost its " << what;
    frames += written;
    flushed_frames += flushed;
    const std::uint64_t lost = written > last ? written - last : 0;
    lost_frames += lost;
    longest_loss = std::max(longest_loss, lost);
    empty += flushed == 0;
    std::filesystem::rename(folder, *runs / (std::to_string(kill) + "-" + std::to_string(flushed)));
    if (has_python() && (kill % kAtOnce == kAtOnce - 1 || kill == kills - 1)) {
      const auto [code, output] = run_python("read_killed.py", {runs->path().string()});
      ASSERT_EQ(code, 0) << output;
      std::uint64_t files_found = 0, frames_found = 0;
      std::istringstream(output) >> files_found >> frames_found;
      checked_files += files_found;
      checked_frames += frames_found;
      runs.reset();
    }
  }
  ::munmap(memory, 4096);
  std::cout << kills << " kills: " << frames << " frames written, " << flushed_frames
            << " flushed, none of these lost; " << lost_frames
            << " not yet flushed ones lost, at most " << longest_loss << " in a run; " << parts
            << " files recovered; " << empty << " runs ended before the first flush\n";
  if (has_python()) {
    std::cout << "the official reader finds the same in all " << checked_files << " files\n";
    EXPECT_EQ(checked_files, parts);
    EXPECT_EQ(checked_frames, flushed_frames);
  } else {
    std::cout << "not checked with the official reader: no Python at " << TRACE_TEST_PYTHON
              << " (script/setup makes it)\n";
  }
  EXPECT_GT(flushed_frames, static_cast<std::uint64_t>(kills));
}

}  // namespace
}  // namespace edgeprobe::trace
