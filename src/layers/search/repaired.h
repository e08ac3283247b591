// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "layers/replay/own_operator.h"
#include "model/change.h"

namespace edgeprobe::layers {

/// One layer of the target repaired, on the inputs that the target has.
struct Repair {
  enum class By {
    kReference,  ///< Computed by the reference's operator.
    kOwn,        ///< By the target's own, with its output stored as `stored`.
    kBias,       ///< By the target's own, with the bias `bias`.
    kChanges,    ///< By the target's own, with other attributes.
  };
  OpPair pair;
  /// How its output is stored then; nothing: as the target's file says.
  std::optional<Affine> stored;
  By by = By::kReference;
  std::vector<float> bias{};             ///< kBias: real values.
  std::vector<model::Change> changes{};  ///< kChanges: what the target's file says then.
};

/// The target's model on the host's kernels, with some layers repaired: between them the target's
/// own layers run. Without repairs it is the target with right kernels.
class RepairedModel final : public engine::Session {
 public:
  /// `shown` are tensors of the target, the outputs of this session; empty: the graph's outputs.
  /// `workspace` must outlive it. kUnsupported when a repair cannot be put in: an input without a
  /// partner, or a scale that other layers share.
  static Result<std::unique_ptr<RepairedModel>> open(const Workspace& workspace,
                                                     std::vector<Repair> repairs,
                                                     std::vector<int> shown);

  const std::vector<TensorSpec>& inputs() const override { return inputs_; }
  const std::vector<TensorSpec>& outputs() const override { return outputs_; }
  const std::vector<engine::Delegation>& delegations() const override { return delegations_; }
  const std::vector<std::string>& warnings() const override { return warnings_; }
  Result<engine::Inference> infer(const std::vector<TensorView>& inputs) override;

 private:
  struct Step {
    std::optional<Fragment> own;  ///< Layers of the target; nothing when all is known already.
    std::optional<Fragment> op;   ///< The operator behind them; nothing in the last step.
    std::vector<int> fed;         ///< The target's tensors that the operator reads,
    std::vector<TensorSpec> as;   ///< and how it takes them.
    /// Of the reference's operator: where the axes of what it reads lie in the target.
    std::vector<std::vector<int>> orders;
    /// Its outputs in the numbers of its own model, and the target's tensors that they stand for:
    /// an LSTM has three. The first is the pair's.
    std::vector<std::pair<int, int>> makes;
  };
  explicit RepairedModel(const Workspace& workspace) : workspace_(workspace) {}
  Status edit(const std::vector<Repair>& repairs);
  /// The target's tensor in the edited file, which may number tensors otherwise, and back.
  int edited(int tensor) const;
  int unedited(int tensor) const;
  Status plan(const std::vector<Repair>& repairs);
  ModelFile target() const {
    return {graph_ ? &*graph_ : workspace_.target.graph,
            graph_ ? ByteView(file_) : workspace_.target.bytes};
  }

  const Workspace& workspace_;
  std::optional<model::Graph> graph_;  ///< Of the edited file, when there is one.
  Bytes file_;
  std::vector<Step> steps_;
  std::vector<int> shown_;
  std::vector<TensorSpec> inputs_, outputs_;
  std::vector<engine::Delegation> delegations_;
  std::vector<std::string> warnings_;
};

}  // namespace edgeprobe::layers
