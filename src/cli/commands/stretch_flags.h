// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/commands/model_inputs.h"
#include "cli/options/data_flags.h"
#include "cli/options/parser.h"
#include "core/result.h"
#include "model/graph.h"
#include "placement/search/options.h"
#include "stretch/plan.h"

namespace edgeprobe::cli {

/// Processors over which a model may be divided.
struct ProcessorFlags {
  std::string device;                ///< A device.yaml; "": the CPUs of this machine.
  std::vector<std::string> engines;  ///< Engines to use on each CPU; empty: the model's own.
  std::string cpus;                  ///< Such as "0,1"; "": those that this process may use.
  bool trust = false;                ///< Load libraries named in the device file.
};
void add_processors(Parser& parser, ProcessorFlags& flags);
Result<std::vector<stretch::Processor>> processors_from(const ProcessorFlags& flags,
                                                        const model::Graph& graph);

/// Inputs of the measured model.
struct InputFlags {
  std::vector<std::string> shapes;  ///< "1x96x96x3", "NAME=1x96".
  std::string recipe;
  DataFlags data;
};
void add_inputs(Parser& parser, InputFlags& flags);
/// The model with these inputs, at most 20 samples. kUsage for a shape that does not fit, and for
/// --recipe without --data.
Result<GivenModel> given_inputs(const InputFlags& flags, const std::string& model,
                                Terminal& terminal);
/// Refers to `given`.
placement::GivenInputs inputs_of(const GivenModel& given, Terminal& terminal);

/// --time-limit, and the plan and model that a verb reads.
void add_time_limit(Parser& parser, double& seconds);
void add_plan_and_model(Parser& parser, std::string& plan, std::string& model);

/// Checks that --output can be written before anything is measured.
Status check_output(const std::string& output, bool force);

}  // namespace edgeprobe::cli
