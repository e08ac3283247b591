// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cli/terminal/terminal.h"
#include "core/result.h"
#include "dataset/sample.h"
#include "pipeline/spec.h"

namespace edgeprobe::cli {

/// The samples that the pipeline can turn into inputs, and the others with the reason.
struct UsableSamples {
  std::vector<dataset::Sample> samples;
  std::vector<dataset::Unreadable> left_out;
};
/// Prepares each sample once, and names unusable ones on the terminal. kUsage if none is usable.
Result<UsableSamples> usable_samples(pipeline::Pipeline& pipeline,
                                     const std::vector<dataset::Sample>& samples,
                                     Terminal& terminal);

}  // namespace edgeprobe::cli
