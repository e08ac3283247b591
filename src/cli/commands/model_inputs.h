// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "cli/options/flags.h"
#include "cli/terminal.h"
#include "core/result.h"
#include "core/tensor.h"
#include "pipeline/spec.h"

namespace edgeprobe::cli {

/// Samples as the model of `pipeline` wants them, one list of input tensors each.
/// Samples that cannot be loaded are left out with a warning; of more than 512 MB the first ones
/// are taken, which is said. Fails when none is left, and when the user stops.
Result<std::vector<std::vector<Tensor>>> model_inputs(const std::vector<dataset::Sample>& samples,
                                                      pipeline::Pipeline& pipeline,
                                                      Terminal& terminal);

/// One sample in the form of these inputs: recorded tensors, or a picture through the spec's
/// recipe or the default one. kUnsupported for a picture and several inputs.
Result<std::vector<Tensor>> frame_inputs(const pipeline::PipelineSpec& spec,
                                         const dataset::Sample& sample,
                                         const std::vector<TensorSpec>& specs);

/// At most `usual` samples, evenly spread; that some are left out is said.
std::vector<dataset::Sample> usual_samples(std::vector<dataset::Sample> samples, std::size_t usual,
                                           Terminal& terminal);

}  // namespace edgeprobe::cli
