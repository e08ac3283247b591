// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "check/observer.h"
#include "check/reference.h"
#include "core/result.h"
#include "pipeline/run.h"

/// Target and reference run over the samples at the same time.
namespace edgeprobe::check {

/// True if the reference's run on the samples is the same as its replay of the target's trace.
/// Each side disturbs the latencies of the other.
bool may_run_together(const Reference& given, const std::vector<dataset::Sample>& samples,
                      const pipeline::Pipeline& target, const OpenReference& reference);

/// Both recordings of a check: target.mcap and reference.mcap.
struct Together {
  pipeline::RunSummary target, reference;
  /// Both sides are the same computation, so the reference ran only the frames whose layers are
  /// captured.
  bool sampled = false;
  /// The reference's frames are what a replay of the target's trace would give.
  bool complete = true;
};
/// Records both sides in `folder`, with one progress for both. Fails with the error of the earlier
/// sample; for the same sample, with the target's.
Result<Together> record_together(pipeline::Pipeline& target, pipeline::Pipeline& reference,
                                 const std::vector<dataset::Sample>& samples,
                                 const std::filesystem::path& folder,
                                 const pipeline::RunOptions& options, const Observer& observer);

/// The recording that serves as the reference's: reference.mcap, or target.mcap if all bits of the
/// sampled frames are equal; `told` then says so. Nothing if the reference has to replay the
/// target's trace after all.
Result<std::optional<std::filesystem::path>> usable_reference(const Together& together,
                                                              const trace::Reader& target,
                                                              const pipeline::TraceSamples& raw,
                                                              const std::filesystem::path& folder,
                                                              std::string& told);

}  // namespace edgeprobe::check
