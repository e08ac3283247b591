// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "core/result.h"
#include "dataset/labels.h"
#include "dataset/sample.h"

namespace edgeprobe::pipeline {

/// The frames of a trace as data of their own: the model inputs of each by name, with its picture
/// where the trace holds one. Frames without a model input are pictures. Samples keep the trace
/// open. kUsage for a trace with neither.
Result<std::vector<dataset::Sample>> open_trace(const std::filesystem::path& file,
                                                const dataset::Labels& labels);

}  // namespace edgeprobe::pipeline
