// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <functional>
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
#include "process/two_runs.h"

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

/// Two runs over the same samples. A sample is read, hashed and decoded once, and prepared once if
/// both prepare it alike.
class InStep final : public process::TwoRuns {
 public:
  /// The pipelines and the samples must outlive this object. `stop`: the user's, may be null.
  InStep(const std::vector<dataset::Sample>& samples, Pipeline& first, const Pipeline& second,
         const std::atomic<bool>* stop);

  /// The sample that a side began. Valid as long as the caller holds it.
  std::shared_ptr<const SharedSample> sample(std::size_t sample);
  /// TwoRuns::run() on behalf of this thread's client.
  void run(const std::function<bool()>& first, const std::function<bool()>& second);
  /// A sample of another form than a trace gives back, e.g. a sound with an odd sample rate: a
  /// replay of the trace would begin with something else.
  bool has_changed_sample() const { return has_changed_sample_; }

 private:
  std::shared_ptr<const void> read(std::size_t sample) override;

  const std::vector<dataset::Sample>& samples_;
  Pipeline& maker_;  ///< Prepares for both, if they prepare alike.
  const bool alike_, are_files_;
  std::mutex reading_;
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
