// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "edgeprobe_plugin.h"

#include <map>
#include <openvino/openvino.hpp>
#include <string>
#include <vector>

#include "engine/openvino/plugin/layer_names.h"

namespace edgeprobe::engine::openvino {

/// The kernels of a compiled model, and their times.
class Kernels {
 public:
  Kernels() = default;
  Kernels(const ov::CompiledModel& compiled, const std::map<std::string, Origin>& origins);
  Kernels(const Kernels&) = delete;
  Kernels& operator=(Kernels&&) = default;

  const std::vector<edgeprobe_plugin_kernel>& described() const { return described_; }
  /// The time of each kernel in the last of `inferences` inferences of this request.
  void times(const ov::InferRequest& request, std::int64_t inferences, std::int64_t* nanoseconds);

 private:
  struct Text {
    std::string node;  ///< Name under which OpenVINO reports its time.
    std::string name;
    std::string type;
    std::string precision;
    std::vector<std::int32_t> layers;
  };
  std::vector<Text> texts_;
  std::vector<edgeprobe_plugin_kernel> described_;
  std::vector<std::int64_t> spent_;  ///< Nanoseconds of each kernel in all inferences so far.
};

}  // namespace edgeprobe::engine::openvino
