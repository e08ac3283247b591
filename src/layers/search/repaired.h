// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "layers/replay/own_operator.h"
#include "model/change.h"

namespace edgeprobe::layers {

/// A repair of one target layer, on the target's own inputs.
struct Repair {
  enum class By {
    kReference,  ///< Computed by the reference's operator.
    kOwn,        ///< By the target's own operator, with its output stored as `stored`.
    kBias,       ///< By the target's own operator, with the bias `bias`.
    kChanges,    ///< By the target's own operator, with other attributes.
  };
  OpPair pair;
  /// Quantisation of its output; unset: as in the target's file.
  std::optional<Affine> stored;
  By by = By::kReference;
  std::vector<float> bias{};             ///< kBias: real values.
  std::vector<model::Change> changes{};  ///< kChanges: changes to the target's file.
};

/// The target's model on the host's kernels, with some layers repaired; the target's own layers run
/// between them. Without repairs, it is the target with correct kernels.
class RepairedModel final : public engine::Session {
 public:
  /// `shown` are tensors of the target, the outputs of this session; empty: the graph's outputs.
  /// `workspace` must outlive it. kUnsupported if a repair is impossible: an input without a
  /// partner, or a scale shared with other layers.
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
    std::optional<Fragment> own;  ///< Layers of the target; unset if everything is known already.
    std::optional<Fragment> op;   ///< The operator after them; unset in the last step.
    std::vector<int> fed;         ///< The target's tensors that the operator reads,
    std::vector<TensorSpec> as;   ///< and the specs in which it takes them.
    /// For the reference's operator: positions of its inputs' axes in the target.
    std::vector<std::vector<int>> orders;
    /// Its outputs with the indices of its own model, and the corresponding target tensors: an LSTM
    /// has three. The first is the pair's.
    std::vector<std::pair<int, int>> makes;
  };
  explicit RepairedModel(const Workspace& workspace) : workspace_(workspace) {}
  Status edit(const std::vector<Repair>& repairs);
  /// The index of a target tensor in the edited file, which may number tensors differently, and
  /// back.
  int edited(int tensor) const;
  int unedited(int tensor) const;
  Status plan(const std::vector<Repair>& repairs);
  ModelFile target() const {
    return {graph_ ? &*graph_ : workspace_.target.graph,
            graph_ ? ByteView(file_) : workspace_.target.bytes};
  }

  const Workspace& workspace_;
  std::optional<model::Graph> graph_;  ///< Graph of the edited file, if there is one.
  Bytes file_;
  std::vector<Step> steps_;
  std::vector<int> shown_;
  std::vector<TensorSpec> inputs_, outputs_;
  std::vector<engine::Delegation> delegations_;
  std::vector<std::string> warnings_;
};

}  // namespace edgeprobe::layers
