// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "dataset/sample.h"
#include "pipeline/prepare.h"
#include "pipeline/run_options.h"
#include "pipeline/spec.h"

namespace edgeprobe::pipeline {

/// True if two pipelines may run the same samples at the same time: neither calls code of the user,
/// carries a state, is on another machine or divides its model (whose times become evidence), nor
/// leaves sizes open.
bool may_run_in_step(const Pipeline& first, const Pipeline& second);
/// True if this process has a CPU for each thread of both sessions. Sessions that are pinned to
/// CPUs get no company.
bool has_cpus_for_both(const Pipeline& first, const Pipeline& second);
/// True if both make the same model input of every sample: equal steps for equal inputs.
bool prepare_alike(const Pipeline& first, const Pipeline& second);
/// True if both compute the same by all that is known: equal files, engines, options and recipes,
/// and nothing is kept from one inference to the next.
bool compute_alike(const Pipeline& first, const Pipeline& second);

/// The samples with the annotations that a trace of them gives back.
std::vector<dataset::Sample> as_replayed(const std::vector<dataset::Sample>& samples);

/// A sample that both runs use.
struct SharedSample {
  Result<std::shared_ptr<const dataset::Loaded>> loaded;
  /// The model inputs, if both runs prepare them alike.
  std::optional<Result<Prepared>> prepared = {};
};

/// Two runs over the same samples, each in a thread of its own. A sample is read, hashed and
/// decoded once, and prepared once if both prepare it alike. The run that is ahead waits: at most
/// kAhead samples are held. If one run fails, the other runs up to the same sample and ends, so
/// that the same error is found whichever run is faster.
class InStep {
 public:
  enum Side : std::size_t { kFirst, kSecond };
  static constexpr std::size_t kAhead = 4;

  /// The pipelines and the samples must outlive this object. `stop`: the user's, may be null.
  InStep(const std::vector<dataset::Sample>& samples, Pipeline& first, const Pipeline& second,
         const std::atomic<bool>* stop);
  InStep(const InStep&) = delete;
  InStep& operator=(const InStep&) = delete;

  /// Announces that `side` begins this sample, and waits while it is too far ahead. False: the run
  /// has to end, because the other one failed at an earlier sample, or the user stopped both.
  bool begin(Side side, std::size_t sample);
  /// The sample that `side` began. Valid as long as the caller holds it.
  std::shared_ptr<const SharedSample> sample(std::size_t sample);
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
  /// A sample of another form than a trace gives back, e.g. a sound with an odd sample rate: a
  /// replay of the trace would begin with something else.
  bool has_changed_sample() const { return has_changed_sample_; }

 private:
  enum class State { kReading, kRead };
  struct Slot {
    State state = State::kReading;
    std::shared_ptr<const SharedSample> sample;
  };
  /// Reads a sample outside of the lock.
  void read(std::size_t sample, std::unique_lock<std::mutex>& lock);
  std::shared_ptr<const SharedSample> read(std::size_t sample);
  /// The run is over.
  void ends(Side side, bool failed);
  void drop_passed();
  bool must_end(Side side, std::size_t sample) const;

  static constexpr std::size_t kOver = SIZE_MAX;

  const std::vector<dataset::Sample>& samples_;
  Pipeline& maker_;  ///< Prepares for both, if they prepare alike.
  const std::atomic<bool>* const stop_;
  const bool alike_, has_cpus_for_both_, are_files_;
  mutable std::mutex mutex_;
  std::mutex reading_, inferring_;
  std::condition_variable changed_;
  std::map<std::size_t, Slot> slots_;
  std::array<std::size_t, 2> at_{};  ///< The sample that each run has begun, or kOver.
  std::array<std::optional<std::size_t>, 2> failed_at_;
  std::array<bool, 2> gone_{};
  std::array<std::atomic<bool>, 2> ended_{};
  std::atomic<bool> has_changed_sample_ = false;
};

/// The place of a run among two.
struct StepOf {
  InStep* both = nullptr;  ///< Null: it runs by itself.
  InStep::Side side = InStep::kFirst;

  std::unique_lock<std::mutex> turn() const {
    return both ? both->turn() : std::unique_lock<std::mutex>();
  }
};

/// Like run() of run.h, as one of two runs; stops at InStep::ended(). The first pass takes samples
/// from `step.both` by the number of their frame.
Result<RunSummary> run_in_step(
    Pipeline& pipeline, const std::vector<dataset::Sample>& samples,
    const std::filesystem::path& trace_path, const RunOptions& options,
    const std::function<void(std::size_t, std::size_t, const std::string&)>& progress,
    const StepOf& step);

}  // namespace edgeprobe::pipeline
