// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "layers/search/finding.h"

namespace edgeprobe::layers {

/// Fraction of the squared logit NRMSE that a repair must remove to count as the answer.
inline constexpr double kRestores = 0.3;

/// True if a failure stops the search: a stop, or a damaged trace. An engine's refusal does not.
bool ends(const Error& error);

/// The target after some repairs.
struct RepairedState {
  std::optional<HeldValues> held;  ///< Unset: as recorded.
  double logit_nrmse = 0;
  std::vector<double> error_gains;
};

/// Runs the target's model with `repairs` on the recorded inputs.
Result<RepairedState> repaired(const SearchInput& input, const std::vector<Repair>& repairs,
                               const Control& control);

/// Quantisation that suits the reference's values; nothing for a tensor that is not quantised per
/// tensor.
std::optional<Affine> fitting(const SearchInput& input, const OpPair& pair);

/// Repairs the layer of `finding` in addition to `repairs` and sets its effect. Returns the
/// repaired target; nothing if the model does not run this way. Fails if the search must stop.
Result<std::optional<RepairedState>> try_repair(const SearchInput& input, const Search& out,
                                                const std::vector<Repair>& repairs,
                                                Finding& finding, const Control& control);

/// True if the suspicion is about constants that differ.
bool of_constants(Suspicion suspicion);

struct OptionsFinding {
  Finding finding;
  RepairedState state;  ///< The target with the repair of `finding`.
};

/// A finding about attributes whose values differ between the two files; the search only decides
/// whether they matter. Returns the smallest set that restores almost as much as all; nothing if
/// they do not restore enough. Fails if the search must stop.
Result<std::optional<OptionsFinding>> options_finding(const SearchInput& input,
                                                      const std::vector<OtherOption>& others,
                                                      const std::vector<Repair>& repairs,
                                                      const RepairedState& now,
                                                      const Control& control);

/// Layers whose ranges do not suit their values, if there are many: all too narrow or all too wide,
/// with suitable scales. Nothing if there are few.
std::optional<Finding> calibration_finding(const SearchInput& input, const Search& out,
                                           double logit_nrmse);

/// True if the worst layer of `group` causes most of the group's effect. Fails if the search must
/// stop.
Result<bool> is_of_one(const SearchInput& input, const Search& out,
                       const std::vector<Repair>& repairs, const Finding& group,
                       const Control& control);

}  // namespace edgeprobe::layers
