// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

namespace edgeprobe::process {

/// Two runs over the same samples, each in a thread of its own. A sample is read once for both. The
/// run that is ahead waits: at most kAhead samples are held. If one run fails, the other runs up to
/// the same sample and ends, so that the same error is found whichever run is faster.
class TwoRuns {
 public:
  enum Side : std::size_t { kFirst, kSecond };
  static constexpr std::size_t kAhead = 4;

  /// `stop`: the user's, may be null.
  TwoRuns(std::size_t samples, bool has_cpus_for_both, const std::atomic<bool>* stop)
      : samples_(samples), stop_(stop), has_cpus_for_both_(has_cpus_for_both) {}
  TwoRuns(const TwoRuns&) = delete;
  TwoRuns& operator=(const TwoRuns&) = delete;
  virtual ~TwoRuns() = default;

  /// Announces that `side` begins this sample, and waits while it is too far ahead. False: the run
  /// has to end, because the other one failed at an earlier sample, or the user stopped both.
  bool begin(Side side, std::size_t sample);
  /// The right to run an inference: both runs have it if there are CPUs for both, else in turn.
  std::unique_lock<std::mutex> turn();
  /// `side` has begun and finished all of its samples; further passes follow.
  void pass_is_over(Side side);
  /// Calls both runs at the same time, each in a thread of its own. A run returns whether it
  /// succeeded.
  void run(const std::function<bool()>& first, const std::function<bool()>& second);

  /// Set once a run has to end: the other one failed, or the user stopped both.
  const std::atomic<bool>& ended(Side side) const { return ended_[side]; }
  /// The side whose error counts: that of the earlier sample, for the same sample the first side.
  /// Nothing if none failed.
  std::optional<Side> failed() const;

 protected:
  /// The content of a sample that a side began. Valid as long as the caller holds it.
  std::shared_ptr<const void> content(std::size_t sample);

 private:
  /// Reads a sample; called by both threads, at the same time if there are CPUs for both.
  virtual std::shared_ptr<const void> read(std::size_t sample) = 0;

  enum class State { kReading, kRead };
  struct Slot {
    State state = State::kReading;
    std::shared_ptr<const void> content;
  };
  /// Reads a sample outside of the lock.
  void read(std::size_t sample, std::unique_lock<std::mutex>& lock);
  /// The run is over.
  void ends(Side side, bool failed);
  void drop_passed();
  bool must_end(Side side, std::size_t sample) const;

  static constexpr std::size_t kOver = SIZE_MAX;

  const std::size_t samples_;
  const std::atomic<bool>* const stop_;
  const bool has_cpus_for_both_;
  mutable std::mutex mutex_;
  std::mutex inferring_;
  std::condition_variable changed_;
  std::map<std::size_t, Slot> slots_;
  std::array<std::size_t, 2> at_{};  ///< The sample that each run has begun, or kOver.
  std::array<std::optional<std::size_t>, 2> failed_at_;
  std::array<bool, 2> gone_{};
  std::array<std::atomic<bool>, 2> ended_{};
};

}  // namespace edgeprobe::process
