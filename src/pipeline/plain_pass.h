// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/control.h"
#include "core/result.h"
#include "dataset/sample.h"
#include "pipeline/capture.h"
#include "pipeline/run_options.h"
#include "pipeline/spec.h"
#include "trace/record/writer.h"

namespace edgeprobe::pipeline {

/// The number of a sample's frame.
std::uint32_t frame_number(const RunOptions& options, std::size_t sample);

/// Runs the model as it is: inputs, outputs, latency, frame records. Several frames are in flight
/// where the session takes them and no frame needs the answer of the one before. A stop and an
/// error leave the frames before whole.
Status plain_pass(Pipeline& pipeline, const std::vector<dataset::Sample>& samples,
                  trace::Writer& writer, const RunOptions& options, std::vector<Ran>& ran,
                  RunSummary& summary, const Control& control);

}  // namespace edgeprobe::pipeline
