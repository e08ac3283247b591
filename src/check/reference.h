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

/// A model with a recipe or a user's function, or both.
struct ReferenceModel {
  pipeline::PipelineSpec spec;
};
/// A user's function that runs the model itself.
struct ReferenceFunction {
  pipeline::FunctionSpec spec;
};
/// A file of golden outputs (docs/reference/verbs.md).
struct GoldenOutputs {
  std::filesystem::path file;
};
/// A recorded trace, with the pipeline that made it if known, which is then only used for replays.
struct RecordedReference {
  std::filesystem::path trace;
  std::optional<pipeline::PipelineSpec> made_by;
};

/// The reference of a deployment.
using Reference = std::variant<ReferenceModel, ReferenceFunction, GoldenOutputs, RecordedReference>;

/// A reference with running engine and processes.
struct OpenReference {
  /// Set for a model, and for a recorded trace with a known pipeline.
  std::optional<pipeline::Pipeline> pipeline;
  std::unique_ptr<pipeline::UserFunction> function;  ///< Set for a user's function.
  std::filesystem::path golden, trace;  ///< File of golden outputs; file of a recorded trace.
  std::map<std::string, std::string> provenance;  ///< Entries under "reference.".
  std::vector<std::string> warnings;
};

/// Starts the reference. `target`: input of the model being judged, or null. Errors begin with
/// "reference: ".
Result<OpenReference> open_reference(const Reference& reference, const TensorSpec* target,
                                     const Observer& observer);

/// Returns the reference's trace; written to `path` unless it was already recorded: by replaying
/// the raw inputs of the target's frames, or from the golden outputs. Uses `options` except for the
/// replacement; `data` is the folder of the pictures, for messages.
Result<std::filesystem::path> reference_trace(OpenReference& reference, const trace::Reader& target,
                                              const pipeline::TraceSamples& raw,
                                              const std::string& data,
                                              const std::filesystem::path& path,
                                              pipeline::RunOptions options,
                                              const Observer& observer);

/// Error that explains why no frame of a trace has a picture to replay, and how to provide one.
/// `data` is the folder of --data, or empty.
Error no_pictures(const trace::Reader& trace, const pipeline::TraceSamples& raw,
                  const std::string& data);

/// Makes a model of the reference carry the target's states if it has all their names and no states
/// of its own; another network's states would be useless to it.
void share_states(const std::vector<pipeline::CarriedState>& states,
                  pipeline::PipelineSpec& reference);
/// The same for any reference with a model. Returns true if it then carries states.
bool share_states(const std::vector<pipeline::CarriedState>& states, Reference& reference);

}  // namespace edgeprobe::check
