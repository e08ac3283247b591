#include "diagnose/culprits.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/text.h"

namespace edgeprobe::diagnose {
namespace {

// On the logits, in standard deviations: 21 healthy runs of 8 real pairs stay below .17, what costs answers lies above .25.
constexpr double kSevereGap = 0.25;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

engine::Engine* host_of(const Case& known) {
  if (known.reference_pipeline) return known.reference_pipeline->engine.get();
  return known.target_model ? known.target_model->engine.get() : nullptr;
}

std::string output_name(const model::Graph& graph, int layer) {
  const auto& outputs = graph.layers[at(layer)].outputs;
  return outputs.empty() || outputs[0] < 0 ? "" : graph.tensors[at(outputs[0])].spec.name;
}

// Layers of the target in the reference's numbers; those without a partner are left out.
std::vector<int> in_reference(const culprit::Analysis& analysis, const std::vector<int>& target_layers) {
  std::vector<int> layers;
  for (const culprit::Row& row : analysis.rows)
    if (row.reference_layer >= 0 && std::count(target_layers.begin(), target_layers.end(), row.target_layer))
      layers.push_back(row.reference_layer);
  std::sort(layers.begin(), layers.end());
  layers.erase(std::unique(layers.begin(), layers.end()), layers.end());
  return layers;
}

const culprit::Residue* residue_of(const culprit::Analysis& analysis, int target_layer) {
  for (const culprit::Row& row : analysis.rows)
    if (row.target_layer == target_layer && row.residue) return &*row.residue;
  return nullptr;
}

std::string layers_text(const std::vector<int>& layers) {
  std::string text = layers.size() == 1 ? "layer " : "layers ";
  const std::size_t shown = std::min<std::size_t>(layers.size(), 8);
  for (std::size_t i = 0; i < shown; ++i) text += (i ? ", " : "") + std::to_string(layers[i]);
  return layers.size() > shown ? text + " and " + std::to_string(layers.size() - shown) + " more" : text;
}

std::string residue_text(const culprit::Residue& residue) {
  if (residue.not_finite > 0) return std::to_string(residue.not_finite) + " values are NaN or infinite on one side only";
  if (!residue.integer)
    return "its output is off by up to " + number(residue.largest, 3) + " of its RMS on the very inputs that the target recorded, where healthy kernels stay below 0.0001";
  std::string text = "its output is off by up to " + number(residue.largest, 3) + " steps (" + percent(residue.differing) +
                     " of the values differ) on the very inputs that the target recorded, where healthy kernels stay within 1";
  if (residue.largest <= 1)
    text = "its output is off by " + number(residue.mean, 2) + " steps on average on the very inputs that the target recorded, where healthy kernels stay below 0.25";
  return text;
}

Cause kernel_cause(const Case& known, const culprit::Analysis& analysis, const culprit::KernelFault& fault) {
  const model::Graph& target = known.target_model->graph;
  Cause cause;
  cause.kind = "kernel";
  cause.stage = "model";
  cause.op_type = fault.type;
  cause.scope = fault.whole_type ? "type" : "op";
  cause.layers = in_reference(analysis, fault.layers);
  const int first = fault.layers.front();
  cause.layer = !cause.layers.empty() && known.reference_pipeline ? output_name(known.reference_pipeline->graph, cause.layers.front())
                                                                 : output_name(target, first);
  const std::string some = std::to_string(fault.layers.size()) + " of " + std::to_string(fault.checked);
  cause.detail = fault.whole_type ? "the target's " + fault.type + " kernel miscomputes: " + some + " layers of that type differ from the same operator on the host, given the same inputs"
                                  : "the target miscomputes " + fault.type + " in " + layers_text(fault.layers) + " ('" +
                                        printable(output_name(target, first), 60) + "'" + (fault.layers.size() > 1 ? " first" : "") +
                                        "), given the same inputs";
  const culprit::Residue* worst = nullptr;
  for (const int layer : fault.layers) {
    const culprit::Residue* residue = residue_of(analysis, layer);
    if (residue && (!worst || residue->largest > worst->largest)) worst = residue;
  }
  if (worst)
    cause.evidence.push_back((fault.layers.size() > 1 ? "replayed alone on the host's built-in kernels, the worst of them is layer " + std::to_string(worst->layer) + ": "
                                                      : "replayed alone on the host's built-in kernels, ") + residue_text(*worst));
  if (fault.checked > fault.layers.size())
    cause.evidence.push_back(std::to_string(fault.checked - fault.layers.size()) + " other " + fault.type + " layers are right on their own inputs");
  return cause;
}

}  // namespace

Result<std::optional<culprit::Analysis>> examine_layers(const Study& study) {
  const Case& known = study.known;
  if (study.agreement.exact) return std::optional<culprit::Analysis>{};
  culprit::Subject subject;
  subject.target = known.target;
  subject.reference = known.reference_pipeline;
  subject.target_model = known.target_model;
  subject.host = host_of(known);
  subject.control = {known.control.stop, known.control.progress};
  auto analysis = culprit::analyse(subject);
  if (!analysis) return std::move(analysis.error()).during("layers");
  return std::optional<culprit::Analysis>(*std::move(analysis));
}

std::vector<Cause> model_causes(const Case& known, const culprit::Analysis& analysis, bool severe) {
  std::vector<Cause> causes;
  const bool matters = severe || (analysis.gap && *analysis.gap > kSevereGap);
  for (const culprit::KernelFault& fault : analysis.kernels) {
    Cause cause = kernel_cause(known, analysis, fault);
    cause.status = matters ? Status::kConfirmed : Status::kNote;
    if (analysis.gap)
      cause.evidence.push_back("on the same model input the logits lie " + number(*analysis.gap, 3) + " of their standard deviation from the reference's" +
                               (matters ? "" : ", below the limit of " + number(kSevereGap, 2)));
    causes.push_back(std::move(cause));
  }
  return causes;
}

void add_culprits(const Case& known, const culprit::Analysis& analysis, Verdict& verdict) {
  CulpritSummary summary;
  summary.frames = analysis.frames;
  summary.gap = analysis.gap;
  summary.skipped = analysis.skipped;
  for (const culprit::Unchecked& unchecked : analysis.not_checked) {
    const model::Graph& graph = known.target_model->graph;
    summary.not_checked.push_back({unchecked.layer, output_name(graph, unchecked.layer), graph.layers[at(unchecked.layer)].type, unchecked.reason});
  }
  std::map<std::string, LayerDrift*> by_name;
  for (LayerDrift& drift : verdict.layers) by_name.emplace(drift.name, &drift);
  for (const culprit::Row& row : analysis.rows) {
    summary.checked += row.residue.has_value();
    if (row.reference_layer < 0 || !known.reference_pipeline) continue;
    const auto found = by_name.find(output_name(known.reference_pipeline->graph, row.reference_layer));
    if (found == by_name.end()) continue;
    LayerDrift& drift = *found->second;
    drift.jump = row.measured.jump;
    if (row.residue) {
      drift.residue = row.residue->largest;
      drift.residue_mean = row.residue->mean;
      drift.residue_unit = row.residue->integer ? "lsb" : "relative";
      if (row.residue->faulty) drift.culprit_class = "faulty";
    }
  }
  verdict.culprits = std::move(summary);
}

Result<Answers> on_host_kernels(const Study& study, const InputEvidence& input, const std::vector<std::uint32_t>& frames,
                                const std::vector<std::size_t>& which) {
  const Case& known = study.known;
  pipeline::Pipeline host;
  host.graph = known.target_model->graph;
  engine::SessionOptions options;
  options.kernels = engine::Kernels::kBuiltin;
  options.input_shapes = known.target_model->spec.session.input_shapes;
  auto session = host_of(known)->load(known.target_model->file, "target's model on the host's kernels", options);
  if (!session) return std::move(session.error());
  host.session = *std::move(session);
  const bool mended = input.diagnosis && input.diagnosis->status == InputDiagnosis::Status::kFound && !input.diagnosis->faults.empty();
  const std::string title = "frames of the target's model on the host's kernels";
  if (mended) return replayed(host, input.diagnosis->faults.back().without_it, *known.raw, which, known.control, title);
  return replayed_inputs(*host.session, *known.target, frames, known.control, title);
}

}  // namespace edgeprobe::diagnose
