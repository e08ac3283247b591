// SPDX-License-Identifier: Apache-2.0
#include "diagnose/culprits.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/text.h"
#include "diagnose/layer_causes.h"
#include "engine/kinds.h"
#include "model/format.h"

namespace edgeprobe::diagnose {
namespace {

// A repair counts as such when at most this share of the outputs' distance is left.
constexpr double kBroughtBack = 0.7;
// And nothing was brought back when more than this is left: what the logits show then does not
// reach the outputs.
constexpr double kNothing = 0.98;
using culprit::kSevereGap;
// Nearer than this to the reference, and not more off than the layers before it: a layer of which
// nothing is to be said.
constexpr double kQuietError = 1e-3, kAmplifies = 4;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

engine::Engine* host_of(const Case& known) {
  if (known.reference_pipeline) return known.reference_pipeline->engine.get();
  return known.target_model ? known.target_model->engine.get() : nullptr;
}

culprit::Subject subject_of(const Case& known) {
  culprit::Subject subject;
  subject.target = known.target;
  subject.reference = known.reference_pipeline;
  subject.target_model = known.target_model;
  subject.host = host_of(known);
  return subject;
}

// Single layers are cut out of .tflite files and judged by TFLite's own rounding.
std::string not_replayable(const Case& known) {
  for (const pipeline::Pipeline* side : {known.reference_pipeline, known.target_model})
    if (side && !model::prescribes_rounding(side->graph))
      return "layers are replayed one by one for .tflite models; '" +
             printable(side->spec.model.filename().string(), 120) + "' is of format " +
             side->graph.format + ", so its layers are compared and not judged";
  const engine::Engine* const host = host_of(known);
  const engine::EngineKind* const kind = host ? engine::find_kind(host->identity().kind) : nullptr;
  if (host && !(kind && kind->can(engine::Capability::kLayerReplay)))
    return "layers are replayed one by one by " +
           engine::listed(engine::engine_names(engine::Capability::kLayerReplay)) + ", not by " +
           host->identity().kind + ", so they are compared and not judged";
  return "";
}

// What a layer is by itself; nothing when nothing stands out.
std::optional<LayerClass> class_of(const culprit::Analysis& analysis, const culprit::Row& row) {
  if (row.residue && row.residue->faulty) return LayerClass::kFaulty;
  for (const culprit::Finding& finding : analysis.findings)
    if (&analysis.rows[finding.pair] == &row &&
        finding.suspicion != culprit::Suspicion::kUnexplained)
      return finding.restores && finding.before > kSevereGap ? LayerClass::kFaulty
                                                             : LayerClass::kBenign;
  return std::nullopt;
}

// Layers of the reference that read, directly or not, what a faulty one makes.
std::set<int> behind_faulty(const culprit::Analysis& analysis, const model::Graph& reference) {
  std::set<int> spoilt, layers, faulty;
  for (const culprit::Row& row : analysis.rows)
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

Result<std::optional<culprit::Analysis>> examine_layers(const Study& study,
                                                        const Control& control) {
  const Case& known = study.known;
  if (study.agreement.exact) return std::optional<culprit::Analysis>{};
  if (const std::string why = not_replayable(known); !why.empty()) {
    culprit::Analysis skipped;
    skipped.skipped = why;
    return std::optional(std::move(skipped));
  }
  auto analysis = culprit::analyse(subject_of(known), control);
  if (!analysis) return std::move(analysis.error()).during("layers");
  return std::optional<culprit::Analysis>(*std::move(analysis));
}

bool is_only_rounding(const culprit::Analysis& analysis) {
  const bool checked = std::any_of(analysis.rows.begin(), analysis.rows.end(),
                                   [](const culprit::Row& row) { return row.residue.has_value(); });
  return analysis.same_model && checked && analysis.not_checked.empty() && analysis.kernels.empty();
}

CulpritSummary summary_of(const Case& known, const culprit::Analysis& analysis) {
  CulpritSummary summary;
  summary.frames = analysis.frames;
  summary.gap = analysis.gap;
  summary.skipped = analysis.skipped;
  for (const culprit::Unchecked& unchecked : analysis.not_checked) {
    const model::Graph& graph = known.target_model->graph;
    summary.not_checked.push_back({unchecked.layer, output_name(graph, unchecked.layer),
                                   graph.layers[at(unchecked.layer)].type, unchecked.reason});
  }
  for (const culprit::Row& row : analysis.rows) summary.checked += row.residue.has_value();
  return summary;
}

std::map<std::string, LayerFigures> figures_of(const Case& known,
                                               const culprit::Analysis& analysis) {
  std::map<std::string, LayerFigures> by_name;
  if (!known.reference_pipeline) return by_name;
  const model::Graph& reference = known.reference_pipeline->graph;
  const std::set<int> behind = behind_faulty(analysis, reference);
  for (const culprit::Row& row : analysis.rows) {
    if (row.reference_layer < 0) continue;
    LayerFigures& figures = by_name[output_name(reference, row.reference_layer)];
    figures.jump = row.measured.jump;
    figures.share = row.measured.share;
    figures.injection = row.measured.injection;
    if (row.measured.local) {
      figures.local_error = row.measured.local->relative;
      if (row.measured.local->error > 0)
        figures.floor =
            row.measured.local->floor * row.measured.local->relative / row.measured.local->error;
    }
    figures.culprit_class = class_of(analysis, row);
    if (!figures.culprit_class && behind.count(row.reference_layer) &&
        row.nse.value_or(0) > kQuietError)
      figures.culprit_class =
          row.measured.jump.value_or(0) > kAmplifies ? LayerClass::kAmplifier : LayerClass::kVictim;
    if (row.residue) {
      figures.residue = row.residue->largest;
      figures.residue_mean = row.residue->mean;
      figures.residue_unit = row.residue->integer ? ResidueUnit::kLsb : ResidueUnit::kRelative;
    }
  }
  return by_name;
}

Result<std::vector<Answers>> mended_answers(const Study& study, const InputEvidence& input,
                                            const culprit::Analysis& analysis,
                                            const std::vector<std::uint32_t>& frames,
                                            const std::vector<std::size_t>& which,
                                            const Control& control) {
  const Case& known = study.known;
  culprit::Bench bench = culprit::bench_of(subject_of(known));
  const auto& resized = known.target_model->spec.session.input_shapes;
  for (const int tensor : known.target_model->graph.inputs)
    if (const auto shape = resized.find(known.target_model->graph.tensors[at(tensor)].spec.name);
        shape != resized.end())
      bench.shapes[tensor] = shape->second;
  std::vector<std::vector<culprit::Repair>> steps;
  if (!analysis.kernels.empty()) steps.emplace_back();
  std::vector<culprit::Repair> repairs;
  for (const culprit::Finding& finding : analysis.findings)
    if (finding.restores && !finding.repairs.empty()) {
      repairs.insert(repairs.end(), finding.repairs.begin(), finding.repairs.end());
      steps.push_back(repairs);
    }
  const bool without_faults = input.diagnosis &&
                              input.diagnosis->status == InputDiagnosis::Status::kFound &&
                              !input.diagnosis->faults.empty() && !input.diagnosis->as_recorded;
  std::vector<Answers> answers;
  for (const auto& step : steps) {
    auto session = culprit::Mended::open(bench, step, {});
    if (!session) return std::move(session.error());
    pipeline::Pipeline mended;
    mended.graph = known.target_model->graph;
    mended.session = *std::move(session);
    const std::string title =
        step.empty() ? "frames of the target's model on the host's kernels"
                     : "frames of the target's model with " + std::to_string(step.size()) +
                           (step.size() == 1 ? " layer" : " layers") + " repaired";
    auto one = without_faults
                   ? replayed(mended, input.diagnosis->faults.back().without_it, *known.raw, which,
                              title, control)
                   : replayed_inputs(*mended.session, *known.target, frames, title, control);
    if (!one) return std::move(one.error());
    answers.push_back(*std::move(one));
  }
  return answers;
}

std::optional<std::size_t> judge_by_repair(std::vector<Cause>& causes, const Study& study,
                                           const Replays& replays, double floor) {
  const compare::OutputDistance kind = study.agreement.output_distance_kind;
  const bool fed_right = replays.after.empty();
  const Answers& reference = fed_right && replays.same_input && !replays.same_input->outputs.empty()
                                 ? *replays.same_input
                                 : replays.reference;
  const auto left = [&](const Answers& answers) { return mean_distance(kind, reference, answers); };
  int last = -1;
  for (Cause& cause : causes) {
    if (cause.mended_by < 0 || at(cause.mended_by) >= replays.mended_steps.size()) continue;
    const Answers& without = cause.mended_by > 0 ? replays.mended_steps[at(cause.mended_by - 1)]
                             : fed_right         ? replays.target
                                                 : replays.after.back();
    const Answers& with = replays.mended_steps[at(cause.mended_by)];
    const auto before = left(without), after = left(with);
    const auto broken = broken_frames(reference, without);
    if (cause.status == CauseStatus::kNote && broken > 0 && broken_frames(reference, with) == 0) {
      cause.status = CauseStatus::kConfirmed;
      cause.evidence.push_back({EvidenceKind::kRepairFinite, {{"frames", broken}}});
    } else if (cause.status == CauseStatus::kNote && before && after && *before > floor &&
               *after <= kBroughtBack * *before) {
      cause.status = CauseStatus::kConfirmed;
      cause.evidence.push_back(
          {EvidenceKind::kRepairRestores,
           {{"before", *before}, {"after", *after}, {"floor", floor}, {"kind", name(kind)}}});
    }
    const auto right = [&](const Answers& answers) {
      return scored(answers, study.annotations, study.task).mean().value_or(0);
    };
    if (cause.status == CauseStatus::kConfirmed && broken == 0 && before && after && *before > 0 &&
        *after > kNothing * *before && right(with) <= right(without)) {
      cause.status = CauseStatus::kNote;
      cause.evidence.push_back({EvidenceKind::kRepairWithoutEffect,
                                {{"before", *before}, {"after", *after}, {"kind", name(kind)}}});
    }
    if (cause.status == CauseStatus::kConfirmed) last = std::max(last, cause.mended_by);
  }
  return last >= 0 ? std::optional(at(last)) : std::nullopt;
}

}  // namespace edgeprobe::diagnose
