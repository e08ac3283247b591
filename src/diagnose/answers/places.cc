// SPDX-License-Identifier: Apache-2.0
#include "diagnose/recorded/places.h"
#include "diagnose/answers/deciding.h"
#include "diagnose/answers/judged.h"
#include "diagnose/postprocessing/masks/deciding.h"
#include "diagnose/postprocessing/masks/search.h"
#include "diagnose/postprocessing/points/deciding.h"
#include "diagnose/postprocessing/points/search.h"

namespace edgeprobe::diagnose {
namespace {

namespace pose = postprocess::pose;
namespace segmentation = postprocess::segmentation;
// Overloads for masks and points; the recipe's type selects one.
using masks::deciding_picture;
using masks::differ;
using masks::search;
using masks::words;
using points::deciding_picture;
using points::differ;
using points::search;
using points::words;
using postprocess::detection::Scale;
using postprocess::detection::Size;

// Limited because masks and their outputs take some megabytes per frame.
constexpr std::size_t kMostMasks = 24;
// Largest number of searches with one more frame, each to check whether the frame confirms an
// explanation.
constexpr std::size_t kMostSearches = 6;

// Converts a further frame for the search; nothing if its picture's size is missing.
std::optional<places::Frame> placed(const FurtherFrame& frame, const WantedPlaces& wanted) {
  if (!frame.picture && wanted.needs_picture) return std::nullopt;
  return places::Frame{frame.number, frame.outputs, frame.answer.value_or(trace::Answer{}),
                       frame.picture.value_or(Size{1, 1})};
}

// Finds the frame that would decide what the search leaves open. If it has a recorded answer (the
// search skips frames of long recordings), searches again with it.
template <class Recipe, class Finding>
Result<std::optional<Evidence>> decided(const Case& known, const Recipe& recipe,
                                        const WantedPlaces& wanted, RecordedPlaces& recorded,
                                        Finding& found, const Control& control) {
  for (bool is_again = false;; is_again = true) {
    const std::vector<Recipe> open = open_recipes(found, recipe);
    if (open.empty()) return std::optional<Evidence>();
    std::set<std::uint32_t> seen;
    for (const auto& frame : recorded.frames) seen.insert(frame.number);
    std::size_t tried = 0;
    const auto tells_apart = [&](const Recipe& a, const Recipe& b, const FurtherFrame& frame) {
      auto as_placed = placed(frame, wanted);
      if (!as_placed || !differ(a, b, *as_placed, recorded.model)) return false;
      if (found.explanations.size() > 1) return true;
      // A frame confirms the only explanation if the search with that frame proves it.
      if (++tried > kMostSearches) return false;
      const std::vector<TensorView> views(as_placed->outputs.begin(), as_placed->outputs.end());
      auto answer = run(a, views, as_placed->picture, recorded.model);
      if (!answer) return false;
      as_placed->answer = *std::move(answer);
      std::vector<places::Frame> with_it = recorded.frames;
      with_it.push_back(*std::move(as_placed));
      const auto searched = search(with_it, recipe, recorded.model, control);
      return searched && !searched->explanations.empty() &&
             searched->explanations.front().is_proven;
    };
    const auto property = [&](const Recipe& a, const Recipe& b) {
      return deciding_picture(recipe, a, b, recorded.frames, recorded.model);
    };
    EP_TRY(auto deciding,
           deciding_frame(known, open, seen, found.status == search::SearchStatus::kExact, control,
                          tells_apart, property));
    const bool is_answered = deciding.frame && deciding.frame->answer &&
                             kinds::kind_of(wanted.id).is_in(*deciding.frame->answer);
    if (is_answered && is_again) deciding.frame.reset();
    if (!is_answered || is_again)
      return std::optional(deciding_evidence(deciding, found.explanations.size() == 1, "pictures"));
    recorded.frames.push_back(*placed(*deciding.frame, wanted));
    EP_TRY(found, search(recorded.frames, recipe, recorded.model, control));
  }
}

template <class Recipe>
Result<JudgedAnswers> judged_places(const Case& known, const Recipe& recipe,
                                    const WantedPlaces& wanted, const Control& control) {
  EP_TRY(auto recorded, recorded_places(known, wanted));
  JudgedAnswers out;
  out.answers = recorded.answers;
  out.study.recipe = to_text(recipe);
  out.study.skipped = recorded.why_not;
  if (out.study.skipped.empty()) {
    auto searched = search(recorded.frames, recipe, recorded.model, control);
    if (!searched && searched.error().kind == ErrorKind::kInterrupted)
      return std::move(searched.error());
    if (!searched) {
      out.study.skipped = searched.error().what;
    } else {
      EP_TRY(auto decides, decided(known, recipe, wanted, recorded, *searched, control));
      out.study.judged.emplace_back(kinds::kind_of(wanted.id).name);
      if constexpr (requires { searched->has_scores; })
        if (searched->has_scores) out.study.judged.emplace_back("scores");
      const auto in_text = [&](const auto& change) { return words(change, recipe); };
      out.found = in_words(*searched, parts_text(searched->parts), in_text, kNoFixLine);
      out.found->decides = std::move(decides);
    }
  }
  out.study.frames = recorded.frames.size();
  return out;
}

}  // namespace

Result<JudgedAnswers> judge_masks(const Case& known, const kinds::AnswerRecipe* recipe,
                                  const Control& control) {
  const auto& reference = std::get<segmentation::Recipe>(*recipe);
  WantedPlaces wanted{kinds::AnswerId::kMask};
  wanted.needs_picture =
      reference.resizing && (!reference.resizing->to || reference.frame != Scale::kStretched);
  wanted.most = kMostMasks;
  return judged_places(known, reference, wanted, control);
}

Result<JudgedAnswers> judge_points(const Case& known, const kinds::AnswerRecipe* recipe,
                                   const Control& control) {
  const auto& reference = std::get<pose::Recipe>(*recipe);
  WantedPlaces wanted{kinds::AnswerId::kPoints};
  const Scale scale = reference.placement.scale;
  wanted.needs_picture = scale != Scale::kShares && scale != Scale::kModelPixels;
  return judged_places(known, reference, wanted, control);
}

}  // namespace edgeprobe::diagnose
