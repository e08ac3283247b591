// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/convert/converter.h"
#include "cli/options/data_flags.h"
#include "cli/options/json_flag.h"
#include "cli/options/pipeline_flags.h"
#include "core/result.h"

namespace edgeprobe::cli {

/// Arguments of `edgeprobe convert MODEL --to int8|openvino|PLUG-IN|… --data DIR --recipe R -o
/// OUT`: converts with the target's own tool or the user's class, then checks the result against
/// the source.
struct ConvertArgs {
  PipelineFlags source;  ///< The model, its recipe, and the engine trusted by the check.
  /// Only its target is used: the machine that runs the result in the check.
  PipelineFlags deployed;
  std::vector<std::string> chain;  ///< The values of --to.
  std::string to;                  ///< The conversion, with its options: "prune?sparsity=0.5".
  std::string links;               ///< Folder of a chain's finished links; empty: next to `out`.
  DataFlags data;                  ///< Samples for the calibration and for the check.
  DataFlags train;                 ///< Other samples, with labels, for a method that trains.
  /// Of --inference-input-type and --inference-output-type; empty: not given.
  std::string input_type, output_type;
  std::string gate = "outputs";  ///< Of the check, as in VerdictFlags.
  std::string out;
  /// A Python with the tool installed; empty: an environment made by edgeprobe.
  std::string python;
  double compile_limit_s = 3600;  ///< Of a plug-in.
  /// Engine for the result; empty: the default of its format.
  std::string engine;
  std::string level = "layers";  ///< Of the check, as in CheckArgs.
  std::string target_recipe;     ///< Pre-processing of the result; empty: that of the source.
  std::string calibration_frames = "100";  ///< Maximum number, evenly spread.
  std::string calibration;  ///< A list of the calibration samples; empty: use `calibration_frames`.
  std::string keep_float;   ///< A file of the layers to keep in float32; empty: none.
  JsonFlag json;
};

/// The target that --to names. A plug-in is imported, and its options are checked.
Result<ConversionTarget> target_of(const ConvertArgs& args);
/// Checks all other flags, and opens the engine that will check a plug-in's result: a conversion
/// may take minutes.
Status check_flags(const ConvertArgs& args, const ConversionTarget& to);
/// The value of --calibration-frames.
Result<std::size_t> calibration_frames(const ConvertArgs& args);
/// True if --keep-float belongs to the conversion.
bool takes_keep_float(const ConversionTarget& to);
/// `who` trains, and has nothing to train with.
Error train_data_missing(const std::string& who);
/// The files that the verb reads.
std::vector<std::string> inputs_of(const ConvertArgs& args);
/// The samples of --train-data, all with a class. kUsage if they are those of --data, which judge.
Result<std::vector<dataset::Sample>> training_samples(const ConvertArgs& args, Terminal& terminal);
/// True if there are samples to train with: --train-data, or the training part of --data.
bool has_training_samples(const ConvertArgs& args);

}  // namespace edgeprobe::cli
