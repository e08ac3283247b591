// SPDX-License-Identifier: Apache-2.0
#include "layers/search/measure.h"

#include <algorithm>

#include "layers/replay/activation_patching.h"

namespace edgeprobe::layers {
namespace {

constexpr double kGrows = 2;  // Limit of the error gain; layers that pass an error on are around 1.

// Logit NRMSE if the reference takes over after each pair; unset if a cut has missing inputs or is
// not needed.
Result<std::vector<std::optional<double>>> gaps_behind(const SearchInput& input, Search& found,
                                                       const Values& target,
                                                       const std::vector<bool>& wanted,
                                                       const Control& control) {
  const auto& ops = input.workspace.pairing.ops;
  std::vector<std::optional<double>> gaps(ops.size());
  const auto all = static_cast<std::size_t>(std::count(wanted.begin(), wanted.end(), true));
  std::size_t done = 0;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (control.stopped()) return interrupted();
    if (!wanted[i]) continue;
    auto cut = ActivationPatching::open(input.workspace.reference_host, input.workspace.reference,
                                        ops[i].reference_layer, input.logits,
                                        input.workspace.pairing, input.reference, target);
    const auto reached = cut ? cut->from_target() : Result<double>(cut.error());
    if (reached) gaps[i] = *reached;
    else if (ends(reached.error())) return reached.error();
    else found.pairs[i].no_share = reached.error().what;
    if (control.progress) control.progress(++done, all, "places where the reference takes over");
  }
  return gaps;
}

}  // namespace

void add_local(const Local& local, Figures& figures) {
  figures.relative = local.relative;
  figures.score = local.score;
  figures.scale_ratio = local.scale_ratio;
  figures.clip = local.clip;
}

Status measure_layers(const SearchInput& input, Search& out, const Control& control) {
  const auto& ops = input.workspace.pairing.ops;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (control.stopped()) return interrupted();
    Measured& measured = out.pairs[i];
    auto local = local_error(input.workspace, ops[i], input.reference);
    if (!local) {
      if (ends(local.error())) return std::move(local.error());
      measured.no_local = local.error().what;
      continue;
    }
    Figures figures;
    add_local(*local, figures);
    if (looks_wrong(figures)) {
      auto cut = ActivationPatching::open(input.workspace.reference_host, input.workspace.reference,
                                          ops[i].reference_layer, input.logits,
                                          input.workspace.pairing, input.reference, input.target);
      auto alone =
          cut ? cut->with_replaced(ops[i].reference, local->outputs) : Result<double>(cut.error());
      if (alone) measured.single_layer_error = *alone;
      else if (ends(alone.error())) return std::move(alone.error());
      else measured.no_single_layer_error = alone.error().what;
    }
    local->outputs.clear();
    measured.local = *std::move(local);
    if (control.progress)
      control.progress(i + 1, ops.size(), "layers run on the reference's inputs");
  }
  return {};
}

Result<std::vector<std::optional<double>>> measure_shares(const SearchInput& input, Search& found,
                                                          const Values& target,
                                                          const RepairedState& state,
                                                          const Control& control) {
  const std::size_t all = input.workspace.pairing.ops.size();
  const bool drifts = input.error_gain_floor == kIntegerGainFloor;
  std::vector<bool> measured(all, drifts), wanted(all, drifts);
  for (std::size_t i = 0; i < all && !drifts; ++i) {
    const auto& constants = found.pairs[i].constants;
    measured[i] = state.error_gains[i] > kGrows || (constants && constants->differs_otherwise());
    wanted[i] = wanted[i] || measured[i];
    if (measured[i] && i > 0) wanted[i - 1] = true;
  }
  EP_TRY(const auto gaps, gaps_behind(input, found, target, wanted, control));
  std::vector<std::optional<double>> shares(all);
  double before = 0;
  for (std::size_t i = 0; i < all; ++i) {
    const std::optional<double>& gap = gaps[i];
    if (gap && measured[i])
      shares[i] =
          (*gap * *gap - before * before) / std::max(state.logit_nrmse * state.logit_nrmse, 1e-12);
    else if (!measured[i]) shares[i] = 0;
    if (gap) before = *gap;
  }
  return shares;
}

}  // namespace edgeprobe::layers
