// SPDX-License-Identifier: Apache-2.0
#include "diagnose/answers/places.h"

#include <algorithm>

#include "core/text.h"
#include "diagnose/answers/deciding.h"
#include "diagnose/answers/recorded_places.h"
#include "diagnose/postprocessing/masks/deciding.h"
#include "diagnose/postprocessing/masks/search.h"
#include "diagnose/postprocessing/points/deciding.h"
#include "diagnose/postprocessing/points/search.h"

namespace edgeprobe::diagnose {
namespace {

namespace pose = postprocess::pose;
namespace segmentation = postprocess::segmentation;
using masks::words;
using points::words;
using postprocess::detection::Scale;
using postprocess::detection::Size;

// Other explanations that are told beside the first.
constexpr std::size_t kMostTold = 8;
// Masks and their outputs are some megabytes a frame.
constexpr std::size_t kMostMasks = 24;
// Searches with a frame more, to see whether it would make an explanation sure.
constexpr std::size_t kMostSearches = 6;

AnswerStatus status_word(fewest::SearchStatus status) {
  switch (status) {
    case fewest::SearchStatus::kAgrees: return AnswerStatus::kAgrees;
    case fewest::SearchStatus::kExact: return AnswerStatus::kExplained;
    case fewest::SearchStatus::kSomeFrames: return AnswerStatus::kSomeFrames;
    case fewest::SearchStatus::kPartial: return AnswerStatus::kPartial;
    case fewest::SearchStatus::kUnknown: break;
  }
  return AnswerStatus::kUnknown;
}

std::string listed(const std::vector<std::string>& parts, const char* by) {
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? "" : by) + part;
  return out;
}

Cause behind_the_places(std::string detail) {
  Cause cause;
  cause.kind = CauseKind::kPostprocessing;
  cause.stage = CauseStage::kOutputs;
  cause.detail = std::move(detail);
  cause.restored_unavailable = Unavailable{UnavailableKind::kBehindTheModel};
  return cause;
}

// `what`: "mask". `deciding`: the evidence of what is open, if anything is.
template <class Finding, class Recipe>
std::vector<Cause> causes_of(const Finding& found, const Recipe& recipe, const char* what,
                             const std::optional<Evidence>& deciding) {
  std::vector<Cause> out;
  if (found.unlike.empty()) return out;
  const auto all_words = [&recipe](const auto& explanation) {
    std::vector<std::string> all;
    for (const auto& change : explanation.changes) all.push_back(words(change, recipe));
    return listed(all, ", and ");
  };
  const Evidence unlike{EvidenceKind::kAnswersUnlike,
                        {{"frames", found.unlike.size()},
                         {"of", found.frames},
                         {"parts", listed(found.parts, ", ")}}};
  const bool is_whole = found.status == fewest::SearchStatus::kExact;
  const bool is_exact = is_whole || found.status == fewest::SearchStatus::kSomeFrames;
  if (!is_exact || found.explanations.empty()) {
    Cause cause = behind_the_places(
        std::string("the app makes ") + (std::string_view(what) == "mask" ? "another " : "other ") +
        what + " of the recorded outputs than the reference's recipe does" +
        (found.explanations.empty() ? ", and no change of the recipe that is known gives that"
                                    : "; the nearest recipe, which does not give that either: " +
                                          all_words(found.explanations.front())));
    cause.evidence.push_back(unlike);
    out.push_back(std::move(cause));
    return out;
  }
  const auto& first = found.explanations.front();
  for (const auto& change : first.changes) {
    Cause cause = behind_the_places(words(change, recipe));
    cause.status = first.is_proven ? CauseStatus::kConfirmed : CauseStatus::kPartial;
    if (!is_whole)
      cause.detail += "; in " + std::to_string(found.unlike.size()) + " of " +
                      std::to_string(found.frames) + " frames";
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
    if (cause.alternatives.size() == kMostTold) {
      cause.alternatives.push_back("and " + std::to_string(found.explanations.size() - i) +
                                   " more");
      break;
    }
    cause.alternatives.push_back(all_words(found.explanations[i]));
  }
  return out;
}

// What a kind of places has of its own.
struct MaskPlaces {
  using Recipe = segmentation::Recipe;
  static auto search(std::span<const fewest::PlacedFrame> frames, const Recipe& recipe, Size model,
                     const Control& control) {
    return masks::search(frames, recipe, model, control);
  }
  static bool differ(const Recipe& a, const Recipe& b, const fewest::PlacedFrame& frame,
                     Size model) {
    return masks::differ(a, b, frame, model);
  }
  static auto answer(const Recipe& recipe, const fewest::PlacedFrame& frame, Size model) {
    const std::vector<TensorView> views(frame.outputs.begin(), frame.outputs.end());
    return segmentation::run(recipe, views, frame.picture, model);
  }
  static std::string deciding(const Recipe& reference, const Recipe& a, const Recipe& b,
                              std::span<const fewest::PlacedFrame> frames, Size model) {
    return masks::deciding_picture(reference, a, b, frames, model);
  }
};

struct PointPlaces {
  using Recipe = pose::Recipe;
  static auto search(std::span<const fewest::PlacedFrame> frames, const Recipe& recipe, Size model,
                     const Control& control) {
    return points::search(frames, recipe, model, control);
  }
  static bool differ(const Recipe& a, const Recipe& b, const fewest::PlacedFrame& frame,
                     Size model) {
    return points::differ(a, b, frame, model);
  }
  static auto answer(const Recipe& recipe, const fewest::PlacedFrame& frame, Size model) {
    const std::vector<TensorView> views(frame.outputs.begin(), frame.outputs.end());
    return pose::run(recipe, views, frame.picture, model);
  }
  static std::string deciding(const Recipe& reference, const Recipe& a, const Recipe& b,
                              std::span<const fewest::PlacedFrame> frames, Size model) {
    return points::deciding_picture(reference, a, b, frames, model);
  }
};

// A further frame as the search takes one; nothing where the size of its picture is missing.
std::optional<fewest::PlacedFrame> placed(const FurtherFrame& frame, const WantedPlaces& wanted) {
  if (!frame.picture && wanted.needs_picture) return std::nullopt;
  return fewest::PlacedFrame{frame.number, frame.outputs, frame.answer.value_or(trace::Answer{}),
                             frame.picture.value_or(Size{1, 1})};
}

// The search, and the frame that would decide what it leaves open. One with an answer, which the
// search had left out of a long recording, is searched on, too.
template <class Places, class Finding>
Result<std::optional<Evidence>> decided(const Case& known, const typename Places::Recipe& recipe,
                                        const WantedPlaces& wanted, RecordedPlaces& recorded,
                                        Finding& found, const Control& control) {
  using Recipe = typename Places::Recipe;
  for (bool is_again = false;; is_again = true) {
    const std::vector<Recipe> open = open_recipes(found, recipe);
    if (open.empty()) return std::optional<Evidence>();
    std::set<std::uint32_t> seen;
    for (const auto& frame : recorded.frames) seen.insert(frame.number);
    std::size_t tried = 0;
    const auto differ = [&](const Recipe& a, const Recipe& b, const FurtherFrame& frame) {
      auto as_placed = placed(frame, wanted);
      if (!as_placed || !Places::differ(a, b, *as_placed, recorded.model)) return false;
      if (found.explanations.size() > 1) return true;
      // The only explanation is made sure by a frame with which the search confirms it.
      if (++tried > kMostSearches) return false;
      auto answer = Places::answer(a, *as_placed, recorded.model);
      if (!answer) return false;
      as_placed->answer = *std::move(answer);
      std::vector<fewest::PlacedFrame> with_it = recorded.frames;
      with_it.push_back(*std::move(as_placed));
      const auto searched = Places::search(with_it, recipe, recorded.model, control);
      return searched && !searched->explanations.empty() &&
             searched->explanations.front().is_proven;
    };
    const auto property = [&](const Recipe& a, const Recipe& b) {
      return Places::deciding(recipe, a, b, recorded.frames, recorded.model);
    };
    auto deciding = deciding_frame(known, open, seen, found.status == fewest::SearchStatus::kExact,
                                   control, differ, property);
    if (!deciding) return std::move(deciding.error());
    const bool is_answered =
        deciding->frame && deciding->frame->answer && wanted.is_wanted(*deciding->frame->answer);
    if (is_answered && is_again) deciding->frame.reset();
    if (!is_answered || is_again)
      return std::optional(
          deciding_evidence(*deciding, found.explanations.size() == 1, "pictures"));
    recorded.frames.push_back(*placed(*deciding->frame, wanted));
    auto searched = Places::search(recorded.frames, recipe, recorded.model, control);
    if (!searched) return std::move(searched.error());
    found = *std::move(searched);
  }
}

template <class Places>
Result<Findings> found_places(const Examination& examined, const typename Places::Recipe& recipe,
                              const WantedPlaces& wanted, const Control& control) {
  Findings found;
  const Case& known = examined.study.known;
  auto recorded = recorded_places(known, wanted);
  if (!recorded)
    return std::move(recorded.error()).during(std::string(wanted.name) + " of the app");
  if (recorded->answers == 0) return found;
  AnswerStudy study;
  study.recipe = to_text(recipe);
  study.skipped = recorded->why_not;
  if (study.skipped.empty()) {
    auto searched = Places::search(recorded->frames, recipe, recorded->model, control);
    if (!searched && searched.error().kind == ErrorKind::kInterrupted)
      return std::move(searched.error());
    if (!searched) {
      study.skipped = searched.error().what;
    } else {
      auto deciding = decided<Places>(known, recipe, wanted, *recorded, *searched, control);
      if (!deciding) return std::move(deciding.error());
      study.status = status_word(searched->status);
      study.unlike = searched->unlike.size();
      study.judged.emplace_back(wanted.name);
      if constexpr (requires { searched->has_scores; })
        if (searched->has_scores) study.judged.emplace_back("scores");
      found.causes = causes_of(*searched, recipe, wanted.name, *deciding);
    }
  }
  study.frames = recorded->frames.size();
  if (!study.skipped.empty())
    found.warnings.push_back(std::string("the app's ") + wanted.name + ": " + study.skipped);
  found.answers = std::move(study);
  return found;
}

Result<Findings> find_masks(const Examination& examined, const segmentation::Recipe& recipe,
                            const Control& control) {
  WantedPlaces wanted;
  wanted.is_wanted = [](const trace::Answer& answer) { return answer.mask.has_value(); };
  wanted.name = "mask";
  wanted.needs_picture =
      recipe.resizing && (!recipe.resizing->to || recipe.frame != Scale::kStretched);
  wanted.most = kMostMasks;
  return found_places<MaskPlaces>(examined, recipe, wanted, control);
}

Result<Findings> find_points(const Examination& examined, const pose::Recipe& recipe,
                             const Control& control) {
  WantedPlaces wanted;
  wanted.is_wanted = [](const trace::Answer& answer) { return answer.points.has_value(); };
  wanted.name = "points";
  const Scale scale = recipe.placement.scale;
  wanted.needs_picture = scale != Scale::kShares && scale != Scale::kModelPixels;
  return found_places<PointPlaces>(examined, recipe, wanted, control);
}

// Within the reference, which is what the error is about.
Error of_reference(Error error) { return std::move(error).during("reference"); }

Result<std::optional<Findings>> as_optional(Result<Findings> found) {
  if (!found) return std::move(found.error());
  return std::optional<Findings>(*std::move(found));
}

}  // namespace

Result<std::optional<Findings>> find_places(const Examination& examined, const Control& control) {
  const Case& known = examined.study.known;
  if (!known.reference_pipeline) return std::optional<Findings>();
  const std::string& text = known.reference_pipeline->recipe.post;
  if (segmentation::is_segmentation(text)) {
    auto recipe = segmentation::parse(text);
    if (!recipe) return of_reference(std::move(recipe.error()));
    if (auto loaded = segmentation::load_colors(*recipe); !loaded)
      return of_reference(std::move(loaded.error()));
    return as_optional(find_masks(examined, *recipe, control));
  }
  if (pose::is_pose(text)) {
    auto recipe = pose::parse(text);
    if (!recipe) return of_reference(std::move(recipe.error()));
    if (auto loaded = pose::load_names(*recipe); !loaded)
      return of_reference(std::move(loaded.error()));
    return as_optional(find_points(examined, *recipe, control));
  }
  return std::optional<Findings>();
}

}  // namespace edgeprobe::diagnose
