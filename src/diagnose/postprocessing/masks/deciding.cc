// SPDX-License-Identifier: Apache-2.0
#include "diagnose/postprocessing/masks/deciding.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "search/made_up.h"

namespace edgeprobe::diagnose::masks {
namespace {

namespace segmentation = postprocess::segmentation;
using search::StoredNumbers;
using segmentation::Decision;

// Fraction of pixels: five times the difference that ties may cause.
constexpr double kUnlike = 0.01;
// Scales larger pictures down: differences between recipes depend on shape, not on size.
constexpr double kLongestSide = 640;

Size scaled_down(Size picture) {
  const double scale = kLongestSide / std::max({picture.width, picture.height, kLongestSide});
  return {std::max(1.0, std::round(scale * picture.width)),
          std::max(1.0, std::round(scale * picture.height))};
}

std::optional<segmentation::DecidedCells> cells_by(const Recipe& recipe,
                                                   const RecordedFrame& frame) {
  const std::vector<TensorView> views(frame.outputs.begin(), frame.outputs.end());
  auto read = segmentation::cells_of(recipe, views);
  if (!read) return std::nullopt;
  return segmentation::decided(recipe, *std::move(read));
}

// Synthetic outputs: some cells show an object of one class, the others background.
class Scene {
 public:
  Scene(const Recipe& reference, std::span<const RecordedFrame> frames)
      : reference_(reference), base_(frames.front()), stored_(base_.outputs[reference.output]) {
    const auto cells = cells_by(reference, base_);
    if (!cells) return;
    grid_ = cells->cells.grid;
    classes_ = cells->cells.classes;
    next_ = cells->cells.next_class;
    for (const RecordedFrame& frame : frames) look_at(frame);
    is_possible_ = background_.size() == classes_ &&
                   (reference.decision != Decision::kThreshold || !thing_.empty());
    if (thing_.empty()) thing_ = background_, thing_class_ = 0;
  }

  bool is_possible() const { return is_possible_; }
  std::size_t classes() const {
    return reference_.decision == Decision::kArgmax      ? classes_
           : reference_.decision == Decision::kThreshold ? 2
                                                         : most_class_ + 2;
  }
  /// A class with a cell in some frame; 1 if all cells are background.
  std::int32_t thing_class() const { return thing_class_ == 0 ? 1 : thing_class_; }
  bool is_seen(std::int32_t of_class) const { return seen_.count(of_class) > 0; }

  /// `share(y, x)`: fraction of the object (0 to 1) in a cell at relative position (y, x).
  template <class Share>
  RecordedFrame frame(std::int32_t of_class, Size picture, Share share) {
    const std::vector<float> thing = scores_of(of_class);
    for (std::size_t y = 0; y < grid_.height; ++y)
      for (std::size_t x = 0; x < grid_.width; ++x) {
        const double part =
            share((static_cast<double>(y) + 0.5) / static_cast<double>(grid_.height),
                  (static_cast<double>(x) + 0.5) / static_cast<double>(grid_.width));
        for (std::size_t c = 0; c < classes_; ++c)
          stored_[index(y, x, c)] =
              static_cast<float>((1 - part) * background_[c] + part * thing[c]);
      }
    RecordedFrame out = base_;
    out.outputs[reference_.output] = stored_.tensor();
    out.picture = picture;
    return out;
  }

 private:
  std::size_t index(std::size_t y, std::size_t x, std::size_t c) const {
    return static_cast<std::size_t>(static_cast<std::ptrdiff_t>(grid_.index(y, x)) +
                                    static_cast<std::ptrdiff_t>(c) * next_);
  }

  // Keeps one cell of class 0 and the last new cell of another class.
  void look_at(const RecordedFrame& frame) {
    const auto cells = cells_by(reference_, frame);
    if (!cells || cells->cells.grid.height != grid_.height ||
        cells->cells.grid.width != grid_.width)
      return;
    const StoredNumbers own(frame.outputs[reference_.output]);
    if (own.size() != stored_.size()) return;
    const auto keep = [&](std::size_t y, std::size_t x, std::vector<float>& to) {
      to.clear();
      for (std::size_t c = 0; c < classes_; ++c) to.push_back(own[index(y, x, c)]);
    };
    for (std::size_t y = 0; y < grid_.height; ++y)
      for (std::size_t x = 0; x < grid_.width; ++x) {
        const std::int32_t one = cells->classes.at(y, x);
        most_class_ = std::max(most_class_, static_cast<std::size_t>(std::max(one, 0)));
        const bool is_new = seen_.insert(one).second;
        if (one == 0 && is_new) keep(y, x, background_);
        if (one != 0 && is_new) keep(y, x, thing_), thing_class_ = one;
      }
  }

  // Stored values for a cell of a class: those of the known object, with its score moved to that
  // class.
  std::vector<float> scores_of(std::int32_t of_class) const {
    std::vector<float> out = thing_;
    if (reference_.decision == Decision::kIds) out[0] = static_cast<float>(of_class);
    if (reference_.decision == Decision::kArgmax)
      std::swap(out[static_cast<std::size_t>(thing_class_)],
                out[static_cast<std::size_t>(of_class)]);
    return out;
  }

  const Recipe& reference_;
  const RecordedFrame& base_;
  StoredNumbers stored_;
  segmentation::Grid grid_;
  std::size_t classes_ = 1, most_class_ = 0;
  std::ptrdiff_t next_ = 1;
  std::vector<float> background_, thing_;
  std::int32_t thing_class_ = 0;
  std::set<std::int32_t> seen_;
  bool is_possible_ = false;
};

// True in an area in one corner that is wider than high: every rotation or flip moves it.
double in_a_corner(double y, double x) { return y < 0.35 && x < 0.6; }
double with_many_outlines(double y, double x) { return std::fmod(7 * y + 4 * x, 1.0) < 0.5; }
double softly(double, double x) { return x; }

}  // namespace

bool differ(const Recipe& a, const Recipe& b, const RecordedFrame& frame, Size model) {
  const std::vector<TensorView> views(frame.outputs.begin(), frame.outputs.end());
  const Size picture = scaled_down(frame.picture);
  const auto of_a = segmentation::run(a, views, picture, model),
             of_b = segmentation::run(b, views, picture, model);
  if (!of_a || !of_b) return false;
  const trace::Mask &one = *of_a->mask, &other = *of_b->mask;
  if (one.height != other.height || one.width != other.width) return true;
  std::size_t unlike = 0;
  for (std::size_t i = 0; i < one.classes.size(); ++i) unlike += one.classes[i] != other.classes[i];
  return static_cast<double>(unlike) > kUnlike * static_cast<double>(one.classes.size());
}

std::string deciding_picture(const Recipe& reference, const Recipe& a, const Recipe& b,
                             std::span<const RecordedFrame> frames, Size model) {
  if (frames.empty() || reference.output >= frames.front().outputs.size()) return "";
  Scene scene(reference, frames);
  const Size picture = frames.front().picture;
  if (scene.is_possible()) {
    // Classes that the two number differently, unobserved ones first.
    for (const bool is_seen : {false, true})
      for (std::size_t c = 0; c < scene.classes(); ++c) {
        const auto one = static_cast<std::int32_t>(c);
        if (scene.is_seen(one) != is_seen ||
            segmentation::number_of(a, one) == segmentation::number_of(b, one))
          continue;
        if (!differ(a, b, scene.frame(one, picture, in_a_corner), model)) continue;
        std::string words = is_seen ? "another picture with class " : "a picture with class ";
        words += std::to_string(one);
        // A missing class may have other reasons than a map.
        const std::int32_t background = segmentation::number_of(reference, 0);
        if (segmentation::number_of(a, one) == background ||
            segmentation::number_of(b, one) == background)
          words += " next to another class";
        return words;
      }
  }
  for (const auto& [words, size] : places::other_pictures(frames))
    for (const RecordedFrame& recorded : frames.first(std::min<std::size_t>(3, frames.size()))) {
      RecordedFrame other = recorded;
      other.picture = size;
      if (differ(a, b, other, model)) return words;
    }
  if (!scene.is_possible()) return "";
  const std::pair<double (*)(double, double), const char*> contents[] = {
      {in_a_corner, "a picture with a thing in one corner and nothing else"},
      {with_many_outlines, "a picture with many thin things"},
      {softly, "a picture in which it is open over a wide area where a thing ends"},
  };
  for (const auto& [share, words] : contents)
    if (differ(a, b, scene.frame(scene.thing_class(), picture, share), model)) return words;
  return "";
}

}  // namespace edgeprobe::diagnose::masks
