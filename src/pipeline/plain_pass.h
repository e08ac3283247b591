// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/control.h"
#include "core/result.h"
#include "dataset/sample.h"
#include "pipeline/capture.h"
#include "pipeline/in_step.h"
#include "pipeline/run_options.h"
#include "pipeline/spec.h"
#include "trace/record/writer.h"

namespace edgeprobe::pipeline {

/// Returns the frame number of a sample.
std::uint32_t frame_number(const RunOptions& options, std::size_t sample);

/// Runs the unmodified model: writes inputs, outputs, latency and frame records. Keeps several
/// frames in flight if the session allows it and no frame needs the previous result. A stop or an
/// error leaves the earlier frames complete.
Status plain_pass(Pipeline& pipeline, const std::vector<dataset::Sample>& samples,
                  trace::Writer& writer, const RunOptions& options, std::vector<Ran>& ran,
                  RunSummary& summary, const Control& control, const StepOf& step = {});

}  // namespace edgeprobe::pipeline
