// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "check/observer.h"
#include "core/result.h"
#include "pipeline/inputs/raw_inputs.h"
#include "pipeline/run.h"
#include "pipeline/states.h"
#include "trace/read/reader.h"

namespace edgeprobe::check {

/// A model behind a recipe or a user's function, or both.
struct ReferenceModel {
  pipeline::PipelineSpec spec;
};
/// A user's function that runs the model itself.
struct ReferenceFunction {
  pipeline::FunctionSpec spec;
};
/// A file of known right outputs (docs/reference/verbs.md).
struct GoldenOutputs {
  std::filesystem::path file;
};
/// A recorded trace; with the pipeline that made it, if it is known: that one is then used for
/// replays alone.
struct RecordedReference {
  std::filesystem::path trace;
  std::optional<pipeline::PipelineSpec> made_by;
};

/// What a deployment is judged by.
using Reference = std::variant<ReferenceModel, ReferenceFunction, GoldenOutputs, RecordedReference>;

/// A reference whose engine and processes are running.
struct OpenReference {
  /// Of a model, and of a recorded trace whose pipeline is known.
  std::optional<pipeline::Pipeline> pipeline;
  std::unique_ptr<pipeline::UserFunction> function;  ///< Of a user's function.
  std::filesystem::path golden, trace;               ///< Of the two that are files.
  std::map<std::string, std::string> provenance;     ///< Facts under "reference.".
  std::vector<std::string> warnings;
};

/// Starts it. `target`: the input of the model that is judged, or null. Errors begin with
/// "reference: ".
Result<OpenReference> open_reference(const Reference& reference, const TensorSpec* target,
                                     const Observer& observer);

/// The reference's trace, at `path` unless it was recorded before: the raw inputs of the target's
/// frames are replayed, or the golden outputs written down. `options` but for the
/// replacement; `data` is the folder that pictures were read from, for messages.
Result<std::filesystem::path> reference_trace(OpenReference& reference, const trace::Reader& target,
                                              const pipeline::TraceSamples& raw,
                                              const std::string& data,
                                              const std::filesystem::path& path,
                                              pipeline::RunOptions options,
                                              const Observer& observer);

/// Why no frame of a trace has a picture to replay, and what would give it one. `data` is the
/// folder of --data, or empty.
Error no_pictures(const trace::Reader& trace, const pipeline::TraceSamples& raw,
                  const std::string& data);

/// Lets a model of the reference carry the target's states, where it has all their names and no
/// states of its own: another network's states are no use to it.
void share_states(const std::vector<pipeline::CarriedState>& states,
                  pipeline::PipelineSpec& reference);
/// The same for whatever model the reference has. Whether it carries states then.
bool share_states(const std::vector<pipeline::CarriedState>& states, Reference& reference);

}  // namespace edgeprobe::check
