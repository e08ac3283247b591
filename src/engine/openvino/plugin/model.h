// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <openvino/openvino.hpp>
#include <string>
#include <vector>

#include "engine/openvino/plugin/plugin_abi.h"

/// The plug-in's own objects. OpenVINO's exceptions may propagate inside this folder; plugin.cc
/// catches them.
struct EpOvCore {
  ov::Core core;
};

namespace edgeprobe::engine::openvino {

/// Storage for an EpOvPort's pointers.
struct PortText {
  std::string name;
  std::string type;
  std::vector<int64_t> shape;
  bool rank_known = true;

  EpOvPort view() const {
    return {name.c_str(), type.c_str(), shape.data(), shape.size(), rank_known ? 1 : 0};
  }
};

/// Describes a port, including open dimensions.
PortText describe(const ov::Output<const ov::Node>& port);

}  // namespace edgeprobe::engine::openvino

struct EpOvModel {
  explicit EpOvModel(std::shared_ptr<ov::Model> read);
  std::shared_ptr<ov::Model> model;
  std::vector<edgeprobe::engine::openvino::PortText> inputs;
  std::vector<edgeprobe::engine::openvino::PortText> outputs;
};
