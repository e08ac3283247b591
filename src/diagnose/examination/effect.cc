// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "compare/decision.h"
#include "compare/recording.h"
#include "core/index.h"
#include "core/text.h"
#include "diagnose/examination/decide.h"
#include "diagnose/replay/quality.h"
#include "layers/pairing/pairing.h"
#include "stats/significance.h"

namespace edgeprobe::diagnose {
namespace {

// Hash of the model file that recorded a trace: the available one, else the declared one; empty if
// both are missing.
std::string model_hash(const pipeline::Pipeline* model, const trace::Reader& reader) {
  return model ? model->graph.sha256 : reader.declared("model_sha256").value_or("");
}

bool holds_codes(const trace::Reader& reader) {
  for (const trace::ReadChannel& channel : reader.channels()) {
    const bool computed = channel.channel.stage == trace::Stage::kModelInput ||
                          channel.channel.stage == trace::Stage::kLayer ||
                          channel.channel.stage == trace::Stage::kModelOutput;
    if (computed && compare::in_codes(channel.channel)) return true;
  }
  return false;
}

bool rounds_to_codes(const pipeline::Pipeline* side) {
  return side && layers::rounds_to_codes(side->graph);
}

bool is_lost(const TaskResult& task) {
  if (!task.p_value) return false;
  return task.lower_is_better ? stats::is_loss(*task.p_value, -*task.target, -*task.reference)
                              : stats::is_loss(*task.p_value, *task.target, *task.reference);
}

// The user's metric on both sides; nothing if there is none.
std::optional<TaskResult> metric_result(const Study& study, const Replays& replays) {
  const auto& metric = study.agreement.metric;
  if (!metric) return std::nullopt;
  TaskResult result;
  result.metric = metric->name;
  result.of_plugin = true;
  result.reference = metric->reference.value;
  result.reference_ci95 = metric->reference.ci95;
  result.target = metric->target.value;
  result.target_ci95 = metric->target.ci95;
  if (metric->difference) result.p_value = metric->p_value;
  result.test = "exchange of answers";
  result.n = metric->frames;
  result.lower_is_better = !metric->higher_is_better;
  if (replays.fixed.outputs.empty()) return result;
  const Quality fixed = quality_of(study, replays.fixed);
  result.fixed = fixed.value;
  result.fixed_ci95 = fixed.ci95;
  return result;
}

// The metric of the answers that the apps recorded on both sides; nothing if either has none.
std::optional<TaskResult> answers_result(const Study& study) {
  const auto& answers = study.agreement.answers;
  if (!answers || !answers->evaluation || !answers->evaluation->difference) return std::nullopt;
  const task::Evaluation& evaluation = *answers->evaluation;
  TaskResult result;
  result.metric = evaluation.task->metric;
  result.reference = evaluation.reference.value;
  result.reference_ci95 = evaluation.reference.ci95;
  result.target = evaluation.target.value;
  result.target_ci95 = evaluation.target.ci95;
  result.p_value = evaluation.p_value;
  result.test = evaluation.test;
  result.n = evaluation.frames;
  result.of_answers = true;
  result.lower_is_better = !evaluation.task->higher_is_better;
  return result;
}

bool searched(const InputEvidence& input) {
  return input.diagnosis && input.diagnosis->status != InputDiagnosis::Status::kUndecidable;
}

// Distance of the recorded model inputs, in 255ths of the reference's range (RMS); 0 if none were
// compared.
double recorded_steps(const Study& study) {
  compare::Moments moments;
  for (const compare::LayerAgreement& layer : study.agreement.layers)
    if (layer.stage == trace::Stage::kModelInput) moments.merge(layer.moments);
  const compare::Distances distances = compare::distances(moments);
  return moments.n == 0 || distances.exact ? 0 : distances.rmse_over_range.value_or(0) * 255;
}

// True if they differ by a gray step or more; for other inputs, by 1/255 of their range.
bool input_visibly_differs(const Study& study, const InputEvidence& input) {
  if (searched(input))
    return input.diagnosis->status != InputDiagnosis::Status::kEqual &&
           input.diagnosis->residual_before >= 1;
  return recorded_steps(study) >= 1;
}

// Output floors are means, in which a few changed answers vanish. A healthy integer model changes
// two of twelve.
constexpr std::uint64_t kLeastChanged = 3;

void count_changed_answers(const Study& study, Effect& effect) {
  if (!answers_are_classes(study)) return;
  const task::Figure& same = study.agreement.task->agreement;
  const auto changed =
      static_cast<std::uint64_t>(std::llround(static_cast<double>(same.n) - same.sum));
  // Uses the limit for real numbers: integers move outputs farther, but may not change more
  // answers.
  if (changed < kLeastChanged ||
      1 - same.mean().value_or(1) <= task::answer_floor(task::kClasses, false, same.n))
    return;
  effect.answers_changed = changed;
  effect.answers_compared = same.n;
}

std::optional<Shape> shape_of(const trace::Reader& reader, trace::Stage stage) {
  for (const trace::ReadChannel& channel : reader.channels())
    if (channel.channel.stage == stage && channel.messages > 0) return channel.channel.spec.shape;
  return std::nullopt;
}

// Batch size of the target if the reference fed one sample and all other axes are equal; else 0.
std::int64_t batch_of(const Shape& target, const Shape& reference) {
  const bool alike = target.size() == reference.size() && target.size() > 1 &&
                     std::equal(target.begin() + 1, target.end(), reference.begin() + 1);
  return alike && reference.front() == 1 ? target.front() : 0;
}

// True if the reference's model allows the shapes that the target recorded at this stage.
bool is_allowed(const model::Graph& graph, const std::vector<int>& ends,
                const trace::Reader& target, trace::Stage stage) {
  for (const trace::ReadChannel& channel : target.channels()) {
    if (channel.channel.stage != stage || channel.messages == 0) continue;
    const Shape& shape = channel.channel.spec.shape;
    return std::any_of(ends.begin(), ends.end(), [&](int end) {
      const model::ModelTensor& tensor = graph.tensors[at(end)];
      return !tensor.shape_known || fits(shape, tensor.spec.shape);
    });
  }
  return true;
}

bool is_one_model(const Study& study) {
  const Case& known = study.known;
  const std::string target = model_hash(known.target_model, *known.target);
  return !target.empty() && target == model_hash(known.reference_pipeline, *known.reference);
}

// "same": both ran one file. "open": the reference's open axes allow the target's shapes.
const char* relation(const Study& study) {
  const Case& known = study.known;
  if (is_one_model(study)) return "same";
  if (!known.reference_pipeline) return "";
  const model::Graph& graph = known.reference_pipeline->graph;
  return is_allowed(graph, graph.inputs, *known.target, trace::Stage::kModelInput) &&
                 is_allowed(graph, graph.outputs, *known.target, trace::Stage::kModelOutput)
             ? "open"
             : "";
}

// Shapes that differ between target and reference, the reason why outputs of joined frames have no
// distance.
std::map<std::string, Value> unlike_models(const Study& study) {
  std::map<std::string, Value> shapes;
  if (study.agreement.frames.empty()) return shapes;
  using trace::Stage;
  for (const auto& [stage, title] : {std::pair<Stage, std::string>{Stage::kModelInput, "input"},
                                     {Stage::kModelOutput, "output"}}) {
    const auto target = shape_of(*study.known.target, stage),
               reference = shape_of(*study.known.reference, stage);
    if (!target || !reference || *target == *reference) continue;
    shapes.emplace(title, to_text(*target));
    shapes.emplace("reference_" + title, to_text(*reference));
    if (const std::int64_t batch = batch_of(*target, *reference); title == "input" && batch > 1)
      shapes.emplace("batch", batch);
  }
  if (const std::string how = relation(study); !shapes.empty() && !how.empty())
    shapes.emplace("model", how);
  return shapes;
}

}  // namespace

bool answers_are_classes(const Study& study) {
  const auto& task = study.agreement.task;
  const auto says_class = [](const auto& one) { return !task::classes_of(one.second).empty(); };
  return task && (task->probabilities || task->reference.n > 0 ||
                  std::any_of(study.annotations.begin(), study.annotations.end(), says_class));
}

TaskResult task_result(const Study& study, const Replays& replays) {
  if (auto by_metric = metric_result(study, replays)) {
    if (study.agreement.task && answers_are_classes(study))
      by_metric->top1_agreement = study.agreement.task->agreement.mean();
    return *by_metric;
  }
  TaskResult result;
  if (!study.agreement.task) return answers_result(study).value_or(result);
  const task::Task& task = *study.agreement.task->task;
  if (answers_are_classes(study)) result.top1_agreement = study.agreement.task->agreement.mean();
  std::vector<double> reference, target;
  std::vector<task::ScorePair> pairs;
  for (const compare::FrameAgreement& frame : study.agreement.frames) {
    const auto annotation = study.annotations.find(frame.target);
    if (annotation == study.annotations.end() || !frame.reference_answer ||
        !task.is_given(*frame.reference_answer))
      continue;
    const auto score = task::score_of(task, frame.reference_answer, annotation->second);
    if (!score) continue;
    reference.push_back(*score);
    target.push_back(task::score_of(task, frame.target_answer, annotation->second).value_or(0));
    pairs.push_back({reference.back(), target.back()});
  }
  if (pairs.empty()) {
    TaskResult answered = answers_result(study).value_or(result);
    answered.top1_agreement = result.top1_agreement;
    return answered;
  }
  result.metric = task.metric;
  result.n = pairs.size();
  if (study.task) {
    const auto channels = output_channels(*study.known.reference);
    result.classes = 1;
    for (const std::int64_t axis : channels[study.task->outputs.front()]->channel.spec.shape)
      result.classes *= static_cast<std::size_t>(std::max<std::int64_t>(1, axis));
  }
  const task::Figure of_reference = task.aggregate(reference), of_target = task.aggregate(target);
  result.reference = of_reference.mean();
  result.reference_ci95 = of_reference.ci95;
  result.target = of_target.mean();
  result.target_ci95 = of_target.ci95;
  result.p_value = task.paired_test(pairs).p_value;
  const Quality fixed = quality_of(study, replays.fixed);
  result.fixed = fixed.value;
  result.fixed_ci95 = fixed.ci95;
  return result;
}

bool accuracy_lost(const Study& study) { return is_lost(task_result(study, {})); }

bool is_quantized(const Case& known) {
  return holds_codes(*known.target) || holds_codes(*known.reference) ||
         rounds_to_codes(known.target_model) || rounds_to_codes(known.reference_pipeline);
}

double floor_of(const Study& study, const InputEvidence& input, bool quantized) {
  return compare::output_floor(
      quantized && !(is_one_model(study) && input_visibly_differs(study, input)),
      study.agreement.frames.size());
}

Effect effect_of(const Study& study, const InputEvidence& input, const Replays& replays,
                 const TaskResult& task, double floor) {
  const compare::OutputDistance kind = study.agreement.output_distance_kind;
  Effect effect;
  effect.floor = floor;
  effect.gap = study.agreement.output_distance;
  effect.rest = effect.gap;
  effect.replayed = replays.target.frames.size();
  if (!searched(input)) {
    effect.input_steps = recorded_steps(study);
    if (auto integers = integer_differences(study, {}); integers && *integers)
      effect.integers = **std::move(integers);
  }
  if (!effect.gap) effect.unlike = unlike_models(study);
  if (const auto* output = compare::unlike_output(study.agreement);
      output && !effect.unlike.count("input"))
    effect.unlike_outputs = compare::shapes_text(*output, study.agreement.frames.size());
  if (effect.unlike_outputs.empty() && is_one_model(study) && effect.gap && *effect.gap <= floor)
    effect.unlike_outputs = compare::far_values(study.agreement, floor);
  for (const compare::LayerAgreement& layer : study.agreement.layers)
    if (layer.stage == trace::Stage::kModelOutput && layer.moments.nan_t + layer.moments.inf_t > 0)
      effect.broken += layer.moments.non_finite_mismatch;
  if (!replays.fixed.outputs.empty()) {
    effect.still_broken = broken_frames(replays.reference, replays.fixed) > 0;
    effect.rest = mean_distance(kind, replays.reference, replays.fixed);
    effect.moved = mean_distance(kind, replays.fixed, replays.target);
  }
  if (!replays.after.empty())
    effect.moved_input = mean_distance(kind, replays.after.back(), replays.target);
  if (replays.faulty_reference)
    effect.faulty =
        mean_distance(kind, replays.own_reference ? *replays.own_reference : replays.reference,
                      *replays.faulty_reference);
  if (replays.same_input)
    effect.same_input = mean_distance(kind, *replays.same_input, replays.target);
  count_changed_answers(study, effect);
  effect.accuracy_lost = is_lost(task);
  if (const auto& answers = study.agreement.answers; answers && answers->differs())
    effect.answers_agree_by = answers->mean;
  return effect;
}

}  // namespace edgeprobe::diagnose
