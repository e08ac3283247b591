// SPDX-License-Identifier: Apache-2.0
#include "layers/search/trial.h"

#include <algorithm>

namespace edgeprobe::layers {
namespace {

// Differing options tried one at a time, and the fraction of their joint effect that a subset must
// reach.
constexpr std::size_t kMostOptions = 8;
constexpr double kAlmostAll = 0.95;

// One repair per layer.
std::vector<Repair> repairs_by(const SearchInput& input, const std::vector<OtherOption>& options) {
  std::vector<Repair> repairs;
  for (const OtherOption& one : options) {
    const OpPair& pair = input.workspace.pairing.ops[one.pair];
    const auto same = std::find_if(repairs.begin(), repairs.end(), [&](const Repair& repair) {
      return repair.pair.target_layer == pair.target_layer;
    });
    Repair& repair =
        same != repairs.end()
            ? *same
            : repairs.emplace_back(Repair{pair, std::nullopt, Repair::By::kChanges, {}, {}});
    repair.changes.insert(repair.changes.end(), one.changes.begin(), one.changes.end());
  }
  return repairs;
}

// Effect of setting options of the target's own operators as in the reference.
class OptionTrials {
 public:
  OptionTrials(const SearchInput& input, const std::vector<Repair>& repairs, double before,
               const Control& control)
      : input_(input), repairs_(repairs), before_(before), control_(control) {}

  // Fraction of the squared logit NRMSE removed; nothing if the model does not run this way.
  std::optional<double> taken(const std::vector<OtherOption>& options) {
    state_.reset();
    std::vector<Repair> all = repairs_;
    for (Repair& repair : repairs_by(input_, options)) all.push_back(std::move(repair));
    auto next = repaired(input_, all, control_);
    if (!next) {
      if (ends(next.error())) failed_ = std::move(next.error());
      return std::nullopt;
    }
    state_ = *std::move(next);
    return before_ * before_ - state_->logit_nrmse * state_->logit_nrmse;
  }
  std::optional<RepairedState>& state() { return state_; }
  const std::optional<Error>& failed() const { return failed_; }

 private:
  const SearchInput& input_;
  const std::vector<Repair>& repairs_;
  double before_;
  const Control& control_;
  std::optional<RepairedState> state_;  // State after the last trial.
  std::optional<Error> failed_;
};

// The smallest set of options with almost the effect of all together; empty if none restores
// enough. Tries each one first, then the best ones together.
std::vector<OtherOption> fewest(OptionTrials& trials, std::vector<OtherOption> options,
                                double before) {
  const double enough = kRestores * before * before;
  const double all = trials.taken(options).value_or(0);
  if (trials.failed() || (options.size() == 1 && all < enough)) return {};
  if (options.size() == 1) return options;
  std::vector<std::pair<double, OtherOption>> alone;
  for (OtherOption& option : options) {
    if (alone.size() == kMostOptions || trials.failed()) break;
    alone.emplace_back(trials.taken({option}).value_or(0), std::move(option));
  }
  std::stable_sort(alone.begin(), alone.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  const double wanted = std::max({enough, kAlmostAll * all, kAlmostAll * alone.front().first});
  std::vector<OtherOption> chosen;
  for (auto& [taken, option] : alone) {
    chosen.push_back(std::move(option));
    if (chosen.size() > 1) taken = trials.taken(chosen).value_or(0);
    if (trials.failed()) return {};
    if (taken >= wanted) break;
    if (chosen.size() == alone.size()) return {};
  }
  // Removes options added on the way that are not needed.
  for (std::size_t i = 0; chosen.size() > 2 && i < chosen.size();) {
    std::vector<OtherOption> without = chosen;
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
    if (trials.taken(without).value_or(0) >= wanted) chosen = std::move(without);
    else ++i;
  }
  return chosen;
}

}  // namespace

Result<std::optional<OptionsFinding>> options_finding(const SearchInput& input,
                                                      const std::vector<OtherOption>& others,
                                                      const std::vector<Repair>& repairs,
                                                      const RepairedState& now,
                                                      const Control& control) {
  std::vector<OtherOption> options;
  for (const OtherOption& one : others) {
    const bool done = std::any_of(repairs.begin(), repairs.end(), [&](const Repair& repair) {
      return repair.by == Repair::By::kChanges &&
             repair.pair.target_layer == input.workspace.pairing.ops[one.pair].target_layer;
    });
    if (!one.changes.empty() && !done) options.push_back(one);
  }
  if (options.empty()) return std::optional<OptionsFinding>();
  std::stable_sort(options.begin(), options.end(), [&](const auto& a, const auto& b) {
    return now.error_gains[a.pair] > now.error_gains[b.pair];
  });
  OptionTrials trials(input, repairs, now.logit_nrmse, control);
  Finding finding;
  finding.options = fewest(trials, std::move(options), now.logit_nrmse);
  if (!finding.options.empty()) (void)trials.taken(finding.options);
  if (trials.failed()) return *trials.failed();
  if (finding.options.empty() || !trials.state()) return std::optional<OptionsFinding>();
  finding.pair = finding.options.front().pair;
  for (const OtherOption& one : finding.options)
    if (std::count(finding.group.begin(), finding.group.end(), one.pair) == 0)
      finding.group.push_back(one.pair);
  finding.suspicion = Suspicion::kOperator;
  finding.before = now.logit_nrmse;
  finding.after = trials.state()->logit_nrmse;
  finding.repairs = repairs_by(input, finding.options);
  finding.restores = true;
  return std::optional(OptionsFinding{std::move(finding), *std::move(trials.state())});
}

}  // namespace edgeprobe::layers
