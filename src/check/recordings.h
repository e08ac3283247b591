// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "check/cut_short.h"
#include "check/observer.h"
#include "check/reference.h"
#include "core/result.h"
#include "dataset/sample.h"
#include "pipeline/inputs/raw_inputs.h"
#include "pipeline/run.h"
#include "trace/read/reader.h"

namespace edgeprobe::check {

/// Both recordings of a check. If it ends early, they hold what was finished.
struct Recordings {
  explicit Recordings(const std::filesystem::path& folder);

  OwnTrace target_file, reference_file;
  /// The recording that serves as the reference's, once all of it is there.
  std::optional<std::filesystem::path> reference_path;
  std::optional<trace::Reader> target, reference;
  pipeline::RunSummary ran;    ///< The target's.
  pipeline::TraceSamples raw;  ///< Raw inputs of the target's frames.
  std::string told;            ///< How much the reference ran, if not all.

  /// See check::cut_short().
  Result<diagnose::Verdict> cut_short(const diagnose::Case& known, diagnose::CutShort why) const;
};

/// The runs of both sides; refers to parts of a CheckRequest.
struct RunsOfBoth {
  const Reference& given;
  const std::vector<dataset::Sample>& samples;
  const std::string& data;
  bool undisturbed = false;  ///< One side after the other, for latencies that are kept.
  pipeline::RunOptions options = {};
};

/// Runs both sides over the samples, at the same time if possible. If the target fails or is
/// stopped, its finished frames still get the reference's, unless that takes runs the user stopped.
Status record_both(const RunsOfBoth& runs, pipeline::Pipeline& target, OpenReference& reference,
                   const Observer& observer, Recordings& recordings);

}  // namespace edgeprobe::check
