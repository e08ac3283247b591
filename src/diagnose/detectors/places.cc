// SPDX-License-Identifier: Apache-2.0
#include "diagnose/detectors/places.h"

#include <algorithm>

#include "core/text.h"
#include "diagnose/postprocessing/masks/search.h"
#include "diagnose/postprocessing/points/search.h"
#include "diagnose/recorded_places.h"

namespace edgeprobe::diagnose {
namespace {

namespace pose = postprocess::pose;
namespace segmentation = postprocess::segmentation;
using masks::words;
using points::words;
using postprocess::detection::Scale;

// Other explanations that are told beside the first.
constexpr std::size_t kMostTold = 8;
// Masks and their outputs are some megabytes a frame.
constexpr std::size_t kMostMasks = 24;

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

// `what`: "mask".
template <class Finding, class Recipe>
std::vector<Cause> causes_of(const Finding& found, const Recipe& recipe, const char* what) {
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
        std::string("the app makes other ") + what +
        " of the recorded outputs than the reference's recipe does" +
        (found.explanations.empty() ? ", and no change of the recipe that is known gives them"
                                    : "; the nearest recipe, which does not give them either: " +
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
  if (!first.is_proven || found.explanations.size() > 1)
    cause.evidence.push_back(
        {EvidenceKind::kAnswerDecides, {{"what", "pictures"}, {"class", -1}, {"name", ""}}});
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

// `search`: frames and the size of the model's input in, the finding of that kind out.
template <class Recipe, class Search>
Result<Findings> found_places(const Examination& examined, const Recipe& recipe,
                              const WantedPlaces& wanted, Search search) {
  Findings found;
  auto recorded = recorded_places(examined.study.known, wanted);
  if (!recorded)
    return std::move(recorded.error()).during(std::string(wanted.name) + " of the app");
  if (recorded->answers == 0) return found;
  AnswerStudy study;
  study.recipe = to_text(recipe);
  study.frames = recorded->frames.size();
  study.skipped = recorded->why_not;
  if (study.skipped.empty()) {
    auto searched = search(recorded->frames, recorded->model);
    if (!searched && searched.error().kind == ErrorKind::kInterrupted)
      return std::move(searched.error());
    if (!searched) {
      study.skipped = searched.error().what;
    } else {
      study.status = status_word(searched->status);
      study.unlike = searched->unlike.size();
      study.judged.emplace_back(wanted.name);
      if constexpr (requires { searched->has_scores; })
        if (searched->has_scores) study.judged.emplace_back("scores");
      found.causes = causes_of(*searched, recipe, wanted.name);
    }
  }
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
  return found_places(examined, recipe, wanted, [&](const auto& frames, auto model) {
    return masks::search(frames, recipe, model, control);
  });
}

Result<Findings> find_points(const Examination& examined, const pose::Recipe& recipe,
                             const Control& control) {
  WantedPlaces wanted;
  wanted.is_wanted = [](const trace::Answer& answer) { return answer.points.has_value(); };
  wanted.name = "points";
  const Scale scale = recipe.placement.scale;
  wanted.needs_picture = scale != Scale::kShares && scale != Scale::kModelPixels;
  return found_places(examined, recipe, wanted, [&](const auto& frames, auto model) {
    return points::search(frames, recipe, model, control);
  });
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
