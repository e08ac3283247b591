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

/// Arguments of `edgeprobe convert MODEL --to int8|int8-dynamic|openvino|tvm|PLUG-IN --data DIR
/// --recipe R -o OUT`: converts with the target's own tool or the user's class, then checks the
/// result against the source.
struct ConvertArgs {
  PipelineFlags source;  ///< The model, its recipe, and the engine trusted by the check.
  /// Only its target is used: the machine that runs the result in the check.
  PipelineFlags deployed;
  std::string to;
  DataFlags data;  ///< Samples for the calibration and for the check.
  std::string out;
  /// A Python with the tool installed; empty: an environment made by edgeprobe.
  std::string python;
  double compile_limit_s = 3600;  ///< Of a plug-in.
  /// Engine for the result; empty: the default of its format.
  std::string engine;
  std::string target_recipe;  ///< Pre-processing of the result; empty: that of the source.
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
/// The files that the verb reads.
std::vector<std::string> inputs_of(const ConvertArgs& args);

}  // namespace edgeprobe::cli
