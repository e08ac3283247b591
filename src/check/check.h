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

/// The library calls behind `edgeprobe check` and `edgeprobe diagnose`: for the command line, a
/// server, or any other caller.
namespace edgeprobe::check {

/// A deployment that can run here, and what it is judged by.
struct CheckRequest {
  pipeline::PipelineSpec target;
  Reference reference;
  /// Labels, where they are known, are the classes that are right.
  std::vector<dataset::Sample> samples;
  /// The folder that the samples come from: a name for messages and metadata.
  std::string data;
  pipeline::Level level = pipeline::Level::kLayers;  ///< Not kNone.
  std::uint64_t most_bytes = 2'000'000'000;          ///< Of each trace.
  /// A folder for target.mcap and reference.mcap; empty: they are removed.
  std::filesystem::path keep_traces;
  Judgement judgement;
};

/// Runs the deployment and its reference, compares them, and explains what differs.
/// Fails as pipeline::open() and pipeline::run() do, with "target: " or "reference: " in front;
/// kUsage for a label beyond the model's outputs; kInterrupted when the user stopped it.
Result<diagnose::Verdict> check(const CheckRequest& request, const Observer& observer);

/// A trace that was recorded elsewhere, and what it is judged by.
struct ExplainRequest {
  const trace::Reader* target = nullptr;
  const pipeline::TraceSamples* raw = nullptr;  ///< Pictures of its frames; may hold none.
  Reference reference;
  /// The target's own model, for replays; its recipe is never looked at.
  std::optional<pipeline::PipelineSpec> model;
  /// Outputs that are inputs of the next frame, where the caller knows them.
  std::vector<pipeline::CarriedState> states = {};
  std::string data;  ///< As above.
  Judgement judgement;
};

/// Replays the reference on the frames of a trace, compares, and explains what differs. Fails as
/// check() does.
Result<diagnose::Verdict> explain(const ExplainRequest& request, const Observer& observer);

}  // namespace edgeprobe::check
