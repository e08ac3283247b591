// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compare/outputs/agreement.h"
#include "core/control.h"
#include "core/result.h"
#include "pipeline/inputs/raw_inputs.h"
#include "pipeline/run.h"
#include "task/tasks.h"

namespace edgeprobe::diagnose {

using task::Outputs;

/// The model input's channel; null when the trace has none.
const trace::ReadChannel* input_channel(const trace::Reader& reader);
/// The names of the model inputs that a trace holds.
std::set<std::string> input_names(const trace::Reader& reader);
/// The output channels of a trace, in the order of their positions.
std::vector<const trace::ReadChannel*> output_channels(const trace::Reader& reader);
/// Number of outputs of the model that recorded this trace. An output has one channel for each of
/// its shapes.
std::size_t output_count(const trace::Reader& reader);
/// The model outputs of one frame, by position.
Result<Outputs> outputs_of(const trace::Reader& reader, std::uint32_t frame);
Result<Outputs> outputs_of(const std::vector<Tensor>& tensors);

/// Answers to the same frames, with the data needed to judge them.
struct Answers {
  std::vector<std::uint32_t> frames;
  std::vector<Outputs> outputs;  ///< Empty inner vector: the frame has no outputs.
};

/// Answers that a trace recorded for these frames.
Result<Answers> recorded(const trace::Reader& reader, const std::vector<std::uint32_t>& frames);

/// Runs the model inputs of a trace through a session. A frame without one has no outputs.
Result<Answers> replayed_inputs(engine::Session& session, const trace::Reader& reader,
                                const std::vector<std::uint32_t>& frames, const std::string& title,
                                const Control& control);

/// Score of the answers. Leaves out frames without annotation or outputs; without a task, n is 0.
task::Figure scored(const Answers& answers,
                    const std::map<std::uint32_t, task::Annotation>& annotations,
                    const std::optional<task::Reading>& reading);

/// Frames in which `target` has NaN or infinity and `reference` does not; these have no distance.
std::uint64_t broken_frames(const Answers& reference, const Answers& target);

/// Mean distance over the frames in which both have the same outputs and finite values, as
/// compare_traces() measures it.
std::optional<double> mean_distance(compare::OutputDistance kind, const Answers& reference,
                                    const Answers& target);

}  // namespace edgeprobe::diagnose
