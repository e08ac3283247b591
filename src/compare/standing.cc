// SPDX-License-Identifier: Apache-2.0
#include "compare/standing.h"

#include <algorithm>
#include <cmath>

#include "compare/compare_traces.h"
#include "core/text.h"
#include "stats/proportion.h"
#include "stats/quantile.h"
#include "task/classification.h"

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

const ReadChannel* scores_of(const std::vector<const ReadChannel*>& outputs) {
  std::vector<TensorSpec> specs;
  for (const ReadChannel* output : outputs) specs.push_back(output->channel.spec);
  const auto place = task::class_output(specs);
  return place ? outputs[*place] : nullptr;
}

Share share_of(std::uint64_t part, std::uint64_t all) {
  return {part, all, stats::wilson(part, all)};
}

std::string frames_text(std::uint64_t count) {
  return std::to_string(count) + (count == 1 ? " frame" : " frames");
}

Status add_answers(const trace::Reader& trace, const ReadChannel& scores, const LabelOf& label_of,
                   Standing& standing) {
  std::uint64_t answered = 0, labelled = 0, first = 0, among = 0, beyond = 0, broken = 0;
  for (std::size_t i = 0; i < trace.frames().size(); ++i) {
    const auto value = trace.read(trace.frames()[i], scores.id);
    if (!value) return value.error();
    if (!*value) continue;
    const auto values = to_float(**value);
    if (!values) return values.error();
    ++answered;
    standing.classes = values->size();
    broken +=
        !std::all_of(values->begin(), values->end(), [](float v) { return std::isfinite(v); });
    const auto label = label_of(trace.records()[i]);
    if (!label) continue;
    if (*label < 0 || static_cast<std::size_t>(*label) >= values->size()) {
      ++beyond;
      continue;
    }
    const auto best = task::top_k(*values, standing.k);
    ++labelled;
    const int answer = task::top_1(*values);
    first += answer == *label;
    among += answer >= 0 && std::find(best.begin(), best.end(), *label) != best.end();
  }
  if (labelled > 0) standing.top1 = share_of(first, labelled);
  if (labelled > 0 && standing.classes > standing.k) standing.top_k = share_of(among, labelled);
  if (answered < standing.frames)
    standing.remarks.push_back(frames_text(standing.frames - answered) + " without class scores");
  if (labelled > 0 && labelled < answered)
    standing.remarks.push_back("accuracy counts the " + frames_text(labelled) + " with a label");
  if (beyond > 0)
    standing.remarks.push_back(frames_text(beyond) + " with a label beyond the " +
                               std::to_string(standing.classes) + " classes, left out");
  if (broken > 0)
    standing.remarks.push_back(frames_text(broken) + " with scores that are not finite");
  return {};
}

}  // namespace

Result<Standing> standing_of(const trace::Reader& trace, const LabelOf& label_of) {
  Standing standing;
  standing.frames = trace.frames().size();
  if (standing.frames == 0)
    return Error{Fault::kUsage, trace.is_finished()
                                    ? "holds no frame"
                                    : "the recording was cut off before its first frame was saved"};
  if (const auto run = trace.metadata().find("edgeprobe.run"); run != trace.metadata().end())
    standing.declared = run->second;
  std::vector<double> latencies;
  for (const trace::FrameRecord& record : trace.records())
    if (record.latency_ns && *record.latency_ns >= 0)
      latencies.push_back(static_cast<double>(*record.latency_ns) / 1e6);
  const auto outputs = outputs_of(trace);
  if (outputs.empty() && latencies.empty())
    return Error{Fault::kUsage,
                 "holds neither model outputs nor latencies; record it with --level io"};
  std::sort(latencies.begin(), latencies.end());
  standing.timed = latencies.size();
  if (!latencies.empty()) {
    standing.p50_ms = stats::quantile(latencies, 0.5);
    standing.p90_ms = stats::quantile(latencies, 0.9);
  }
  if (const ReadChannel* scores = scores_of(outputs)) {
    standing.output = scores->channel.spec.name;
    if (auto done = add_answers(trace, *scores, label_of, standing); !done)
      return std::move(done.error());
  } else if (!outputs.empty()) {
    standing.remarks.push_back("no output holds one score for each class: no accuracy");
  }
  if (!trace.is_finished())
    standing.remarks.push_back("the recording was cut off: these are the frames that were saved");
  return standing;
}

Result<std::optional<Disagreement>> disagreement_of(const trace::Reader& reference,
                                                    const trace::Reader& target,
                                                    const std::atomic<bool>* stop) {
  CompareOptions options;
  options.outputs_only = true;
  options.stop = stop;
  auto agreement = compare_traces(reference, target, options);
  if (!agreement) return std::move(agreement.error());
  if (agreement->interrupted) return Error{Fault::kInterrupted, "stopped by the user"};
  if (agreement->frames.empty() || agreement->layers.empty()) return std::optional<Disagreement>();
  Disagreement out;
  out.joined = agreement->frames.size();
  out.output_distance = agreement->output_distance;
  out.output_distance_ci95 = agreement->output_distance_ci95;
  out.kind = agreement->output_distance_kind;
  if (agreement->classes) {
    const ClassAgreement& classes = *agreement->classes;
    out.other_class = share_of(classes.n - classes.same_top1, classes.n);
    if (classes.labelled > 0) out.p_value = classes.p_value;
  }
  return std::optional(out);
}

}  // namespace edgeprobe::compare
