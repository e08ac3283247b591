// SPDX-License-Identifier: Apache-2.0
#include "compare/trace_summary.h"

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "stats/proportion.h"
#include "stats/quantile.h"
#include "task/classification.h"
#include "task/recorded.h"
#include "task/tasks.h"
#include "trace/read/answers.h"

namespace edgeprobe::compare {
namespace {

using trace::ReadChannel;
using trace::Stage;

std::vector<const ReadChannel*> outputs_of(const trace::Reader& reader) {
  std::vector<const ReadChannel*> outputs;
  for (const ReadChannel& channel : reader.channels())
    if (channel.channel.stage == Stage::kModelOutput && channel.messages > 0)
      outputs.push_back(&channel);
  std::stable_sort(outputs.begin(), outputs.end(), [](const auto* a, const auto* b) {
    return a->channel.position < b->channel.position;
  });
  return outputs;
}

std::optional<task::Reading> task_of(const std::vector<const ReadChannel*>& outputs) {
  std::vector<TensorSpec> specs;
  for (const ReadChannel* output : outputs) specs.push_back(output->channel.spec);
  return task::task_of(specs);
}

// The fraction and its interval, for scores that are 0 or 1.
Share share_of(const task::Figure& figure) {
  return {static_cast<std::uint64_t>(std::llround(figure.sum)), figure.n, figure.ci95};
}

Share share_of(std::uint64_t part, std::uint64_t all) {
  return {part, all, stats::wilson(part, all)};
}

// Values of the outputs that the task reads, and empty entries for the others; nothing if one of
// them was not recorded.
Result<std::optional<task::Outputs>> read_outputs(const trace::Reader& trace, std::uint32_t frame,
                                                  const std::vector<const ReadChannel*>& outputs,
                                                  const task::Reading& reading) {
  task::Outputs values(outputs.size());
  for (const std::size_t place : reading.outputs) {
    EP_TRY(const auto value, trace.read(frame, outputs[place]->id));
    if (!value) return std::optional<task::Outputs>();
    EP_TRY(values[place], to_float(*value));
  }
  return std::optional(std::move(values));
}

bool is_finite(const task::Outputs& outputs) {
  for (const std::vector<float>& values : outputs)
    if (!std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); }))
      return false;
  return true;
}

Status add_answers(const trace::Reader& trace, const std::vector<const ReadChannel*>& outputs,
                   const task::Reading& reading, const AnnotationOf& annotation_of,
                   TraceSummary& standing) {
  std::uint64_t answered = 0, among = 0, beyond = 0, broken = 0;
  std::vector<double> scores;
  task::UnreadAnnotations unread;
  for (std::size_t i = 0; i < trace.frames().size(); ++i) {
    EP_TRY(const auto values, read_outputs(trace, trace.frames()[i], outputs, reading));
    if (!values) continue;
    ++answered;
    standing.classes = (*values)[reading.outputs.front()].size();
    broken += !is_finite(*values);
    const auto annotation = annotation_of(trace.records()[i]);
    unread.add(annotation);
    if (!annotation || task::classes_of(*annotation).empty()) continue;
    const auto answer = task::answer_of(reading, *values);
    const auto score = task::score_of(*reading.task, answer, annotation);
    if (!score) {
      ++beyond;
      continue;
    }
    scores.push_back(*score);
    among += task::is_among((*values)[reading.outputs.front()], standing.k, *annotation);
  }
  const std::uint64_t labelled = scores.size();
  if (labelled > 0) standing.top1 = share_of(reading.task->aggregate(scores));
  if (labelled > 0 && standing.classes > standing.k) standing.top_k = share_of(among, labelled);
  if (answered < standing.frames)
    standing.remarks.push_back(counted(standing.frames - answered, "frame") +
                               " without class scores");
  if (labelled > 0 && labelled < answered)
    standing.remarks.push_back("accuracy counts " + the_counted(labelled, "frame") +
                               " with a label");
  if (beyond > 0)
    standing.remarks.push_back(counted(beyond, "frame") + " with a label beyond the " +
                               std::to_string(standing.classes) + " classes, left out");
  if (std::string text = unread.text(); !text.empty()) standing.remarks.push_back(std::move(text));
  if (broken > 0)
    standing.remarks.push_back(counted(broken, "frame") + " with scores that are not finite");
  return {};
}

template <class Side>
std::string value_text(const Side& side) {
  if (!side.value) return "is not defined";
  std::string text = number(*side.value, 4);
  if (side.ci95)
    text +=
        " (95 % interval " + number(side.ci95->low, 3) + " to " + number(side.ci95->high, 3) + ")";
  return text;
}

// Metric of the app's answers over the frames whose annotation the task can read; uses the first
// task that matches any.
Result<std::optional<task::Evaluation>> evaluate_answers(const trace::Reader& trace,
                                                         const AnnotationOf& annotation_of,
                                                         const task::Terms& terms) {
  std::optional<task::Evaluation> none;
  if (trace::answer_channels(trace).empty()) return none;
  const task::AnswerTask* task = nullptr;
  std::vector<task::Annotation> annotations;
  std::vector<std::uint32_t> frames;
  for (std::size_t i = 0; i < trace.frames().size(); ++i) {
    auto annotation = annotation_of(trace.records()[i]);
    if (!annotation) continue;
    if (!task) {
      EP_TRY(const auto answer, trace::answer_of(trace, trace.frames()[i]));
      if (answer) task = task::answer_task_of(*answer, annotation);
    }
    annotations.push_back(*std::move(annotation));
    frames.push_back(trace.frames()[i]);
  }
  if (!task) return none;
  std::vector<const task::Annotation*> truths;
  std::vector<std::uint32_t> read;
  for (std::size_t i = 0; i < annotations.size(); ++i)
    if (task->reads(annotations[i])) {
      truths.push_back(&annotations[i]);
      read.push_back(frames[i]);
    }
  EP_TRY(auto evaluation, task::evaluate(*task, terms, truths, [&](std::size_t i) {
           return trace::answer_of(trace, read[i]);
         }));
  return std::optional(std::move(evaluation));
}

}  // namespace

Result<TraceSummary> summary_of(const trace::Reader& trace, const AnnotationOf& annotation_of,
                                const task::Terms& terms, task::UserMetric* metric) {
  TraceSummary standing;
  standing.frames = trace.frames().size();
  if (standing.frames == 0)
    return Error{ErrorKind::kUsage,
                 trace.is_finished()
                     ? "holds no frame"
                     : "the recording was cut off before its first frame was saved"};
  if (const auto run = trace.metadata().find("edgeprobe.run"); run != trace.metadata().end())
    standing.declared = run->second;
  std::vector<double> latencies;
  for (const trace::FrameRecord& record : trace.records())
    if (record.latency_ns && *record.latency_ns >= 0)
      latencies.push_back(static_cast<double>(*record.latency_ns) / 1e6);
  const auto outputs = outputs_of(trace);
  EP_TRY(auto answered, evaluate_answers(trace, annotation_of, terms));
  if (outputs.empty() && latencies.empty() && !answered)
    return Error{ErrorKind::kUsage,
                 "contains neither model outputs nor latencies; record it with --level io"};
  std::sort(latencies.begin(), latencies.end());
  standing.timed = latencies.size();
  if (!latencies.empty()) {
    standing.p50_ms = stats::quantile(latencies, 0.5);
    standing.p90_ms = stats::quantile(latencies, 0.9);
  }
  if (const auto reading = task_of(outputs)) {
    standing.output = outputs[reading->outputs.front()]->channel.spec.name;
    EP_CHECK(add_answers(trace, outputs, *reading, annotation_of, standing));
  } else if (!outputs.empty() && !answered) {
    standing.remarks.push_back("no output holds one score for each class: no accuracy");
  }
  if (answered && (!standing.top1 || answered->task != &task::kClasses)) {
    standing.answers = *std::move(answered);
    standing.remarks.push_back(
        std::string(standing.answers->task->title) + " " + value_text(standing.answers->target) +
        " over " + the_counted(standing.answers->frames, "annotated frame") +
        (standing.answers->target.unanswered > 0
             ? ", " + counted(standing.answers->target.unanswered, "frame") + " without an answer"
             : ""));
    for (const std::string& problem : standing.answers->problems)
      standing.remarks.push_back(problem);
  }
  if (metric) {
    EP_TRY(standing.metric, task::metric_result(*metric, trace, annotation_of));
    standing.remarks.push_back(in_quotes(standing.metric->name, 60) + " " +
                               value_text(standing.metric->target) + " over " +
                               the_counted(standing.metric->frames, "frame"));
  }
  if (!trace.is_finished())
    standing.remarks.push_back("the recording was cut off: these are the frames that were saved");
  return standing;
}

std::optional<Disagreement> disagreement_of(const Agreement& agreement) {
  if (agreement.frames.empty() || agreement.layers.empty()) return std::nullopt;
  Disagreement out;
  out.joined = agreement.frames.size();
  out.output_distance = agreement.output_distance;
  out.output_distance_ci95 = agreement.output_distance_ci95;
  out.kind = agreement.output_distance_kind;
  if (const auto& task = agreement.task) {
    const Share same = share_of(task->agreement);
    out.other_class = share_of(same.all - same.part, same.all);
    if (task->reference.n > 0) out.p_value = task->test.p_value;
  }
  return out;
}

}  // namespace edgeprobe::compare
