// SPDX-License-Identifier: Apache-2.0
#include "diagnose/layers/search.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "compare/align/converted.h"
#include "core/index.h"
#include "diagnose/layers/activation_patching.h"
#include "model/edit.h"

namespace edgeprobe::layers {
namespace {

constexpr double kRestores = 0.3;  // Of the squared logit NRMSE.
// That constants differ is certain; only whether it matters is asked.
constexpr double kRestoresWeights = 0.1;
// A scale is to blame when another one takes away as much of the squared local error.
constexpr double kScaleMends = 0.3;
// Of an operator that does something else as well: a scale that fits cuts off what it makes, and so
// seems to mend some of it.
constexpr double kScaleMendsMost = 0.7;
// Less is how two sets of kernels round, in standard deviations of the output.
constexpr double kSameOperator = 0.05;
constexpr double kFarLess = 100;
// One calibration rather than many faults: of so many layers, which one alone does not mend.
constexpr std::size_t kLeastRanges = 3;
constexpr double kRangesShare = 0.2, kOneMends = 0.7;
// Ranges that are repaired along with those that look wrong.
constexpr double kSlightWidth = 1.5;
constexpr std::size_t kMostRounds = 4;
// Other options that are tried each alone, and what fewer of them have to take away of what all do.
constexpr std::size_t kMostOptions = 8;
constexpr double kAlmostAll = 0.95;
constexpr double kGrows = 2;  // Error gain; layers that hand an error on stay around 1.

// Stopping and broken traces end the search; an engine that refuses does not.
bool ends(const Error& error) {
  return error.kind == ErrorKind::kInterrupted || error.kind == ErrorKind::kCorrupt;
}

// The target as it stands after some repairs.
struct State {
  std::optional<HeldValues> held;  // Nothing: as recorded.
  double logit_nrmse = 0;
  std::vector<double> error_gains;
};

Result<State> repaired(const SearchInput& input, const std::vector<Repair>& repairs,
                       const Control& control) {
  const Workspace& workspace = input.workspace;
  std::set<int> wanted;
  for (const auto& [r, t] : workspace.pairing.target_of) wanted.insert(t);
  for (const int fed : workspace.target.graph->inputs) wanted.erase(fed);
  const std::vector<int> shown(wanted.begin(), wanted.end());
  const std::size_t each = std::max<std::size_t>(1, bytes_of(*workspace.target.graph, shown));
  if (each > input.budget)
    return Error{ErrorKind::kLimit, "its layers take more memory than the analysis may use"};
  auto session = RepairedModel::open(workspace, repairs, shown);
  if (!session) return std::move(session.error());
  const std::size_t frames = std::min(input.target.frames(), input.budget / each);
  State state{HeldValues(frames), 0, {}};
  for (std::size_t frame = 0; frame < frames; ++frame) {
    if (control.stopped()) return interrupted();
    std::vector<Tensor> inputs;
    for (const int fed : workspace.target.graph->inputs) {
      auto value = input.target.read(fed, frame);
      if (!value) return std::move(value.error());
      inputs.push_back(*std::move(value));
    }
    auto made = (*session)->infer({inputs.begin(), inputs.end()});
    if (!made) return std::move(made.error());
    for (std::size_t i = 0; i < inputs.size(); ++i)
      state.held->add(workspace.target.graph->inputs[i], std::move(inputs[i]));
    for (std::size_t i = 0; i < shown.size(); ++i)
      state.held->add(shown[i], std::move(made->outputs[i]));
    if (control.progress) control.progress(frame + 1, frames, "frames of the repaired target");
  }
  const Control quiet{control.stop, {}};
  const auto sums = accumulate(*workspace.reference.graph, workspace.pairing, input.logits,
                               input.reference, *state.held, quiet);
  if (!sums) return sums.error();
  state.logit_nrmse = logit_nrmse_of(*sums);
  state.error_gains =
      error_gains(*workspace.reference.graph, workspace.pairing, *sums, input.error_gain_floor);
  return state;
}

void add_local(const Local& local, Figures& figures) {
  figures.relative = local.relative;
  figures.score = local.score;
  figures.scale_ratio = local.scale_ratio;
  figures.clip = local.clip;
}

// Local errors of all pairs, and what the suspicious ones do alone.
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
    }
    local->outputs.clear();
    measured.local = *std::move(local);
    if (control.progress)
      control.progress(i + 1, ops.size(), "layers run on the reference's inputs");
  }
  return {};
}

// Gap behind each pair when the reference takes over there; nothing where a cut cannot be fed or is
// not wanted.
Result<std::vector<std::optional<double>>> gaps_behind(const SearchInput& input,
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
    if (control.progress) control.progress(++done, all, "places where the reference takes over");
  }
  return gaps;
}

// share of each pair, in the reference's order. Where all layers drift each of them is measured;
// real numbers only where the error grows, and 0 elsewhere: what hands an error on has no part.
Result<std::vector<std::optional<double>>> shares_of(const SearchInput& input, const Search& found,
                                                     const Values& target, const State& state,
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
  const auto gaps = gaps_behind(input, target, wanted, control);
  if (!gaps) return gaps.error();
  std::vector<std::optional<double>> shares(all);
  double before = 0;
  for (std::size_t i = 0; i < all; ++i) {
    const std::optional<double>& gap = (*gaps)[i];
    if (gap && measured[i])
      shares[i] =
          (*gap * *gap - before * before) / std::max(state.logit_nrmse * state.logit_nrmse, 1e-12);
    else if (!measured[i]) shares[i] = 0;
    if (gap) before = *gap;
  }
  return shares;
}

std::vector<Figures> figures_of(const SearchInput& input, const Search& found,
                                const std::vector<std::optional<double>>& shares,
                                const std::vector<double>& error_gains, double logit_nrmse,
                                const std::set<std::size_t>& done) {
  std::vector<Figures> rows;
  for (std::size_t i = 0; i < found.pairs.size(); ++i) {
    Figures row;
    row.type =
        input.workspace.reference.graph
            ->layers[static_cast<std::size_t>(input.workspace.pairing.ops[i].reference_layer)]
            .type;
    if (done.count(i)) {
      rows.push_back(row);
      continue;
    }
    const Measured& m = found.pairs[i];
    row.error_gain = error_gains[i];
    row.share = shares[i];
    if (m.single_layer_error)
      row.single_layer_error = *m.single_layer_error / std::max(logit_nrmse, 1e-9);
    if (m.local) add_local(*m.local, row);
    if (m.constants) {
      row.constants_differ = m.constants->differs_otherwise();
      row.step_width = m.constants->step_width;
    }
    rows.push_back(row);
  }
  return rows;
}

// Codes for what the reference's values need; nothing for a tensor that is not quantised as a
// whole.
std::optional<Affine> fitting(const SearchInput& input, const OpPair& pair) {
  const TensorSpec& spec = input.workspace.target.spec(pair.target);
  if (spec.quantization.scale.size() != 1 || size_of(spec.dtype) != 1) return std::nullopt;
  Spread range;
  for (std::size_t frame = 0; frame < input.reference.frames(); ++frame)
    if (const auto values = real(input.reference, pair.reference, frame))
      range.add(*values, *values);
  const double low = std::min(0.0, range.low()), high = std::max(0.0, range.high());
  const double scale = std::max((high - low) / 255, 1e-9),
               least = spec.dtype == DType::kInt8 ? -128 : 0;
  return Affine{static_cast<float>(scale),
                static_cast<std::int64_t>(
                    std::clamp(std::nearbyint(least - low / scale), least, least + 255))};
}

// With the target's constants, the reference's operator does something else.
bool does_otherwise(const OwnOperator& own) {
  return own.otherwise > kSameOperator && own.otherwise > own.error / 2;
}

bool of_constants(Suspicion suspicion) {
  return suspicion == Suspicion::kWeights || suspicion == Suspicion::kBias;
}

// Whether the layer's own operator is right but for its scale; else it is no matter of
// quantisation.
Status judge_operator(const SearchInput& input, const Search& out, Finding& finding) {
  const auto& local = out.pairs[finding.pair].local;
  const auto& constants = out.pairs[finding.pair].constants;
  if (of_constants(finding.suspicion) || !local || (constants && constants->bias_fault()))
    return {};
  const OpPair& pair = input.workspace.pairing.ops[finding.pair];
  const std::optional<Affine> stored = fitting(input, pair);
  const bool real = is_float(input.workspace.target.spec(pair.target).dtype);
  if (!stored && !real) return {};
  auto own = own_operator(input.workspace, pair, input.reference, stored);
  if (!own) {
    if (ends(own.error())) return std::move(own.error());
    return {};
  }
  finding.own = *own;
  // Float layers with 8-bit weights round their inputs while they run.
  const bool hybrid =
      real &&
      std::any_of(input.workspace.target.graph->layers[static_cast<std::size_t>(pair.target_layer)]
                      .inputs.begin(),
                  input.workspace.target.graph->layers[static_cast<std::size_t>(pair.target_layer)]
                      .inputs.end(),
                  [&](int tensor) {
                    return tensor >= 0 && size_of(input.workspace.target.spec(tensor).dtype) == 1;
                  });
  const bool mends =
      own->error * own->error <= (1 - kScaleMendsMost) * local->relative * local->relative;
  if (does_otherwise(*own) && !hybrid && !(finding.suspicion == Suspicion::kActivation && mends))
    finding.suspicion = Suspicion::kOperator;
  // With the target's constants the reference's operator does what the target's does, and without
  // them it does not.
  else if (real && !hybrid && finding.suspicion == Suspicion::kUnexplained &&
           own->error > kSameOperator && own->otherwise < own->error / kFarLess)
    finding.suspicion = Suspicion::kWeights;
  return {};
}

// The repairs of a finding: what would be right in that layer, with as much of the target's own as
// can be kept.
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

void try_repair(const SearchInput& input, const Search& out, const std::vector<Repair>& repairs,
                Finding& finding, std::optional<State>& state, std::optional<Error>& failed,
                const Control& control) {
  std::vector<Repair> added = repairs_of(input, out, finding);
  std::vector<Repair> all = repairs;
  all.insert(all.end(), added.begin(), added.end());
  auto next = repaired(input, all, control);
  if (!next) {
    if (ends(next.error())) failed = std::move(next.error());
    else finding.not_repaired = next.error().what;
    return;
  }
  finding.after = next->logit_nrmse;
  finding.repairs = std::move(added);
  const double needed = of_constants(finding.suspicion) ? kRestoresWeights : kRestores;
  finding.restores = finding.before * finding.before - next->logit_nrmse * next->logit_nrmse >=
                     needed * finding.before * finding.before;
  state = *std::move(next);
}

// One repair a layer.
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

// What options of the target's own operators restore when they are set as the reference's are.
class OptionTrials {
 public:
  OptionTrials(const SearchInput& input, const std::vector<Repair>& repairs, double before,
               const Control& control)
      : input_(input), repairs_(repairs), before_(before), control_(control) {}

  // Of the squared logit NRMSE; nothing when the model does not run so.
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
  std::optional<State>& state() { return state_; }
  const std::optional<Error>& failed() const { return failed_; }

 private:
  const SearchInput& input_;
  const std::vector<Repair>& repairs_;
  double before_;
  const Control& control_;
  std::optional<State> state_;  // After the last trial.
  std::optional<Error> failed_;
};

// The fewest of the options that do almost what all of them together do; empty when none restores
// enough. Each alone first, then the best ones together.
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
  // What was added on the way and is not needed.
  for (std::size_t i = 0; chosen.size() > 2 && i < chosen.size();) {
    std::vector<OtherOption> without = chosen;
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
    if (trials.taken(without).value_or(0) >= wanted) chosen = std::move(without);
    else ++i;
  }
  return chosen;
}

// Attributes that the two files give other values: a fact, of which only is asked whether it
// matters.
std::optional<Finding> options_finding(const SearchInput& input,
                                       const std::vector<OtherOption>& others,
                                       const std::vector<Repair>& repairs, const State& now,
                                       std::optional<State>& state, std::optional<Error>& failed,
                                       const Control& control) {
  std::vector<OtherOption> options;
  for (const OtherOption& one : others) {
    const bool done = std::any_of(repairs.begin(), repairs.end(), [&](const Repair& repair) {
      return repair.by == Repair::By::kChanges &&
             repair.pair.target_layer == input.workspace.pairing.ops[one.pair].target_layer;
    });
    if (!one.changes.empty() && !done) options.push_back(one);
  }
  if (options.empty()) return std::nullopt;
  std::stable_sort(options.begin(), options.end(), [&](const auto& a, const auto& b) {
    return now.error_gains[a.pair] > now.error_gains[b.pair];
  });
  OptionTrials trials(input, repairs, now.logit_nrmse, control);
  Finding finding;
  finding.options = fewest(trials, std::move(options), now.logit_nrmse);
  if (!finding.options.empty()) (void)trials.taken(finding.options);
  failed = trials.failed();
  if (finding.options.empty() || !trials.state()) return std::nullopt;
  finding.pair = finding.options.front().pair;
  for (const OtherOption& one : finding.options)
    if (std::count(finding.group.begin(), finding.group.end(), one.pair) == 0)
      finding.group.push_back(one.pair);
  finding.suspicion = Suspicion::kOperator;
  finding.before = now.logit_nrmse;
  finding.after = trials.state()->logit_nrmse;
  finding.repairs = repairs_by(input, finding.options);
  finding.restores = true;
  state = std::move(trials.state());
  return finding;
}

// Biases that the file shows to be wrong, all of them at once: there may be one in every layer.
std::optional<Finding> bias_finding(const Search& out, double logit_nrmse) {
  Finding finding;
  finding.suspicion = Suspicion::kBias;
  finding.before = logit_nrmse;
  for (std::size_t i = 0; i < out.pairs.size(); ++i)
    if (out.pairs[i].constants && out.pairs[i].constants->bias_fault()) finding.group.push_back(i);
  if (finding.group.empty()) return std::nullopt;
  finding.pair = finding.group.front();
  return finding;
}

// A scale that fits; nothing where the target's file cannot take another one there by itself.
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

// Layers whose ranges do not fit what flows through them, when they are many: all of them too
// narrow or all of them too wide.
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

// Whether the worst of them does most of it alone.
bool is_of_one(const SearchInput& input, const Search& out, const std::vector<Repair>& repairs,
               const Finding& group, std::optional<Error>& failed, const Control& control) {
  Finding alone = group;
  alone.suspicion = Suspicion::kActivation;
  alone.group.clear();
  std::optional<State> unused;
  try_repair(input, out, repairs, alone, unused, failed, control);
  const auto taken = [](const Finding& one) {
    return one.before * one.before - *one.after * *one.after;
  };
  return alone.after && taken(alone) >= kOneMends * taken(group);
}

// Of the operators that are paired by what they compute, where two formats name and order them
// otherwise.
Result<compare::ConstantComparison> constants_of(const Workspace& workspace) {
  const ModelFile &reference = workspace.reference, &target = workspace.target;
  if (reference.graph->format == target.graph->format)
    return compare::compare_constants(*reference.graph, reference.bytes, *target.graph,
                                      target.bytes);
  const compare::WeightedGraph r{*reference.graph, reference.bytes}, t{*target.graph, target.bytes};
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (const OpPair& pair : workspace.pairing.ops) {
    const model::Layer* const of_r =
        compare::weighted_in(r, reference_part(workspace, pair).layers);
    const model::Layer* const of_t = compare::weighted_in(t, target_part(workspace, pair).layers);
    if (of_r && of_t && of_r->index == pair.counterpart &&
        compare::weights_order(t, *of_t, r, *of_r))
      pairs.emplace_back(at(of_r->index), at(of_t->index));
  }
  return compare::compare_constants(r, t, pairs);
}

}  // namespace

Result<Search> search(const SearchInput& input, const Control& control) {
  const Workspace& workspace = input.workspace;
  Search out;
  out.pairs.resize(workspace.pairing.ops.size());
  State state{std::nullopt, input.logit_nrmse,
              error_gains(*workspace.reference.graph, workspace.pairing, input.accumulated,
                          input.error_gain_floor)};
  for (std::size_t i = 0; i < out.pairs.size(); ++i)
    if (input.accumulated.pairs[i].elements() > 0) out.pairs[i].error_gain = state.error_gains[i];
  const bool own = workspace.target.graph != nullptr;
  if (input.kernels && own) {
    auto host = repaired(input, {}, control);
    if (host) {
      state = *std::move(host);
      out.host_logit_nrmse = state.logit_nrmse;
    } else {
      if (ends(host.error())) return std::move(host.error());
      out.no_host_logit_nrmse = host.error().what;
      return out;
    }
  }
  if (input.same_model) return out;
  if (own) {
    auto constants = constants_of(workspace);
    if (!constants) return std::move(constants.error());
    if (constants->other_model && !constants->few_pairs) return out;
    for (compare::LayerConstants& layer : constants->layers)
      for (std::size_t i = 0; i < workspace.pairing.ops.size(); ++i)
        if (workspace.pairing.ops[i].counterpart == layer.reference_layer)
          out.pairs[i].constants = layer;
    if (auto done = measure_layers(input, out, control); !done) return std::move(done.error());
    // What is one layer in two formats is told by values: constants that seem to differ and do not
    // show are those of two others.
    if (workspace.reference.graph->format != workspace.target.graph->format)
      for (Measured& measured : out.pairs)
        if (measured.constants && measured.constants->differs_otherwise() &&
            (!measured.local || measured.local->relative < kSameOperator))
          measured.constants.reset();
  }
  std::set<std::size_t> tried;
  std::vector<Repair> repairs;
  if (auto biases = bias_finding(out, state.logit_nrmse)) {
    std::optional<State> next;
    std::optional<Error> failed;
    if (state.logit_nrmse > input.limits.quiet)
      try_repair(input, out, repairs, *biases, next, failed, control);
    else biases->not_repaired = "the gap is too small to tell";
    if (failed) return *std::move(failed);
    if (biases->restores && next) {
      repairs = biases->repairs;
      state = *std::move(next);
      tried.insert(biases->group.begin(), biases->group.end());
    }
    out.findings.push_back(*std::move(biases));
  }
  if (own && state.logit_nrmse > input.limits.quiet)
    if (auto ranges = calibration_finding(input, out, state.logit_nrmse)) {
      std::optional<State> next;
      std::optional<Error> failed;
      try_repair(input, out, repairs, *ranges, next, failed, control);
      const bool together = !failed && ranges->restores && next &&
                            !is_of_one(input, out, repairs, *ranges, failed, control);
      if (failed) return *std::move(failed);
      if (together) {
        repairs.insert(repairs.end(), ranges->repairs.begin(), ranges->repairs.end());
        state = *std::move(next);
        tried.insert(ranges->group.begin(), ranges->group.end());
        out.findings.push_back(*std::move(ranges));
      }
    }
  std::vector<OtherOption> others;
  if (own) {
    auto found = other_options(workspace);
    if (!found) return std::move(found.error());
    others = *std::move(found);
  }
  for (std::size_t round = 0;
       round < kMostRounds &&
       state.logit_nrmse > (round ? input.limits.severe : input.limits.quiet);
       ++round) {
    const Values& target = state.held ? static_cast<const Values&>(*state.held) : input.target;
    std::optional<State> with_options;
    std::optional<Error> stopped;
    auto of_options =
        options_finding(input, others, repairs, state, with_options, stopped, control);
    if (stopped) return *std::move(stopped);
    if (of_options) {
      repairs.insert(repairs.end(), of_options->repairs.begin(), of_options->repairs.end());
      tried.insert(of_options->group.begin(), of_options->group.end());
      state = *std::move(with_options);
      out.findings.push_back(*std::move(of_options));
      continue;
    }
    auto shares = shares_of(input, out, target, state, control);
    if (!shares) return std::move(shares.error());
    if (round == 0)
      for (std::size_t i = 0; i < out.pairs.size(); ++i) out.pairs[i].share = (*shares)[i];
    const auto figures =
        figures_of(input, out, *shares, state.error_gains, state.logit_nrmse, tried);
    const auto suspected = suspects(figures, state.logit_nrmse, input.limits.severe);
    if (suspected.empty()) break;
    Finding finding;
    finding.pair = suspected.front().row;
    finding.suspicion = suspected.front().suspicion;
    finding.tied = suspected.front().tied;
    finding.figures = figures[finding.pair];
    finding.before = state.logit_nrmse;
    tried.insert(finding.pair);
    std::optional<State> next;
    std::optional<Error> failed;
    if (own)
      if (auto done = judge_operator(input, out, finding); !done) return std::move(done.error());
    if (own && finding.suspicion != Suspicion::kUnexplained)
      try_repair(input, out, repairs, finding, next, failed, control);
    if (failed) return *std::move(failed);
    // A repair that cannot be put into the target is made in the reference: it goes on from the
    // tensors in front of the layer. That tells nothing of a scale unless the layer's own operator
    // was seen to be right with another one.
    const bool of_the_scale =
        finding.suspicion != Suspicion::kActivation ||
        (finding.own &&
         finding.own->error * finding.own->error <=
             (1 - kScaleMends) * std::pow(out.pairs[finding.pair].local->relative, 2));
    if (own && !finding.after && finding.suspicion != Suspicion::kUnexplained &&
        finding.figures.share && of_the_scale) {
      finding.by_reference = true;
      finding.after = finding.before * std::sqrt(std::clamp(1 - *finding.figures.share, 0.0, 1.0));
      finding.restores = *finding.figures.share >= kRestores;
    }
    const bool unexplained = finding.suspicion == Suspicion::kUnexplained;
    if (finding.restores && next) {
      repairs.insert(repairs.end(), finding.repairs.begin(), finding.repairs.end());
      state = *std::move(next);
    }
    const bool behind_it_unknown = finding.restores && finding.repairs.empty();
    out.findings.push_back(std::move(finding));
    if (unexplained || behind_it_unknown) break;
  }
  // Other constants are a fact, whatever they do on these frames.
  for (std::size_t i = 0; i < out.pairs.size(); ++i)
    if (out.pairs[i].constants && out.pairs[i].constants->differs_otherwise() && !tried.count(i)) {
      Finding finding;
      finding.pair = i;
      finding.suspicion = Suspicion::kWeights;
      finding.before = state.logit_nrmse;
      finding.not_repaired = "the gap is too small to tell";
      out.findings.push_back(std::move(finding));
    }
  return out;
}

}  // namespace edgeprobe::layers
