// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/device_times.h"
#include "engine/engine.h"
#include "engine/kenning/server.h"
#include "engine/kenning/tensors.h"

namespace edgeprobe::engine::kenning {

/// A model, and what the server must know about it.
struct Upload {
  Bytes model;
  std::string label;
  std::vector<TensorSpec> inputs, outputs;
  std::string state;  ///< The tensor that keeps a state; "" if none.
  std::chrono::milliseconds load_limit{}, invoke_limit{};
};

/// Sessions take turns on a server, which holds one model: the active one connects, and sends its
/// model again if another session used the server meanwhile.
class KenningSession final : public Session, public DeviceTimes {
 public:
  /// Sends the model.
  static Result<std::unique_ptr<Session>> load(std::shared_ptr<Server> server, Upload upload);

  const std::vector<TensorSpec>& inputs() const override { return upload_.inputs; }
  const std::vector<TensorSpec>& outputs() const override { return outputs_; }
  const std::vector<Delegation>& delegations() const override { return delegations_; }
  const std::vector<std::string>& warnings() const override { return warnings_; }
  Result<Inference> infer(const std::vector<TensorView>& inputs) override;
  Result<Iterations> repeat(const std::vector<TensorView>& inputs, const RepeatOptions& options,
                            const Control& control) override;
  MemoryUse memory() override { return {}; }
  std::vector<std::chrono::nanoseconds> device_times() override;

 private:
  KenningSession(std::shared_ptr<Server> server, Upload upload);
  Status send_model();
  Result<Inference> infer_there(const std::vector<TensorView>& inputs);

  std::shared_ptr<Server> server_;
  Upload upload_;
  Travel travel_;
  std::uint64_t number_;             ///< Unique number of this session.
  std::vector<TensorSpec> outputs_;  ///< With the shapes of the last inference.
  std::vector<Delegation> delegations_;
  std::vector<std::string> warnings_;
  std::size_t untimed_ = 0;  ///< Inferences since the last device_times().
  bool gives_times_ = true;  ///< False once the server is known not to report times.
  bool has_run_ = false;
};

}  // namespace edgeprobe::engine::kenning
