// SPDX-License-Identifier: Apache-2.0
#include "layers/search/trial.h"

#include <algorithm>

#include "core/index.h"
#include "layers/search/measure.h"
#include "model/edit.h"

namespace edgeprobe::layers {
namespace {

// Many layers, none of which suffices when repaired by itself, indicate one bad calibration instead
// of many faults.
constexpr std::size_t kLeastRanges = 3;
constexpr double kRangesShare = 0.2, kOneMends = 0.7;
// Ranges repaired together with those that look wrong.
constexpr double kSlightWidth = 1.5;

// A repair with a suitable scale; nothing if the target's file does not allow another scale for
// this tensor.
std::optional<Repair> rescaled(const SearchInput& input, const OpPair& pair) {
  const model::Graph& graph = *input.workspace.target.graph;
  if (keeps_scale(graph.layers[at(pair.target_layer)].type)) return std::nullopt;
  const auto stored = fitting(input, pair);
  if (!stored) return std::nullopt;
  Bytes copy = input.workspace.target.bytes.copy();
  if (!model::set_scale(graph, copy, pair.target, stored->scale, stored->zero_point))
    return std::nullopt;
  return Repair{pair, stored, Repair::By::kOwn, {}};
}

}  // namespace

std::optional<Finding> calibration_finding(const SearchInput& input, const Search& out,
                                           double logit_nrmse) {
  std::vector<std::size_t> narrow, wide;
  std::size_t all = 0, clipped = 0, spread = 0;
  for (std::size_t i = 0; i < out.pairs.size(); ++i) {
    const auto& local = out.pairs[i].local;
    if (!local || local->scale_ratio <= 0) continue;
    ++all;
    Figures figures;
    add_local(*local, figures);
    clipped += too_narrow(figures);
    spread += too_wide(figures);
    if (local->clip > kSlightClip) narrow.push_back(i);
    else if (local->scale_ratio > kSlightWidth) wide.push_back(i);
  }
  const std::size_t many = std::max(clipped, spread);
  if (many < kLeastRanges || static_cast<double>(many) < kRangesShare * static_cast<double>(all))
    return std::nullopt;
  Finding finding;
  finding.suspicion = Suspicion::kCalibration;
  finding.before = logit_nrmse;
  for (const std::size_t i : clipped >= spread ? narrow : wide)
    if (auto repair = rescaled(input, input.workspace.pairing.ops[i])) {
      finding.group.push_back(i);
      finding.repairs.push_back(*std::move(repair));
    }
  if (finding.group.size() < kLeastRanges) return std::nullopt;
  finding.pair = finding.group.front();
  for (const std::size_t i : finding.group)
    if (out.pairs[i].single_layer_error.value_or(0) >
        out.pairs[finding.pair].single_layer_error.value_or(0))
      finding.pair = i;
  add_local(*out.pairs[finding.pair].local, finding.figures);
  return finding;
}

Result<bool> is_of_one(const SearchInput& input, const Search& out,
                       const std::vector<Repair>& repairs, const Finding& group,
                       const Control& control) {
  Finding alone = group;
  alone.suspicion = Suspicion::kActivation;
  alone.group.clear();
  EP_CHECK(try_repair(input, out, repairs, alone, control));
  const auto taken = [](const Finding& one) {
    return one.before * one.before - *one.after * *one.after;
  };
  return alone.after && taken(alone) >= kOneMends * taken(group);
}

}  // namespace edgeprobe::layers
