// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/options/flags.h"
#include "cli/terminal/terminal.h"
#include "core/result.h"

namespace edgeprobe::cli {

/// `edgeprobe convert MODEL --to int8|int8-dynamic|openvino|tvm --data DIR --recipe R -o OUT`:
/// convert by the tool that the target belongs to, then check the result against the source.
struct ConvertArgs {
  PipelineFlags source;    ///< The float model, its recipe and the engine that the check trusts.
  PipelineFlags deployed;  ///< Its target alone: the machine that runs the result for the check.
  std::string to;
  DataFlags data;  ///< For calibration and for the check.
  std::string out;
  /// A Python that has the tool; empty: an environment that edgeprobe makes.
  std::string python;
  std::string engine;                      ///< Of the result; empty: the usual one of its format.
  std::string calibration_frames = "100";  ///< At most so many, evenly spread.
  std::string calibration;  ///< A list of the samples that calibrate; empty: `calibration_frames`.
  std::string keep_float;   ///< A file of the layers that stay in float32; empty: none.
  JsonFlag json;
};
/// The outcome is that of the check.
Result<Outcome> run(const ConvertArgs& args, Terminal& terminal);

}  // namespace edgeprobe::cli
