// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/options/data_flags.h"
#include "cli/options/pipeline_flags.h"
#include "cli/terminal/terminal.h"
#include "core/result.h"
#include "core/tensor.h"
#include "model/feeds.h"
#include "model/file_bytes.h"
#include "model/graph.h"
#include "pipeline/spec.h"

namespace edgeprobe::cli {

/// Samples in the model input form of `pipeline`, one list of input tensors each. Samples that
/// cannot be loaded are left out with a warning; above 512 MB only the first ones are used, with a
/// note. Fails if none is left, and if the user stops.
Result<std::vector<std::vector<Tensor>>> model_inputs(const std::vector<dataset::Sample>& samples,
                                                      pipeline::Pipeline& pipeline,
                                                      Terminal& terminal);

/// One sample in the form of these inputs: recorded tensors, or a picture through the spec's recipe
/// or the default one. kUnsupported for a picture with several inputs.
Result<std::vector<Tensor>> frame_inputs(const pipeline::PipelineSpec& spec,
                                         const dataset::Sample& sample,
                                         const std::vector<TensorSpec>& specs);

/// Default number of frames of a verb without --frames; 0 for the data: all.
struct UsualFrames {
  std::size_t data = 0, random = 0;
};

/// A model file and its inputs: recorded tensors or pictures, else seeded random values. No engine
/// is open yet.
struct GivenModel {
  pipeline::PipelineSpec spec;  ///< Its `session` has sizes for open dimensions of inputs.
  model::FileBytes file;
  model::Graph graph;
  std::string label;                     ///< The file's name.
  std::vector<dataset::Sample> samples;  ///< One per frame; empty: random values.
  std::vector<model::Feed> feeds;
  std::uint64_t seed = 0;
  std::size_t frames = 0;
  std::string inputs;  ///< "pictures", "recorded tensors", "seeded random inputs".
};

/// Reads the model and the list of samples; reports if samples are left out by default.
Result<GivenModel> given_model(const PipelineFlags& pipeline, const DataFlags& data,
                               std::uint64_t seed, UsualFrames usual, Terminal& terminal);

/// The inputs of one frame, or of all, in the form of these specs.
Result<std::vector<Tensor>> frame_of(const GivenModel& given, const std::vector<TensorSpec>& specs,
                                     std::size_t frame);
Result<std::vector<std::vector<Tensor>>> frames_of(const GivenModel& given,
                                                   const std::vector<TensorSpec>& specs,
                                                   Terminal& terminal);

}  // namespace edgeprobe::cli
