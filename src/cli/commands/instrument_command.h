// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/options/flags.h"
#include "cli/terminal/terminal.h"
#include "core/result.h"

namespace edgeprobe::cli {

/// `edgeprobe instrument MODEL -o OUT`: a copy of a model that gives its layers as outputs, for an
/// application that records them with the probe, and the proof that its own outputs stayed what
/// they were.
struct InstrumentArgs {
  PipelineFlags pipeline;
  std::string level = "layers";      ///< embedding or layers.
  std::vector<std::string> include;  ///< Names of tensors, with * and ?; empty: all.
  DataFlags data;                    ///< Inputs of the proof; none: random ones.
  int inputs = 16;                   ///< How many random ones.
  std::string out;
  bool force = false;
  JsonFlag json;
};
/// kDiffers when an own output moved by more than rounding.
Result<Outcome> run(const InstrumentArgs& args, Terminal& terminal);

}  // namespace edgeprobe::cli
