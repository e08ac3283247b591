// SPDX-License-Identifier: Apache-2.0
#include "diagnose/postprocessing/masks/predictions.h"

#include <algorithm>
#include <cmath>

namespace edgeprobe::diagnose::masks {
namespace {

namespace segmentation = postprocess::segmentation;
using segmentation::Cells;

// Pixels of a mask that may differ for no reason: ties at borders.
constexpr double kSameShare = 2e-3;
// What a changed recipe may leave: of the pixels that the reference has wrong, and of all. A change
// that explains most of a border is not the one that made it.
constexpr double kLeftOfWrong = 0.05, kLeftOfAll = 2e-4;
constexpr std::size_t kWholeSample = 12'000, kOfBorder = 5'000, kOfOthers = 3'000;
// Kept predictions; beyond it they are computed again.
constexpr std::size_t kMostKept = 600, kMostKeptBytes = std::size_t{128} << 20;

std::string geometry_key(const Recipe& recipe) {
  std::string key;
  const auto add = [&key](auto value) { key += std::to_string(value) + ","; };
  add(static_cast<int>(recipe.reading));
  for (const auto activation : recipe.activations) add(static_cast<int>(activation));
  return key;
}

std::string seen_key(const Recipe& recipe) {
  std::string key = geometry_key(recipe) + ";";
  const auto add = [&key](auto value) { key += std::to_string(value) + ","; };
  add(static_cast<int>(recipe.misreading));
  add(static_cast<int>(recipe.turn));
  add(recipe.threshold);
  add(static_cast<int>(recipe.resizing && recipe.resizing->is_of_scores));
  return key;
}

std::string mask_key(const Recipe& recipe) {
  std::string key = seen_key(recipe) + ";";
  const auto add = [&key](auto value) { key += std::to_string(value) + ","; };
  add(static_cast<int>(recipe.frame));
  if (!recipe.resizing) return key;
  const segmentation::Resizing& r = *recipe.resizing;
  add(r.to ? r.to->height : 0);
  add(r.to ? r.to->width : 0);
  add(static_cast<int>(r.align));
  add((r.is_bilinear ? 1 : 0) + (r.is_cut_down ? 2 : 0) + (r.are_sides_exchanged ? 4 : 0));
  if (r.is_bilinear) return key;
  // Of tied cells the one is taken that gives the recorded number.
  add(recipe.shift);
  add(recipe.is_bgr ? 2 : static_cast<int>(recipe.colors.has_value()));
  for (const auto& [from, to] : recipe.renamed) add(from), add(to);
  return key;
}

// One of 2^32 numbers that follow each other without a pattern that a picture might have
// (Knuth, The Art of Computer Programming 3, 6.4: multiplication by the golden section).
std::uint32_t scrambled(std::uint32_t i) {
  i *= 2654435769U;
  return i ^ (i >> 15);
}

bool is_at_border(const trace::Mask& mask, std::size_t y, std::size_t x) {
  const std::size_t at = y * mask.width + x;
  const std::int32_t own = mask.classes[at];
  return (x + 1 < mask.width && mask.classes[at + 1] != own) ||
         (x > 0 && mask.classes[at - 1] != own) ||
         (y + 1 < mask.height && mask.classes[at + mask.width] != own) ||
         (y > 0 && mask.classes[at - mask.width] != own);
}

}  // namespace

Sample sample_of(const trace::Mask& mask) {
  Sample out;
  out.all = static_cast<double>(mask.classes.size());
  std::vector<std::uint32_t> border, other;
  for (std::size_t i = 0; i < mask.classes.size(); ++i) {
    if (mask.classes[i] != mask.classes[0]) out.is_constant = false;
    (is_at_border(mask, i / mask.width, i % mask.width) ? border : other)
        .push_back(static_cast<std::uint32_t>(i));
  }
  const bool is_whole = mask.classes.size() <= kWholeSample;
  const auto take = [&](std::vector<std::uint32_t>& from, std::size_t most, bool is_border) {
    std::size_t count = from.size();
    if (!is_whole && count > most) {
      std::sort(from.begin(), from.end(), [](std::uint32_t a, std::uint32_t b) {
        return scrambled(a) != scrambled(b) ? scrambled(a) < scrambled(b) : a < b;
      });
      count = most;
    }
    const double stands_for =
        count == 0 ? 0 : static_cast<double>(from.size()) / static_cast<double>(count);
    for (std::size_t k = 0; k < count; ++k)
      out.pixels.push_back({from[k] / mask.width, from[k] % mask.width, mask.classes[from[k]],
                            stands_for, is_border});
  };
  take(border, kOfBorder, true);
  take(other, kOfOthers, false);
  return out;
}

Predictions::Predictions(std::span<const RecordedFrame> frames, Recipe reference, Size model)
    : frames_(frames), reference_(std::move(reference)), model_(model) {
  std::int32_t most = 1;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    samples_.push_back(sample_of(*frames[i].answer.mask));
    if (const Seen* const own = seen(reference_, i)) {
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

const Predictions::Seen* Predictions::seen(const Recipe& recipe, std::size_t frame) {
  if (kept_bytes_ > kMostKeptBytes) cells_.clear(), seen_.clear(), kept_bytes_ = 0;
  const std::string prefix = std::to_string(frame) + ":";
  const auto [known, is_new] = seen_.try_emplace(prefix + seen_key(recipe));
  if (!is_new) return known->second ? &*known->second : nullptr;
  const auto [kept, is_unread] = cells_.try_emplace(prefix + geometry_key(recipe));
  if (is_unread) {
    const RecordedFrame& recorded = frames_[frame];
    const std::vector<TensorView> views(recorded.outputs.begin(), recorded.outputs.end());
    if (auto read = segmentation::cells_of(recipe, views)) kept->second = *std::move(read);
    if (kept->second) kept_bytes_ += sizeof(float) * kept->second->values->size();
  }
  if (!kept->second) return nullptr;
  Seen out{segmentation::as_seen(recipe, *kept->second), {}};
  if (!(recipe.resizing && recipe.resizing->is_of_scores))
    out.decided = segmentation::decided(recipe, out.cells);
  kept_bytes_ += sizeof(std::int32_t) * out.decided.classes.size();
  known->second = std::move(out);
  return &*known->second;
}

std::pair<std::size_t, std::size_t> Predictions::cells(const Recipe& recipe, std::size_t frame) {
  const Seen* const own = seen(recipe, frame);
  if (!own) return {};
  Recipe plain = recipe;
  plain.resizing.reset();
  const auto plan = segmentation::plan_of(plain, own->cells, picture(frame), model_);
  return {plan.height, plan.width};
}

std::int32_t Predictions::nearest_to(std::int32_t number, const Recipe& recipe, const Seen& own,
                                     const segmentation::Plan& plan, std::size_t y, std::size_t x) {
  const std::int32_t plain = segmentation::class_at(recipe, own.cells, own.decided, plan, y, x);
  const bool row = plan.rows[y].is_tie, column = plan.columns[x].is_tie;
  if ((!row && !column) || segmentation::number_of(recipe, plain) == number) return plain;
  for (const auto& [rows, columns] : {std::pair(true, false), {false, true}, {true, true}}) {
    if ((rows && !row) || (columns && !column)) continue;
    const std::int32_t other =
        segmentation::class_at_tie(recipe, own.cells, own.decided, plan, y, x, rows, columns);
    if (segmentation::number_of(recipe, other) == number) return other;
  }
  return plain;
}

const std::vector<std::int32_t>* Predictions::classes_at(const Recipe& recipe, std::size_t frame) {
  if (classes_at_.size() > kMostKept) classes_at_.clear();
  const auto [known, is_new] =
      classes_at_.try_emplace(std::to_string(frame) + ":" + mask_key(recipe));
  if (!is_new) return known->second ? &*known->second : nullptr;
  const Seen* const own = seen(recipe, frame);
  if (!own) return nullptr;
  const auto plan = segmentation::plan_of(recipe, own->cells, picture(frame), model_);
  const trace::Mask& mask = observed(frame);
  if (plan.height != mask.height || plan.width != mask.width) return nullptr;
  known->second.emplace();
  known->second->reserve(samples_[frame].pixels.size());
  for (const Sample::Pixel& pixel : samples_[frame].pixels)
    known->second->push_back(nearest_to(pixel.number, recipe, *own, plan, pixel.y, pixel.x));
  return &*known->second;
}

std::vector<double> Predictions::scores_at(const Recipe& recipe, std::size_t frame) {
  std::vector<double> out;
  const Seen* const own = seen(recipe, frame);
  if (!own || own->cells.classes != 1) return out;
  const auto plan = segmentation::plan_of(recipe, own->cells, picture(frame), model_);
  const trace::Mask& mask = observed(frame);
  if (plan.height != mask.height || plan.width != mask.width) return out;
  for (const Sample::Pixel& pixel : samples_[frame].pixels)
    out.push_back(segmentation::score_at(recipe, own->cells, plan, pixel.y, pixel.x));
  return out;
}

double Predictions::distance(const Recipe& recipe, std::size_t frame) {
  const bool is_reference = recipe == reference_;
  const Sample& sample = samples_[frame];
  const auto* const said = classes_at(recipe, frame);
  if (!said) return 2;
  double wrong = 0, outline = 0;
  std::map<std::int32_t, std::int32_t> numbers;
  const std::int32_t background = segmentation::number_of(reference_, 0);
  for (std::size_t i = 0; i < said->size(); ++i) {
    const Sample::Pixel& pixel = sample.pixels[i];
    const auto [number, is_new] = numbers.try_emplace((*said)[i]);
    if (is_new) number->second = segmentation::number_of(recipe, (*said)[i]);
    if (number->second == pixel.number) continue;
    wrong += pixel.stands_for;
    if ((number->second == background) != (pixel.number == background)) outline += pixel.stands_for;
  }
  const double all = std::max(sample.all, 1.0);
  if (is_reference) {
    if (*reference_wrong_[frame] <= kSameShare * all) return 0;
  } else if (wrong <= allowed(frame)) {
    return 0;
  }
  return 0.05 + (wrong + outline) / all;
}

double Predictions::allowed(std::size_t frame) const {
  const double all = samples_[frame].all;
  const std::optional<double>& of_reference = reference_wrong_[frame];
  if (!of_reference) return kSameShare * all;
  return std::min(kSameShare * all, std::max(kLeftOfAll * all, kLeftOfWrong * *of_reference));
}

std::optional<double> Predictions::wrong(const Recipe& recipe, std::size_t frame) {
  const Seen* const own = seen(recipe, frame);
  if (!own) return std::nullopt;
  const auto plan = segmentation::plan_of(recipe, own->cells, picture(frame), model_);
  const trace::Mask& mask = observed(frame);
  if (plan.height != mask.height || plan.width != mask.width) return std::nullopt;
  double count = 0;
  for (std::size_t y = 0; y < plan.height; ++y)
    for (std::size_t x = 0; x < plan.width; ++x) {
      const std::int32_t number = mask.classes[y * plan.width + x];
      count +=
          segmentation::number_of(recipe, nearest_to(number, recipe, *own, plan, y, x)) != number;
    }
  return count;
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
