// SPDX-License-Identifier: Apache-2.0
#include "diagnose/detectors/answers.h"

#include <algorithm>
#include <set>

#include "core/text.h"
#include "diagnose/answers/boxes.h"
#include "diagnose/answers/numbers.h"
#include "diagnose/answers/places.h"
#include "diagnose/answers/recorded_boxes.h"
#include "diagnose/postprocessing/search.h"
#include "diagnose/postprocessing/wording.h"
#include "diagnose/replay/counterfactual.h"
#include "trace/read/answers.h"

namespace edgeprobe::diagnose {
namespace {

// Outputs beyond it hold no list of classes, and are not kept in memory.
constexpr std::size_t kLargestOutput = std::size_t{4} << 20;
// Other explanations that are told beside the first.
constexpr std::size_t kMostAlternatives = 8;

// Parts that no recipe for classes tells.
void other_parts(const trace::Answer& answer, std::set<std::string>& parts) {
  if (answer.boxes) parts.insert("boxes");
  if (answer.mask) parts.insert("mask");
  if (answer.points) parts.insert("points");
  if (answer.vector) parts.insert("vector");
  if (answer.score) parts.insert("score");
  if (answer.alarm) parts.insert("alarm");
  if (answer.text) parts.insert("text");
}

bool has_classes(const trace::Answer& answer) {
  return !answer.boxes && !answer.mask && !answer.points &&
         (answer.labels || answer.classes || answer.scores);
}

struct Recording {
  std::vector<postprocessing::RecordedFrame> frames;  // With an answer in classes, and all outputs.
  std::set<std::string> other;                        // Parts of answers that are not classes.
  std::size_t answers = 0, without_outputs = 0;
};

// Outputs of a frame in the model's order; nothing when one was not recorded.
Result<std::optional<std::vector<Tensor>>> outputs_in(const trace::Reader& reader,
                                                      std::uint32_t frame) {
  std::vector<Tensor> outputs;
  for (const trace::ReadChannel* channel : output_channels(reader)) {
    auto read = reader.read(frame, channel->id);
    if (!read) return std::move(read.error());
    if (!*read) return std::optional<std::vector<Tensor>>();
    Tensor output{*(*read)->spec, {}};
    if ((*read)->bytes.size <= kLargestOutput) output.bytes = (*read)->bytes.copy();
    outputs.push_back(std::move(output));
  }
  if (outputs.empty()) return std::optional<std::vector<Tensor>>();
  return std::optional(std::move(outputs));
}

Result<Recording> recorded(const Case& known) {
  Recording out;
  const trace::Reader& target = *known.target;
  const auto& frames = target.frames();
  const std::size_t step =
      std::max<std::size_t>(1, frames.size() / std::max<std::size_t>(known.max_replay, 1));
  for (std::size_t i = 0; i < frames.size(); i += step) {
    auto answer = trace::answer_of(target, frames[i]);
    if (!answer) return std::move(answer.error());
    if (!*answer) continue;
    ++out.answers;
    other_parts(**answer, out.other);
    if (!has_classes(**answer)) continue;
    auto outputs = outputs_in(target, frames[i]);
    if (!outputs) return std::move(outputs.error());
    if (!*outputs) {
      ++out.without_outputs;
      continue;
    }
    out.frames.push_back({frames[i], **std::move(outputs), **std::move(answer)});
  }
  return out;
}

AnswerStatus status_of(postprocessing::SearchStatus status) {
  switch (status) {
    case postprocessing::SearchStatus::kAgrees: return AnswerStatus::kAgrees;
    case postprocessing::SearchStatus::kExact: return AnswerStatus::kExplained;
    case postprocessing::SearchStatus::kSomeFrames: return AnswerStatus::kSomeFrames;
    case postprocessing::SearchStatus::kPartial: return AnswerStatus::kPartial;
    case postprocessing::SearchStatus::kUnknown: break;
  }
  return AnswerStatus::kUnknown;
}

std::string joined(const std::vector<std::string>& parts, const char* by) {
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? "" : by) + part;
  return out;
}

// "labels and scores": what differs in the frame that is furthest off.
std::string unlike_parts(const postprocessing::Parts& parts) {
  std::vector<std::string> names;
  if (!parts.fits) return "everything";
  if (parts.count > 0) names.emplace_back("number of answers");
  if (parts.labels > 1e-5) names.emplace_back("labels");
  if (parts.scores > 0) names.emplace_back("scores");
  return joined(names, ", ");
}

class Told {
 public:
  Told(const postprocessing::Finding& found, const postprocess::Classification& recipe)
      : found_(found), recipe_(recipe) {
    if (recipe.labels) names_ = recipe.labels->table.names;
  }

  std::vector<Cause> causes() const {
    std::vector<Cause> out;
    if (found_.unlike.empty()) return out;
    const bool exact = found_.status == postprocessing::SearchStatus::kExact ||
                       found_.status == postprocessing::SearchStatus::kSomeFrames;
    if (!exact || found_.explanations.empty()) {
      out.push_back(unexplained());
      return out;
    }
    const postprocessing::Explanation& first = found_.explanations.front();
    for (const postprocessing::Change& change : first.changes) {
      Cause cause = behind(words(change));
      cause.status = first.is_proven ? CauseStatus::kConfirmed : CauseStatus::kPartial;
      if (found_.status == postprocessing::SearchStatus::kSomeFrames)
        cause.detail += "; in " + std::to_string(found_.unlike.size()) + " of " +
                        std::to_string(found_.frames) + " frames";
      if (const std::string line = fix_line(change, recipe_); first.is_proven && !line.empty())
        cause.fix_code["numpy"] = line;
      out.push_back(std::move(cause));
    }
    add_evidence(first, out.front());
    return out;
  }

 private:
  std::string words(const postprocessing::Change& change) const {
    return postprocessing::words(change, recipe_, names_);
  }

  std::string all_words(const postprocessing::Explanation& explanation) const {
    std::vector<std::string> all;
    for (const postprocessing::Change& change : explanation.changes) all.push_back(words(change));
    return joined(all, ", and ");
  }

  Cause behind(std::string detail) const {
    Cause cause;
    cause.kind = CauseKind::kPostprocessing;
    cause.stage = CauseStage::kOutputs;
    cause.detail = std::move(detail);
    cause.restored_unavailable = Unavailable{UnavailableKind::kBehindTheModel};
    return cause;
  }

  Evidence unlike() const {
    return {EvidenceKind::kAnswersUnlike,
            {{"frames", found_.unlike.size()},
             {"of", found_.frames},
             {"parts", unlike_parts(found_.before)}}};
  }

  Cause unexplained() const {
    Cause cause = behind(
        "the app makes other answers of the recorded outputs than the reference's recipe does");
    if (!found_.explanations.empty())
      cause.detail += "; the nearest recipe, which does not give them either: " +
                      all_words(found_.explanations.front());
    else cause.detail += ", and no change of the recipe that is known gives them";
    cause.evidence.push_back(unlike());
    return cause;
  }

  void add_evidence(const postprocessing::Explanation& first, Cause& cause) const {
    cause.evidence.push_back(unlike());
    const std::size_t given = found_.status == postprocessing::SearchStatus::kExact
                                  ? found_.frames
                                  : found_.unlike.size();
    cause.evidence.push_back(
        {EvidenceKind::kAnswersReproduced, {{"frames", given}, {"changes", first.changes.size()}}});
    if (!first.is_proven)
      cause.evidence.push_back({EvidenceKind::kAnswersFit, {{"bits", first.bits}}});
    if (first.owes_ties) cause.evidence.push_back({EvidenceKind::kAnswerTies, {}});
    const postprocessing::Decider& decider = found_.decider;
    constexpr const char* kWhat[] = {"", "class", "count", "scores", "frames"};
    if (decider.kind != postprocessing::Decider::Kind::kNone)
      cause.evidence.push_back({EvidenceKind::kAnswerDecides,
                                {{"what", kWhat[static_cast<std::size_t>(decider.kind)]},
                                 {"class", decider.class_id},
                                 {"name", decider.name}}});
    for (std::size_t i = 1; i < found_.explanations.size(); ++i) {
      if (cause.alternatives.size() == kMostAlternatives) {
        cause.alternatives.push_back("and " + std::to_string(found_.explanations.size() - i) +
                                     " more");
        break;
      }
      cause.alternatives.push_back(all_words(found_.explanations[i]));
    }
  }

  const postprocessing::Finding& found_;
  const postprocess::Classification& recipe_;
  std::vector<std::string> names_;
};

void judge_parts(const postprocessing::Finding& found, const postprocess::Classification& recipe,
                 const Recording& recording, AnswerStudy& study) {
  switch (found.judged) {
    case postprocessing::Judged::kNames: study.judged.emplace_back("labels"); break;
    case postprocessing::Judged::kNumbers: study.judged.emplace_back("classes"); break;
    case postprocessing::Judged::kNothing: break;
  }
  if (found.has_scores) study.judged.emplace_back("scores");
  const bool labels = std::any_of(
      recording.frames.begin(), recording.frames.end(),
      [](const postprocessing::RecordedFrame& f) { return f.answer.labels.has_value(); });
  if (labels && found.judged == postprocessing::Judged::kNothing) {
    study.not_judged.emplace_back("labels");
    study.skipped = recipe.labels ? "not every answer has labels"
                                  : "labels are not judged without a label file: labels(FILE) "
                                    "behind || of the reference's recipe";
  }
}

}  // namespace

Result<Findings> find_answers(const Examination& examined, const Control& control) {
  Findings found;
  const Case& known = examined.study.known;
  if (trace::answer_channels(*known.target).empty()) return found;
  auto boxes = box_recipe(known);
  if (!boxes) return std::move(boxes.error()).during("reference");
  if (*boxes) return find_boxes(examined, **boxes, control);
  auto places = find_places(examined, control);
  if (!places) return std::move(places.error());
  if (*places) return **std::move(places);
  auto numbers = find_numbers(examined, control);
  if (!numbers) return std::move(numbers.error());
  if (*numbers) return **std::move(numbers);
  auto recording = recorded(known);
  if (!recording) return std::move(recording.error()).during("answers of the app");
  if (recording->answers == 0) return found;
  AnswerStudy study;
  study.frames = recording->frames.size();
  study.not_judged.assign(recording->other.begin(), recording->other.end());
  if (!known.answers && known.answers_are_boxes) {
    study.skipped = "boxes are recorded; not judged behind this model";
  } else if (!known.answers) {
    study.skipped =
        "the reference's recipe has nothing behind ||, such as || dequantize | softmax | topk(5) | "
        "labels(FILE)";
  } else if (recording->frames.empty()) {
    study.recipe = postprocess::to_text(*known.answers);
    study.skipped =
        recording->without_outputs > 0
            ? "no frame with an answer has the model's outputs"
            : joined(study.not_judged, ", ") + " are recorded; not judged behind this model";
  } else {
    study.recipe = postprocess::to_text(*known.answers);
    auto searched = postprocessing::search(recording->frames, *known.answers, control);
    if (!searched && searched.error().kind == ErrorKind::kInterrupted)
      return std::move(searched.error());
    if (!searched) {
      study.skipped = searched.error().what;
    } else {
      study.status = status_of(searched->status);
      study.unlike = searched->unlike.size();
      judge_parts(*searched, *known.answers, *recording, study);
      found.causes = Told(*searched, *known.answers).causes();
    }
  }
  if (!study.skipped.empty()) found.warnings.push_back("the app's answers: " + study.skipped);
  found.answers = std::move(study);
  return found;
}

}  // namespace edgeprobe::diagnose
