// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "core/control.h"
#include "core/result.h"
#include "dataset/sample.h"
#include "model/file_bytes.h"
#include "trace/record/record_sink.h"

/// Runs for somebody else: no file of this machine is read or written.
namespace edgeprobe::pipeline {

struct Pipeline;
struct PipelineSpec;
struct RunOptions;
struct RunSummary;

/// As open() of pipeline/spec.h, with the bytes of a model that came without a file: `spec.model`
/// is its name alone, and values outside of it are refused.
Result<Pipeline> open(const PipelineSpec& spec, model::FileBytes file, const Control& control);

/// As run() of pipeline/run.h, into a sink. `options.replace` has no meaning.
Result<RunSummary> run(Pipeline& pipeline, const std::vector<dataset::Sample>& samples,
                       std::unique_ptr<trace::RecordSink> sink, const RunOptions& options,
                       const Control& control = {});

}  // namespace edgeprobe::pipeline
