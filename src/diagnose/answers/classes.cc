// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "core/text.h"
#include "diagnose/answers/judged.h"
#include "diagnose/answers/late.h"
#include "diagnose/case/counterfactual.h"
#include "diagnose/postprocessing/search.h"
#include "diagnose/postprocessing/wording.h"
#include "diagnose/recorded/recording.h"

namespace edgeprobe::diagnose {
namespace {

// Larger outputs are not class scores; they are not kept in memory.
constexpr std::size_t kLargestOutput = std::size_t{4} << 20;

// Parts that no recipe for classes produces.
void add_other_parts(const trace::Answer& answer, std::set<std::string>& parts) {
  if (answer.boxes) parts.insert("boxes");
  if (answer.mask) parts.insert("mask");
  if (answer.points) parts.insert("points");
  if (answer.vector) parts.insert("vector");
  if (answer.score) parts.insert("score");
  if (answer.alarm) parts.insert("alarm");
  if (answer.text) parts.insert("text");
}

struct RecordedClasses {
  std::vector<float> scores;
  std::vector<postprocessing::RecordedFrame>
      frames;                   // Frames with an answer in classes and with all outputs.
  std::set<std::string> other;  // Answer parts that are not classes.
  AnswerCounts counts;
};

// Keeps large outputs in their position, but without bytes.
Result<std::optional<std::vector<Tensor>>> class_outputs(const trace::Reader& reader,
                                                         std::uint32_t frame) {
  std::vector<Tensor> outputs;
  for (const trace::ReadChannel* channel : output_channels(reader)) {
    EP_TRY(auto read, reader.read(frame, channel->id));
    if (!read) continue;
    Tensor output{*read->spec, {}};
    if (read->bytes.size <= kLargestOutput) output.bytes = read->bytes.copy();
    outputs.push_back(std::move(output));
  }
  if (outputs.empty() || outputs.size() < output_count(reader))
    return std::optional<std::vector<Tensor>>();
  return std::optional(std::move(outputs));
}

Result<RecordedClasses> recorded_classes(const Case& known) {
  RecordedClasses out;
  WantedAnswers wanted{kinds::AnswerId::kClasses};
  wanted.see = [&](const trace::Answer& answer) {
    add_other_parts(answer, out.other);
    if (answer.scores)
      out.scores.insert(out.scores.end(), answer.scores->begin(), answer.scores->end());
  };
  wanted.step = std::max<std::size_t>(
      1, known.target->frames().size() / std::max<std::size_t>(known.max_replay, 1));
  wanted.outputs = class_outputs;
  const auto counts = visit_answers(known, wanted, [&](AnsweredFrame frame) -> Status {
    out.frames.push_back({frame.number, std::move(frame.outputs), std::move(frame.answer)});
    return {};
  });
  if (!counts) return counts.error();
  out.counts = *counts;
  return out;
}

// "labels, scores": the parts that differ in the frame that is furthest off.
std::vector<std::string> unlike_classes(const postprocessing::Parts& parts) {
  if (!parts.fits) return {"everything"};
  std::vector<std::string> names;
  if (parts.count > 0) names.emplace_back("number of answers");
  if (parts.labels > 1e-5) names.emplace_back("labels");
  if (parts.scores > 0) names.emplace_back("scores");
  return names;
}

void add_judged(const postprocessing::Finding& found, const postprocess::Classification& recipe,
                const RecordedClasses& recorded, AnswerStudy& study) {
  switch (found.judged) {
    case postprocessing::Judged::kNames: study.judged.emplace_back("labels"); break;
    case postprocessing::Judged::kNumbers: study.judged.emplace_back("classes"); break;
    case postprocessing::Judged::kNothing: break;
  }
  if (found.has_scores) study.judged.emplace_back("scores");
  const bool labels = std::any_of(
      recorded.frames.begin(), recorded.frames.end(),
      [](const postprocessing::RecordedFrame& f) { return f.answer.labels.has_value(); });
  if (labels && found.judged == postprocessing::Judged::kNothing) {
    study.not_judged.emplace_back("labels");
    study.skipped = recipe.labels ? "not every answer has labels"
                                  : "labels are not judged without a label file: labels(FILE) "
                                    "after || in the reference's recipe";
  }
}

AnswerFinding classes_in_words(const postprocessing::Finding& found,
                               const postprocess::Classification& recipe) {
  std::vector<std::string> names;
  if (recipe.labels) names = recipe.labels->table.names;
  const auto words = [&](const postprocessing::Change& change) {
    return postprocessing::words(change, recipe, names);
  };
  const auto line = [&](const postprocessing::Change& change) { return fix_line(change, recipe); };
  AnswerFinding out = in_words(found, parts_text(unlike_classes(found.before)), words, line);
  constexpr const char* kWhat[] = {"", "class", "count", "scores", "frames"};
  const postprocessing::Decider& decider = found.decider;
  if (decider.kind != postprocessing::Decider::Kind::kNone)
    out.decides = Evidence{EvidenceKind::kAnswerDecides,
                           {{"what", kWhat[static_cast<std::size_t>(decider.kind)]},
                            {"class", decider.class_id},
                            {"name", decider.name}}};
  return out;
}

// Reason why labels are not judged: a label file with another number of lines than there are
// classes is a wrong reference, whatever labels the app recorded. Empty if the file fits.
std::string unfit_table(const postprocessing::Finding& found,
                        const postprocess::Classification& recipe) {
  if (found.judged != postprocessing::Judged::kNames || found.before.labels == 0) return "";
  const auto lines = static_cast<std::int64_t>(recipe.labels->table.names.size());
  const auto wanted = static_cast<std::int64_t>(found.classes) + recipe.labels->shift;
  if (lines == wanted) return "";
  return "labels are not judged: the label file " + in_quotes(recipe.labels->table.file) +
         " of the reference's recipe has " + std::to_string(lines) +
         " names, and the recipe reads " + std::to_string(found.classes) + " classes" +
         (recipe.labels->shift ? " from line " + std::to_string(recipe.labels->shift) + " on" : "");
}

}  // namespace

Result<JudgedAnswers> judge_classes(const Case& known, const kinds::AnswerRecipe* recipe,
                                    const Control& control) {
  EP_TRY(const auto recorded, recorded_classes(known));
  JudgedAnswers out;
  AnswerStudy& study = out.study;
  out.answers = recorded.counts.answers;
  study.frames = recorded.frames.size();
  study.not_judged.assign(recorded.other.begin(), recorded.other.end());
  if (!recipe) {
    study.skipped =
        "the reference's recipe has nothing after ||, such as || dequantize | softmax | topk(5) | "
        "labels(FILE)";
    return out;
  }
  const auto& reference = std::get<postprocess::Classification>(*recipe);
  study.recipe = to_text(reference);
  if (recorded.frames.empty()) {
    study.skipped = recorded.counts.wanted > 0 ? "no frame with an answer has the model's outputs"
                                               : parts_text(study.not_judged) +
                                                     " are recorded; not judged after this model";
    return out;
  }
  auto searched = postprocessing::search(recorded.frames, reference, control);
  const std::string wrong_table = searched ? unfit_table(*searched, reference) : "";
  if (!wrong_table.empty()) {
    postprocess::Classification without = reference;
    without.labels.reset();
    searched = postprocessing::search(recorded.frames, without, control);
  }
  if (!searched && searched.error().kind == ErrorKind::kInterrupted) return searched.error();
  if (!searched) {
    study.skipped = searched.error().what;
    return out;
  }
  add_judged(*searched, reference, recorded, study);
  add_hidden_decimals(recorded.scores, study.not_judged);
  if (!wrong_table.empty()) study.skipped = wrong_table;
  if (study.skipped.empty() && reference.labels)
    study.skipped = near_labels_text(searched->near_labels, *reference.labels);
  study.has_wrong_names = !wrong_table.empty() || !searched->near_labels.empty();
  out.found = or_late(classes_in_words(*searched, reference), recorded.frames,
                      [&](const auto& moved) { return postprocessing::agrees(moved, reference); });
  return out;
}

}  // namespace edgeprobe::diagnose
