// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "core/control.h"
#include "core/result.h"
#include "dataset/sample.h"
#include "model/file_bytes.h"
#include "trace/record/record_sink.h"

/// Runs on behalf of a remote client: no file of this machine is read or written.
namespace edgeprobe::pipeline {

struct Pipeline;
struct PipelineSpec;
struct RunOptions;
struct RunSummary;

/// Like open() of pipeline/spec.h, with the bytes of a model that came without a file: `spec.model`
/// is only its name, and models with external values are refused.
Result<Pipeline> open(const PipelineSpec& spec, model::FileBytes file, const Control& control);

/// Like run() of pipeline/run.h, into a sink. `options.replace` is ignored.
Result<RunSummary> run(Pipeline& pipeline, const std::vector<dataset::Sample>& samples,
                       std::unique_ptr<trace::RecordSink> sink, const RunOptions& options,
                       const Control& control = {});

}  // namespace edgeprobe::pipeline
