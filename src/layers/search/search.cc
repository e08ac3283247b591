// SPDX-License-Identifier: Apache-2.0
#include "layers/search/finding.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "compare/align/converted.h"
#include "core/codes.h"
#include "core/index.h"
#include "layers/search/measure.h"
#include "layers/search/trial.h"

namespace edgeprobe::layers {
namespace {

// A scale is to blame if another one removes at least this fraction of the squared local error.
constexpr double kScaleMends = 0.3;
// Limit for an operator that also differs in another way: a suitable scale clips its wrong results,
// so it appears to repair part of them.
constexpr double kScaleMendsMost = 0.7;
// Smaller differences are rounding between two kernel sets, in standard deviations of the output.
constexpr double kSameOperator = 0.05;
constexpr double kFarLess = 100;
// Maximum number of repairs kept, and of layers tried for them.
constexpr std::size_t kMostKept = 4, kMostRounds = 8;
constexpr const char* kSmallGap = "the gap is too small to decide";

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

// True if the reference's operator with the target's constants gives another result.
bool does_otherwise(const OwnOperator& own) {
  return own.otherwise > kSameOperator && own.otherwise > own.error / 2;
}

// Checks that the layer's own operator is right except for its scale; if not, quantisation is not
// the cause.
Status judge_operator(const SearchInput& input, const Search& out, Finding& finding) {
  const auto& local = out.pairs[finding.pair].local;
  const auto& constants = out.pairs[finding.pair].constants;
  if (of_constants(finding.suspicion) || !local || (constants && constants->bias_fault()))
    return {};
  const OpPair& pair = input.workspace.pairing.ops[finding.pair];
  if (!constants && finding.suspicion == Suspicion::kUnexplained)
    finding.constant = other_constant(input.workspace, pair);
  if (finding.constant) {
    finding.suspicion = Suspicion::kWeights;
    return {};
  }
  const std::optional<Affine> stored = fitting(input, pair);
  const bool real = is_float(input.workspace.target.spec(pair.target).dtype);
  if (!stored && !real) return {};
  auto own = own_operator(input.workspace, pair, input.reference, stored);
  if (!own) {
    if (ends(own.error())) return std::move(own.error());
    return {};
  }
  finding.own = *own;
  if (input.workspace.dynamic.count(pair.target_layer) && constants && !constants->differs &&
      finding.suspicion == Suspicion::kUnexplained)
    finding.suspicion = Suspicion::kWhileRunning;
  // Float layers with 8-bit weights round their inputs at run time.
  const std::vector<int>& read =
      input.workspace.target.graph->layers[static_cast<std::size_t>(pair.target_layer)].inputs;
  const bool hybrid =
      input.workspace.dynamic.count(pair.target_layer) > 0 ||
      (real && std::any_of(read.begin(), read.end(), [&](int tensor) {
         if (tensor < 0) return false;
         const model::ModelTensor& one = input.workspace.target.graph->tensors[at(tensor)];
         const DType stored = one.spec.dtype;
         return holds_codes(one.spec) ||
                (one.is_constant &&
                 (stored == DType::kInt8 || stored == DType::kUInt8 || stored == DType::kInt4));
       }));
  const bool mends =
      own->error * own->error <= (1 - kScaleMendsMost) * local->relative * local->relative;
  if (does_otherwise(*own) && !hybrid && !(finding.suspicion == Suspicion::kActivation && mends))
    finding.suspicion = Suspicion::kOperator;
  // With the target's constants the reference's operator gives the target's result, and without
  // them it does not.
  else if (real && !hybrid && finding.suspicion == Suspicion::kUnexplained &&
           own->error > kSameOperator && own->otherwise < own->error / kFarLess)
    finding.suspicion = Suspicion::kWeights;
  return {};
}

// Biases that are wrong according to the file, all together: there may be one in every layer.
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

// Compares the constants of both files. For two formats, which name and order operators
// differently, it compares operators paired by what they compute.
Result<compare::ConstantComparison> constants_of(const Workspace& workspace) {
  const ModelFile &reference = workspace.reference, &target = workspace.target;
  if (reference.graph->format == target.graph->format)
    return compare::compare_constants(*reference.graph, reference.bytes, *target.graph,
                                      target.bytes, workspace.pairing.mapping);
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

/// Repairs findings in the target one after another: later faults become visible once earlier ones
/// are repaired.
class FaultSearch {
 public:
  FaultSearch(const SearchInput& input, const Control& control)
      : input_(input),
        workspace_(input.workspace),
        control_(control),
        has_target_(input.workspace.target.graph != nullptr),
        state_{std::nullopt, input.logit_nrmse,
               error_gains(*input.workspace.reference.graph, input.workspace.pairing,
                           input.accumulated, input.error_gain_floor)} {
    out_.pairs.resize(workspace_.pairing.ops.size());
    for (std::size_t i = 0; i < out_.pairs.size(); ++i)
      if (input.accumulated.pairs[i].elements() > 0)
        out_.pairs[i].error_gain = state_.error_gains[i];
  }

  Result<Search> run() {
    if (input_.kernels && has_target_) {
      EP_TRY(const bool runs, put_on_host());
      if (!runs) return std::move(out_);
    }
    if (input_.same_model) return std::move(out_);
    if (has_target_) {
      EP_TRY(const bool is_same_model, look_at_files());
      if (!is_same_model) return std::move(out_);
    }
    EP_CHECK(try_biases());
    if (has_target_ && state_.logit_nrmse > input_.limits.quiet) EP_CHECK(try_ranges());
    EP_CHECK(try_layers());
    add_other_constants();
    return std::move(out_);
  }

 private:
  /// Judges all other layers with the host's kernels; false if the target's model does not run on
  /// the host.
  Result<bool> put_on_host() {
    auto host = repaired(input_, {}, control_);
    if (!host) {
      if (ends(host.error())) return std::move(host.error());
      out_.no_host_logit_nrmse = host.error().what;
      return false;
    }
    state_ = *std::move(host);
    out_.host_logit_nrmse = state_.logit_nrmse;
    return true;
  }

  /// Compares the constants of both files and measures each layer; false if the files belong to
  /// different models.
  Result<bool> look_at_files() {
    EP_TRY(const auto constants, constants_of(workspace_));
    if (constants.other_model && !constants.few_pairs) return false;
    for (const compare::LayerConstants& layer : constants.layers)
      for (std::size_t i = 0; i < out_.pairs.size(); ++i)
        if (workspace_.pairing.ops[i].counterpart == layer.reference_layer)
          out_.pairs[i].constants = layer;
    EP_CHECK(measure_layers(input_, out_, control_));
    // Between two formats, values show which layers correspond: constants that differ without a
    // visible effect belong to layers that do not correspond.
    if (workspace_.reference.graph->format != workspace_.target.graph->format)
      for (Measured& measured : out_.pairs)
        if (measured.constants && measured.constants->differs_otherwise() &&
            (!measured.local || measured.local->relative < kSameOperator))
          measured.constants.reset();
    return true;
  }

  Status try_biases() {
    auto biases = bias_finding(out_, state_.logit_nrmse);
    if (!biases) return {};
    std::optional<RepairedState> next;
    if (state_.logit_nrmse > input_.limits.quiet) {
      EP_TRY(next, try_repair(input_, out_, repairs_, *biases, control_));
    } else {
      biases->not_repaired = kSmallGap;
    }
    if (biases->restores && next) {
      keep(*biases, *std::move(next));
      tried_.insert(biases->group.begin(), biases->group.end());
    }
    out_.findings.push_back(*std::move(biases));
    return {};
  }

  Status try_ranges() {
    auto ranges = calibration_finding(input_, out_, state_.logit_nrmse);
    if (!ranges) return {};
    EP_TRY(auto next, try_repair(input_, out_, repairs_, *ranges, control_));
    if (!ranges->restores || !next) return {};
    EP_TRY(const bool of_one, is_of_one(input_, out_, repairs_, *ranges, control_));
    if (of_one) return {};
    keep(*ranges, *std::move(next));
    tried_.insert(ranges->group.begin(), ranges->group.end());
    out_.findings.push_back(*std::move(ranges));
    return {};
  }

  Status try_layers() {
    std::vector<OtherOption> others;
    if (has_target_) {
      EP_TRY(others, other_options(workspace_));
    }
    for (std::size_t round = 0;
         round < kMostRounds && kept_ < kMostKept &&
         state_.logit_nrmse > (round ? input_.limits.severe : input_.limits.quiet);
         ++round) {
      EP_TRY(auto options, options_finding(input_, others, repairs_, state_, control_));
      if (options) {
        keep(options->finding, std::move(options->state));
        tried_.insert(options->finding.group.begin(), options->finding.group.end());
        out_.findings.push_back(std::move(options->finding));
        continue;
      }
      EP_TRY(auto finding, suspect(round));
      if (!finding) break;
      EP_TRY(const bool goes_on, judge(*std::move(finding)));
      if (!goes_on) break;
    }
    return {};
  }

  /// The layer that looks worst in the target's current state.
  Result<std::optional<Finding>> suspect(std::size_t round) {
    const Values& target = state_.held ? static_cast<const Values&>(*state_.held) : input_.target;
    EP_TRY(const auto shares, measure_shares(input_, out_, target, state_, control_));
    if (round == 0)
      for (std::size_t i = 0; i < out_.pairs.size(); ++i) out_.pairs[i].share = shares[i];
    const auto figures =
        figures_of(input_, out_, shares, state_.error_gains, state_.logit_nrmse, tried_);
    const auto suspected = suspects(figures, state_.logit_nrmse, input_.limits.severe);
    if (suspected.empty()) return std::optional<Finding>();
    Finding finding;
    finding.pair = suspected.front().row;
    finding.suspicion = suspected.front().suspicion;
    finding.tied = suspected.front().tied;
    finding.figures = figures[finding.pair];
    finding.before = state_.logit_nrmse;
    tried_.insert(finding.pair);
    return std::optional(std::move(finding));
  }

  /// Reordered operators, or ones that the target lacks, have no figures of their own: they are to
  /// blame only if replacing them by the reference's restores the outputs.
  Result<std::optional<RepairedState>> try_sequence(Finding& finding) {
    std::optional<RepairedState> next;
    if (finding.suspicion != Suspicion::kUnexplained) return next;
    Finding tried = finding;
    tried.sequence = other_sequence(workspace_, workspace_.pairing.ops[finding.pair]);
    if (!tried.sequence) return next;
    tried.suspicion = Suspicion::kOperator;
    EP_TRY(next, try_repair(input_, out_, repairs_, tried, control_));
    if (!tried.restores) return std::optional<RepairedState>();
    finding = std::move(tried);
    return next;
  }

  /// Repairs the layer of `finding` if possible; true if later layers can then be judged.
  Result<bool> judge(Finding finding) {
    std::optional<RepairedState> next;
    if (has_target_) {
      EP_TRY(next, try_sequence(finding));
      if (!finding.sequence) EP_CHECK(judge_operator(input_, out_, finding));
    }
    const bool unexplained = finding.suspicion == Suspicion::kUnexplained;
    if (has_target_ && !unexplained && !finding.sequence) {
      EP_TRY(next, try_repair(input_, out_, repairs_, finding, control_));
      if (!finding.after && finding.figures.share && is_told_by_reference(finding)) {
        finding.by_reference = true;
        finding.after =
            finding.before * std::sqrt(std::clamp(1 - *finding.figures.share, 0.0, 1.0));
        finding.restores = *finding.figures.share >= kRestores;
      }
    }
    // Replaces an earlier finding for this layer, made before another layer was repaired.
    std::erase_if(out_.findings, [&](const Finding& earlier) {
      return !earlier.restores && earlier.group.empty() && earlier.pair == finding.pair;
    });
    if (finding.restores && next) keep(finding, *std::move(next));
    else if (!unexplained) rejected_.insert(finding.pair);
    const bool behind_it_unknown = finding.restores && finding.repairs.empty();
    out_.findings.push_back(std::move(finding));
    return !unexplained && !behind_it_unknown;
  }

  /// A repair that is impossible in the target is made in the reference, which continues from the
  /// tensors before the layer. This proves nothing about a scale unless the layer's own operator
  /// was found to be right with another one.
  bool is_told_by_reference(const Finding& finding) const {
    return finding.suspicion != Suspicion::kActivation ||
           (finding.own &&
            finding.own->error * finding.own->error <=
                (1 - kScaleMends) * std::pow(out_.pairs[finding.pair].local->relative, 2));
  }

  void keep(const Finding& finding, RepairedState next) {
    repairs_.insert(repairs_.end(), finding.repairs.begin(), finding.repairs.end());
    state_ = std::move(next);
    ++kept_;
    // Tries the rejected layers again: before this repair, the unrepaired fault may have hidden the
    // effect of theirs.
    for (const std::size_t pair : rejected_) tried_.erase(pair);
    rejected_.clear();
  }

  /// Different constants are a fact, whatever their effect on these frames.
  void add_other_constants() {
    for (std::size_t i = 0; i < out_.pairs.size(); ++i) {
      const auto& constants = out_.pairs[i].constants;
      if (!constants || !constants->differs_otherwise() || tried_.count(i)) continue;
      Finding finding;
      finding.pair = i;
      finding.suspicion = Suspicion::kWeights;
      finding.before = state_.logit_nrmse;
      finding.not_repaired = kSmallGap;
      out_.findings.push_back(std::move(finding));
    }
  }

  const SearchInput& input_;
  const Workspace& workspace_;
  const Control& control_;
  const bool has_target_;
  Search out_;
  RepairedState state_;          // The target's current state.
  std::vector<Repair> repairs_;  // Repairs in that state.
  std::set<std::size_t> tried_;
  std::set<std::size_t> rejected_;  // Those of them whose repair restored nothing.
  std::size_t kept_ = 0;
};

}  // namespace

Result<Search> search(const SearchInput& input, const Control& control) {
  return FaultSearch(input, control).run();
}

}  // namespace edgeprobe::layers
