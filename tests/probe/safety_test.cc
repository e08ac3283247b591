// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <iostream>
#include <random>
#include <set>
#include <thread>

#include "support.h"

namespace edgeprobe::test {
namespace {

using trace::Stage;

// Runs in a child process, so that changes to the process stay there; returns its exit code, or 128
// + signal if it was killed.
template <class Work>
int in_child(const Work& work) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(work());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Eight threads with 10^5 calls each, on their own frames, one shared frame, marks and statistics.
TEST(ProbeThreads, EightThreadsLogConcurrently) {
  const Folder folder;
  edgeprobe_options options = defaults();
  options.sampling = EDGEPROBE_SAMPLE_EVERY;
  edgeprobe_probe* const probe = opened(folder / "t.mcap", options);
  edgeprobe_frame* const shared = begun(probe);
  std::atomic<std::uint64_t> logged{0}, failed{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      const std::string own = "thread" + std::to_string(t);
      for (int call = 0; call < 100'000;) {
        edgeprobe_frame* frame = nullptr;
        failed += edgeprobe_frame_begin(probe, &frame) != EDGEPROBE_OK;
        for (int i = 0; i < 46; ++i, ++call)
          failed +=
              edgeprobe_log_scalar(frame, i % 2 ? own.c_str() : ("v" + std::to_string(i)).c_str(),
                                   i) != EDGEPROBE_OK;
        logged += 46;
        const bool is_shared = edgeprobe_log_tensor(shared, Floats(EDGEPROBE_STAGE_INTERMEDIATE,
                                                                   "shared", {1})) == EDGEPROBE_OK;
        logged += is_shared;
        failed += !is_shared && call < 40;
        if (call % 4600 == 0) failed += edgeprobe_mark(probe, "tick", own.c_str()) != EDGEPROBE_OK;
        edgeprobe_statistics statistics{};
        statistics.struct_size = sizeof statistics;
        failed += edgeprobe_statistics_now(probe, &statistics) != EDGEPROBE_OK;
        failed += edgeprobe_frame_end(frame) != EDGEPROBE_OK;
        call += 4;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failed, 0u);
  edgeprobe_statistics statistics{};
  statistics.struct_size = sizeof statistics;
  ASSERT_EQ(edgeprobe_close(probe, &statistics), EDGEPROBE_OK) << edgeprobe_last_error();
  EXPECT_EQ(statistics.frames, 8 * 2000u + 1);
  EXPECT_LE(statistics.tensors, logged);
  if (statistics.dropped_frames == 0) {
    EXPECT_EQ(statistics.tensors, logged);
    EXPECT_EQ(channel(read(folder / "t.mcap"), Stage::kVariable, "v0").messages, 8 * 2000u);
  }
}

TEST(ProbeDrops, WhatIsDroppedIsCountedWhileTheProbeIsOpenAndIsNotCountedAsRecorded) {
  const Folder folder;
  edgeprobe_probe* const probe = opened(folder / "t.mcap");
  constexpr int kFrames = 400;
  for (int i = 0; i < kFrames; ++i) {  // 80 MB at full speed: more than any disk accepts at once
    edgeprobe_frame* frame = nullptr;
    ASSERT_EQ(edgeprobe_frame_begin(probe, &frame), EDGEPROBE_OK);
    ASSERT_EQ(edgeprobe_log_tensor(
                  frame, Floats(EDGEPROBE_STAGE_MODEL_INPUT, "input", std::vector<float>(50'000))),
              EDGEPROBE_OK);
    ASSERT_EQ(edgeprobe_frame_end(frame), EDGEPROBE_OK);
  }
  edgeprobe_statistics open{}, closed{};
  open.struct_size = closed.struct_size = sizeof open;
  ASSERT_EQ(edgeprobe_statistics_now(probe, &open), EDGEPROBE_OK);
  ASSERT_EQ(edgeprobe_close(probe, &closed), EDGEPROBE_OK) << edgeprobe_last_error();
  EXPECT_EQ(open.dropped_frames, closed.dropped_frames);
  EXPECT_EQ(open.tensors, closed.tensors);
  EXPECT_EQ(closed.tensors + closed.dropped_frames, static_cast<std::uint64_t>(kFrames));
  EXPECT_EQ(channel(read(folder / "t.mcap"), Stage::kModelInput, "input").messages, closed.tensors);
  EXPECT_EQ(closed.recorded_frames, closed.tensors);
  EXPECT_EQ(closed.bytes, closed.tensors * 200'000u);
}

TEST(ProbeThreads, ACloseUnderTheirHandsTurnsThemOff) {
  for (int round = 0; round < 20; ++round) {
    const Folder folder;
    edgeprobe_probe* const probe = opened(folder / "t.mcap");
    std::atomic<bool> stop{false};
    std::atomic<int> odd{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t)
      threads.emplace_back([&] {
        const auto fine = [&](edgeprobe_status status) {
          odd += status != EDGEPROBE_OK && status != EDGEPROBE_OFF;
        };
        while (!stop) {
          edgeprobe_frame* frame = nullptr;
          fine(edgeprobe_frame_begin(probe, &frame));
          fine(edgeprobe_log_tensor(
              frame, Floats(EDGEPROBE_STAGE_MODEL_INPUT, "in", std::vector<float>(500))));
          fine(edgeprobe_frame_end(frame));
        }
      });
    ::usleep(2000);
    EXPECT_EQ(edgeprobe_close(probe, nullptr), EDGEPROBE_OK) << edgeprobe_last_error();
    ::usleep(200);
    stop = true;
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(odd, 0);
    read(folder / "t.mcap");
  }
}

TEST(ProbeThreads, ACloseWaitsForTheRedaction) {
  const Folder folder;
  struct Hook {
    std::atomic<int> inside{0};
    std::atomic<bool> is_done{false};
    edgeprobe_status closed = EDGEPROBE_OK;
    edgeprobe_probe* probe = nullptr;
  } hook;
  edgeprobe_options options = defaults();
  options.redact_context = &hook;
  options.redact = [](void* context, const char*, void*, std::size_t) {
    Hook& own = *static_cast<Hook*>(context);
    own.closed = edgeprobe_close(own.probe, nullptr);
    own.inside = 1;
    ::usleep(100'000);
    own.is_done = true;
  };
  hook.probe = opened(folder / "t.mcap", options);
  edgeprobe_frame* const frame = begun(hook.probe);
  std::thread other([&] { edgeprobe_log_encoded(frame, "camera", "abcd", 4); });
  while (!hook.inside) ::usleep(100);
  EXPECT_EQ(edgeprobe_close(hook.probe, nullptr), EDGEPROBE_OK);
  EXPECT_TRUE(hook.is_done);
  EXPECT_EQ(hook.closed, EDGEPROBE_USAGE);  // it would wait for itself
  other.join();
}

TEST(ProbeFork, AChildIsOffAndLeavesTheFileAlone) {
  const Folder folder;
  edgeprobe_options options = defaults();
  options.wait_when_full = 1;  // the other thread is faster than a disk
  edgeprobe_probe* const probe = opened(folder / "t.mcap", options);
  edgeprobe_frame* const frame = begun(probe);
  std::atomic<bool> stop{false};
  std::thread other([&] {  // so that locks are held at the moment of the fork
    while (!stop) {
      edgeprobe_frame* own = begun(probe);
      edgeprobe_log_scalar(own, "x", 1);
      edgeprobe_frame_end(own);
    }
  });
  for (int i = 0; i < 30; ++i) {
    const std::string name = folder / ("child" + std::to_string(i) + ".mcap");
    const int code = in_child([&] {
      ::alarm(600);
      edgeprobe_frame* none = nullptr;
      if (edgeprobe_log_scalar(frame, "y", 2) != EDGEPROBE_OFF ||
          edgeprobe_frame_end(frame) != EDGEPROBE_OFF)
        return 1;
      if (edgeprobe_frame_begin(probe, &none) != EDGEPROBE_OFF ||
          edgeprobe_mark(probe, "x", nullptr) != EDGEPROBE_OFF)
        return 2;
      if (edgeprobe_flush(probe) != EDGEPROBE_OFF ||
          edgeprobe_close(probe, nullptr) != EDGEPROBE_OFF)
        return 3;
      // The child's own probe does not affect the parent.
      edgeprobe_probe* own = nullptr;
      if (edgeprobe_open(name.c_str(), nullptr, &own) != EDGEPROBE_OK ||
          edgeprobe_frame_begin(own, &none) != EDGEPROBE_OK)
        return 4;
      if (edgeprobe_log_scalar(none, "z", 3) != EDGEPROBE_OK ||
          edgeprobe_frame_end(none) != EDGEPROBE_OK)
        return 5;
      return edgeprobe_close(own, nullptr) == EDGEPROBE_OK ? 0 : 6;
    });
    ASSERT_EQ(code, 0);
    EXPECT_EQ(floats(read(name), 0, Stage::kVariable, "z"), (std::vector<float>{3}));
  }
  stop = true;
  other.join();
  edgeprobe_log_scalar(frame, "y", 4);
  edgeprobe_frame_end(frame);
  EXPECT_EQ(edgeprobe_close(probe, nullptr), EDGEPROBE_OK);
  EXPECT_EQ(floats(read(folder / "t.mcap"), 0, Stage::kVariable, "y"), (std::vector<float>{4}));
}

// EDGEPROBE_KILLS is the number of kills (default 8). Flushed data is in the file, and nothing in
// it is wrong.
TEST(ProbeKill, OnlyTheOpenChunkIsLost) {
  const char* const kills = std::getenv("EDGEPROBE_KILLS");
  const int rounds = kills ? std::atoi(kills) : 8;
  std::mt19937 random(3);
  std::size_t frames = 0;
  for (int round = 0; round < rounds; ++round) {
    const Folder folder;
    const std::size_t size = std::size_t{1} << random() % 14;
    const std::uint32_t flush_every = 1 + static_cast<std::uint32_t>(random() % 40),
                        flush_ms = 1 + static_cast<std::uint32_t>(random() % 30);
    const auto life = static_cast<useconds_t>(random() % 20'000);
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      edgeprobe_options options = defaults();
      options.flush_ms = flush_ms;
      edgeprobe_probe* probe = nullptr;
      if (edgeprobe_open((folder / "t.mcap").c_str(), &options, &probe) != EDGEPROBE_OK) ::_exit(1);
      for (std::uint32_t i = 0;; ++i) {
        edgeprobe_frame* frame = nullptr;
        edgeprobe_frame_begin(probe, &frame);
        edgeprobe_log_tensor(frame, Floats(EDGEPROBE_STAGE_MODEL_INPUT, "in",
                                           std::vector<float>(size, static_cast<float>(i))));
        edgeprobe_frame_end(frame);
        if (i % flush_every) continue;
        if (edgeprobe_flush(probe) != EDGEPROBE_OK || ::write(ends[1], &i, sizeof i) != sizeof i)
          ::_exit(1);
      }
    }
    ::close(ends[1]);
    std::uint32_t flushed = 0, next = 0;
    ASSERT_EQ(::read(ends[0], &flushed, sizeof flushed), static_cast<ssize_t>(sizeof flushed));
    ::usleep(life);
    ::kill(child, SIGKILL);
    while (::read(ends[0], &next, sizeof next) == sizeof next) flushed = next;
    ::waitpid(child, nullptr, 0);
    ::close(ends[0]);
    const auto reader = trace::Reader::open(folder / "t.mcap");
    ASSERT_TRUE(reader) << reader.error().what;
    EXPECT_FALSE(reader->is_finished());
    ASSERT_GE(reader->frames().size(), flushed + std::size_t{1});
    for (const std::uint32_t frame : reader->frames()) {
      const auto values = floats(*reader, frame, Stage::kModelInput, "in");
      if (frame > flushed && values.empty()) continue;  // the queue was full: dropped
      ASSERT_EQ(values, std::vector<float>(size, static_cast<float>(frame))) << frame;
    }
    frames += reader->frames().size();
  }
  std::cout << rounds << " kills, " << frames << " frames read back\n";
}

TEST(ProbeFolder, SeveralProbesAndProcessesShareOne) {
  const Folder folder;
  std::vector<pid_t> children;
  for (int process = 0; process < 4; ++process) {
    const pid_t child = ::fork();
    if (child == 0) {
      edgeprobe_options options = defaults();
      options.part_bytes = 20'000;
      for (int i = 0; i < 3; ++i) {
        edgeprobe_probe* probe = nullptr;
        if (edgeprobe_open((folder / "app.mcap").c_str(), &options, &probe) != EDGEPROBE_OK)
          ::_exit(1);
        for (int k = 0; k < 20; ++k) {
          edgeprobe_frame* frame = nullptr;
          edgeprobe_frame_begin(probe, &frame);
          edgeprobe_log_tensor(frame, Floats(EDGEPROBE_STAGE_MODEL_INPUT, "in",
                                             std::vector<float>(500, static_cast<float>(process))));
          edgeprobe_frame_end(frame);
        }
        if (edgeprobe_close(probe, nullptr) != EDGEPROBE_OK) ::_exit(2);
      }
      ::_exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  std::size_t frames = 0, files = 0;
  std::set<std::string> recordings;
  for (const auto& file : std::filesystem::directory_iterator(folder / "")) {
    const auto reader = read(file.path().string());
    frames += reader.frames().size();
    ++files;
    recordings.insert(reader.metadata().at("edgeprobe.part").at("series"));
  }
  EXPECT_EQ(frames, 4u * 3 * 20);
  EXPECT_GE(files, 4u * 3 * 2);
  EXPECT_EQ(recordings.size(), 12u);
}

TEST(ProbeFolder, OldPartsGo) {
  const Folder folder;
  edgeprobe_options options = defaults();
  options.part_bytes = 10'000;
  options.newest_parts = 2;
  edgeprobe_probe* const probe = opened(folder / "app.mcap", options);
  for (int k = 0; k < 100; ++k) {
    edgeprobe_frame* frame = begun(probe);
    edgeprobe_log_tensor(frame, Floats(EDGEPROBE_STAGE_MODEL_INPUT, "in", std::vector<float>(500)));
    edgeprobe_frame_end(frame);
  }
  EXPECT_EQ(edgeprobe_mark(probe, "end", nullptr), EDGEPROBE_OK);
  EXPECT_EQ(edgeprobe_close(probe, nullptr), EDGEPROBE_OK);
  std::size_t files = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder / "")) {
    ++files;
    read(file.path().string());
  }
  EXPECT_EQ(files, 2u);
}

TEST(ProbeFolder, UnwritableFolderIsReported) {
  if (::geteuid() == 0) {
    // Root may write anywhere; no process can create files in /proc.
    edgeprobe_probe* probe = nullptr;
    EXPECT_NE(edgeprobe_open("/proc/t.mcap", nullptr, &probe), EDGEPROBE_OK);
    EXPECT_EQ(probe, nullptr);
    EXPECT_STRNE(edgeprobe_last_error(), "");
    return;
  }
  const Folder folder;
  ::chmod((folder / "").c_str(), 0500);
  edgeprobe_probe* probe = nullptr;
  EXPECT_EQ(edgeprobe_open((folder / "t.mcap").c_str(), nullptr, &probe), EDGEPROBE_USAGE);
  EXPECT_EQ(probe, nullptr);
  ::chmod((folder / "").c_str(), 0700);
}

TEST(ProbeLimits, MoreChannelsThanAFileHolds) {
  const Folder folder;
  edgeprobe_options options = defaults();
  options.wait_when_full = 1;
  edgeprobe_probe* const probe = opened(folder / "t.mcap", options);
  edgeprobe_frame* const frame = begun(probe);
  std::size_t taken = 0, refused = 0;
  for (int i = 0; i < 66'000; ++i) {
    const auto status = edgeprobe_log_scalar(frame, std::to_string(i).c_str(), i);
    taken += status == EDGEPROBE_OK;
    refused += status == EDGEPROBE_LIMIT;
  }
  EXPECT_EQ(taken + refused, 66'000u);
  EXPECT_EQ(taken, 60'000u);  // the remaining ones are for records of frames and series
  EXPECT_GT(refused, 0u);
  EXPECT_EQ(edgeprobe_log_scalar(frame, "7", 1), EDGEPROBE_LIMIT);  // "7#2" is new too
  EXPECT_EQ(edgeprobe_frame_end(frame), EDGEPROBE_OK);
  EXPECT_EQ(edgeprobe_mark(probe, "still", "here"), EDGEPROBE_OK);
  edgeprobe_frame* const next = begun(probe);
  EXPECT_EQ(edgeprobe_log_scalar(next, "7", 1), EDGEPROBE_OK);  // existing channels continue
  edgeprobe_frame_end(next);
  EXPECT_EQ(edgeprobe_close(probe, nullptr), EDGEPROBE_OK);
  EXPECT_EQ(read(folder / "t.mcap").channels().size(), taken);
}

TEST(ProbeLimits, ManyNamesOfSeriesLeaveRoomForFrames) {
  const Folder folder;
  edgeprobe_options options = defaults();
  options.wait_when_full = 1;
  edgeprobe_probe* const probe = opened(folder / "t.mcap", options);
  int taken = 0;
  for (int i = 0; i < 66'000; ++i) {
    const auto status = edgeprobe_mark(probe, ("mark " + std::to_string(i)).c_str(), "");
    taken += status == EDGEPROBE_OK;
    if (i == 65'999) {
      EXPECT_EQ(status, EDGEPROBE_LIMIT);
      EXPECT_NE(std::string(edgeprobe_last_error()).find("the trace has 4096 series"),
                std::string::npos)
          << edgeprobe_last_error();
    }
  }
  EXPECT_EQ(taken, 4096);
  EXPECT_EQ(edgeprobe_mark(probe, "mark 7", "known"), EDGEPROBE_OK);
  edgeprobe_frame* const frame = begun(probe);
  EXPECT_EQ(edgeprobe_log_scalar(frame, "new", 1), EDGEPROBE_OK);
  EXPECT_EQ(edgeprobe_frame_end(frame), EDGEPROBE_OK) << edgeprobe_last_error();
  EXPECT_EQ(edgeprobe_close(probe, nullptr), EDGEPROBE_OK);
  EXPECT_EQ(read(folder / "t.mcap").frames().size(), 1u);
  EXPECT_EQ(events(folder / "t.mcap").size(), 4097u);
}

// A killed program does not release the disk space that it reserved ahead.
TEST(ProbeLimits, LittleDiskIsReservedAhead) {
  for (const std::uint64_t most : {0u, 13'000'000u}) {
    const Folder folder;
    struct statfs disk {};
    ASSERT_EQ(::statfs((folder / "").c_str(), &disk), 0);
    if (disk.f_type == 0x58465342) GTEST_SKIP() << "XFS reserves space of its own";
    edgeprobe_options options = defaults();
    options.wait_when_full = 1;
    options.total_bytes = most;
    edgeprobe_probe* const probe = opened(folder / "t.mcap", options);
    for (int i = 0; i < 12; ++i) {
      edgeprobe_frame* const frame = begun(probe);
      edgeprobe_log_tensor(frame,
                           Floats(EDGEPROBE_STAGE_MODEL_INPUT, "in", std::vector<float>(250'000)));
      edgeprobe_frame_end(frame);
    }
    edgeprobe_flush(probe);
    struct stat file {};
    ASSERT_EQ(::stat((folder / "t.mcap").c_str(), &file), 0);
    EXPECT_GT(file.st_size, 12'000'000);
    EXPECT_LE(512 * file.st_blocks, most ? 13'000'000 + 65'536 : 4 * file.st_size / 3 + 65'536);
    EXPECT_EQ(edgeprobe_close(probe, nullptr), EDGEPROBE_OK);
  }
}

// A frame larger than the queue makes it grow; nothing is dropped, and no call waits for the disk.
TEST(ProbeLimits, AFrameLargerThanTheQueue) {
  const Folder folder;
  edgeprobe_options options = defaults();
  options.level = EDGEPROBE_LEVEL_LAYERS;
  edgeprobe_probe* const probe = opened(folder / "t.mcap", options);
  for (int i = 0; i < 3; ++i) {
    edgeprobe_frame* const frame = begun(probe);
    for (int k = 0; k < 20; ++k)
      EXPECT_EQ(edgeprobe_log_tensor(
                    frame, Floats(EDGEPROBE_STAGE_LAYER, ("l" + std::to_string(k)).c_str(),
                                  std::vector<float>(200'000, static_cast<float>(10 * i + k)))),
                EDGEPROBE_OK);
    edgeprobe_frame_end(frame);
    edgeprobe_flush(probe);
  }
  edgeprobe_statistics statistics{};
  statistics.struct_size = sizeof statistics;
  EXPECT_EQ(edgeprobe_close(probe, &statistics), EDGEPROBE_OK);
  EXPECT_EQ(statistics.dropped_frames, 0u);
  const auto reader = read(folder / "t.mcap");
  for (const std::uint32_t i : {0u, 2u})
    for (const int k : {0, 19})
      EXPECT_EQ(floats(reader, i, Stage::kLayer, "l" + std::to_string(k)),
                std::vector<float>(200'000, static_cast<float>(10 * i + static_cast<unsigned>(k))));
}

}  // namespace
}  // namespace edgeprobe::test
