// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <openvino/openvino.hpp>
#include <string>
#include <vector>

#include "engine/openvino/plugin/plugin_abi.h"

/// The plug-in's own objects. OpenVINO's exceptions may fly inside this folder, and end in
/// plugin.cc.
struct EpOvCore {
  ov::Core core;
};

namespace edgeprobe::engine::openvino {

/// What an EpOvPort points into.
struct PortText {
  std::string name;
  std::string type;
  std::vector<int64_t> shape;
  bool rank_known = true;

  EpOvPort view() const {
    return {name.c_str(), type.c_str(), shape.data(), shape.size(), rank_known ? 1 : 0};
  }
};

/// A port as it is: with open dimensions when they are open.
PortText describe(const ov::Output<const ov::Node>& port);

}  // namespace edgeprobe::engine::openvino

struct EpOvModel {
  explicit EpOvModel(std::shared_ptr<ov::Model> read);
  std::shared_ptr<ov::Model> model;
  std::vector<edgeprobe::engine::openvino::PortText> inputs;
  std::vector<edgeprobe::engine::openvino::PortText> outputs;
};
