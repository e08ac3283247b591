// SPDX-License-Identifier: Apache-2.0
#include "placement/accuracy/answers.h"

#include <algorithm>
#include <utility>

#include "core/text.h"
#include "pipeline/carry.h"
#include "pipeline/prepare.h"
#include "task/classification.h"
#include "task/tasks.h"

namespace edgeprobe::placement {
namespace {

constexpr std::size_t kBest = 5;

/// Runs samples one after the other and reads the answer of each.
class Pass {
 public:
  Pass(pipeline::Pipeline& pipeline, const task::Reading& reading, Answers& answers)
      : pipeline_(pipeline), reading_(reading), answers_(answers) {}

  Status add(const dataset::Sample& sample, std::size_t place, const Control& control) {
    auto loaded = sample.load();
    if (!loaded && loaded.error().kind == ErrorKind::kInterrupted) return Error(loaded.error());
    if (!loaded) {
      answers_.unreadable.push_back({sample.name, loaded.error().what});
      return {};
    }
    auto prepared = pipeline::prepare(pipeline_, loaded->input, sample.name, control);
    if (!prepared) return std::move(prepared).error().during("'" + sanitized(sample.name) + "'");
    if (sample.begins_sequence && place > 0) EP_CHECK(pipeline::restart(pipeline_));
    auto inference = pipeline_.session->infer(pipeline::views_of(prepared->inputs));
    if (!inference) return std::move(inference).error().during("'" + sanitized(sample.name) + "'");
    task::Outputs outputs(inference->outputs.size());
    for (const std::size_t output : reading_.outputs) {
      if (output >= outputs.size())
        return Error{ErrorKind::kTarget, "the engine returned fewer outputs than it announced"};
      EP_TRY(outputs[output], to_float(inference->outputs[output]));
    }
    read(outputs, *sample.annotation, place);
    return {};
  }

 private:
  void read(const task::Outputs& outputs, const task::Annotation& label, std::size_t place) {
    const auto answer = task::answer_of(reading_, outputs);
    const auto score = task::score_of(*reading_.task, answer, label);
    answers_.classes = outputs[reading_.outputs.front()].size();
    if (!score) {
      ++answers_.beyond;
      return;
    }
    const int best = answer ? std::get<task::ClassAnswer>(*answer).best : -1;
    answers_.without_answer += best < 0;
    answers_.frames[place] = {best, *score > 0,
                              task::is_among(outputs[reading_.outputs.front()], kBest, label)};
  }

  pipeline::Pipeline& pipeline_;
  const task::Reading& reading_;
  Answers& answers_;
};

bool has_class(const dataset::Sample& sample) {
  return sample.annotation && !task::classes_of(*sample.annotation).empty();
}

task::Figure share_of(const Answers& answers, bool FrameAnswer::*is_right) {
  std::vector<double> scores;
  for (const auto& frame : answers.frames)
    if (frame) scores.push_back((*frame).*is_right ? 1 : 0);
  return task::kClassification.aggregate(scores);
}

}  // namespace

Result<Answers> answers(pipeline::Pipeline& pipeline, const std::vector<dataset::Sample>& samples,
                        const Control& control) {
  const auto reading = task::task_of(pipeline.session->outputs());
  if (!reading)
    return Error{ErrorKind::kUnsupported,
                 "no output holds one score for each class, so there is no top-1"};
  Answers answers;
  answers.frames.resize(samples.size());
  const auto labelled =
      static_cast<std::size_t>(std::count_if(samples.begin(), samples.end(), has_class));
  answers.unlabelled = samples.size() - labelled;
  if (labelled == 0)
    return Error{ErrorKind::kUsage,
                 "no sample has a class as its label; give the labels with --labels"};
  Pass pass(pipeline, *reading, answers);
  std::size_t done = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (!has_class(samples[i])) continue;
    if (control.stopped()) break;
    auto added = pass.add(samples[i], i, control);
    if (!added && added.error().kind == ErrorKind::kInterrupted) break;
    EP_CHECK(std::move(added));
    ++done;
    if (control.progress) control.progress(done, labelled, "frames");
  }
  answers.is_stopped = done < labelled;
  return answers;
}

task::Figure top_1(const Answers& answers) { return share_of(answers, &FrameAnswer::is_best); }

std::optional<task::Figure> top_5(const Answers& answers) {
  if (answers.classes <= kBest) return std::nullopt;
  return share_of(answers, &FrameAnswer::is_among_5);
}

}  // namespace edgeprobe::placement
