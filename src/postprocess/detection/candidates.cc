// SPDX-License-Identifier: Apache-2.0
#include "postprocess/detection/candidates.h"

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "postprocess/classify.h"
#include "postprocess/tables.h"

namespace edgeprobe::postprocess::detection {
namespace {

Error no_output(std::string_view what, std::size_t index, std::size_t outputs) {
  return {ErrorKind::kUsage, std::string(what) + ": there is no output " + std::to_string(index) +
                                 ", the model has " + std::to_string(outputs) + ", counted from 0"};
}

Error misshaped(std::string_view what, const TensorSpec& spec, std::string_view expected) {
  return {ErrorKind::kUsage, std::string(what) + ": output '" + sanitized(spec.name, 60) + "' is " +
                                 edgeprobe::to_text(spec.shape) + ", expected " +
                                 std::string(expected)};
}

/// Values of an output, with the scale of another one where the recipe says so.
Result<std::vector<double>> read_output(const Recipe& recipe, std::span<const TensorView> outputs,
                                        std::size_t index, std::size_t scale_of) {
  TensorSpec spec = *outputs[index].spec;
  if (recipe.scales_exchanged && scale_of < outputs.size())
    spec.quantization = outputs[scale_of].spec->quantization;
  return read_values(recipe.reading, TensorView(spec, outputs[index].bytes));
}

constexpr auto kEveryCandidate = static_cast<std::size_t>(-1);

/// Rows of a tensor whose leading dimensions of 1 say nothing: [1, N, C] and [N, C] alike; all
/// numbers are one row each if it has one axis.
std::size_t row_width(const TensorSpec& spec) {
  std::size_t axes = 0;
  for (const auto side : spec.shape) axes += side != 1;
  if (spec.shape.empty() || (axes <= 1 && spec.shape.size() <= 2)) return 1;
  return static_cast<std::size_t>(std::max<std::int64_t>(spec.shape.back(), 1));
}

void activate_rows(const std::vector<Activation>& activations, std::size_t classes,
                   std::vector<double>& values) {
  if (activations.empty()) return;
  std::vector<double> row(classes);
  for (std::size_t at = 0; at + classes <= values.size(); at += classes) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(at);
    row.assign(begin, begin + static_cast<std::ptrdiff_t>(classes));
    for (const Activation activation : activations) activate(activation, row);
    std::copy(row.begin(), row.end(), begin);
  }
}

std::vector<float> narrowed(const std::vector<double>& values) {
  std::vector<float> out(values.size());
  std::transform(values.begin(), values.end(), out.begin(),
                 [](double value) { return static_cast<float>(value); });
  return out;
}

Box box_of(const Recipe& recipe, const Codes& codes, std::size_t index) {
  Numbers numbers{};
  std::copy_n(codes.values.begin() + static_cast<std::ptrdiff_t>(index * codes.width), 4,
              numbers.begin());
  static constexpr Anchor kNone;
  const bool anchored = recipe.decoding.coder != Coder::kBoxes;
  return decoded(numbers, anchored ? (*recipe.anchors.list)[index] : kNone, recipe.decoding);
}

}  // namespace

Result<Scores> scores_of(const Recipe& recipe, std::span<const TensorView> outputs) {
  const std::size_t index = recipe.outputs.scores;
  if (index >= outputs.size()) return no_output("scores", index, outputs.size());
  EP_TRY(auto values, read_output(recipe, outputs, index, recipe.outputs.boxes));
  Scores out;
  out.classes = recipe.is_suppressed() ? 1 : row_width(*outputs[index].spec);
  out.boxes = values.size() / std::max<std::size_t>(out.classes, 1);
  activate_rows(recipe.activations, out.classes, values);
  out.values = narrowed(values);
  return out;
}

namespace {

Result<Codes> numbers_of_boxes(const Recipe& recipe, std::span<const TensorView> outputs) {
  const std::size_t index = recipe.outputs.boxes;
  if (index >= outputs.size()) return no_output("boxes", index, outputs.size());
  const TensorSpec& spec = *outputs[index].spec;
  if (spec.shape.empty() || spec.shape.back() < 4)
    return misshaped("boxes", spec, "[1, N, 4]: four numbers a box");
  EP_TRY(auto values, read_output(recipe, outputs, index, recipe.outputs.scores));
  Codes out;
  out.width = static_cast<std::size_t>(spec.shape.back());
  out.boxes = values.size() / out.width;
  out.values = narrowed(values);
  return out;
}

// Boxes and scores in one output: the heads that YOLO's exporters write.
Error one_output(const TensorSpec& spec) {
  return misshaped("boxes", spec,
                   "[1, N, 4], four numbers a box, and the scores in another output; one output "
                   "that holds both, such as YOLO's [1, 4 + classes, N], is not read in this "
                   "version: let the app, or the model, split it");
}

Status check_anchors(const Recipe& recipe, const TensorSpec& spec, const Codes& codes) {
  if (recipe.decoding.coder == Coder::kBoxes ||
      (recipe.anchors.list && recipe.anchors.list->size() == codes.boxes))
    return {};
  return misshaped("boxes", spec,
                   "as many boxes as there are anchors (" +
                       std::to_string(recipe.anchors.list ? recipe.anchors.list->size() : 0) + ")");
}

struct BoxesAndScores {
  Codes codes;
  Scores scores;
};

Result<BoxesAndScores> boxes_and_scores(const Recipe& recipe, std::span<const TensorView> outputs) {
  const auto &boxes = recipe.outputs.boxes, &scores = recipe.outputs.scores;
  if (boxes == scores && boxes < outputs.size()) return one_output(*outputs[boxes].spec);
  EP_TRY(auto codes, numbers_of_boxes(recipe, outputs));
  EP_TRY(auto scored, scores_of(recipe, outputs));
  if (scored.boxes != codes.boxes)
    return misshaped("scores", *outputs[scores].spec,
                     "a row of scores for each of the " + std::to_string(codes.boxes) +
                         " boxes of output " + std::to_string(boxes));
  return BoxesAndScores{std::move(codes), std::move(scored)};
}

}  // namespace

Result<Codes> codes_of(const Recipe& recipe, std::span<const TensorView> outputs) {
  EP_TRY(auto codes, numbers_of_boxes(recipe, outputs));
  EP_CHECK(check_anchors(recipe, *outputs[recipe.outputs.boxes].spec, codes));
  return codes;
}

Result<std::size_t> boxes_in(const Recipe& recipe, std::span<const TensorView> outputs) {
  EP_TRY(const auto read, boxes_and_scores(recipe, outputs));
  return read.codes.boxes;
}

Result<Suppressed> suppressed_of(const Recipe& recipe, std::span<const TensorView> outputs) {
  Suppressed out;
  if (!recipe.is_suppressed()) return out;
  const std::size_t index = *recipe.outputs.classes;
  if (index >= outputs.size()) return no_output("classes", index, outputs.size());
  EP_TRY(auto classes, to_float(outputs[index]));
  out.count = classes.size();
  out.classes = std::move(classes);
  if (!recipe.outputs.count) return out;
  if (*recipe.outputs.count >= outputs.size())
    return no_output("count", *recipe.outputs.count, outputs.size());
  EP_TRY(auto count, to_float(outputs[*recipe.outputs.count]));
  if (count.size() != 1)
    return misshaped("count", *outputs[*recipe.outputs.count].spec, "one number");
  if (!(count.front() >= 0)) out.count = 0;
  else if (count.front() < static_cast<float>(out.count))
    out.count = static_cast<std::size_t>(count.front());
  return out;
}

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
      if (std::fabs(suppressed.classes[i]) < 1e9F)  // No NaN either.
        add(i, static_cast<int>(std::lround(suppressed.classes[i])), scores.values[i]);
  } else if (recipe.skip < scores.classes) {
    const auto skip = static_cast<std::ptrdiff_t>(recipe.skip);
    for (std::size_t i = 0; i < scores.boxes; ++i) {
      const float* const row = scores.values.data() + i * scores.classes;
      const float* const begin = row + skip;
      const float* const end = row + scores.classes;
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
                                     const Codes& codes) {
  std::vector<Detection> out;
  for (const Candidate& one : candidates) {
    if (one.box >= codes.boxes || one.score < recipe.threshold - kNearScore) continue;
    out.push_back({box_of(recipe, codes, one.box), one.id, one.score,
                   std::fabs(one.score - recipe.threshold) < kNearScore});
  }
  return out;
}

Result<trace::Answer> run(const Recipe& recipe, std::span<const TensorView> outputs, Size picture,
                          Size model) {
  EP_TRY(const auto read, boxes_and_scores(recipe, outputs));
  const auto& [codes, scores] = read;
  EP_CHECK(check_anchors(recipe, *outputs[recipe.outputs.boxes].spec, codes));
  EP_TRY(const auto suppressed_by_model, suppressed_of(recipe, outputs));
  Suppression rule = recipe.suppression;
  rule.pixel_width = 1 / model.width, rule.pixel_height = 1 / model.height;
  rule.near = 0;
  const auto all = detections_of(
      recipe,
      best_candidates(recipe, scores, suppressed_by_model, recipe.threshold, kEveryCandidate),
      codes);
  const std::vector<std::string> names =
      recipe.labels ? in_order(*recipe.labels, recipe.labels->order) : std::vector<std::string>{};
  trace::Answer answer;
  answer.classes.emplace(), answer.scores.emplace(), answer.boxes.emplace();
  if (recipe.labels) answer.labels.emplace();
  for (const Detection& one : suppressed(all, rule)) {
    if (answer.boxes->size() >= recipe.suppression.most) break;
    const Numbers numbers =
        reported(placed(one.box, recipe.placement, picture, model), recipe.report);
    std::array<float, 4> box{};
    std::copy(numbers.begin(), numbers.end(), box.begin());
    answer.boxes->push_back(box);
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
