// SPDX-License-Identifier: Apache-2.0
// Children that behave badly: each is a line of shell.
#include "process/child.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "process/pipe.h"
#include "process/shared_memory.h"
#include "process/wait.h"

namespace edgeprobe::process {
namespace {

using namespace std::chrono_literals;

/// For processes that end by themselves: a busy machine may need this long.
constexpr std::chrono::seconds kPatience = 60s;
using ::testing::HasSubstr;

struct Shell {
  Child child;
  Output output;
};

Command command_of(const std::string& line) {
  Command command;
  command.program = "/bin/sh";
  command.arguments = {"sh", "-c", line};
  return command;
}

/// The shell, with its standard output and error in our pipe.
Shell shell(Command command) {
  auto ends = pipe_from_child();
  EXPECT_TRUE(ends);
  command.descriptors = {{ends->theirs.get(), 1}, {ends->theirs.get(), 2}};
  auto child = Child::start(command);
  EXPECT_TRUE(child) << child.error().what;
  return {*std::move(child), Output(std::move(ends->ours), std::size_t{64} << 10)};
}
Shell shell(const std::string& line) { return shell(command_of(line)); }

std::string printed(const std::string& line) {
  Shell sh = shell(line);
  EXPECT_EQ(read_to_end({&sh.output}, {deadline_after(kPatience)}), Transfer::kDone);
  return sh.output.text();
}

bool runs(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  const auto name = text.rfind(')');
  return name != std::string::npos && text.find(" Z ", name) != name + 1;
}

bool ends_soon(pid_t pid) {
  for (int i = 0; i < 6000 && runs(pid); ++i) std::this_thread::sleep_for(10ms);
  return !runs(pid);
}

TEST(Child, SaysHowItEnded) {
  EXPECT_EQ(shell("exit 7").child.end(kPatience).text(), "exit code 7");
  const Exit exit = shell("kill -SEGV $$").child.end(kPatience);
  EXPECT_EQ(exit.signal, SIGSEGV);
  EXPECT_EQ(exit.name(), "SIGSEGV");
  EXPECT_EQ(exit.text(), "SIGSEGV (Segmentation fault)");
  EXPECT_EQ((Exit{0, SIGRTMIN}.name()), "signal " + std::to_string(SIGRTMIN));
}

TEST(Child, FailureToStartSaysWhy) {
  Command command;
  command.program = "/no/such/program";
  command.arguments = {"program"};
  const auto child = Child::start(command);
  ASSERT_FALSE(child);
  EXPECT_EQ(child.error().kind, ErrorKind::kNotFound);
  EXPECT_EQ(child.error().what, std::strerror(ENOENT));
}

TEST(Child, HangingChildIsKilledAfterItsPatience) {
  Shell sh = shell("trap '' TERM INT HUP; while :; do sleep 1; done");
  const auto start = Clock::now();
  EXPECT_EQ(sh.child.end(100ms).signal, SIGKILL);
  EXPECT_GE(Clock::now() - start, 100ms);
  EXPECT_LT(Clock::now() - start, kPatience);
  EXPECT_EQ(sh.child.pid(), -1);
}

TEST(Child, OutOfScopeChildIsKilledWithItsDescendants) {
  pid_t child = -1, grandchild = -1;
  {
    Shell sh = shell("sleep 1000 & echo $!; wait");
    while (sh.output.text().find('\n') == std::string::npos) {
      ASSERT_EQ(wait_for(sh.output.descriptor(), POLLIN, {deadline_after(kPatience)}),
                Transfer::kDone);
      sh.output.drain();
    }
    child = sh.child.pid();
    grandchild = std::stoi(sh.output.text());
    EXPECT_TRUE(runs(grandchild));
  }
  EXPECT_FALSE(runs(child));
  EXPECT_TRUE(ends_soon(grandchild));
}

TEST(Child, GrandchildWithAnOpenPipeBlocksNothing) {
  Shell sh = shell("sleep 1000 & exit 3");
  const auto start = Clock::now();
  EXPECT_EQ(read_to_end({&sh.output}, {deadline_after(300ms)}), Transfer::kLate);
  EXPECT_EQ(sh.child.end(kPatience).code, 3);
  EXPECT_EQ(read_to_end({&sh.output}, {deadline_after(kPatience)}), Transfer::kDone)
      << "the grandchild is gone too";
  EXPECT_LT(Clock::now() - start, kPatience);
}

TEST(Child, WithoutAGroupLeavesWhatItStartedAlone) {
  Command command = command_of("yes & exit 0");
  command.own_group = false;
  Shell sh = shell(command);
  EXPECT_EQ(sh.child.end(kPatience).code, 0);
  EXPECT_EQ(wait_for(sh.output.descriptor(), POLLIN, {deadline_after(kPatience)}), Transfer::kDone);
  const auto start = Clock::now();
  sh.output.drain_rest(100ms);  // `yes` continues, and ends when its output is closed.
  EXPECT_LT(Clock::now() - start, kPatience);
  EXPECT_THAT(sh.output.text(), HasSubstr("y\ny\n"));
}

TEST(Child, ChildWithClosedOutputCanBeStopped) {
  Shell sh = shell("exec >/dev/null 2>&1; sleep 1000");
  std::atomic<bool> stop{false};
  EXPECT_EQ(read_to_end({&sh.output}, {deadline_after(kPatience), &stop}), Transfer::kDone);
  std::thread later([&] {
    std::this_thread::sleep_for(100ms);
    stop = true;
  });
  EXPECT_FALSE(sh.child.wait(&stop));
  later.join();
  EXPECT_TRUE(runs(sh.child.pid()));
}

TEST(Child, InheritsOnlyWhatIsNamed) {
  const Descriptor kept(::open("/dev/null", O_RDONLY));  // without close-on-exec
  Command command = command_of(
      "ls /proc/self/fd; readlink /proc/self/fd/0; echo $NAME; grep Sig /proc/self/status");
  command.environment = {"NAME=value"};
  sigset_t blocked, before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  ::pthread_sigmask(SIG_BLOCK, &blocked, &before);
  const auto old = ::signal(SIGINT, SIG_IGN);
  Shell sh = shell(command);
  ::signal(SIGINT, old);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  EXPECT_EQ(read_to_end({&sh.output}, {deadline_after(kPatience)}), Transfer::kDone);
  EXPECT_THAT(sh.output.text(), HasSubstr("0\n1\n2\n3\n/dev/null\nvalue\n"))
      << "3 is the folder that ls reads";
  EXPECT_THAT(sh.output.text(), HasSubstr("SigBlk:\t0000000000000000\n"));
  const auto ignored = sh.output.text().find("SigIgn:\t");
  ASSERT_NE(ignored, std::string::npos);
  EXPECT_EQ(std::stoull(sh.output.text().substr(ignored + 8, 16), nullptr, 16) >> (SIGINT - 1) & 1,
            0u);
}

TEST(Child, LeadsAGroupOfItsOwnUnlessToldOtherwise) {
  const std::string line = "cut -d' ' -f5 /proc/$$/stat";
  Shell alone = shell(line);
  const pid_t pid = alone.child.pid();
  read_to_end({&alone.output}, {deadline_after(kPatience)});
  EXPECT_EQ(alone.output.text(), std::to_string(pid) + "\n");
  Command command = command_of(line);
  command.own_group = false;
  Shell together = shell(command);
  read_to_end({&together.output}, {deadline_after(kPatience)});
  EXPECT_EQ(together.output.text(), std::to_string(::getpgrp()) + "\n");
}

TEST(Output, FloodOfOutputKeepsItsEndAndDelaysNothing) {
  Shell sh = shell("yes");
  auto silent = socket_pair();
  ASSERT_TRUE(silent);
  EXPECT_EQ(wait_for(sh.output.descriptor(), POLLIN, {deadline_after(kPatience)}), Transfer::kDone);
  const auto start = Clock::now();
  EXPECT_EQ(wait_for(silent->ours.get(), POLLIN, {deadline_after(300ms), nullptr, &sh.output}),
            Transfer::kLate);
  EXPECT_LT(Clock::now() - start, kPatience);
  EXPECT_LE(sh.output.text().size(), std::size_t{64} << 10);
  EXPECT_THAT(sh.output.text(), HasSubstr("y\ny\n"));
}

TEST(Output, KeepsTheLastHalfOfWhatIsTooMuch) {
  const std::string text = printed("i=0; while [ $i -lt 40000 ]; do echo $i; i=$((i+1)); done");
  EXPECT_GE(text.size(), std::size_t{32} << 10);
  EXPECT_LE(text.size(), std::size_t{64} << 10);
  EXPECT_TRUE(text.ends_with("39998\n39999\n"));
}

TEST(ReadToEnd, CallsWhileItWaits) {
  Shell sh = shell("sleep 2.5");
  int calls = 0;
  const auto start = Clock::now();
  EXPECT_EQ(read_to_end({&sh.output}, {deadline_after(kPatience)}, [&] { ++calls; }),
            Transfer::kDone);
  EXPECT_GE(calls, 1);
  // Called once a second.
  EXPECT_LE(calls, (Clock::now() - start) / 1s + 1);
}

TEST(SharedMemory, IsSeenByBothSidesAndCutShortByNone) {
  auto memory = SharedMemory::create(10, "test");
  ASSERT_TRUE(memory) << memory.error().what;
  std::memcpy(memory->data(), "0123456789", 10);
  auto other = SharedMemory::attach(Descriptor(::dup(memory->descriptor())), 10, true);
  ASSERT_TRUE(other) << other.error().what;
  EXPECT_EQ(other->view().text(), "0123456789");
  other->data()[0] = std::byte{'x'};
  EXPECT_EQ(memory->view().text(), "x123456789");
  EXPECT_NE(::ftruncate(memory->descriptor(), 5), 0);
  const auto wrong = SharedMemory::attach(Descriptor(::dup(memory->descriptor())), 11, false);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().kind, ErrorKind::kCorrupt);
  EXPECT_FALSE(SharedMemory::attach(Descriptor(), 0, false));
}

}  // namespace
}  // namespace edgeprobe::process
