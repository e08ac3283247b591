// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "layers/search/finding.h"

namespace edgeprobe::layers {

/// What a repair has to take away of the squared logit NRMSE to be the answer.
inline constexpr double kRestores = 0.3;

/// Whether a failure ends the search: stopped, or a broken trace. An engine that refuses does not.
bool ends(const Error& error);

/// The target as it stands after some repairs.
struct RepairedState {
  std::optional<HeldValues> held;  ///< Nothing: as recorded.
  double logit_nrmse = 0;
  std::vector<double> error_gains;
};

/// Runs the target's model with `repairs` on the recorded inputs.
Result<RepairedState> repaired(const SearchInput& input, const std::vector<Repair>& repairs,
                               const Control& control);

/// Codes for what the reference's values need; nothing for a tensor that is not quantised as a
/// whole.
std::optional<Affine> fitting(const SearchInput& input, const OpPair& pair);

/// Repairs the layer of `finding` besides `repairs` and fills in what that restores. The target
/// with it; nothing when the model does not run so. Fails when the search ends.
Result<std::optional<RepairedState>> try_repair(const SearchInput& input, const Search& out,
                                                const std::vector<Repair>& repairs,
                                                Finding& finding, const Control& control);

/// Whether the suspicion is of constants that differ.
bool of_constants(Suspicion suspicion);

struct OptionsFinding {
  Finding finding;
  RepairedState state;  ///< The target with it.
};

/// The attributes that the two files give other values: a fact, of which only is asked whether it
/// matters. The fewest that restore almost what all of them do; nothing when they do not restore
/// enough. Fails when the search ends.
Result<std::optional<OptionsFinding>> options_finding(const SearchInput& input,
                                                      const std::vector<OtherOption>& others,
                                                      const std::vector<Repair>& repairs,
                                                      const RepairedState& now,
                                                      const Control& control);

/// Layers whose ranges do not fit what flows through them, when they are many: all of them too
/// narrow or all of them too wide, with scales that fit. Nothing when they are few.
std::optional<Finding> calibration_finding(const SearchInput& input, const Search& out,
                                           double logit_nrmse);

/// Whether the worst layer of `group` does most of it alone. Fails when the search ends.
Result<bool> is_of_one(const SearchInput& input, const Search& out,
                       const std::vector<Repair>& repairs, const Finding& group,
                       const Control& control);

}  // namespace edgeprobe::layers
