// SPDX-License-Identifier: Apache-2.0
#include "diagnose/layer_analysis.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "compare/align/op_kind.h"
#include "core/index.h"
#include "core/text.h"
#include "diagnose/layer_causes.h"
#include "engine/kinds.h"
#include "model/format.h"

namespace edgeprobe::diagnose {
namespace {

// Nearer than this to the reference, and not more off than the layers before it: a layer of which
// nothing is to be said.
constexpr double kQuietError = 1e-3, kAmplifies = 4;

engine::Engine* host_of(const Case& known) {
  if (known.reference_pipeline) return known.reference_pipeline->engine.get();
  return known.target_model ? known.target_model->engine.get() : nullptr;
}

// Whether operators compute in integers by themselves. A QuantizeLinear behind an operator on real
// numbers says how to round.
bool computes_in_codes(const model::Graph& graph) {
  return std::any_of(graph.layers.begin(), graph.layers.end(), [&](const model::Layer& layer) {
    return !compare::is_conversion(layer.type) &&
           std::any_of(layer.outputs.begin(), layer.outputs.end(), [&](int tensor) {
             return tensor >= 0 && !graph.tensors[at(tensor)].spec.quantization.empty();
           });
  });
}

// Single layers of both files run in one host engine. Integer ones are judged by the format's own
// rounding.
std::string not_replayable(const Case& known) {
  const engine::Engine* const host = host_of(known);
  const engine::EngineKind* const kind = host ? engine::find_kind(host->identity().kind) : nullptr;
  constexpr const char* kCompared = ", so layers are compared and not judged";
  if (host && !(kind && kind->can(engine::Capability::kLayerReplay)))
    return "layers are replayed one by one by " +
           engine::listed(engine::engine_names(engine::Capability::kLayerReplay)) + ", not by " +
           host->identity().kind + kCompared;
  for (const pipeline::Pipeline* side : {known.reference_pipeline, known.target_model}) {
    if (!side) continue;
    const std::string file = "'" + sanitized(side->spec.model.filename().string(), 120) + "'";
    if (kind && !kind->opens(side->graph.format))
      return file + " is of format " + side->graph.format + ", which " + kind->name +
             " does not read" + kCompared;
    if (!model::prescribes_rounding(side->graph) && computes_in_codes(side->graph))
      return file + " computes in integers, and the format " + side->graph.format +
             " does not say how they are rounded" + kCompared;
  }
  return "";
}

// What a layer is by itself; nothing when nothing stands out.
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

// Layers of the reference that read, directly or not, what a faulty one makes.
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

layers::Deployment deployment_of(const Case& known) {
  layers::Deployment deployment;
  deployment.target = known.target;
  deployment.reference = known.reference_pipeline;
  deployment.target_model = known.target_model;
  deployment.host = host_of(known);
  return deployment;
}

Result<std::optional<layers::Analysis>> examine_layers(const Study& study, const Control& control) {
  const Case& known = study.known;
  if (study.agreement.exact) return std::optional<layers::Analysis>{};
  if (const std::string why = not_replayable(known); !why.empty()) {
    layers::Analysis skipped;
    skipped.skipped = why;
    return std::optional(std::move(skipped));
  }
  auto analysis = layers::analyse(deployment_of(known), control);
  if (!analysis) return std::move(analysis.error()).during("layers");
  return std::optional<layers::Analysis>(*std::move(analysis));
}

bool is_only_rounding(const layers::Analysis& analysis) {
  const bool checked =
      std::any_of(analysis.rows.begin(), analysis.rows.end(),
                  [](const layers::Row& row) { return row.kernel_error.has_value(); });
  return analysis.same_model && checked && analysis.not_checked.empty() && analysis.kernels.empty();
}

LayerFaultSummary summary_of(const Case& known, const layers::Analysis& analysis) {
  LayerFaultSummary summary;
  summary.frames = analysis.frames;
  summary.logit_nrmse = analysis.logit_nrmse;
  summary.of_answers = analysis.of_answers;
  summary.skipped = analysis.skipped;
  for (const layers::Unchecked& unchecked : analysis.not_checked) {
    const model::Graph& graph = known.target_model->graph;
    summary.not_checked.push_back({unchecked.layer, layers::output_name(graph, unchecked.layer),
                                   graph.layers[at(unchecked.layer)].type, unchecked.reason});
  }
  for (const layers::Row& row : analysis.rows) summary.checked += row.kernel_error.has_value();
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
