// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/commands/stretch_networks.h"
#include "cli/options/parser.h"
#include "cli/options/pipeline_flags.h"
#include "core/result.h"
#include "placement/profile/subjects.h"

/// Models, plans and configurations of networks, as verbs that run them take them.
namespace edgeprobe::cli {

/// How configurations among the models become networks.
struct GeneratedFlags {
  NetworkFlags network;
  std::string device;   ///< A device.yaml with the network's processors; "": this machine's CPUs.
  std::string weights;  ///< A .safetensors file, or a folder of them; "": those next to the file.
  bool needs_weights = false;  ///< Refuse a configuration without weights.
  std::uint64_t seed = 1;      ///< Of random weights.
};
/// All flags but --seed.
void add_generated(Parser& parser, GeneratedFlags& flags);

/// kUsage for a flag of configurations if there is none among `subjects`.
Status check_generated(const GeneratedFlags& flags,
                       const std::vector<placement::Subject>& subjects);

/// A network made of a configuration.
struct Generated {
  placement::Subject subject;  ///< With its model; with a plan if the network has branches.
  std::int64_t size = 0;       ///< Pixels of a side of the picture.
  std::string weights;         ///< "weights.safetensors", or "random, seed 1".
  std::string recipe;          ///< The file that 'stretch train' left next to them; "": none.
  bool is_random = false;
  std::vector<std::string> notes, warnings;
};

/// Makes the model and the plan of `subject.configuration` in `folder`. `engine`: for its engine
/// and CPUs. Without --size, a network has the size and classes at which 'stretch train' trained
/// its weights, else those of the file; but a file with NN-Stretch's keys 224 pixels, at which
/// NN-Stretch timed every network. A note says so if the file trains at another size.
Result<Generated> generated(const placement::Subject& subject, const GeneratedFlags& flags,
                            const PipelineFlags& engine, const std::filesystem::path& folder);

/// The flags for one subject: a plan is used as the engine.
PipelineFlags flags_of(const PipelineFlags& given, const placement::Subject& subject);

/// The first flag for something that a plan specifies itself; null if there is none.
const char* beside_plan(const PipelineFlags& flags);

}  // namespace edgeprobe::cli
