// SPDX-License-Identifier: Apache-2.0
#include "diagnose/postprocessing/points/deciding.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/text.h"
#include "search/made_up.h"

namespace edgeprobe::diagnose::points {
namespace {

namespace pose = postprocess::pose;
using search::StoredNumbers;

// Differences of points in pixels, or in shares of a side, that rounding to whole pixels cannot
// explain.
constexpr double kUnlikePixels = 3, kUnlikeShares = 0.02, kUnlikeScore = 0.01;
// Coordinates that are all below this are shares.
constexpr double kMostShare = 2;

bool is_one_number(double a, double b, double tolerance) {
  return (std::isnan(a) && std::isnan(b)) || std::fabs(a - b) <= tolerance;
}

// Position of a synthetic point in the model's picture, in shares.
struct Placed {
  double x = 0, y = 0;
};
Placed off_the_middle(std::size_t k) {
  return {0.12 + 0.2 * search::scattered(k), 0.55 + 0.3 * search::scattered(k + 7)};
}
Placed everywhere(std::size_t k) {
  return {0.1 + 0.8 * search::scattered(k), 0.1 + 0.8 * search::scattered(3 * k + 5)};
}
Placed beyond_the_edge(std::size_t k) { return k % 2 ? Placed{1.2, 0.5} : Placed{0.5, -0.2}; }

// Synthetic outputs with points at other places, each with the highest recorded confidence.
class Scene {
 public:
  Scene(const Recipe& reference, std::span<const RecordedFrame> frames, Size model)
      : reference_(reference), base_(frames.front()), stored_(base_.outputs[reference.output]) {
    const std::size_t of_one = reference.numbers.size();
    is_possible_ = of_one > 0 && stored_.size() >= of_one && stored_.size() % of_one == 0;
    const TensorSpec& spec = base_.outputs[reference.output].spec;
    if (reference.are_model_pixels) width_ = model.width, height_ = model.height;
    if (!spec.quantization.empty() && reference.reading == postprocess::Reading::kValues)
      scale_ = spec.quantization.scale_at(0),
      zero_ = static_cast<double>(spec.quantization.zero_point_at(0));
    const std::size_t score = reference.numbers.find('s');
    if (score == std::string::npos) return;
    for (const RecordedFrame& frame : frames) {
      const StoredNumbers own(frame.outputs[reference.output]);
      for (std::size_t i = score; i < own.size(); i += of_one) surest_ = std::max(surest_, own[i]);
    }
  }

  bool is_possible() const { return is_possible_; }

  RecordedFrame frame(Placed (*place)(std::size_t)) {
    for (std::size_t i = 0; i < stored_.size(); ++i) {
      const auto [x, y] = place(i / reference_.numbers.size());
      switch (reference_.numbers[i % reference_.numbers.size()]) {
        case 'x': stored_[i] = static_cast<float>(x * width_ / scale_ + zero_); break;
        case 'y': stored_[i] = static_cast<float>(y * height_ / scale_ + zero_); break;
        case 's': stored_[i] = surest_; break;
        default: break;
      }
    }
    RecordedFrame out = base_;
    out.outputs[reference_.output] = stored_.tensor();
    return out;
  }

 private:
  const Recipe& reference_;
  const RecordedFrame& base_;
  StoredNumbers stored_;
  bool is_possible_ = false;
  double width_ = 1, height_ = 1, scale_ = 1, zero_ = 0;
  float surest_ = -HUGE_VALF;
};

// Range of scores that only one of the recipes shows; empty if they show the same ones.
std::string between_thresholds(const Recipe& a, const Recipe& b) {
  if (a.threshold == b.threshold || a.activations != b.activations || a.reading != b.reading)
    return "";
  if (a.threshold && b.threshold)
    return "a picture in which a point has a score from " +
           number(std::min(*a.threshold, *b.threshold), 4) + " to " +
           number(std::max(*a.threshold, *b.threshold), 4);
  return "a picture in which a point has a score below " +
         number(a.threshold ? *a.threshold : *b.threshold, 4);
}

std::string apart(const Recipe& reference, const Recipe& a, const Recipe& b) {
  const auto at = [](const Recipe& recipe, std::size_t i) {
    return i < recipe.order.size() ? recipe.order[i] : i;
  };
  const auto name = [&reference](std::size_t i) {
    return reference.labels && i < reference.labels->table.names.size()
               ? "'" + sanitized(reference.labels->table.names[i], 40) + "'"
               : "point " + std::to_string(i);
  };
  for (std::size_t i = 0; i < std::max(a.order.size(), b.order.size()); ++i)
    if (at(a, i) != at(b, i))
      return "a picture that shows " + name(at(a, i)) + " and " + name(at(b, i)) +
             " at different places";
  return "a picture that shows every point";
}

}  // namespace

bool differ(const Recipe& a, const Recipe& b, const RecordedFrame& frame, Size model) {
  const std::vector<TensorView> views(frame.outputs.begin(), frame.outputs.end());
  const auto of_a = pose::run(a, views, frame.picture, model),
             of_b = pose::run(b, views, frame.picture, model);
  if (!of_a || !of_b) return false;
  const auto &ones = *of_a->points, &others = *of_b->points;
  if (ones.size() != others.size()) return true;
  double largest = 0;
  for (const auto* const points : {&ones, &others})
    for (const auto& [x, y, score] : *points)
      largest = std::max({largest, std::isnan(x) ? 0 : std::fabs(double{x}),
                          std::isnan(y) ? 0 : std::fabs(double{y})});
  const double tolerance = largest <= kMostShare ? kUnlikeShares : kUnlikePixels;
  for (std::size_t i = 0; i < ones.size(); ++i)
    if (!is_one_number(ones[i][0], others[i][0], tolerance) ||
        !is_one_number(ones[i][1], others[i][1], tolerance) ||
        !is_one_number(ones[i][2], others[i][2], kUnlikeScore))
      return true;
  return false;
}

std::string deciding_picture(const Recipe& reference, const Recipe& a, const Recipe& b,
                             std::span<const RecordedFrame> frames, Size model) {
  if (frames.empty() || reference.output >= frames.front().outputs.size()) return "";
  if (std::string words = between_thresholds(a, b); !words.empty()) return words;
  for (const auto& [words, size] : places::other_pictures(frames))
    for (const RecordedFrame& recorded : frames.first(std::min<std::size_t>(3, frames.size()))) {
      RecordedFrame other = recorded;
      other.picture = size;
      if (differ(a, b, other, model)) return words;
    }
  Scene scene(reference, frames, model);
  if (!scene.is_possible()) return "";
  if (a.order != b.order && differ(a, b, scene.frame(everywhere), model))
    return apart(reference, a, b);
  if (differ(a, b, scene.frame(off_the_middle), model))
    return "a picture with points off its middle, further down than right";
  if (differ(a, b, scene.frame(everywhere), model)) return "a picture that shows every point";
  if (differ(a, b, scene.frame(beyond_the_edge), model))
    return "a picture with a point beyond its edge";
  return "";
}

}  // namespace edgeprobe::diagnose::points
