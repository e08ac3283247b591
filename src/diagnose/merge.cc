// SPDX-License-Identifier: Apache-2.0
#include "diagnose/merge.h"

#include <algorithm>
#include <iterator>

#include "compare/recording.h"
#include "diagnose/codes_cause.h"
#include "diagnose/examination/causes.h"
#include "diagnose/examination/decide.h"
#include "diagnose/layer_causes/analysis.h"
#include "diagnose/logged_order.h"

namespace edgeprobe::diagnose {
namespace {

template <class T>
void append(std::vector<T>& all, std::vector<T>& more) {
  std::move(more.begin(), more.end(), std::back_inserter(all));
}

void take_measurements(Findings& found, Verdict& verdict) {
  append(verdict.layers, found.layers);
  if (found.first_layer) verdict.first_layer = std::move(found.first_layer);
  if (found.layer_faults) verdict.layer_faults = std::move(found.layer_faults);
  if (found.coverage) verdict.coverage = *std::move(found.coverage);
  if (found.scalars) verdict.scalars = std::move(found.scalars);
  if (found.answers) verdict.answers = std::move(found.answers);
}

// A duplicate name refers to the first layer.
void take_figures(const std::map<std::string, LayerFigures>& figures,
                  std::vector<LayerDrift>& layers) {
  for (const auto& [name, of_layer] : figures) {
    const auto layer =
        std::find_if(layers.begin(), layers.end(),
                     [&, &name = name](const LayerDrift& l) { return l.name == name; });
    if (layer != layers.end()) static_cast<LayerFigures&>(*layer) = of_layer;
  }
}

// Repairs inside the model include those before it: the last one has every fix.
void take_replays(std::vector<Findings>& findings, Replays& replays) {
  for (Findings& found : findings) {
    if (found.repaired_input) {
      replays.after.push_back(*std::move(found.repaired_input));
      replays.fixed = replays.after.back();
    }
  }
  for (const Findings& found : findings)
    if (found.repaired_layers) replays.fixed = replays.repaired_steps[*found.repaired_layers];
}

// The stage at which the difference arises is more informative than the search's nearest guess.
void drop_guesses(std::vector<Cause>& causes) {
  const auto is_stage = [](const Cause& c) {
    return c.kind == CauseKind::kPipelineStage || c.kind == CauseKind::kInputOrder;
  };
  if (std::none_of(causes.begin(), causes.end(), is_stage)) return;
  std::erase_if(causes, [&](const Cause& c) {
    return c.stage == CauseStage::kPreprocessing && c.status == CauseStatus::kPartial &&
           !is_stage(c);
  });
}

// A precision that explains all recorded layers also explains oddities that the layer analysis
// found.
void drop_explained_layers(std::vector<Cause>& causes, bool explained) {
  if (explained)
    std::erase_if(causes, [](const Cause& c) {
      return c.kind == CauseKind::kKernel && c.status == CauseStatus::kNote;
    });
  if (std::none_of(causes.begin(), causes.end(), [](const Cause& c) {
        return c.kind == CauseKind::kPrecision && c.status == CauseStatus::kConfirmed;
      }))
    return;
  std::erase_if(causes, [](const Cause& c) {
    return c.stage == CauseStage::kModel &&
           (c.kind == CauseKind::kKernel || c.kind == CauseKind::kUnknown);
  });
}

// Kernel faults whose layers are all explained by one less precise arithmetic get its name.
// Replacing them by host kernels restores the outputs, which is the replay of this cause.
void name_by_arithmetic(const std::vector<Findings>& findings, std::vector<Cause>& causes) {
  const auto told = std::find_if(findings.begin(), findings.end(),
                                 [](const Findings& f) { return f.less_precise.has_value(); });
  if (told == findings.end()) return;
  const std::set<int>& unexplained = told->less_precise->unexplained;
  const auto is_explained = [&](const Cause& c) {
    return c.kind == CauseKind::kKernel && c.status == CauseStatus::kConfirmed &&
           std::none_of(c.layers.begin(), c.layers.end(),
                        [&](int layer) { return unexplained.count(layer) > 0; });
  };
  const auto first = std::find_if(causes.begin(), causes.end(), is_explained);
  if (first == causes.end()) return;
  Cause named = told->less_precise->cause;
  named.status = first->status;
  named.repaired_by = first->repaired_by;
  named.explained_variance = first->explained_variance;
  named.restored_unavailable = first->restored_unavailable;
  std::move(first->evidence.begin(), first->evidence.end(), std::back_inserter(named.evidence));
  *first = std::move(named);
  std::erase_if(causes, is_explained);
}

bool has_evidence(const Cause& cause, EvidenceKind kind) {
  return std::any_of(cause.evidence.begin(), cause.evidence.end(),
                     [kind](const Evidence& one) { return one.kind == kind; });
}

// Keeps one description of a fault that the recorded layers locate and the outputs show as well:
// the place inside the model, or for the last operators what their output is.
void keep_one_description(std::vector<Cause>& causes) {
  const auto is_located = [](const Cause& cause) {
    return has_evidence(cause, EvidenceKind::kSegmentAlone);
  };
  const auto located = std::find_if(causes.begin(), causes.end(), is_located);
  if (located == causes.end()) return;
  const auto of_outputs = [&](const Cause& cause) {
    return !is_located(cause) && cause.stage == CauseStage::kModel &&
           (cause.kind == CauseKind::kValueRange || cause.kind == CauseKind::kUnknown);
  };
  const bool is_inside = has_evidence(*located, EvidenceKind::kRestRestored);
  const bool outputs_say_more = std::any_of(causes.begin(), causes.end(), [&](const Cause& cause) {
    return of_outputs(cause) && cause.status == CauseStatus::kConfirmed;
  });
  if (is_inside || !outputs_say_more) std::erase_if(causes, of_outputs);
  else causes.erase(located);
}

void add_evidence(std::vector<Findings>& findings, std::vector<Cause>& causes) {
  const auto first = std::find_if(causes.begin(), causes.end(), [](const Cause& c) {
    return c.stage == CauseStage::kPreprocessing && c.status == CauseStatus::kConfirmed;
  });
  if (first == causes.end()) return;
  for (Findings& found : findings) append(first->evidence, found.of_input_cause);
}

Effect measured_effect(const Examination& examined, const Verdict& verdict) {
  Effect effect =
      effect_of(examined.study, examined.input, examined.replays, verdict.task, examined.floor);
  if (examined.is_exchanged() && !effect.moved) {
    effect.rest = examined.exchanged->rest;
    effect.moved = effect.gap;
  }
  effect.answers_differ = verdict.answers && verdict.answers->unlike > 0;
  if (!verdict.answer_agreement) effect.answers_agree_by.reset();
  effect.only_rounding = examined.layers && is_only_rounding(*examined.layers);
  const Case& known = examined.study.known;
  if (!effect.gap) effect.uncompared = compare::why_uncompared(*known.reference, *known.target);
  return effect;
}

}  // namespace

Verdict merge(Examination examined, std::vector<Findings> findings) {
  Verdict verdict;
  for (Findings& found : findings) {
    append(verdict.causes, found.causes);
    append(verdict.warnings, found.warnings);
    take_measurements(found, verdict);
  }
  for (const Findings& found : findings) take_figures(found.layer_figures, verdict.layers);
  take_replays(findings, examined.replays);
  drop_guesses(verdict.causes);
  keep_one_description(verdict.causes);
  drop_explained_layers(verdict.causes,
                        std::any_of(findings.begin(), findings.end(), [](const Findings& f) {
                          return f.less_precise && f.less_precise->explains_layers();
                        }));
  name_by_arithmetic(findings, verdict.causes);
  judge_by_codes(examined, verdict.causes);
  add_evidence(findings, verdict.causes);
  add_restored(verdict.causes, examined.study, examined.replays);
  verdict.task = task_result(examined.study, examined.replays);
  if (!verdict.answers || !verdict.answers->has_wrong_names)
    verdict.answer_agreement = examined.study.agreement.answers;
  verdict.output_distance_kind = name(examined.study.agreement.output_distance_kind);
  const std::string wrong_log = doubt_logged_order(verdict);
  decide(verdict, measured_effect(examined, verdict), examined.input, examined.study.known.gate);
  if (!wrong_log.empty()) {
    verdict.outcome = Outcome::kUndecided;
    verdict.headline = {HeadlineKind::kNotEnough};
    verdict.would_decide = {{HintKind::kMakeComparable, {{"why", wrong_log}}}};
  }
  for (Findings& found : findings) append(verdict.warnings, found.closing_warnings);
  if (const task::UserMetric* metric = examined.study.known.metric; metric && metric->failure())
    verdict.warnings.push_back(metric->failure()->what +
                               "; what the causes restore by it is not known");
  return verdict;
}

}  // namespace edgeprobe::diagnose
