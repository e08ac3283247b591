// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/openvino/plugin/model_file.h"

namespace edgeprobe::engine::openvino {

/// A node of the model as read by OpenVINO: its own name, and the layers of the model file that it
/// is part of.
struct Origin {
  std::string name;
  std::vector<int32_t> layers;
};

/// Gives every node of `model` a short unique name without a comma, and returns the previous names.
/// OpenVINO keeps a list of these names through all its fusions, joined by commas; the names that
/// it generates itself ("Convolution_37") differ between readings.
std::map<std::string, Origin> name_layers(const std::shared_ptr<ov::Model>& model,
                                          const LayerSource& source);

/// The layers in a list of these names, ascending, without duplicates.
std::vector<int32_t> layers_of(const std::string& names,
                               const std::map<std::string, Origin>& origins);
/// `name` with a leading short name replaced by the original one.
std::string original(const std::string& name, const std::map<std::string, Origin>& origins);

}  // namespace edgeprobe::engine::openvino
