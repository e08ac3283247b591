// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "postprocess/classify.h"
#include "postprocess/detection/candidates.h"
#include "postprocess/detection/map_rows.h"

/// Reads boxes, scores and classes from the outputs.
namespace edgeprobe::postprocess::detection {
namespace {

constexpr std::size_t kBoxNumbers = 4;
// Below any threshold: for classes other than the box's own.
constexpr double kNoScore = -1;

Error no_output(std::string_view what, std::size_t index, std::size_t outputs) {
  return {ErrorKind::kUsage, std::string(what) + ": there is no output " + std::to_string(index) +
                                 ", the model has " + std::to_string(outputs) + ", counted from 0"};
}

Error misshaped(std::string_view what, const TensorSpec& spec, std::string_view expected) {
  return {ErrorKind::kUsage, std::string(what) + ": output '" + sanitized(spec.name, 60) + "' is " +
                                 edgeprobe::to_text(spec.shape) + ", expected " +
                                 std::string(expected)};
}

std::size_t names_of(const Recipe& recipe) {
  return recipe.labels ? recipe.labels->table.names.size() : 0;
}

// For an output with other or additional numbers.
Error not_boxes(const Recipe& recipe, const TensorSpec& spec, Size model, std::string expected) {
  if (const auto look = look_of(spec.shape, model, names_of(recipe)))
    expected += "; it looks like " + look->words + ": use " + look->step;
  return misshaped("boxes", spec, expected);
}

/// Values of an output, with another output's scale if the recipe states so.
Result<std::vector<double>> read_output(const Recipe& recipe, std::span<const TensorView> outputs,
                                        std::size_t index, std::size_t scale_of) {
  TensorSpec spec = *outputs[index].spec;
  if (recipe.scales_exchanged && scale_of < outputs.size())
    spec.quantization = outputs[scale_of].spec->quantization;
  return read_values(recipe.reading, TensorView(spec, outputs[index].bytes));
}

/// Row width of a tensor; leading dimensions of 1 are ignored: [1, N, C] equals [N, C]. With one
/// axis, each number is a row.
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

/// The output that holds everything.
Result<HeadRows> whole_head(const Recipe& recipe, std::span<const TensorView> outputs, Size model) {
  const std::size_t index = recipe.outputs.boxes;
  if (index >= outputs.size()) return no_output("boxes", index, outputs.size());
  const TensorSpec& spec = *outputs[index].spec;
  EP_CHECK(check_head(recipe.head, spec, model, names_of(recipe)));
  EP_TRY(auto values, read_output(recipe, outputs, index, index));
  return head_rows(recipe.head, spec.shape, std::move(values));
}

/// `count` numbers of each box from `first` on.
std::vector<double> columns(const HeadRows& rows, std::size_t first, std::size_t count) {
  std::vector<double> out;
  out.reserve(rows.boxes * count);
  for (std::size_t i = 0; i < rows.boxes; ++i) {
    const auto begin = rows.values.begin() + static_cast<std::ptrdiff_t>(i * rows.width + first);
    out.insert(out.end(), begin, begin + static_cast<std::ptrdiff_t>(count));
  }
  return out;
}

// For logits, a sigmoid also applies to the objectness; a softmax applies only to the classes.
void weigh_by_objectness(const Recipe& recipe, std::vector<double> objectness, std::size_t classes,
                         std::vector<double>& scores) {
  const Objectness use = recipe.head.objectness;
  if (use == Objectness::kIgnored) return;
  for (const Activation activation : recipe.activations)
    if (activation == Activation::kSigmoid) activate(activation, objectness);
  for (std::size_t i = 0; i < objectness.size(); ++i) {
    const auto begin = scores.begin() + static_cast<std::ptrdiff_t>(i * classes);
    const auto end = begin + static_cast<std::ptrdiff_t>(classes);
    const auto best = std::max_element(begin, end);
    for (auto score = begin; score != end; ++score)
      if (use == Objectness::kFactor) *score *= objectness[i];
      else if (use == Objectness::kRoot)
        *score = std::sqrt(std::clamp(*score, 0.0, 1.0) * std::clamp(objectness[i], 0.0, 1.0));
      else *score = score == best ? objectness[i] : kNoScore;
  }
}

Result<Scores> map_scores(const Recipe& recipe, std::span<const TensorView> outputs, Size model) {
  EP_TRY(auto rows, read_maps(recipe, outputs, model));
  Scores out;
  out.boxes = rows.boxes, out.classes = rows.classes;
  activate_rows(recipe.activations, out.classes, rows.scores);
  if (!rows.object.empty())
    weigh_by_objectness(recipe, std::move(rows.object), out.classes, rows.scores);
  if (recipe.head.family == Family::kCenternet && !recipe.head.keeps_neighbours)
    keep_peaks(rows.scores, out.classes, columns_of(recipe, model));
  out.values = narrowed(rows.scores);
  return out;
}

// Four numbers for each box, and those of its points.
Codes codes_with(std::size_t boxes, const std::vector<double>& numbers,
                 const std::vector<double>& tail) {
  Codes out;
  out.boxes = boxes;
  const std::size_t more = boxes > 0 ? tail.size() / boxes : 0;
  out.width = kBoxNumbers + more;
  out.values.reserve(numbers.size() + tail.size());
  for (std::size_t i = 0; i < boxes; ++i) {
    for (std::size_t k = 0; k < kBoxNumbers; ++k)
      out.values.push_back(static_cast<float>(numbers[i * kBoxNumbers + k]));
    for (std::size_t k = 0; k < more; ++k)
      out.values.push_back(static_cast<float>(tail[i * more + k]));
  }
  return out;
}

Scores head_scores(const Recipe& recipe, const HeadRows& rows) {
  const HeadKind kind = recipe.head.kind;
  const Row row = row_of(kind);
  Scores out;
  out.boxes = rows.boxes;
  const std::size_t after = recipe.head.tail + recipe.head.extra;
  out.classes = is_suppressed(kind) ? 1 : rows.width - row.score - after;
  auto values = columns(rows, row.score, out.classes);
  activate_rows(recipe.activations, out.classes, values);
  if (kind == HeadKind::kObject)
    weigh_by_objectness(recipe, columns(rows, kBoxNumbers, 1), out.classes, values);
  out.values = narrowed(values);
  return out;
}

std::size_t first_output(const Recipe& recipe) {
  return recipe.has_maps() ? static_cast<std::size_t>(recipe.maps.boxes.front())
                           : recipe.outputs.boxes;
}

// Detects pixel coordinates mistaken for scores, which are at most 1, or a few tens as logits.
// Overflowing values are not coordinates.
Status check_scores(const Recipe& recipe, const TensorSpec& spec, const Scores& scores) {
  constexpr float kNoScoreAtAll = 100, kNoPlaceAtAll = 1e5F;
  const bool are_codes = is_integer(spec.dtype) && recipe.reading != Reading::kValues;
  if (recipe.head.kind != HeadKind::kScores || are_codes || recipe.head.is_taken_as_stored ||
      scores.values.empty())
    return {};
  const float most = *std::max_element(scores.values.begin(), scores.values.end());
  if (!(most > kNoScoreAtAll && most < kNoPlaceAtAll)) return {};
  return misshaped("scores", spec,
                   "scores of 0..1, or logits; there are numbers up to " + number(most, 4) +
                       ", as places in pixels are: points after the scores are read by "
                       "keypoints(COUNT, xys), other numbers are left out by extra=");
}

Status check_anchors(const Recipe& recipe, const TensorSpec& spec, const Codes& codes) {
  if (recipe.decoding.coder == Coder::kBoxes ||
      (recipe.anchors.list && recipe.anchors.list->size() == codes.boxes))
    return {};
  return misshaped("boxes", spec,
                   "as many boxes as there are anchors (" +
                       std::to_string(recipe.anchors.list ? recipe.anchors.list->size() : 0) + ")");
}

// Points from a separate output.
Result<std::vector<double>> points_apart(const Recipe& recipe, std::span<const TensorView> outputs,
                                         std::size_t boxes) {
  const std::size_t index = *recipe.outputs.points;
  if (index >= outputs.size()) return no_output("points", index, outputs.size());
  EP_TRY(auto values, read_values(recipe.reading, outputs[index]));
  if (values.size() != boxes * recipe.head.tail)
    return misshaped("points", *outputs[index].spec,
                     std::to_string(recipe.head.tail) + " numbers for each of " +
                         std::to_string(boxes) + " boxes");
  return values;
}

std::vector<double> first_numbers(const std::vector<double>& values, std::size_t width) {
  std::vector<double> out;
  for (std::size_t at = 0; at + kBoxNumbers <= values.size(); at += width)
    out.insert(out.end(), values.begin() + static_cast<std::ptrdiff_t>(at),
               values.begin() + static_cast<std::ptrdiff_t>(at + kBoxNumbers));
  return out;
}

Result<Codes> numbers_of_boxes(const Recipe& recipe, std::span<const TensorView> outputs,
                               Size model) {
  Codes out;
  if (recipe.has_maps()) {
    EP_TRY(const auto rows, read_maps(recipe, outputs, model));
    return codes_with(rows.boxes, rows.edges, rows.points);
  }
  if (!recipe.is_apart()) {
    EP_TRY(const auto rows, whole_head(recipe, outputs, model));
    const std::size_t tail = recipe.head.tail;
    return codes_with(rows.boxes, columns(rows, row_of(recipe.head.kind).box, kBoxNumbers),
                      columns(rows, tail_of(recipe.head, rows.width), tail));
  }
  const std::size_t index = recipe.outputs.boxes;
  if (index >= outputs.size()) return no_output("boxes", index, outputs.size());
  const TensorSpec& spec = *outputs[index].spec;
  if (index == recipe.outputs.scores)
    return not_boxes(recipe, spec, model, "[1, N, 4] and the scores in another output");
  // Codes relative to anchors may be followed by points.
  const std::int64_t side = spec.shape.empty() ? 0 : spec.shape.back();
  if (side < 4 || (side > 4 && recipe.decoding.coder == Coder::kBoxes))
    return not_boxes(recipe, spec, model, "[1, N, 4]: four numbers a box");
  EP_TRY(auto values, read_output(recipe, outputs, index, recipe.outputs.scores));
  out.width = static_cast<std::size_t>(side);
  out.boxes = values.size() / out.width;
  out.values = narrowed(values);
  if (!recipe.outputs.points) {
    if (out.width < kBoxNumbers + recipe.head.tail)
      return misshaped("boxes", spec,
                       std::to_string(kBoxNumbers + recipe.head.tail) +
                           " numbers a box: four and " + std::to_string(recipe.head.tail) +
                           " of its points");
    return out;
  }
  EP_TRY(const auto points, points_apart(recipe, outputs, out.boxes));
  return codes_with(out.boxes, first_numbers(values, out.width), points);
}

}  // namespace

Result<Scores> scores_of(const Recipe& recipe, std::span<const TensorView> outputs, Size model) {
  if (recipe.has_maps()) return map_scores(recipe, outputs, model);
  if (!recipe.is_apart()) {
    EP_TRY(const auto rows, whole_head(recipe, outputs, model));
    auto scores = head_scores(recipe, rows);
    EP_CHECK(check_scores(recipe, *outputs[recipe.outputs.boxes].spec, scores));
    return scores;
  }
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

Result<Codes> codes_of(const Recipe& recipe, std::span<const TensorView> outputs, Size model) {
  EP_TRY(auto codes, numbers_of_boxes(recipe, outputs, model));
  if (!recipe.has_maps() || !recipe.anchors.list || recipe.anchors.list->size() != codes.boxes)
    EP_CHECK(check_anchors(recipe, *outputs[first_output(recipe)].spec, codes));
  return codes;
}

Result<std::size_t> boxes_in(const Recipe& recipe, std::span<const TensorView> outputs,
                             Size model) {
  EP_TRY(const auto codes, numbers_of_boxes(recipe, outputs, model));
  if (!recipe.is_apart()) return codes.boxes;
  EP_TRY(const auto scored, scores_of(recipe, outputs, model));
  if (scored.boxes != codes.boxes)
    return misshaped("scores", *outputs[recipe.outputs.scores].spec,
                     "a row of scores for each of the " + std::to_string(codes.boxes) +
                         " boxes of output " + std::to_string(recipe.outputs.boxes));
  return codes.boxes;
}

Result<Suppressed> suppressed_of(const Recipe& recipe, std::span<const TensorView> outputs,
                                 Size model) {
  Suppressed out;
  if (!recipe.is_suppressed()) return out;
  if (!recipe.is_apart()) {
    EP_TRY(const auto rows, whole_head(recipe, outputs, model));
    out.classes = narrowed(columns(rows, row_of(recipe.head.kind).of_class, 1));
    out.count = rows.boxes;
    return out;
  }
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

}  // namespace edgeprobe::postprocess::detection
