// SPDX-License-Identifier: Apache-2.0
#include "layers/search/finding.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "compare/align/converted.h"
#include "core/index.h"
#include "layers/search/measure.h"
#include "layers/search/trial.h"

namespace edgeprobe::layers {
namespace {

// A scale is to blame when another one takes away as much of the squared local error.
constexpr double kScaleMends = 0.3;
// Of an operator that does something else as well: a scale that fits cuts off what it makes, and so
// seems to mend some of it.
constexpr double kScaleMendsMost = 0.7;
// Less is how two sets of kernels round, in standard deviations of the output.
constexpr double kSameOperator = 0.05;
constexpr double kFarLess = 100;
constexpr std::size_t kMostRounds = 4;

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

// With the target's constants, the reference's operator does something else.
bool does_otherwise(const OwnOperator& own) {
  return own.otherwise > kSameOperator && own.otherwise > own.error / 2;
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
  if (input.workspace.dynamic.count(pair.target_layer) && constants && !constants->differs &&
      finding.suspicion == Suspicion::kUnexplained)
    finding.suspicion = Suspicion::kWhileRunning;
  // Float layers with 8-bit weights round their inputs while they run.
  const std::vector<int>& read =
      input.workspace.target.graph->layers[static_cast<std::size_t>(pair.target_layer)].inputs;
  const bool hybrid =
      input.workspace.dynamic.count(pair.target_layer) > 0 ||
      (real && std::any_of(read.begin(), read.end(), [&](int tensor) {
         return tensor >= 0 && size_of(input.workspace.target.spec(tensor).dtype) == 1;
       }));
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
  RepairedState state{std::nullopt, input.logit_nrmse,
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
    EP_TRY(auto constants, constants_of(workspace));
    if (constants.other_model && !constants.few_pairs) return out;
    for (compare::LayerConstants& layer : constants.layers)
      for (std::size_t i = 0; i < workspace.pairing.ops.size(); ++i)
        if (workspace.pairing.ops[i].counterpart == layer.reference_layer)
          out.pairs[i].constants = layer;
    EP_CHECK(measure_layers(input, out, control));
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
    std::optional<RepairedState> next;
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
      std::optional<RepairedState> next;
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
    EP_TRY(others, other_options(workspace));
  }
  for (std::size_t round = 0;
       round < kMostRounds &&
       state.logit_nrmse > (round ? input.limits.severe : input.limits.quiet);
       ++round) {
    const Values& target = state.held ? static_cast<const Values&>(*state.held) : input.target;
    std::optional<RepairedState> with_options;
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
    EP_TRY(auto shares, measure_shares(input, out, target, state, control));
    if (round == 0)
      for (std::size_t i = 0; i < out.pairs.size(); ++i) out.pairs[i].share = shares[i];
    const auto figures =
        figures_of(input, out, shares, state.error_gains, state.logit_nrmse, tried);
    const auto suspected = suspects(figures, state.logit_nrmse, input.limits.severe);
    if (suspected.empty()) break;
    Finding finding;
    finding.pair = suspected.front().row;
    finding.suspicion = suspected.front().suspicion;
    finding.tied = suspected.front().tied;
    finding.figures = figures[finding.pair];
    finding.before = state.logit_nrmse;
    tried.insert(finding.pair);
    std::optional<RepairedState> next;
    std::optional<Error> failed;
    if (own) EP_CHECK(judge_operator(input, out, finding));
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
