// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "diagnose/answers/deciding.h"
#include "diagnose/answers/judged.h"
#include "diagnose/answers/late.h"
#include "diagnose/postprocessing/numbers/deciding.h"
#include "diagnose/postprocessing/numbers/scores.h"
#include "diagnose/postprocessing/numbers/vectors.h"
#include "diagnose/postprocessing/numbers/wording.h"
#include "diagnose/postprocessing/transcripts/transcripts.h"
#include "diagnose/recorded/recording.h"
#include "diagnose/recorded/tensors.h"
#include "search/search.h"

namespace edgeprobe::diagnose {
namespace {

// One function for each kind of recipe.
using numbers::deciding_input;
using numbers::differ;
using numbers::step_of;
using transcripts::deciding_input;
using transcripts::differ;
using transcripts::step_of;

template <class Change, class Recipe>
std::string fix_of(const Change& change, const Recipe& recipe) {
  return numbers::fix_line(step_of(change), recipe);
}
std::string fix_of(const search::Change<postprocess::transcript::Recipe>& change,
                   const postprocess::transcript::Recipe& recipe) {
  return transcripts::fix_line(change, recipe);
}

// Larger tensors are not kept in memory; the search uses at most this many frames, evenly spread.
constexpr std::size_t kMostBytes = std::size_t{16} << 20, kMostFrames = 100;
struct RecordedNumbers {
  std::vector<numbers::RecordedFrame> frames;
  AnswerCounts counts;
};

Result<RecordedNumbers> recorded_numbers(const Case& known, kinds::AnswerId id) {
  const std::size_t frames = known.target->frames().size(),
                    most = std::max<std::size_t>(std::min(known.max_replay, kMostFrames), 1);
  WantedAnswers wanted{id};
  wanted.step = std::max<std::size_t>(1, (frames + most - 1) / most);
  wanted.outputs = [](const trace::Reader& reader, std::uint32_t frame) {
    return recorded_tensors(reader, trace::Stage::kModelOutput, frame, kMostBytes);
  };
  RecordedNumbers out;
  const auto counts = visit_answers(known, wanted, [&](AnsweredFrame frame) -> Status {
    EP_TRY(auto inputs,
           recorded_tensors(*known.target, trace::Stage::kModelInput, frame.number, kMostBytes));
    out.frames.push_back({frame.number, std::move(inputs).value_or(std::vector<Tensor>{}),
                          std::move(frame.outputs), std::move(frame.answer)});
    return {};
  });
  if (!counts) return counts.error();
  out.counts = *counts;
  return out;
}

// Names the inputs that would decide if no frame and no property is known.
template <class Recipe>
std::string general_words(const search::Finding<Recipe>& found) {
  const auto& all = found.explanations;
  for (std::size_t i = 0; i < std::min<std::size_t>(all.size(), 2); ++i)
    for (const auto& change : all[i].changes) {
      const std::string_view step = step_of(change);
      if (step == "pool") return "lengths";
      if (step == "threshold") return "alarms";
    }
  return "frames";
}

// Evidence that would settle open explanations, if there are any.
template <class Recipe>
Result<std::optional<Evidence>> deciding_numbers(const Case& known, const Recipe& reference,
                                                 const std::vector<numbers::RecordedFrame>& frames,
                                                 const search::Finding<Recipe>& found,
                                                 const Control& control) {
  const std::vector<Recipe> open = open_recipes(found, reference);
  if (open.empty()) return std::optional<Evidence>();
  std::set<std::uint32_t> seen;
  for (const auto& frame : frames) seen.insert(frame.number);
  const auto tells_apart = [&](const Recipe& a, const Recipe& b, const FurtherFrame& frame) {
    return !frame.answer &&
           differ(a, b, {frame.number, frame.inputs, frame.outputs, frames.front().answer});
  };
  const auto property = [&](const Recipe& a, const Recipe& b) {
    return deciding_input(a, b, frames);
  };
  EP_TRY(auto deciding,
         deciding_frame(known, open, seen, found.status == search::SearchStatus::kExact, control,
                        tells_apart, property));
  return std::optional(
      deciding_evidence(deciding, found.explanations.size() == 1, general_words(found)));
}

template <class Predictions>
Result<JudgedAnswers> judged_numbers(const Case& known, const typename Predictions::Recipe& recipe,
                                     kinds::AnswerId id,
                                     std::vector<std::string> (*parts)(const Predictions&),
                                     const Control& control) {
  const std::string name = kinds::kind_of(id).name;
  EP_TRY(auto recorded, recorded_numbers(known, id));
  JudgedAnswers out;
  out.answers = recorded.counts.answers;
  out.study.recipe = to_text(recipe);
  out.study.frames = recorded.frames.size();
  if (recorded.counts.wanted == 0) out.study.skipped = "no answer has a " + name;
  else if (recorded.frames.empty())
    out.study.skipped = "no frame with a " + name + " has the model's outputs";
  if (!out.study.skipped.empty()) return out;
  Predictions predictions(recorded.frames, recipe);
  out.study.skipped = predictions.why_not();
  if (!out.study.skipped.empty()) return out;
  EP_TRY(auto searched, search::search<typename Predictions::Recipe>(predictions, control));
  EP_TRY(auto decides, deciding_numbers(known, recipe, recorded.frames, searched, control));
  out.study.judged = parts(predictions);
  const auto words = [&](const auto& change) {
    return numbers::difference_words(change.words, step_of(change), to_text(recipe));
  };
  const auto fix_line = [&](const auto& change) { return fix_of(change, recipe); };
  out.found = in_words(searched, name, words, fix_line);
  out.found->decides = std::move(decides);
  out.found = or_late(*std::move(out.found), recorded.frames, [&](const auto& moved) {
    Predictions late(moved, recipe);
    for (std::size_t frame = 0; frame < late.frames(); ++frame)
      if (!late.is_same(recipe, frame)) return false;
    return true;
  });
  return out;
}

std::vector<std::string> vector_parts(const numbers::Vectors&) { return {"vector"}; }

std::vector<std::string> transcript_parts(const transcripts::Transcripts& texts) {
  std::vector<std::string> out{"text"};
  if (texts.has_confidences()) out.emplace_back("scores");
  return out;
}

std::vector<std::string> score_parts(const numbers::Scores& scores) {
  std::vector<std::string> out;
  if (scores.has_scores()) out.emplace_back("score");
  if (scores.has_alarms() && scores.reference().threshold) out.emplace_back("alarm");
  return out;
}

}  // namespace

Result<JudgedAnswers> judge_vectors(const Case& known, const kinds::AnswerRecipe* recipe,
                                    const Control& control) {
  return judged_numbers<numbers::Vectors>(known, std::get<postprocess::embedding::Recipe>(*recipe),
                                          kinds::AnswerId::kVector, vector_parts, control);
}

Result<JudgedAnswers> judge_scores(const Case& known, const kinds::AnswerRecipe* recipe,
                                   const Control& control) {
  return judged_numbers<numbers::Scores>(known, std::get<postprocess::anomaly::Recipe>(*recipe),
                                         kinds::AnswerId::kScore, score_parts, control);
}

Result<JudgedAnswers> judge_transcripts(const Case& known, const kinds::AnswerRecipe* recipe,
                                        const Control& control) {
  return judged_numbers<transcripts::Transcripts>(
      known, std::get<postprocess::transcript::Recipe>(*recipe), kinds::AnswerId::kTranscript,
      transcript_parts, control);
}

}  // namespace edgeprobe::diagnose
