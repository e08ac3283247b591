// SPDX-License-Identifier: Apache-2.0
#include "layers/search/trial.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "layers/capture/capture.h"

namespace edgeprobe::layers {
namespace {

// Different constants are certain; the question is only whether they matter.
constexpr double kRestoresWeights = 0.1;

// The repairs of a finding: a correct version of that layer that keeps as much of the target's own
// as possible.
std::vector<Repair> repairs_of(const SearchInput& input, const Search& out,
                               const Finding& finding) {
  const auto& ops = input.workspace.pairing.ops;
  using By = Repair::By;
  if (finding.suspicion == Suspicion::kBias) {
    std::vector<Repair> repairs;
    for (const std::size_t i : finding.group)
      repairs.push_back({ops[i], std::nullopt, By::kBias, out.pairs[i].constants->right_bias});
    return repairs;
  }
  if (finding.suspicion == Suspicion::kCalibration) return finding.repairs;
  const OpPair& pair = ops[finding.pair];
  if (finding.suspicion == Suspicion::kActivation)
    return {{pair, fitting(input, pair), By::kOwn, {}}};
  if (finding.suspicion == Suspicion::kOperator)
    return {{pair, fitting(input, pair), By::kReference, {}}};
  return {{pair, std::nullopt, By::kReference, {}}};
}

}  // namespace

bool ends(const Error& error) {
  return error.kind == ErrorKind::kInterrupted || error.kind == ErrorKind::kCorrupt;
}

bool of_constants(Suspicion suspicion) {
  return suspicion == Suspicion::kWeights || suspicion == Suspicion::kBias;
}

Result<RepairedState> repaired(const SearchInput& input, const std::vector<Repair>& repairs,
                               const Control& control) {
  const Workspace& workspace = input.workspace;
  std::set<int> wanted;
  for (const auto& [r, t] : workspace.pairing.target_of) wanted.insert(t);
  for (const int fed : workspace.target.graph->inputs) wanted.erase(fed);
  const std::vector<int> shown(wanted.begin(), wanted.end());
  const std::size_t each = std::max<std::size_t>(1, bytes_of(*workspace.target.graph, shown));
  if (each > input.budget)
    return Error{ErrorKind::kLimit, "its layers take more memory than the analysis may use"};
  EP_TRY(auto session, RepairedModel::open(workspace, repairs, shown));
  const std::size_t frames = std::min(input.target.frames(), input.budget / each);
  RepairedState state{HeldValues(frames), 0, {}};
  for (std::size_t frame = 0; frame < frames; ++frame) {
    if (control.stopped()) return interrupted();
    std::vector<Tensor> inputs;
    for (const int fed : workspace.target.graph->inputs) {
      EP_TRY(auto value, input.target.read(fed, frame));
      inputs.push_back(std::move(value));
    }
    EP_TRY(auto made, session->infer({inputs.begin(), inputs.end()}));
    for (std::size_t i = 0; i < inputs.size(); ++i)
      state.held->add(workspace.target.graph->inputs[i], std::move(inputs[i]));
    for (std::size_t i = 0; i < shown.size(); ++i)
      state.held->add(shown[i], std::move(made.outputs[i]));
    if (control.progress) control.progress(frame + 1, frames, "frames of the repaired target");
  }
  const Control quiet{control.stop, {}};
  EP_TRY(const auto sums, accumulate(*workspace.reference.graph, workspace.pairing, input.logits,
                                     input.reference, *state.held, quiet));
  state.logit_nrmse = logit_nrmse_of(sums);
  state.error_gains =
      error_gains(*workspace.reference.graph, workspace.pairing, sums, input.error_gain_floor);
  return state;
}

std::optional<Affine> fitting(const SearchInput& input, const OpPair& pair) {
  const TensorSpec& spec = input.workspace.target.spec(pair.target);
  const bool bytes = spec.dtype == DType::kInt8 || spec.dtype == DType::kUInt8;
  if (spec.quantization.scale.size() != 1 || !(bytes || spec.dtype == DType::kInt16))
    return std::nullopt;
  Spread range;
  for (std::size_t frame = 0; frame < input.reference.frames(); ++frame)
    if (const auto values = real(input.reference, pair.reference, frame))
      range.add(*values, *values);
  const double low = std::min(0.0, range.low()), high = std::max(0.0, range.high());
  // 16-bit codes are symmetric: kernels support no zero point for them.
  if (!bytes) return Affine{static_cast<float>(std::max(std::max(-low, high) / 32767, 1e-9)), 0};
  const double scale = std::max((high - low) / 255, 1e-9),
               least = spec.dtype == DType::kInt8 ? -128 : 0;
  return Affine{static_cast<float>(scale),
                static_cast<std::int64_t>(
                    std::clamp(std::nearbyint(least - low / scale), least, least + 255))};
}

Result<std::optional<RepairedState>> try_repair(const SearchInput& input, const Search& out,
                                                const std::vector<Repair>& repairs,
                                                Finding& finding, const Control& control) {
  std::vector<Repair> added = repairs_of(input, out, finding);
  std::vector<Repair> all = repairs;
  all.insert(all.end(), added.begin(), added.end());
  auto next = repaired(input, all, control);
  if (!next) {
    if (ends(next.error())) return std::move(next.error());
    finding.not_repaired = next.error().what;
    return std::optional<RepairedState>();
  }
  finding.after = next->logit_nrmse;
  finding.repairs = std::move(added);
  const double needed = of_constants(finding.suspicion) ? kRestoresWeights : kRestores;
  finding.restores = finding.before * finding.before - next->logit_nrmse * next->logit_nrmse >=
                     needed * finding.before * finding.before;
  return std::optional(*std::move(next));
}

}  // namespace edgeprobe::layers
