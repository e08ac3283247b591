// SPDX-License-Identifier: Apache-2.0
#include "diagnose/layer_causes/analysis.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/index.h"
#include "core/text.h"
#include "diagnose/layer_causes/layer_causes.h"
#include "engine/kinds.h"

namespace edgeprobe::diagnose {
namespace {

// A layer this close to the reference, and no worse than the layers before it, is not worth
// reporting.
constexpr double kQuietError = 1e-3, kAmplifies = 4;

bool runs_layers_of(const engine::Engine* engine, const model::Graph& graph) {
  const engine::EngineKind* const kind =
      engine ? engine::find_kind(engine->identity().kind) : nullptr;
  return kind && kind->can(engine::Capability::kLayerReplay) && kind->opens(graph.format);
}

// Engines that run single layers of both files: the reference's if it can, since the target's may
// be the faulty one; else one that reads the format, opened for this purpose.
struct Hosts {
  engine::Engine *target = nullptr, *reference = nullptr;
  std::shared_ptr<engine::Engine> opened_target, opened_reference;
  std::string missing;  // Reason if a side has no engine.
};

engine::Engine* host_for(const Case& known, const pipeline::Pipeline& side,
                         std::shared_ptr<engine::Engine>& opened, std::string& missing) {
  engine::Engine* const best =
      known.reference_pipeline ? known.reference_pipeline->engine.get() : nullptr;
  if (runs_layers_of(best, side.graph)) return best;
  std::vector<std::string> able;
  for (const engine::EngineKind& kind : engine::engine_kinds()) {
    if (!kind.can(engine::Capability::kLayerReplay) || !kind.opens(side.graph.format)) continue;
    able.emplace_back(kind.name);
    if (opened) continue;
    engine::EngineChoice choice;
    choice.kind = kind.name;
    if (auto engine = engine::open_supervised(choice)) opened = *std::move(engine);
  }
  if (opened) return opened.get();
  if (runs_layers_of(side.engine.get(), side.graph)) return side.engine.get();
  const std::string file = "'" + sanitized(side.spec.model.filename().string(), 120) + "'";
  missing =
      "no engine is at hand that runs single layers of " + file + " (" +
      (able.empty() ? "none reads format " + side.graph.format : listed(able)) +
      "), so layers are compared and not judged" +
      (able.empty() ? "; give a float .tflite or .onnx of that model to have them judged" : "");
  return nullptr;
}

Hosts hosts_of(const Case& known) {
  Hosts hosts;
  if (known.target_model)
    hosts.target = host_for(known, *known.target_model, hosts.opened_target, hosts.missing);
  if (known.reference_pipeline && hosts.missing.empty()) {
    const model::Graph& graph = known.reference_pipeline->graph;
    hosts.reference =
        runs_layers_of(hosts.target, graph)
            ? hosts.target
            : host_for(known, *known.reference_pipeline, hosts.opened_reference, hosts.missing);
  }
  if (!hosts.target) hosts.target = hosts.reference;
  return hosts;
}

// Class of a layer by itself; nothing if it is inconspicuous.
std::optional<LayerClass> class_of(const layers::Analysis& analysis, const layers::Row& row) {
  if (row.kernel_error && row.kernel_error->faulty) return LayerClass::kFaulty;
  for (const layers::Finding& finding : analysis.findings)
    if ((&analysis.rows[finding.pair] == &row ||
         std::any_of(finding.group.begin(), finding.group.end(),
                     [&](std::size_t i) { return &analysis.rows[i] == &row; })) &&
        finding.suspicion != layers::Suspicion::kUnexplained)
      return finding.restores && finding.before > analysis.limits.severe ? LayerClass::kFaulty
                                                                         : LayerClass::kBenign;
  return std::nullopt;
}

// Layers of the reference downstream of a faulty layer.
std::set<int> behind_faulty(const layers::Analysis& analysis, const model::Graph& reference) {
  std::set<int> spoilt, layers, faulty;
  for (const layers::Row& row : analysis.rows)
    if (row.reference_layer >= 0 && class_of(analysis, row) == LayerClass::kFaulty)
      faulty.insert(row.reference_layer);
  for (const model::Layer& layer : reference.layers) {
    const bool reads = std::any_of(layer.inputs.begin(), layer.inputs.end(),
                                   [&](int tensor) { return spoilt.count(tensor) > 0; });
    if (reads) layers.insert(layer.index);
    if (reads || faulty.count(layer.index))
      spoilt.insert(layer.outputs.begin(), layer.outputs.end());
  }
  return layers;
}

}  // namespace

Result<std::optional<layers::Analysis>> examine_layers(const Study& study, bool outputs_off,
                                                       const Control& control) {
  const Case& known = study.known;
  if (study.agreement.exact) return std::optional<layers::Analysis>{};
  Hosts hosts = hosts_of(known);
  if (!hosts.missing.empty()) {
    layers::Analysis skipped;
    skipped.skipped = hosts.missing;
    return std::optional(std::move(skipped));
  }
  layers::Deployment deployment;
  deployment.target = known.target;
  deployment.reference = known.reference_pipeline;
  deployment.target_model = known.target_model;
  deployment.host = hosts.target;
  deployment.reference_host = hosts.reference;
  deployment.outputs_off = outputs_off;
  deployment.target_ran_here = known.target_ran_here && !known.exhaustive;
  deployment.mapping = mapping_of(known);
  auto analysis = layers::analyse(deployment, control);
  if (!analysis) return std::move(analysis.error()).during("layers");
  analysis->deployment = deployment;
  analysis->opened = {std::move(hosts.opened_target), std::move(hosts.opened_reference)};
  return std::optional<layers::Analysis>(*std::move(analysis));
}

bool is_only_rounding(const layers::Analysis& analysis) {
  const bool checked =
      std::any_of(analysis.rows.begin(), analysis.rows.end(),
                  [](const layers::Row& row) { return row.kernel_error.has_value(); });
  return analysis.same_model && checked && analysis.not_checked.empty() &&
         analysis.kernels.empty() && analysis.reference_checked &&
         analysis.reference_kernels.empty();
}

LayerFaultSummary summary_of(const Case& known, const layers::Analysis& analysis) {
  LayerFaultSummary summary;
  summary.frames = analysis.frames;
  summary.logit_nrmse = analysis.logit_nrmse;
  summary.of_answers = analysis.of_answers;
  summary.skipped = analysis.skipped;
  summary.poorly_paired = analysis.poorly_paired;
  for (const layers::Unchecked& unchecked : analysis.not_checked) {
    const model::Graph& graph = known.target_model->graph;
    summary.not_checked.push_back({unchecked.layer, layers::output_name(graph, unchecked.layer),
                                   graph.layers[at(unchecked.layer)].type, unchecked.reason});
  }
  for (const layers::Row& row : analysis.rows) summary.checked += row.kernel_error.has_value();
  summary.operators = analysis.pairing.operators;
  summary.paired = std::min(analysis.pairing.ops.size(), analysis.pairing.operators);
  if (!known.reference_pipeline) return summary;
  const model::Graph& reference = known.reference_pipeline->graph;
  for (const model::NotCaptured& missing : analysis.not_captured) {
    const model::Layer* const layer = model::layer_of(reference, missing.tensor);
    summary.not_captured.push_back({layer ? layer->index : -1,
                                    reference.tensors[at(missing.tensor)].spec.name,
                                    layer ? layer->type : "", missing.reason});
  }
  for (const layers::Row& row : analysis.rows)
    for (const auto& [what, reason] : {std::pair("local_error", &row.measured.no_local),
                                       std::pair("share", &row.measured.no_share),
                                       std::pair("injection", &row.measured.no_single_layer_error)})
      if (!reason->empty())
        summary.not_measured.push_back({row.reference_layer,
                                        layers::output_name(reference, row.reference_layer),
                                        row.type, what, *reason});
  return summary;
}

std::map<std::string, LayerFigures> figures_of(const Case& known,
                                               const layers::Analysis& analysis) {
  std::map<std::string, LayerFigures> by_name;
  if (!known.reference_pipeline) return by_name;
  const model::Graph& reference = known.reference_pipeline->graph;
  const std::set<int> behind = behind_faulty(analysis, reference);
  for (const layers::Row& row : analysis.rows) {
    if (row.reference_layer < 0) continue;
    LayerFigures& figures = by_name[layers::output_name(reference, row.reference_layer)];
    figures.error_gain = row.measured.error_gain;
    figures.share = row.measured.share;
    figures.single_layer_error = row.measured.single_layer_error;
    if (row.measured.local) {
      figures.local_error = row.measured.local->relative;
      if (row.measured.local->error > 0)
        figures.floor =
            row.measured.local->floor * row.measured.local->relative / row.measured.local->error;
    }
    figures.layer_class = class_of(analysis, row);
    if (!figures.layer_class && behind.count(row.reference_layer) &&
        row.nse.value_or(0) > kQuietError)
      figures.layer_class = row.measured.error_gain.value_or(0) > kAmplifies
                                ? LayerClass::kAmplifier
                                : LayerClass::kVictim;
    if (row.kernel_error) {
      figures.kernel_error = row.kernel_error->largest;
      figures.kernel_error_mean = row.kernel_error->mean;
      figures.kernel_error_unit =
          row.kernel_error->integer ? KernelErrorUnit::kLsb : KernelErrorUnit::kRelative;
    }
  }
  return by_name;
}

}  // namespace edgeprobe::diagnose
