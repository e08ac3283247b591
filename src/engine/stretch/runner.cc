// SPDX-License-Identifier: Apache-2.0
#include "engine/stretch/runner.h"

#include <algorithm>
#include <exception>
#include <set>
#include <system_error>

#include "engine/cpu_affinity.h"
#include "engine/stretch/running.h"

namespace edgeprobe::engine::stretch {
namespace {

using Clock = std::chrono::steady_clock;
using Kind = edgeprobe::stretch::Step::Kind;

/// Value of a lane's flag when its thread is ready, before the first inference.
constexpr std::uint32_t kReady = 1;

bool share_a_cpu(const std::vector<Work::Lane>& lanes) {
  std::set<int> taken;
  for (const Work::Lane& lane : lanes)
    for (const int cpu : lane.cpus)
      if (!taken.insert(cpu).second) return true;
  return false;
}

/// Keeps the CPU busy, as a slower CPU would be.
void spin_until(Clock::time_point end) {
  while (Clock::now() < end) {
  }
}

}  // namespace

Runner::Runner(Work work)
    : work_(std::move(work)),
      spin_(share_a_cpu(work_.lanes) ? std::chrono::nanoseconds(0) : kSpin),
      flags_(work_.flags + work_.lanes.size()),
      inference_(kReady),
      spans_(work_.pieces.size()) {}

Runner::~Runner() {
  ended_.store(true, std::memory_order_relaxed);
  begin_.set(++inference_);
  rise_.set(inference_);
  for (std::thread& thread : threads_) thread.join();
}

Result<std::unique_ptr<Runner>> Runner::start(Work work) {
  std::unique_ptr<Runner> runner(new Runner(std::move(work)));
  for (std::size_t lane = 1; lane < runner->work_.lanes.size(); ++lane) {
    try {
      runner->threads_.emplace_back([self = runner.get(), lane] { self->serve(lane); });
    } catch (const std::system_error& error) {
      return Error{
          ErrorKind::kTarget,
          std::string("a thread for another processor cannot be started: ") + error.what()};
    }
  }
  for (std::size_t lane = 1; lane < runner->work_.lanes.size(); ++lane)
    runner->flags_[runner->work_.flags + lane].wait(kReady, kSpin);
  if (runner->failed_) return runner->failure_.error();
  return runner;
}

void Runner::serve(std::size_t lane) {
  CpuPin pin;
  if (auto kept = pin.to(work_.lanes[lane].cpus); !kept) fail(std::move(kept));
  flags_[work_.flags + lane].set(kReady);
  for (std::uint32_t next = kReady + 1;; ++next) {
    rise_.wait(next, spin_between_.load(std::memory_order_relaxed));
    begin_.wait(next, spin_);
    if (ended_.load(std::memory_order_relaxed)) return;
    run_program(lane);
  }
}

Status Runner::run_piece(std::size_t lane, std::size_t piece) {
  const Running running(lane, work_.sentences[piece].c_str());
  const auto begin = Clock::now();
  Status done;
  try {
    done = work_.pieces[piece]->run();
  } catch (const std::exception& error) {
    done = Error{ErrorKind::kTarget, error.what()};
  }
  auto end = Clock::now();
  if (const double slowdown = work_.lanes[lane].slowdown; slowdown > 1) {
    spin_until(begin + std::chrono::duration_cast<Clock::duration>((end - begin) * slowdown));
    end = Clock::now();
  }
  spans_[piece] = {begin - start_, end - begin};
  if (!done) return std::move(done.error()).during(work_.sentences[piece]);
  return {};
}

void Runner::run_program(std::size_t lane) {
  const std::uint32_t inference = inference_;
  for (const auto& action : work_.lanes[lane].program) {
    if (failed_.load(std::memory_order_acquire)) break;
    switch (action.kind) {
      case Kind::kRun:
        if (auto done = run_piece(lane, action.index); !done) fail(std::move(done));
        break;
      case Kind::kSignal: flags_[action.index].set(inference); break;
      case Kind::kWait: flags_[action.index].wait(inference, spin_); break;
    }
  }
  flags_[work_.flags + lane].set(inference);
}

void Runner::fail(Status failure) {
  {
    const std::lock_guard lock(failure_lock_);
    if (failure_) failure_ = std::move(failure);
  }
  failed_.store(true, std::memory_order_release);
  // Releases waiting threads; the done flags stay, because lanes may still run a piece.
  for (std::size_t flag = 0; flag < work_.flags; ++flag) flags_[flag].set(inference_);
}

/// A single long pause, as of a user who waits, counts as no more than a few gaps.
void Runner::learn_gap() {
  if (spin_.count() == 0 || end_ == Clock::time_point()) return;
  using std::chrono::nanoseconds;
  constexpr int kSmooth = 8;
  const auto gap = std::min<nanoseconds>(Clock::now() - end_, 4 * kMostSpin);
  gap_ += (gap - gap_) / kSmooth;
  spin_between_.store(
      gap_ > kMostSpin ? nanoseconds(kSpin) : std::clamp<nanoseconds>(2 * gap_, kSpin, kMostSpin),
      std::memory_order_relaxed);
}

void Runner::wake() {
  // A thread on the caller's CPU would only take it away from the caller.
  if (woken_ || spin_.count() == 0) return;
  learn_gap();
  woken_ = true;
  rise_.set(inference_ + 1);
}

Status Runner::run() {
  CpuPin pin;
  EP_CHECK(pin.to(work_.lanes.front().cpus));
  failed_.store(false, std::memory_order_relaxed);
  failure_ = {};
  if (!woken_) learn_gap();
  ++inference_;
  start_ = Clock::now();
  begin_.set(inference_);
  if (!woken_) rise_.set(inference_);
  woken_ = false;
  run_program(0);
  for (std::size_t lane = 1; lane < work_.lanes.size(); ++lane)
    flags_[work_.flags + lane].wait(inference_, spin_);
  end_ = Clock::now();
  latency_ = end_ - start_;
  return failed_.load(std::memory_order_acquire) ? failure_ : Status{};
}

}  // namespace edgeprobe::engine::stretch
