#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/flags.h"
#include "cli/terminal.h"
#include "core/result.h"
#include "pipeline/raw_inputs.h"
#include "pipeline/run.h"
#include "trace/reader.h"

namespace edgeprobe::cli {

/// What a deployment is judged by; exactly one of the four, and none may be empty but `given`.
struct ReferenceSide {
  std::optional<pipeline::Pipeline> pipeline;        ///< A model behind a recipe or a user's function, or both.
  std::unique_ptr<pipeline::UserFunction> function;  ///< A user's function that runs the model itself.
  std::string golden;                                ///< A file of known right outputs.
  std::string given;                                 ///< A recorded trace.
  std::map<std::string, std::string> provenance = {};
  std::vector<std::string> warnings = {};
};

/// Starts what the flags name. kUsage when they name nothing, or two things. `target`: the input of the model that is judged, or null.
Result<ReferenceSide> open_reference(const PipelineFlags& flags, const std::string& golden, const std::string& given, const TensorSpec* target,
                                     Terminal& terminal);

/// The reference's trace, at `path` unless it was given: the raw inputs of the target's frames are replayed, or the golden
/// outputs written down. `options` but for its level, progress, stop and replacement; `data` is the folder of --data.
Result<std::filesystem::path> reference_trace(ReferenceSide& side, const trace::Reader& target, const pipeline::TraceSamples& raw,
                                              const std::string& data, const std::filesystem::path& path, pipeline::RunOptions options,
                                              Terminal& terminal);

/// Runs a pipeline with a progress bar; kInterrupted when the user stopped it.
Result<pipeline::RunSummary> record(pipeline::Pipeline& pipeline, const std::vector<dataset::Sample>& samples,
                                    const std::filesystem::path& path, pipeline::RunOptions options, const std::string& title, Terminal& terminal);

/// Model, engine and kernels, under "target." or "reference.".
void describe_pipeline(std::map<std::string, std::string>& provenance, const std::string& prefix, const pipeline::Pipeline& pipeline);

}  // namespace edgeprobe::cli
