// SPDX-License-Identifier: Apache-2.0
#include "diagnose/postprocessing/masks/predictions.h"

#include <algorithm>
#include <cmath>

#include "postprocess/segmentation/input_cells.h"

namespace edgeprobe::diagnose::masks {
namespace {

namespace segmentation = postprocess::segmentation;
using segmentation::Tap;

// Fraction of pixels that may differ by ties at borders.
constexpr double kSameShare = 2e-3;
// Limit of the pixels that a changed recipe may leave wrong: as fractions of the reference's wrong
// pixels, and of all pixels. A change that explains most of a border, but not all, is not the
// cause.
constexpr double kLeftOfWrong = 0.05, kLeftOfAll = 2e-4;
// Distance of a mask with another size, and minimum distance of masks that differ.
constexpr double kOtherSize = 2, kNotSame = 0.05;
// First examines every kFirstLook-th pixel of a sample; if those exceed the allowed number kClearly
// times, they decide.
constexpr std::size_t kFirstLook = 4;
constexpr double kClearly = 4;
// Cache limits; predictions beyond them are computed again.
constexpr std::size_t kMostPlans = 200, kMostKept = 600, kMostKeptBytes = std::size_t{64} << 20;

std::string cells_key(const Recipe& recipe) {
  std::string key;
  const auto add = [&key](auto value) { key += std::to_string(value) + ","; };
  add(static_cast<int>(recipe.reading));
  for (const auto activation : recipe.activations) add(static_cast<int>(activation));
  // Scores resized to the model's input form other cells.
  if (recipe.resizing && recipe.resizing->is_through_input)
    key += "through " + std::to_string(static_cast<int>(recipe.resizing->align));
  return key;
}

std::string decided_key(const Recipe& recipe) {
  std::string key = cells_key(recipe) + ";";
  const auto add = [&key](auto value) { key += std::to_string(value) + ","; };
  add(static_cast<int>(recipe.misreading));
  add(recipe.threshold);
  return key;
}

// Key of everything that determines where a mask's pixels come from, except the frame.
std::string resizing_key(const Recipe& recipe) {
  std::string key;
  if (!recipe.resizing) return key;
  const auto add = [&key](auto value) { key += std::to_string(value) + ","; };
  const segmentation::Resizing& r = *recipe.resizing;
  add(r.to ? r.to->height : 0);
  add(r.to ? r.to->width : 0);
  add(static_cast<int>(r.align));
  add((r.is_bilinear ? 1 : 0) + (r.is_cut_down ? 2 : 0) + (r.are_sides_exchanged ? 4 : 0) +
      (r.is_of_scores ? 8 : 0));
  return key;
}

std::string mask_key(const Recipe& recipe) {
  std::string key = decided_key(recipe) + ";";
  const auto add = [&key](auto value) { key += std::to_string(value) + ","; };
  add(static_cast<int>(recipe.turn));
  add(static_cast<int>(recipe.frame));
  key += resizing_key(recipe);
  if (!recipe.resizing || recipe.resizing->is_bilinear) return key;
  // The choice among tied cells depends on the recorded number.
  add(recipe.shift);
  add(recipe.is_bgr ? 2 : static_cast<int>(recipe.colors.has_value()));
  for (const auto& [from, to] : recipe.renamed) add(from), add(to);
  return key;
}

// Class of a pixel; among tied cells, the one with the recorded number if there is one.
std::int32_t nearest_to(std::int32_t number, const Recipe& recipe,
                        const segmentation::DecidedCells& cells, const Tap& row,
                        const Tap& column) {
  const std::int32_t plain = segmentation::class_at(recipe, cells, row, column);
  if ((!row.is_tie && !column.is_tie) || segmentation::number_of(recipe, plain) == number)
    return plain;
  const auto other = [](Tap tap) {
    if (tap.is_tie) tap.low = tap.high;
    return tap;
  };
  for (const auto& [of_rows, of_columns] : {std::pair(true, false), {false, true}, {true, true}}) {
    const std::int32_t one = segmentation::class_at(recipe, cells, of_rows ? other(row) : row,
                                                    of_columns ? other(column) : column);
    if (segmentation::number_of(recipe, one) == number) return one;
  }
  return plain;
}

// Maps classes to numbers; caches the last one, since neighbours are often equal.
class Numbers {
 public:
  explicit Numbers(const Recipe& recipe) : recipe_(recipe) {}
  std::int32_t operator()(std::int32_t of_class) {
    if (!is_known_ || of_class != last_)
      number_ = segmentation::number_of(recipe_, of_class), last_ = of_class, is_known_ = true;
    return number_;
  }

 private:
  const Recipe& recipe_;
  std::int32_t last_ = 0, number_ = 0;
  bool is_known_ = false;
};

}  // namespace

Predictions::Predictions(std::span<const RecordedFrame> frames, Recipe reference, Size model)
    : frames_(frames), reference_(std::move(reference)), model_(model) {
  std::int32_t most = 1;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    samples_.push_back(sample_of(*frames[i].answer.mask));
    if (const auto own = decided(reference_, i)) {
      is_quantised_ = !frames[i].outputs[reference_.output].spec.quantization.empty();
      classes_ = std::max(classes_, own->cells.classes);
    }
    if (const auto* const said = classes_at(reference_, i))
      for (const std::int32_t one : *said) most = std::max(most, one);
    reference_wrong_.push_back(std::nullopt);
    reference_wrong_.back() = wrong(reference_, i);
  }
  classes_ = std::max(classes_, static_cast<std::size_t>(most) + 1);
}

std::optional<segmentation::DecidedCells> Predictions::decided(const Recipe& recipe,
                                                               std::size_t frame) {
  if (kept_bytes_ > kMostKeptBytes) cells_.clear(), decided_.clear(), kept_bytes_ = 0;
  const std::string prefix = std::to_string(frame) + ":";
  const std::string key = prefix + decided_key(recipe);
  if (const auto known = decided_.find(key); known != decided_.end())
    return segmentation::turned(recipe.turn, known->second);
  const auto [kept, is_unread] = cells_.try_emplace(prefix + cells_key(recipe));
  if (is_unread) {
    const RecordedFrame& recorded = frames_[frame];
    const std::vector<TensorView> views(recorded.outputs.begin(), recorded.outputs.end());
    if (auto read = segmentation::input_cells(recipe, views, model_))
      kept->second = *std::move(read);
    if (kept->second) kept_bytes_ += sizeof(float) * kept->second->values->size();
  }
  if (!kept->second) return std::nullopt;
  const auto& own =
      decided_.emplace(key, segmentation::decided(recipe, *kept->second)).first->second;
  kept_bytes_ += sizeof(std::int32_t) * own.classes.values->size();
  return segmentation::turned(recipe.turn, own);
}

const segmentation::Plan* Predictions::plan(const Recipe& recipe, const DecidedCells& cells,
                                            std::size_t frame) {
  if (plans_.size() > kMostPlans) plans_.clear();
  const segmentation::Grid& grid = cells.classes.grid;
  const auto [known, is_new] = plans_.try_emplace(
      {frame, grid.height, grid.width, static_cast<int>(recipe.frame), resizing_key(recipe)});
  if (is_new) known->second = segmentation::plan_of(recipe, grid, picture(frame), model_);
  const trace::Mask& mask = observed(frame);
  const segmentation::Plan& own = known->second;
  return own.height == mask.height && own.width == mask.width ? &own : nullptr;
}

std::pair<std::size_t, std::size_t> Predictions::cells(const Recipe& recipe, std::size_t frame) {
  const auto own = decided(recipe, frame);
  if (!own) return {};
  Recipe plain = recipe;
  plain.resizing.reset();
  const auto of_cells = segmentation::plan_of(plain, own->classes.grid, picture(frame), model_);
  return {of_cells.height, of_cells.width};
}

const std::vector<std::int32_t>* Predictions::classes_at(const Recipe& recipe, std::size_t frame) {
  if (classes_at_.size() > kMostKept) classes_at_.clear();
  const auto [known, is_new] =
      classes_at_.try_emplace(std::to_string(frame) + ":" + mask_key(recipe));
  if (!is_new) return known->second ? &*known->second : nullptr;
  const auto own = decided(recipe, frame);
  if (!own) return nullptr;
  const auto from = plan(recipe, *own, frame);
  if (!from) return nullptr;
  std::vector<std::int32_t>& out = known->second.emplace();
  out.reserve(samples_[frame].pixels.size());
  for (const Sample::Pixel& pixel : samples_[frame].pixels)
    out.push_back(
        nearest_to(pixel.number, recipe, *own, from->rows[pixel.y], from->columns[pixel.x]));
  return &out;
}

std::vector<double> Predictions::scores_at(const Recipe& recipe, std::size_t frame) {
  std::vector<double> out;
  const auto own = decided(recipe, frame);
  if (!own || own->cells.classes != 1) return out;
  const auto from = plan(recipe, *own, frame);
  if (!from) return out;
  for (const Sample::Pixel& pixel : samples_[frame].pixels)
    out.push_back(
        segmentation::score_at(recipe, own->cells, from->rows[pixel.y], from->columns[pixel.x]));
  return out;
}

double Predictions::distance(const Recipe& recipe, std::size_t frame) {
  const bool is_reference = recipe == reference_;
  const double all = std::max(samples_[frame].all, 1.0);
  if (!is_reference && !classes_at_.count(std::to_string(frame) + ":" + mask_key(recipe))) {
    const auto first = first_look(recipe, frame);
    if (!first) return kOtherSize;
    if (first->wrong > kClearly * allowed(frame)) return kNotSame + first->sum() / all;
  }
  const auto* const said = classes_at(recipe, frame);
  if (!said) return kOtherSize;
  const Unlike unlike = unlike_of(recipe, frame, 1, [&](std::size_t i) { return (*said)[i]; });
  const bool is_same =
      is_reference ? *reference_wrong_[frame] <= kSameShare * all : unlike.wrong <= allowed(frame);
  return is_same ? 0 : kNotSame + unlike.sum() / all;
}

template <class ClassOf>
Predictions::Unlike Predictions::unlike_of(const Recipe& recipe, std::size_t frame,
                                           std::size_t step, ClassOf class_of) const {
  Unlike out;
  Numbers numbers(recipe);
  const std::vector<Sample::Pixel>& pixels = samples_[frame].pixels;
  const std::int32_t background = segmentation::number_of(reference_, 0);
  for (std::size_t i = 0; i < pixels.size(); i += step) {
    const std::int32_t number = numbers(class_of(i));
    if (number == pixels[i].number) continue;
    const double stands_for = pixels[i].stands_for * static_cast<double>(step);
    out.wrong += stands_for;
    if ((number == background) != (pixels[i].number == background)) out.outline += stands_for;
  }
  return out;
}

std::optional<Predictions::Unlike> Predictions::first_look(const Recipe& recipe,
                                                           std::size_t frame) {
  const auto own = decided(recipe, frame);
  if (!own) return std::nullopt;
  const auto from = plan(recipe, *own, frame);
  if (!from) return std::nullopt;
  return unlike_of(recipe, frame, kFirstLook, [&](std::size_t i) {
    const Sample::Pixel& pixel = samples_[frame].pixels[i];
    return nearest_to(pixel.number, recipe, *own, from->rows[pixel.y], from->columns[pixel.x]);
  });
}

double Predictions::allowed(std::size_t frame) const {
  const double all = samples_[frame].all;
  const std::optional<double>& of_reference = reference_wrong_[frame];
  if (!of_reference) return kSameShare * all;
  return std::min(kSameShare * all, std::max(kLeftOfAll * all, kLeftOfWrong * *of_reference));
}

std::optional<double> Predictions::wrong(const Recipe& recipe, std::size_t frame) {
  const auto own = decided(recipe, frame);
  if (!own) return std::nullopt;
  const auto from = plan(recipe, *own, frame);
  if (!from) return std::nullopt;
  const trace::Mask& mask = observed(frame);
  Numbers numbers(recipe);
  std::size_t count = 0;
  for (std::size_t y = 0; y < from->height; ++y)
    for (std::size_t x = 0; x < from->width; ++x) {
      const std::int32_t number = mask.classes[y * from->width + x];
      count += numbers(nearest_to(number, recipe, *own, from->rows[y], from->columns[x])) != number;
    }
  return static_cast<double>(count);
}

bool Predictions::is_same(const Recipe& recipe, std::size_t frame) {
  if (recipe == reference_)
    return reference_wrong_[frame] && *reference_wrong_[frame] <= kSameShare * samples_[frame].all;
  const auto count = wrong(recipe, frame);
  return count && *count <= allowed(frame);
}

std::vector<std::string> Predictions::unlike(const Recipe& recipe, std::size_t frame) {
  const auto* const said = classes_at(recipe, frame);
  if (!said) return {"size"};
  bool outline = false, classes = false;
  const std::int32_t background = segmentation::number_of(reference_, 0);
  for (std::size_t i = 0; i < said->size(); ++i) {
    const std::int32_t own = segmentation::number_of(recipe, (*said)[i]);
    const std::int32_t recorded = samples_[frame].pixels[i].number;
    if (own == recorded) continue;
    ((own == background) != (recorded == background) ? outline : classes) = true;
  }
  std::vector<std::string> out;
  if (outline) out.emplace_back("outline");
  if (classes) out.emplace_back("classes");
  return out;
}

}  // namespace edgeprobe::diagnose::masks
