// SPDX-License-Identifier: Apache-2.0
#include "layers/analysis.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>

#include "core/codes.h"
#include "core/evenly_spaced.h"
#include "core/index.h"
#include "engine/kinds.h"
#include "layers/recorded_frames.h"
#include "layers/replay/accumulate.h"
#include "layers/replay/batches.h"
#include "layers/search/finding.h"
#include "layers/sides.h"
#include "model/dynamic_quantization.h"
#include "model/graph.h"
#include "model/qdq.h"
#include "pipeline/capture.h"
#include "pipeline/carry.h"
#include "pipeline/inputs/feed.h"
#include "pipeline/inputs/recorded_inputs.h"

namespace edgeprobe::layers {
namespace {

constexpr double kSameLogits = 1e-3;

std::vector<std::uint32_t> some_of(const std::vector<std::uint32_t>& frames, std::size_t most) {
  std::vector<std::uint32_t> some;
  for (const std::size_t i : evenly_spaced(frames.size(), most)) some.push_back(frames[i]);
  return some;
}

// Those of `frames` with as many tensors as the fullest one: the last frame of a truncated
// recording lacks some.
std::vector<std::uint32_t> whole_frames(const trace::Reader& reader,
                                        const std::vector<std::uint32_t>& frames) {
  std::vector<std::size_t> held;
  for (const std::uint32_t frame : frames)
    held.push_back(static_cast<std::size_t>(std::count_if(
        reader.channels().begin(), reader.channels().end(), [&](const trace::ReadChannel& channel) {
          return trace::of_model(channel.channel.stage) && holds(reader, frame, channel);
        })));
  std::vector<std::uint32_t> whole;
  for (std::size_t i = 0; i < frames.size(); ++i)
    if (held[i] == *std::max_element(held.begin(), held.end())) whole.push_back(frames[i]);
  return whole;
}

// True for shapes, and for tensors computed only from them and from constants: no input changes
// them.
bool makes_only(const model::Layer& layer, const std::vector<bool>& settled) {
  return !layer.outputs.empty() &&
         std::all_of(layer.outputs.begin(), layer.outputs.end(),
                     [&](int tensor) { return tensor < 0 || settled[at(tensor)]; });
}

// True for a handle, an assignment or an initialisation: there is nothing to compare.
bool makes_no_numbers(const model::Graph& graph, const model::Layer& layer) {
  return std::all_of(layer.outputs.begin(), layer.outputs.end(), [&](int tensor) {
    return tensor < 0 || graph.tensors[at(tensor)].spec.dtype == DType::kOther;
  });
}

// True if the layer computes a model output that was recorded in another run than its inputs
// (pipeline/capture.h).
bool makes_moved_output(const Deployment& deployment, const ModelFile& file, int layer) {
  const auto& metadata = deployment.target->metadata();
  if (!metadata.count(pipeline::kCaptureRecord)) return false;
  const std::vector<int>& ends = file.graph->outputs;
  const std::vector<int> made = model::one_op(*file.graph, layer).outputs;
  return std::any_of(made.begin(), made.end(), [&](int tensor) {
    return std::find(ends.begin(), ends.end(), tensor) != ends.end();
  });
}

/// `moved`: returns true if a layer was recorded in another run than its inputs.
Result<std::vector<KernelError>> all_residues(const ModelFile& file, const Host& host,
                                              const Values& target,
                                              const std::function<bool(int)>& moved,
                                              const Control& control) {
  std::vector<KernelError> kernel_errors;
  std::vector<int> playable;
  const std::vector<bool> of_another = model::parts_of_operators(*file.graph),
                          settled = model::settled_tensors(*file.graph);
  for (std::size_t l = 0; l < file.graph->layers.size(); ++l) {
    if (of_another[l] || makes_only(file.graph->layers[l], settled) ||
        makes_no_numbers(*file.graph, file.graph->layers[l]))
      continue;
    const int layer = static_cast<int>(l);
    std::string not_checked = moved(layer)
                                  ? "capturing layers changed this output of the model, so that "
                                    "its recorded inputs are of another run"
                                  : unplayable(file, layer, target);
    if (not_checked.empty()) {
      playable.push_back(layer);
      continue;
    }
    kernel_errors.emplace_back();
    kernel_errors.back().layer = layer;
    kernel_errors.back().not_checked = std::move(not_checked);
  }
  EP_TRY(auto replayed, kernel_errors_of(host, file, playable, target, control));
  std::move(replayed.begin(), replayed.end(), std::back_inserter(kernel_errors));
  std::sort(kernel_errors.begin(), kernel_errors.end(),
            [](const KernelError& a, const KernelError& b) { return a.layer < b.layer; });
  return kernel_errors;
}

// Frames in which a state is reset, as in every replay: the first frame, and those that begin a
// sequence.
std::vector<std::uint32_t> at_the_beginning(const trace::Reader& reader) {
  const pipeline::RecordedInputs recorded(reader);
  std::vector<std::uint32_t> frames;
  for (const std::uint32_t frame : reader.frames())
    if (frames.empty() || recorded.begins_sequence(frame)) frames.push_back(frame);
  return frames;
}

bool keeps_state(const Deployment& deployment) {
  return (deployment.reference && pipeline::keeps_state(*deployment.reference)) ||
         (deployment.target_model && pipeline::keeps_state(*deployment.target_model));
}

bool computes_in_integers(const Values& target, const Pairing& pairing) {
  return std::any_of(pairing.ops.begin(), pairing.ops.end(), [&](const OpPair& pair) {
    const TensorSpec* spec = target.find(pair.target);
    return spec && holds_codes(*spec);
  });
}

// True if the sides differ only after the logits: they are then judged by the answers.
bool is_behind_logits(const Accumulated& accumulated, const std::vector<int>& logits,
                      const std::vector<int>& answers, const GapLimits& limits) {
  const auto nrmse = [&](const std::vector<int>& tensors) {
    std::vector<Spread> spreads;
    for (const int tensor : tensors)
      if (const auto found = accumulated.logits.find(tensor);
          found != accumulated.logits.end() && found->second.elements() > 0)
        spreads.push_back(found->second);
    return logit_nrmse_of(spreads);
  };
  // Only for real numbers: codes of probabilities are coarse, and their layers are judged
  // separately.
  return limits.severe == kRealLimits.severe && nrmse(logits) <= kSameLogits &&
         nrmse(answers) > limits.severe;
}

// Options to run single layers as in the file: on built-in kernels, without fused or replaced
// operators.
engine::OwnOptions as_written(const engine::Engine* engine) {
  const engine::EngineKind* const kind =
      engine ? engine::find_kind(engine->identity().kind) : nullptr;
  if (kind && kind->can(engine::Capability::kKernelSets))
    return engine::TfliteOptions{engine::Kernels::kBuiltin};
  if (kind && kind->can(engine::Capability::kOptimizationLevels))
    return engine::OnnxRuntimeOptions{engine::Optimization::kOff};
  return {};
}

// A host with the time limits of the engine's pipeline.
Host host_of(const Deployment& deployment, engine::Engine* engine) {
  Host host{engine, {}};
  host.options.own = as_written(engine);
  if (const pipeline::Pipeline* owner =
          deployment.reference ? deployment.reference : deployment.target_model) {
    host.options.load_limit = owner->spec.session.load_limit;
    host.options.invoke_limit = owner->spec.session.invoke_limit;
  }
  return host;
}

// False if the target did not record the logits, or with another size: their logit NRMSE is then
// unknown, not 0.
bool compared(const Accumulated& accumulated) {
  return std::any_of(accumulated.logits.begin(), accumulated.logits.end(),
                     [](const auto& one) { return one.second.elements() > 0; });
}

// Kernel errors: every layer of the target on its own inputs.
Status add_residues(const Deployment& deployment, const Values& recorded,
                    std::map<int, std::size_t>& row_of, Analysis& out, const Control& control) {
  const model::Graph& target = deployment.target_model->graph;
  const ModelFile file{&target, deployment.target_model->file};
  const auto moved = [&](int layer) { return makes_moved_output(deployment, file, layer); };
  EP_TRY(auto kernel_errors,
         all_residues(file, host_of(deployment, deployment.host), recorded, moved, control));
  out.kernels = kernel_faults(target, kernel_errors);
  for (KernelError& kernel_error : kernel_errors) {
    if (!kernel_error.not_checked.empty()) {
      out.not_checked.push_back({kernel_error.layer, kernel_error.not_checked});
      continue;
    }
    const auto [place, fresh] = row_of.emplace(kernel_error.layer, out.rows.size());
    if (fresh) {
      Row row;
      row.target_layer = kernel_error.layer;
      row.type = target.layers[static_cast<std::size_t>(kernel_error.layer)].type;
      out.rows.push_back(std::move(row));
    }
    out.rows[place->second].kernel_error = std::move(kernel_error);
  }
  return {};
}

// If the target's layers explain nothing, the reference's may: its engine may also compute
// something else than its file specifies.
Status judge_reference(const Deployment& deployment, const Values& captured, Analysis& out,
                       const Control& control) {
  engine::Engine* const host =
      deployment.reference_host ? deployment.reference_host : deployment.host;
  const model::Graph& graph = deployment.reference->graph;
  const ModelFile file{&graph, deployment.reference->file};
  EP_TRY(const auto kernel_errors,
         all_residues(
             file, host_of(deployment, host), captured, [](int) { return false; }, control));
  out.reference_kernels = kernel_faults(graph, kernel_errors);
  out.reference_checked =
      !kernel_errors.empty() &&
      std::all_of(kernel_errors.begin(), kernel_errors.end(),
                  [](const KernelError& error) { return error.not_checked.empty(); });
  return {};
}

}  // namespace

Workspace workspace_of(const Deployment& deployment, Pairing pairing, const Values* recorded) {
  ModelFile reference, target;
  if (deployment.reference) reference = {&deployment.reference->graph, deployment.reference->file};
  if (deployment.target_model)
    target = {&deployment.target_model->graph, deployment.target_model->file};
  Workspace workspace = workspace_of(host_of(deployment, deployment.host), reference, target,
                                     std::move(pairing), recorded);
  if (deployment.reference_host)
    workspace.reference_host = host_of(deployment, deployment.reference_host);
  return workspace;
}

Result<Analysis> analyse(const Deployment& deployment, const Control& control) {
  Analysis out;
  const bool has_layers =
      std::any_of(deployment.target->channels().begin(), deployment.target->channels().end(),
                  [](const auto& channel) {
                    return channel.channel.stage == trace::Stage::kLayer && channel.messages > 0;
                  });
  if (!has_layers || (!deployment.reference && !deployment.target_model)) {
    out.skipped = has_layers
                      ? "neither the reference's model nor the target's is available"
                      : "the target's trace contains no layers; record it with --level layers, "
                        "or ask 'edgeprobe bisect' where the engine shows none";
    return out;
  }
  std::size_t most = deployment.most_frames;
  if (deployment.reference) {
    const std::size_t each =
        bytes_of(deployment.reference->graph, model::capturable(deployment.reference->graph));
    most = std::clamp<std::size_t>(deployment.budget / std::max<std::size_t>(1, each), 1, most);
  }
  out.frame_numbers = whole_frames(
      *deployment.target, some_of(keeps_state(deployment) ? at_the_beginning(*deployment.target)
                                                          : frames_with_layers(*deployment.target),
                                  most));
  out.frames = out.frame_numbers.size();
  EP_TRY(auto sides, both_sides(deployment, out.frame_numbers, control));
  out.skipped = sides.unavailable;
  out.not_captured = std::move(sides.missing);
  out.pairing = sides.pairing;

  std::map<int, std::size_t> row_of;  // Row index by the target's layer.
  std::optional<Accumulated> accumulated;
  std::vector<int> logits;
  if (sides.reference) {
    const model::Graph& reference = deployment.reference->graph;
    out.same_model =
        deployment.target_model && deployment.target_model->graph.sha256 == reference.sha256;
    out.limits =
        computes_in_integers(*sides.target, sides.pairing) || rounds_to_codes(reference) ||
                (deployment.target_model && rounds_to_codes(deployment.target_model->graph))
            ? kIntegerLimits
            : kRealLimits;
    logits = logits_of(reference);
    const std::vector<int> answers = answers_of(reference);
    std::vector<int> judged = logits;
    judged.insert(judged.end(), answers.begin(), answers.end());
    EP_TRY(auto sums,
           accumulate(reference, sides.pairing, judged, *sides.reference, *sides.target, control));
    accumulated.emplace(std::move(sums));
    out.of_answers = is_behind_logits(*accumulated, logits, answers, out.limits);
    if (out.of_answers) logits = answers;
    std::erase_if(accumulated->logits, [&](const auto& one) {
      return !std::count(logits.begin(), logits.end(), one.first);
    });
    if (compared(*accumulated)) out.logit_nrmse = logit_nrmse_of(*accumulated);
    else if (out.skipped.empty())
      out.skipped = "the target's trace contains no logits to compare: only kernels were checked";
    for (std::size_t i = 0; i < sides.pairing.ops.size(); ++i) {
      const OpPair& pair = sides.pairing.ops[i];
      Row row;
      row.reference_layer = pair.reference_layer;
      row.target_layer = pair.target_layer;
      row.counterpart = pair.counterpart;
      row.type = reference.layers[static_cast<std::size_t>(pair.reference_layer)].type;
      if (const Spread& drift = accumulated->pairs[i]; drift.elements() > 0) {
        row.nse = drift.nse();
        if (drift.high() > drift.low())
          row.rmse_over_range = std::sqrt(drift.mean_squared()) / (drift.high() - drift.low());
      }
      if (row.target_layer >= 0) row_of[row.target_layer] = out.rows.size();
      out.rows.push_back(std::move(row));
    }
  }
  if (deployment.target_model && deployment.host)
    EP_CHECK(add_residues(deployment, *sides.target, row_of, out, control));
  if (sides.reference && deployment.host && deployment.outputs_off && out.same_model &&
      out.kernels.empty() && out.not_checked.empty())
    EP_CHECK(judge_reference(deployment, *sides.reference, out, control));
  if (!out.logit_nrmse || !deployment.host) return out;
  if (sides.pairing.is_poor()) {
    out.poorly_paired = true;
    out.skipped = "only " + std::to_string(sides.pairing.ops.size()) + " of " +
                  std::to_string(sides.pairing.operators) +
                  " layers have a partner in the other model: none is named as a cause";
    return out;
  }

  const Workspace workspace =
      workspace_of(deployment, std::move(sides.pairing), sides.target.get());
  const double floor = computes_in_integers(*sides.target, workspace.pairing) ||
                               (deployment.target_model &&
                                model::quantises_while_it_runs(deployment.target_model->graph))
                           ? kIntegerGainFloor
                           : kRealGainFloor;
  const SearchInput input{workspace,      logits,           *sides.reference,
                          *sides.target,  *accumulated,     *out.logit_nrmse,
                          floor,          out.limits,       !out.kernels.empty(),
                          out.same_model, deployment.budget};
  EP_TRY(auto found, search(input, control));
  const bool unexplained = std::none_of(found.findings.begin(), found.findings.end(),
                                        [](const Finding& finding) { return finding.restores; });
  if (unexplained && out.kernels.empty() && !out.same_model &&
      *out.logit_nrmse > out.limits.severe) {
    EP_TRY(out.of_reference, fault_of_reference(input, control));
  }
  for (std::size_t i = 0; i < found.pairs.size(); ++i)
    out.rows[i].measured = std::move(found.pairs[i]);
  out.host_logit_nrmse = found.host_logit_nrmse;
  out.findings = std::move(found.findings);
  if (!found.no_host_logit_nrmse.empty())
    out.skipped =
        "the target's model does not run on the host's kernels: " + found.no_host_logit_nrmse;
  return out;
}

}  // namespace edgeprobe::layers
