// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "edgeprobe_plugin.h"

#include <memory>
#include <openvino/openvino.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "engine/openvino/plugin/kernels.h"
#include "engine/openvino/plugin/model_file.h"
#include "engine/openvino/plugin/ports.h"

/// The engine of edgeprobe_plugin.h. OpenVINO's exceptions may leave what returns no Result;
/// plugin.cc catches them.
namespace edgeprobe::engine::openvino {

/// The state that run() gets.
class Runner {
 public:
  virtual ~Runner() = default;
  /// Returns OpenVINO's own time in nanoseconds, or -1.
  virtual std::int64_t run(const void* const* inputs, edgeprobe_plugin_value* outputs) = 0;
};

/// A compiled model with one request.
class Session final : public Runner {
 public:
  static Result<std::unique_ptr<Session>> load(ov::Core& core,
                                               const edgeprobe_plugin_request& request);
  /// Fills all but the state; what it points to is valid as long as the session.
  void describe(edgeprobe_plugin_model& model);

  std::int64_t run(const void* const* inputs, edgeprobe_plugin_value* outputs) override;
  void times(std::int64_t* nanoseconds) { kernels_.times(request_, inferences_, nanoseconds); }
  /// A request of its own that computes in this memory. Null for a model that keeps a state,
  /// decides shapes or returns an input as an output.
  std::unique_ptr<Runner> bind(const void* const* inputs, const edgeprobe_plugin_value* outputs);

 private:
  void compile(ov::Core& core, const std::shared_ptr<ov::Model>& model,
               const std::vector<Shape>& shapes, const std::optional<LayerSource>& source,
               const edgeprobe_plugin_request& request);
  void hand_out(std::size_t index, edgeprobe_plugin_value& value);

  ov::CompiledModel compiled_;
  ov::InferRequest request_;
  std::vector<Port> inputs_, outputs_;
  std::vector<ov::element::Type> types_;  ///< Of the outputs.
  std::optional<Described> described_inputs_, described_outputs_;
  Kernels kernels_;
  std::vector<const char*> notes_;
  bool hands_inputs_on_ = false;  ///< Some output is an unchanged input.
  std::int64_t inferences_ = 0;
  /// Of the last run: memory and shape of outputs with open dimensions.
  std::vector<ov::Tensor> open_tensors_;
  std::vector<Shape> open_shapes_;
};

}  // namespace edgeprobe::engine::openvino
