// SPDX-License-Identifier: Apache-2.0
#include "pipeline/refused_session.h"

namespace edgeprobe::pipeline {
namespace {

class RefusedSession final : public engine::Session {
 public:
  RefusedSession(const model::Graph& graph, Error error) : error_(std::move(error)) {
    for (const int tensor : graph.inputs)
      inputs_.push_back(graph.tensors[static_cast<std::size_t>(tensor)].spec);
    for (const int tensor : graph.outputs)
      outputs_.push_back(graph.tensors[static_cast<std::size_t>(tensor)].spec);
  }
  const std::vector<TensorSpec>& inputs() const override { return inputs_; }
  const std::vector<TensorSpec>& outputs() const override { return outputs_; }
  const std::vector<engine::Delegation>& delegations() const override { return delegations_; }
  const std::vector<std::string>& warnings() const override { return warnings_; }
  Result<engine::Inference> infer(const std::vector<TensorView>&) override { return error_; }

 private:
  Error error_;
  std::vector<TensorSpec> inputs_, outputs_;
  std::vector<engine::Delegation> delegations_;
  std::vector<std::string> warnings_;
};

}  // namespace

std::unique_ptr<engine::Session> refused_session(const model::Graph& graph, Error error) {
  return std::make_unique<RefusedSession>(graph, std::move(error));
}

}  // namespace edgeprobe::pipeline
