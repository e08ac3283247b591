// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "family/configuration.h"
#include "family/training.h"

namespace edgeprobe::family {
namespace {

using nlohmann::ordered_json;

template <class Kind>
const std::string& name_in(const std::vector<std::string>& names, Kind kind) {
  return names[static_cast<std::size_t>(kind)];
}

/// JSON on one line is YAML too.
std::string line(const ordered_json& value) {
  return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

ordered_json branch_json(const Configuration& configuration, const Branch& branch) {
  ordered_json map = {{"processor", configuration.processors[branch.processor]},
                      {"depth", branch.depth},
                      {"width", branch.width}};
  const bool is_bottleneck =
      configuration.block == Block::kBottleneck || configuration.block == Block::kLinearBottleneck;
  const bool is_mbconv = configuration.block == Block::kMbconv;
  if (is_bottleneck) map["group"] = branch.group_width;
  if (is_mbconv) map["kernel"] = branch.kernel;
  if (is_bottleneck || is_mbconv) map["multiplier"] = branch.multiplier;
  map["activation"] = name_in(activation_names(), branch.activation);
  return map;
}

/// The sections of training, without sizes that the configuration does not state.
std::string training_text(const Configuration& configuration) {
  const auto training = ordered_json::parse(configuration.training, nullptr, false);
  std::string text;
  for (const std::string& section : training_sections()) {
    if (!training.is_object() || !training.contains(section)) continue;
    ordered_json values = training[section];
    if ((section == "TRAIN" && configuration.train_size == 0) ||
        (section == "TEST" && configuration.test_size == 0))
      values.erase("IM_SIZE");
    text += section + ": " + line(values);
  }
  return text;
}

}  // namespace

std::string to_short_form(const Configuration& configuration) {
  const std::vector<std::string>& processors = configuration.processors;
  std::string text = "family: 1\n";
  if (!configuration.name.empty()) text += "name: " + line(configuration.name);
  text += "classes: " + line(configuration.classes);
  text += "size: " + line(configuration.size);
  text += "processors: " + line(processors);
  text += "block: " + line(name_in(block_names(), configuration.block));
  text += "activation: " + line(name_in(activation_names(), configuration.activation));
  if (configuration.squeeze > 0) text += "squeeze: " + line(configuration.squeeze);
  if (configuration.adapters != Adapters::kNone) text += "adapters: true\n";
  if (configuration.elastic)
    text += "elastic: " + line({{"depth", configuration.elastic->least_depth},
                                {"width", configuration.elastic->least_width},
                                {"grid", configuration.elastic->grid}});
  text += "stem: " + line({{"type", name_in(stem_names(), configuration.stem)},
                           {"width", configuration.stem_width},
                           {"kernel", configuration.stem_kernel},
                           {"processor", processors[configuration.stem_processor]}});
  text += "stages:\n";
  for (const Stage& stage : configuration.stages) {
    text += "  - stride: " + line(stage.branches.front().stride);
    if (stage.joined > 0) text += "    joined: " + line(stage.joined);
    text += "    branches:\n";
    for (const Branch& branch : stage.branches)
      text += "      - " + line(branch_json(configuration, branch));
  }
  text += "head: " + line({{"width", configuration.head_width},
                           {"processor", processors[configuration.head_processor]}});
  text += "join_processor: " + line(processors[configuration.merge_processor]);
  return text + training_text(configuration);
}

}  // namespace edgeprobe::family
