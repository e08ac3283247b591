// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "check/observer.h"
#include "core/result.h"
#include "pipeline/run.h"

namespace edgeprobe::check {

/// Opens a pipeline and notifies the observer if it uses the default recipe. `other`: input of the
/// model that it is compared with, or null; see share_range().
Result<pipeline::Pipeline> open_pipeline(const pipeline::PipelineSpec& spec,
                                         const TensorSpec* other, const Observer& observer);

/// Gives a float model without a recipe the range that the other side's integer input states.
void share_range(pipeline::Pipeline& pipeline, const TensorSpec& other);

/// Runs the samples into a trace at `path`, replacing an existing file whatever `options` says.
/// `step`: "target" or "reference". kInterrupted if the user stopped it.
Result<pipeline::RunSummary> record(pipeline::Pipeline& pipeline,
                                    const std::vector<dataset::Sample>& samples,
                                    const std::filesystem::path& path, pipeline::RunOptions options,
                                    const std::string& step, const Observer& observer);

/// The summary of a run that was not interrupted; errors are prefixed by the step.
Result<pipeline::RunSummary> finished(Result<pipeline::RunSummary> summary,
                                      const std::string& step);

/// Warnings and skipped samples, the first ten by name; empty if there are none.
std::string problems_text(const pipeline::RunSummary& summary);

/// Adds model, engine and kernels, under "target." or "reference.".
void describe_pipeline(std::map<std::string, std::string>& provenance, const std::string& prefix,
                       const pipeline::Pipeline& pipeline);

}  // namespace edgeprobe::check
