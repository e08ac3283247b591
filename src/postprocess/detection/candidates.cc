// SPDX-License-Identifier: Apache-2.0
#include "postprocess/detection/candidates.h"

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "postprocess/classify.h"
#include "postprocess/detection/reported.h"
#include "postprocess/tables.h"

namespace edgeprobe::postprocess::detection {
namespace {

constexpr auto kEveryCandidate = static_cast<std::size_t>(-1);

Box box_of(const Recipe& recipe, const Codes& codes, std::size_t index, Size model) {
  Numbers numbers{};
  std::copy_n(codes.values.begin() + static_cast<std::ptrdiff_t>(index * codes.width), 4,
              numbers.begin());
  static constexpr Anchor kNone;
  const bool anchored = recipe.decoding.coder != Coder::kBoxes;
  const Box box =
      decoded(numbers, anchored ? (*recipe.anchors.list)[index] : kNone, recipe.decoding);
  if (anchored || !recipe.decoding.in_pixels) return box;
  return {box.x1 / model.width, box.y1 / model.height, box.x2 / model.width, box.y2 / model.height};
}

}  // namespace

std::vector<Candidate> best_candidates(const Recipe& recipe, const Scores& scores,
                                       const Suppressed& suppressed, double least,
                                       std::size_t most) {
  std::vector<Candidate> all;
  const auto add = [&](std::size_t box, int id, double score) {
    if (score >= least) all.push_back({box, id, score});
  };
  if (recipe.is_suppressed()) {
    const std::size_t count =
        std::min({suppressed.count, suppressed.classes.size(), scores.values.size()});
    for (std::size_t i = 0; i < count; ++i)
      if (std::fabs(suppressed.classes[i]) < 1e9F)  // False for NaN too.
        add(i, static_cast<int>(std::lround(suppressed.classes[i])), scores.values[i]);
  } else if (recipe.skip < scores.classes) {
    const std::size_t first = recipe.skips_last ? 0 : recipe.skip;
    const std::size_t classes = scores.classes - recipe.skip;
    for (std::size_t i = 0; i < scores.boxes; ++i) {
      const float* const begin = scores.values.data() + i * scores.classes + first;
      const float* const end = begin + classes;
      if (recipe.best_class) {
        const float* const top = std::max_element(begin, end);
        add(i, static_cast<int>(top - begin), *top);
        continue;
      }
      for (const float* at = begin; at != end; ++at) add(i, static_cast<int>(at - begin), *at);
    }
  }
  if (all.size() <= most) return all;
  const auto is_before = [](const Candidate& a, const Candidate& b) {
    return a.box != b.box ? a.box < b.box : a.id < b.id;
  };
  std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(most), all.end(),
                   [&](const Candidate& a, const Candidate& b) {
                     return a.score != b.score ? a.score > b.score : is_before(a, b);
                   });
  all.resize(most);
  std::sort(all.begin(), all.end(), is_before);
  return all;
}

std::vector<Detection> detections_of(const Recipe& recipe, std::span<const Candidate> candidates,
                                     const Codes& codes, Size model) {
  std::vector<Detection> out;
  for (const Candidate& one : candidates) {
    if (one.box >= codes.boxes || one.score < recipe.threshold - kNearScore) continue;
    out.push_back({box_of(recipe, codes, one.box, model), one.id, one.score,
                   std::fabs(one.score - recipe.threshold) < kNearScore, one.box});
    if (recipe.is_turned && codes.width > 4)
      out.back().angle = recipe.angle_by * codes.values[one.box * codes.width + 4];
  }
  return out;
}

Result<trace::Answer> run(const Recipe& recipe, std::span<const TensorView> outputs, Size picture,
                          Size model) {
  EP_CHECK(boxes_in(recipe, outputs, model));
  EP_TRY(const auto codes, codes_of(recipe, outputs, model));
  EP_TRY(const auto scores, scores_of(recipe, outputs, model));
  EP_TRY(const auto suppressed_by_model, suppressed_of(recipe, outputs, model));
  Suppression rule = recipe.suppression;
  rule.pixel_width = 1 / model.width, rule.pixel_height = 1 / model.height;
  rule.near = 0;
  const auto all = detections_of(
      recipe,
      best_candidates(recipe, scores, suppressed_by_model, recipe.threshold, kEveryCandidate),
      codes, model);
  const std::vector<std::string> names =
      recipe.labels ? in_order(*recipe.labels, recipe.labels->order) : std::vector<std::string>{};
  trace::Answer answer;
  answer.classes.emplace(), answer.scores.emplace(), answer.boxes.emplace();
  if (recipe.labels) answer.labels.emplace();
  if (has_points(recipe)) answer.points.emplace();
  for (const Detection& one : suppressed(all, rule)) {
    if (answer.boxes->size() >= recipe.suppression.most) break;
    const Reported made = reported(recipe, one, codes, picture, model);
    std::array<float, 4> box{};
    std::copy(made.box.begin(), made.box.end(), box.begin());
    answer.boxes->push_back(box);
    for (const ReportedPoint& point : made.points)
      answer.points->push_back({static_cast<float>(point[0]), static_cast<float>(point[1]),
                                static_cast<float>(point[2])});
    answer.classes->push_back(one.id);
    answer.scores->push_back(static_cast<float>(recipe.percent ? 100 * one.score : one.score));
    if (!recipe.labels) continue;
    const std::int64_t line = std::int64_t{one.id} + recipe.labels->shift;
    if (line < 0 || static_cast<std::size_t>(line) >= names.size())
      return Error{ErrorKind::kUsage, "labels: class " + std::to_string(one.id) +
                                          " has no line in '" +
                                          sanitized(recipe.labels->table.file) + "', which has " +
                                          std::to_string(names.size())};
    answer.labels->push_back(names[static_cast<std::size_t>(line)]);
  }
  return answer;
}

}  // namespace edgeprobe::postprocess::detection
