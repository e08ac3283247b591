// SPDX-License-Identifier: Apache-2.0
#include "diagnose/answers/numbers.h"

#include <algorithm>

#include "diagnose/answers/deciding.h"
#include "diagnose/postprocessing/numbers/deciding.h"
#include "diagnose/postprocessing/numbers/scores.h"
#include "diagnose/postprocessing/numbers/vectors.h"
#include "diagnose/postprocessing/numbers/wording.h"
#include "diagnose/recorded_tensors.h"
#include "trace/read/answers.h"

namespace edgeprobe::diagnose {
namespace {

// Tensors beyond it are not kept in memory; frames of a search, evenly spread.
constexpr std::size_t kMostBytes = std::size_t{16} << 20, kMostFrames = 100;
// Other explanations that are told beside the first.
constexpr std::size_t kMostOthers = 8;

struct Recording {
  std::vector<numbers::RecordedFrame> frames;
  std::size_t answers = 0, with_numbers = 0;
};

Result<Recording> recording_of(const Case& known, bool (*has_numbers)(const trace::Answer&)) {
  Recording out;
  const trace::Reader& target = *known.target;
  const auto& frames = target.frames();
  const std::size_t most = std::max<std::size_t>(std::min(known.max_replay, kMostFrames), 1);
  const std::size_t step = std::max<std::size_t>(1, (frames.size() + most - 1) / most);
  for (std::size_t i = 0; i < frames.size(); i += step) {
    auto answer = trace::answer_of(target, frames[i]);
    if (!answer) return std::move(answer.error());
    if (!*answer) continue;
    ++out.answers;
    if (!has_numbers(**answer)) continue;
    ++out.with_numbers;
    auto inputs = recorded_tensors(target, trace::Stage::kModelInput, frames[i], kMostBytes);
    if (!inputs) return std::move(inputs.error());
    auto outputs = recorded_tensors(target, trace::Stage::kModelOutput, frames[i], kMostBytes);
    if (!outputs) return std::move(outputs.error());
    if (!*outputs) continue;
    out.frames.push_back({frames[i], std::move(*inputs).value_or(std::vector<Tensor>{}),
                          **std::move(outputs), **std::move(answer)});
  }
  return out;
}

AnswerStatus status_in_words(fewest::SearchStatus status) {
  switch (status) {
    case fewest::SearchStatus::kAgrees: return AnswerStatus::kAgrees;
    case fewest::SearchStatus::kExact: return AnswerStatus::kExplained;
    case fewest::SearchStatus::kSomeFrames: return AnswerStatus::kSomeFrames;
    case fewest::SearchStatus::kPartial: return AnswerStatus::kPartial;
    case fewest::SearchStatus::kUnknown: break;
  }
  return AnswerStatus::kUnknown;
}

Cause behind_numbers(std::string detail) {
  Cause cause;
  cause.kind = CauseKind::kPostprocessing;
  cause.stage = CauseStage::kOutputs;
  cause.detail = std::move(detail);
  cause.restored_unavailable = Unavailable{UnavailableKind::kBehindTheModel};
  return cause;
}

template <class Recipe>
std::string words_of(const fewest::Change<Recipe>& change, const Recipe& reference) {
  return numbers::difference_words(change.words, numbers::step_of(change), to_text(reference));
}

template <class Recipe>
std::string words_of(const fewest::Explanation<Recipe>& explanation, const Recipe& reference) {
  std::string out;
  for (const auto& change : explanation.changes)
    out += (out.empty() ? "" : ", and ") + words_of(change, reference);
  return out;
}

// Which inputs would decide where no frame and no property is known.
template <class Recipe>
std::string general_words(const fewest::Finding<Recipe>& found) {
  const auto& all = found.explanations;
  for (std::size_t i = 0; i < std::min<std::size_t>(all.size(), 2); ++i)
    for (const auto& change : all[i].changes) {
      const std::string_view step = numbers::step_of(change);
      if (step == "pool") return "lengths";
      if (step == "threshold") return "alarms";
    }
  return "frames";
}

// The evidence of what a finding leaves open, if anything is.
template <class Recipe>
Result<std::optional<Evidence>> deciding_numbers(const Case& known, const Recipe& reference,
                                                 const std::vector<numbers::RecordedFrame>& frames,
                                                 const fewest::Finding<Recipe>& found,
                                                 const Control& control) {
  const std::vector<Recipe> open = open_recipes(found, reference);
  if (open.empty()) return std::optional<Evidence>();
  std::set<std::uint32_t> seen;
  for (const auto& frame : frames) seen.insert(frame.number);
  const auto differ = [&](const Recipe& a, const Recipe& b, const FurtherFrame& frame) {
    return !frame.answer &&
           numbers::differ(a, b,
                           {frame.number, frame.inputs, frame.outputs, frames.front().answer});
  };
  const auto property = [&](const Recipe& a, const Recipe& b) {
    return numbers::deciding_input(a, b, frames);
  };
  auto deciding = deciding_frame(known, open, seen, found.status == fewest::SearchStatus::kExact,
                                 control, differ, property);
  if (!deciding) return std::move(deciding.error());
  return std::optional(
      deciding_evidence(*deciding, found.explanations.size() == 1, general_words(found)));
}

template <class Recipe>
std::vector<Cause> causes_of(const fewest::Finding<Recipe>& found, const Recipe& reference,
                             const std::string& parts, const std::optional<Evidence>& deciding) {
  std::vector<Cause> out;
  if (found.unlike.empty()) return out;
  const Evidence unlike{EvidenceKind::kAnswersUnlike,
                        {{"frames", found.unlike.size()}, {"of", found.frames}, {"parts", parts}}};
  const bool is_whole = found.status == fewest::SearchStatus::kExact;
  if (found.explanations.empty() ||
      (!is_whole && found.status != fewest::SearchStatus::kSomeFrames)) {
    std::string detail = "the app makes another " + parts +
                         " of the recorded outputs than the reference's recipe does";
    if (found.explanations.empty())
      detail += ", and no change of the recipe that is known gives it";
    else
      detail += "; the nearest recipe, which does not give it either: " +
                words_of(found.explanations.front(), reference);
    out.push_back(behind_numbers(std::move(detail)));
    out.front().evidence.push_back(unlike);
    return out;
  }
  const auto& first = found.explanations.front();
  for (const auto& change : first.changes) {
    Cause cause = behind_numbers(words_of(change, reference));
    cause.status = first.is_proven ? CauseStatus::kConfirmed : CauseStatus::kPartial;
    if (!is_whole)
      cause.detail += "; in " + std::to_string(found.unlike.size()) + " of " +
                      std::to_string(found.frames) + " frames";
    if (std::string line = numbers::fix_line(numbers::step_of(change), reference);
        first.is_proven && !line.empty())
      cause.fix_code["numpy"] = std::move(line);
    out.push_back(std::move(cause));
  }
  Cause& cause = out.front();
  cause.evidence.push_back(unlike);
  cause.evidence.push_back({EvidenceKind::kAnswersReproduced,
                            {{"frames", is_whole ? found.frames : found.unlike.size()},
                             {"changes", first.changes.size()}}});
  if (!first.is_proven)
    cause.evidence.push_back({EvidenceKind::kAnswersFit, {{"bits", first.bits}}});
  if (deciding) cause.evidence.push_back(*deciding);
  for (std::size_t i = 1; i < found.explanations.size(); ++i) {
    if (cause.alternatives.size() == kMostOthers) {
      cause.alternatives.push_back("and " + std::to_string(found.explanations.size() - i) +
                                   " more");
      break;
    }
    cause.alternatives.push_back(words_of(found.explanations[i], reference));
  }
  return out;
}

// `name`: what the answers are, "vector".
template <class Predictions>
Result<Findings> judged(const Case& known, const typename Predictions::Recipe& recipe,
                        const std::string& name, bool (*has_numbers)(const trace::Answer&),
                        std::vector<std::string> (*parts)(const Predictions&),
                        const Control& control) {
  Findings found;
  auto recording = recording_of(known, has_numbers);
  if (!recording) return std::move(recording.error()).during("answers of the app");
  if (recording->answers == 0) return found;
  AnswerStudy study;
  study.recipe = to_text(recipe);
  study.frames = recording->frames.size();
  if (recording->with_numbers == 0) study.skipped = "no answer has a " + name;
  else if (recording->frames.empty())
    study.skipped = "no frame with a " + name + " has the model's outputs";
  if (study.skipped.empty()) {
    Predictions predictions(recording->frames, recipe);
    study.skipped = predictions.why_not();
    if (study.skipped.empty()) {
      auto searched = fewest::search<typename Predictions::Recipe>(predictions, control);
      if (!searched) return std::move(searched.error());
      study.status = status_in_words(searched->status);
      study.unlike = searched->unlike.size();
      study.judged = parts(predictions);
      const auto deciding = deciding_numbers(known, recipe, recording->frames, *searched, control);
      if (!deciding) return deciding.error();
      found.causes = causes_of(*searched, recipe, name, *deciding);
    }
  }
  if (!study.skipped.empty()) found.warnings.push_back("the app's answers: " + study.skipped);
  found.answers = std::move(study);
  return found;
}

std::vector<std::string> vector_parts(const numbers::Vectors&) { return {"vector"}; }

std::vector<std::string> score_parts(const numbers::Scores& scores) {
  std::vector<std::string> out;
  if (scores.has_scores()) out.emplace_back("score");
  if (scores.has_alarms() && scores.reference().threshold) out.emplace_back("alarm");
  return out;
}

bool has_vector(const trace::Answer& answer) { return answer.vector && !answer.vector->empty(); }

bool has_score(const trace::Answer& answer) { return answer.score || answer.alarm; }

}  // namespace

Result<std::optional<Findings>> find_numbers(const Examination& examined, const Control& control) {
  using Found = std::optional<Findings>;
  const Case& known = examined.study.known;
  if (!known.reference_pipeline) return Found();
  const std::string& text = known.reference_pipeline->recipe.post;
  if (postprocess::embedding::is_embedding(text)) {
    const auto recipe = postprocess::embedding::parse(text);
    if (!recipe) return recipe.error();
    auto found =
        judged<numbers::Vectors>(known, *recipe, "vector", has_vector, vector_parts, control);
    return found ? Result<Found>(*std::move(found)) : std::move(found.error());
  }
  if (postprocess::anomaly::is_anomaly(text)) {
    const auto recipe = postprocess::anomaly::parse(text);
    if (!recipe) return recipe.error();
    auto found = judged<numbers::Scores>(known, *recipe, "score", has_score, score_parts, control);
    return found ? Result<Found>(*std::move(found)) : std::move(found.error());
  }
  return Found();
}

}  // namespace edgeprobe::diagnose
