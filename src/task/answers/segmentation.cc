// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "task/answers/answer_task.h"

namespace edgeprobe::task {
namespace {

/// Pixels of one class: in both, in the truth, in the answer.
struct Pixels {
  std::uint64_t both = 0, there = 0, found = 0;
};
using Confusion = std::map<int, Pixels>;

/// Intersection over union of a class; empty if neither side has it.
std::optional<double> union_share(const Pixels& p) {
  const std::uint64_t whole = p.there + p.found - p.both;
  return whole ? std::optional(static_cast<double>(p.both) / static_cast<double>(whole))
               : std::nullopt;
}

class Segmentation final : public Statistic {
 public:
  explicit Segmentation(const Terms& terms) : terms_(terms) {}

  bool add(const trace::Answer* answer, const Annotation& truth) override {
    const auto& there = std::get<TrueMask>(truth);
    const trace::Mask* mask = answer && answer->mask ? &*answer->mask : nullptr;
    bool good = true;
    if (mask && (mask->height != there.height || mask->width != there.width ||
                 mask->classes.size() != there.classes->size())) {
      problem("a mask has " + std::to_string(mask->width) + " x " + std::to_string(mask->height) +
              " pixels, its annotation " + std::to_string(there.width) + " x " +
              std::to_string(there.height) +
              ": answer in the size of the picture; it counts as wrong in every pixel");
      mask = nullptr;
      good = false;
    }
    // A run of equal pairs costs one map update.
    Confusion confusion;
    std::uint64_t right = 0, all = 0;
    for (std::size_t i = 0; i < there.classes->size();) {
      const int is = (*there.classes)[i];
      const std::int32_t said = mask ? mask->classes[i] : -1;
      const std::size_t begin = i;
      while (i < there.classes->size() && (*there.classes)[i] == is &&
             (!mask || mask->classes[i] == said))
        ++i;
      if (is == TrueMask::kIgnored) continue;
      const std::uint64_t run = i - begin;
      all += run;
      confusion[is].there += run;
      if (mask) confusion[said].found += run;
      if (is == said) {
        confusion[is].both += run;
        right += run;
      }
    }
    for (const auto& [label, pixels] : confusion) by_class_[label].push_back({frames_, pixels});
    ++frames_;
    pixels_.emplace_back(right, all);
    return good;
  }

  std::optional<double> value(Weights weights) const override {
    double sum = 0;
    std::size_t count = 0;
    for (const auto& [label, frames] : by_class_)
      if (const auto one = union_share(sum_of(frames, weights))) {
        sum += *one;
        ++count;
      }
    return count ? std::optional(sum / static_cast<double>(count)) : std::nullopt;
  }

  Details details(Weights weights) const override {
    Details details;
    std::uint64_t right = 0, all = 0;
    for (std::size_t i = 0; i < pixels_.size(); ++i) {
      right += pixels_[i].first * weights[i];
      all += pixels_[i].second * weights[i];
    }
    details.further = {{"pixel_accuracy",
                        all ? std::optional(static_cast<double>(right) / static_cast<double>(all))
                            : std::nullopt}};
    for (const auto& [label, frames] : by_class_) {
      const Pixels sum = sum_of(frames, weights);
      const auto index = static_cast<std::size_t>(label);
      if (const auto one = union_share(sum))
        details.classes.push_back({label >= 0 && index < terms_.classes.size()
                                       ? terms_.classes[index]
                                       : std::to_string(label),
                                   sum.there, one});
    }
    return details;
  }

  double cost() const override {
    double steps = 0;
    for (const auto& [label, frames] : by_class_) steps += static_cast<double>(frames.size());
    return steps;
  }

 private:
  struct InFrame {
    std::size_t frame;
    Pixels pixels;
  };

  static Pixels sum_of(const std::vector<InFrame>& frames, Weights weights) {
    Pixels sum;
    for (const auto& [frame, pixels] : frames) {
      sum.both += pixels.both * weights[frame];
      sum.there += pixels.there * weights[frame];
      sum.found += pixels.found * weights[frame];
    }
    return sum;
  }

  const Terms terms_;
  std::size_t frames_ = 0;
  std::map<int, std::vector<InFrame>> by_class_;
  /// Correct and total, for each frame.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> pixels_;
};

// Mean intersection over union; ignores classes below a thousandth of the picture in both: a few
// pixels at a border mean little.
std::optional<double> same_pixels(const trace::Answer& a, const trace::Answer& b, const Terms&) {
  const trace::Mask &first = *a.mask, &second = *b.mask;
  if (first.height != second.height || first.width != second.width ||
      first.classes.size() != second.classes.size())
    return 0;
  Confusion confusion;
  for (std::size_t i = 0; i < first.classes.size();) {
    const std::int32_t one = first.classes[i], other = second.classes[i];
    const std::size_t begin = i;
    while (i < first.classes.size() && first.classes[i] == one && second.classes[i] == other) ++i;
    const std::uint64_t run = i - begin;
    confusion[one].there += run;
    confusion[other].found += run;
    if (one == other) confusion[one].both += run;
  }
  double sum = 0;
  std::size_t count = 0;
  for (const auto& [label, pixels] : confusion) {
    if (1000 * std::max(pixels.there, pixels.found) < first.classes.size()) continue;
    sum += union_share(pixels).value_or(0);
    ++count;
  }
  return count ? sum / static_cast<double>(count) : 1;
}

}  // namespace

const AnswerTask kSegmentation{
    "segmentation",
    "mean_iou",
    "mIoU",
    true,
    "pixels",
    0.10,
    [](const Annotation& truth) { return std::holds_alternative<TrueMask>(truth); },
    [](const trace::Answer& answer) { return answer.mask.has_value(); },
    [](const Terms& terms) -> std::unique_ptr<Statistic> {
      return std::make_unique<Segmentation>(terms);
    },
    same_pixels};

}  // namespace edgeprobe::task
