// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "check/judgement.h"
#include "check/observer.h"
#include "check/reference.h"
#include "core/result.h"
#include "dataset/sample.h"
#include "diagnose/verdict/verdict.h"
#include "pipeline/run.h"
#include "trace/read/reader.h"

/// The library calls that implement `edgeprobe check` and `edgeprobe diagnose`: for the command
/// line, a server, or any other caller.
namespace edgeprobe::check {

/// A deployment that can run here, and its reference.
struct CheckRequest {
  pipeline::PipelineSpec target;
  Reference reference;
  /// Labels, if known, are the correct classes.
  std::vector<dataset::Sample> samples;
  /// Folder of the samples, for messages and metadata.
  std::string data;
  pipeline::Level level = pipeline::Level::kLayers;  ///< Must not be kNone.
  std::uint64_t most_bytes = 2'000'000'000;          ///< Limit for each trace.
  bool exhaustive = false;  ///< Capture the layers of all frames, not only of kLayerFrames.
  /// Folder for target.mcap and reference.mcap; empty: they are deleted.
  std::filesystem::path keep_traces;
  Judgement judgement;
};

/// Runs the deployment and its reference, compares them, and explains the differences. Fails as
/// pipeline::open() and pipeline::run() do, with the prefix "target: " or "reference: "; kUsage for
/// a label beyond the model's outputs; kInterrupted if the user stopped it.
Result<diagnose::Verdict> check(const CheckRequest& request, const Observer& observer);

/// A trace that was recorded elsewhere, and its reference.
struct ExplainRequest {
  const trace::Reader* target = nullptr;
  const pipeline::TraceSamples* raw = nullptr;  ///< Pictures of its frames; may be empty.
  Reference reference;
  /// The target's own model, for replays; its recipe is not used.
  std::optional<pipeline::PipelineSpec> model;
  /// Outputs that are inputs of the next frame, if the caller knows them.
  std::vector<pipeline::CarriedState> states = {};
  std::string data;         ///< See CheckRequest::data.
  bool exhaustive = false;  ///< See CheckRequest::exhaustive.
  Judgement judgement;
};

/// Replays the reference on the frames of a trace, compares, and explains the differences. Fails as
/// check() does.
Result<diagnose::Verdict> explain(const ExplainRequest& request, const Observer& observer);

}  // namespace edgeprobe::check
