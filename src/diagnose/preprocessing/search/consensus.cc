// SPDX-License-Identifier: Apache-2.0
#include "diagnose/preprocessing/search/consensus.h"

#include <algorithm>
#include <cmath>

#include "diagnose/preprocessing/search/crop_windows.h"
#include "preprocess/picture/geometry.h"

namespace edgeprobe::diagnose {
namespace {

using Status = Explanation::Status;

/// Takes the part that naturally differs between pictures from the frame's own answer: a window in
/// pixels.
Hypothesis for_frame(Hypothesis h, const Explanation& own) {
  if (own.status != Status::kFound) return h;
  if (is_crop_window(h.framing) && is_crop_window(own.hypothesis.framing))
    h.framing = own.hypothesis.framing;
  return h;
}

struct Vote {
  Hypothesis hypothesis;
  std::size_t differences = 0, agreeing = 0;
  double sum = 0;
  std::vector<bool> agrees;
};

Vote vote(const Hypothesis& h, std::vector<Frame>& frames,
          const std::vector<Explanation>& explanations, const Reference& reference,
          const Hypothesis& own) {
  Vote v{h, 0, 0, 0, std::vector<bool>(frames.size())};
  for (Part part : kParts) v.differences += differs(h, own, part);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    if (explanations[i].status == Status::kUndecidable) continue;
    const Hypothesis mine = for_frame(h, explanations[i]);
    double residual = 0;
    bool fits = bears_out(frames[i], reference, mine, residual);
    // A frame whose own answer is closer does not agree.
    if (fits && explanations[i].status == Status::kFound &&
        !same(mine, explanations[i].hypothesis) &&
        residual > std::max({explanations[i].residual + kSame, explanations[i].residual * 1.1,
                             kInvisible}))
      fits = false;
    v.agrees[i] = fits;
    if (fits) {
      ++v.agreeing;
      v.sum += residual * residual;
    }
  }
  return v;
}

template <class Value>
void intersect(std::vector<Value>& into, const std::vector<Value>& other, bool first) {
  if (first) {
    into = other;
    return;
  }
  std::erase_if(into, [&](const Value& v) {
    return std::find(other.begin(), other.end(), v) == other.end();
  });
}

double pooled(std::vector<Frame>& frames, const std::vector<Explanation>& explanations,
              const Consensus& c, const Reference& reference, const Hypothesis& own,
              const Part* reverted) {
  double sum = 0, n = 0;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    if (!c.agrees[i]) continue;
    const Hypothesis full = for_frame(c.hypothesis, explanations[i]);
    const Hypothesis h = reverted ? with(full, own, *reverted) : full;
    const double residual =
        residual_of(frames[i], reference, h, mean_gain(full.range.gain)).value_or(99.0);
    sum += residual * residual;
    ++n;
  }
  return n > 0 ? std::sqrt(sum / n) : 0;
}

/// Residual of one hypothesis over all frames. The nearest explanation of one frame says nothing
/// about the others.
double over_all(std::vector<Frame>& frames, const std::vector<Explanation>& explanations,
                const Hypothesis& h, const Reference& reference) {
  double sum = 0, n = 0;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    if (explanations[i].status == Status::kUndecidable) continue;
    const double residual =
        residual_of(frames[i], reference, h, mean_gain(h.range.gain)).value_or(99.0);
    sum += residual * residual;
    ++n;
  }
  return n > 0 ? std::sqrt(sum / n) : 0;
}

/// One crop that reproduces each frame's window, if some windows match a usual one by chance:
/// shifted to the border, or on a picture of another shape. Nothing if the frames differ in other
/// parts, or none has a window.
std::optional<Hypothesis> common_window(const std::vector<Frame>& frames,
                                        const std::vector<Explanation>& explanations) {
  std::vector<SeenCropWindow> windows;
  const Hypothesis* with_window = nullptr;
  bool alike = true;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const Hypothesis& h = explanations[i].hypothesis;
    if (explanations[i].status != Status::kFound && explanations[i].status != Status::kEqual)
      continue;
    const auto is_crop = [](const preprocess::Step& step) {
      return std::holds_alternative<preprocess::Crop>(step);
    };
    if (h.framing.has_letterbox() || h.turned_last || h.framing.steps.empty()) return std::nullopt;
    // A crop after the resize.
    if (std::any_of(h.framing.steps.begin() + 1, h.framing.steps.end(), is_crop))
      return std::nullopt;
    const bool swap = swaps_sides(h.orientation);
    const int height = swap ? frames[i].upright.width : frames[i].upright.height,
              width = swap ? frames[i].upright.height : frames[i].upright.width;
    preprocess::Crop box{preprocess::Crop::Kind::kWindow, 1, 0, 0, height, width, 0, 0};
    if (const auto* crop = std::get_if<preprocess::Crop>(&h.framing.steps[0])) {
      const auto seen = preprocess::crop_window(*crop, height, width);
      box.top = seen.top;
      box.left = seen.left;
      box.height = seen.height;
      box.width = seen.width;
    }
    windows.push_back({height, width, box});
    alike = alike && windows.front().height == height && windows.front().width == width;
    if (is_crop_window(h.framing) && h.framing.steps.size() == 2) with_window = &h;
  }
  const auto crop = with_window && !alike ? common_crop(windows) : std::nullopt;
  if (!crop) return std::nullopt;
  Hypothesis general = *with_window;
  general.framing.steps[0] = *crop;
  return general;
}

/// Replaces a window in pixels by one crop for all pictures, if that explains each of them as well
/// as its own window.
void generalise_window(std::vector<Frame>& frames, const std::vector<Explanation>& explanations,
                       const Reference& reference, Consensus& c) {
  if (!is_crop_window(c.hypothesis.framing)) return;
  std::vector<SeenCropWindow> windows;
  std::vector<std::size_t> which;
  bool alike = true;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    if (!c.agrees[i] || explanations[i].status != Status::kFound ||
        !is_crop_window(explanations[i].hypothesis.framing))
      continue;
    const auto& box = std::get<preprocess::Crop>(explanations[i].hypothesis.framing.steps[0]);
    const bool swap = swaps_sides(explanations[i].hypothesis.orientation) &&
                      !explanations[i].hypothesis.turned_last;
    const auto& image = frames[i].upright;
    windows.push_back({swap ? image.width : image.height, swap ? image.height : image.width, box});
    which.push_back(i);
    alike = alike && windows.front().height == windows.back().height &&
            windows.front().width == windows.back().width;
  }
  if (alike) return;
  const auto crop = common_crop(windows);
  if (!crop) return;
  Hypothesis general = c.hypothesis;
  general.framing.steps[0] = *crop;
  for (std::size_t i : which) {
    const double own = residual_of(frames[i], reference, for_frame(c.hypothesis, explanations[i]),
                                   mean_gain(general.range.gain))
                           .value_or(99.0);
    const double all =
        residual_of(frames[i], reference, general, mean_gain(general.range.gain)).value_or(99.0);
    if (all > std::max({own + kSame, own * 1.2, kExact})) return;
  }
  c.hypothesis = general;
}

}  // namespace

bool bears_out(Frame& frame, const Reference& reference, const Hypothesis& h, double& residual) {
  const auto r = residual_of(frame, reference, h, mean_gain(h.range.gain));
  residual = r.value_or(99.0);
  return residual <= allowed(frame.lossy ? kDecoder : kExact, reference, h);
}

Consensus agree(std::vector<Frame>& frames, const std::vector<Explanation>& explanations,
                const Reference& reference, const std::vector<Range>& ranges) {
  Consensus c;
  const Hypothesis own = reference_hypothesis(reference, ranges.front());
  c.hypothesis = own;
  c.agrees.assign(frames.size(), false);
  std::vector<Vote> votes;
  std::size_t decided = 0, equal = 0;
  double squares = 0;
  bool destroyed = false;
  for (const Explanation& e : explanations) {
    if (e.status == Status::kUndecidable) continue;
    ++decided;
    squares += e.residual_before * e.residual_before;
    equal += e.status == Status::kEqual;
    destroyed = destroyed || (e.destroyed && e.status == Status::kFound);
    if (e.status != Status::kFound || e.destroyed) continue;
    if (std::none_of(votes.begin(), votes.end(),
                     [&](const Vote& v) { return same(v.hypothesis, e.hypothesis); }))
      votes.push_back(vote(e.hypothesis, frames, explanations, reference, own));
  }
  if (const auto general = common_window(frames, explanations))
    votes.push_back(vote(*general, frames, explanations, reference, own));
  if (decided == 0) return c;
  c.residual_before = std::sqrt(squares / double(decided));
  c.residual = c.residual_before;
  c.order_undecidable =
      std::all_of(explanations.begin(), explanations.end(),
                  [](const Explanation& e) {
                    return e.order_undecidable || e.status == Status::kUndecidable ||
                           e.status == Status::kEqual;
                  }) &&
      std::all_of(frames.begin(), frames.end(), [](const Frame& f) { return f.gray; });

  if (destroyed) {
    agree_on_range(c, frames, explanations, decided, reference, own);
    return c;
  }
  const auto best = std::max_element(votes.begin(), votes.end(), [](const Vote& a, const Vote& b) {
    if (a.agreeing != b.agreeing) return a.agreeing < b.agreeing;
    if (a.differences != b.differences) return a.differences > b.differences;
    return a.sum > b.sum;
  });
  if (best == votes.end() || best->agreeing == 0 || equal > best->agreeing) {
    // Most frames are equal, or nothing explains them.
    const bool mostly_equal = equal * 2 > decided;
    c.status = mostly_equal ? Status::kEqual : Status::kPartial;
    for (std::size_t i = 0; i < frames.size(); ++i) {
      c.agrees[i] = explanations[i].status == Status::kEqual;
      if (mostly_equal)
        for (const Difference& d : explanations[i].slight)
          if (c.slight.empty()) {
            c.slight = {d};
            c.hypothesis = explanations[i].hypothesis;
            c.same_ranges = explanations[i].same_ranges;
          }
    }
    if (!mostly_equal) {
      const auto nearest =
          std::find_if(explanations.begin(), explanations.end(), [](const Explanation& e) {
            return e.status == Status::kPartial || e.status == Status::kFound;
          });
      if (nearest != explanations.end()) {
        c.hypothesis = nearest->hypothesis;
        c.differences = nearest->differences;
        c.residual = over_all(frames, explanations, c.hypothesis, reference);
        c.same_kernels = nearest->same_kernels;
      }
    }
    return c;
  }
  c.hypothesis = best->hypothesis;
  c.agrees = best->agrees;
  bool first = true;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    if (!c.agrees[i] || explanations[i].status != Status::kFound) continue;
    intersect(c.same_kernels, explanations[i].same_kernels, first);
    intersect(c.same_orientations, explanations[i].same_orientations, first);
    intersect(c.same_ranges, explanations[i].same_ranges, first);
    first = false;
  }
  generalise_window(frames, explanations, reference, c);
  c.residual = pooled(frames, explanations, c, reference, own, nullptr);
  for (Part part : kParts) {
    if (!differs(c.hypothesis, own, part)) continue;
    if (part == Part::kFill && differs(c.hypothesis, own, Part::kFraming)) continue;
    const double back = pooled(frames, explanations, c, reference, own, &part);
    (back <= kInvisible && part != Part::kMixing ? c.slight : c.differences)
        .push_back({part, back});
  }
  std::stable_sort(
      c.differences.begin(), c.differences.end(),
      [](const Difference& a, const Difference& b) { return a.contribution > b.contribution; });
  const bool most = best->agreeing * 2 > decided;
  c.status = !most ? Status::kPartial : c.differences.empty() ? Status::kEqual : Status::kFound;
  // A name found on one frame may fit the others only up to decoder noise: all of them together
  // must confirm it.
  const auto lossy =
      std::find_if(frames.begin(), frames.end(), [](const Frame& f) { return f.lossy; });
  const Frame& any = lossy == frames.end() ? frames.front() : *lossy;
  if (c.status == Status::kFound &&
      !explains(c.residual, c.residual_before, any, reference, c.hypothesis))
    c.status = Status::kPartial;
  if (c.status == Status::kPartial)
    c.residual = over_all(frames, explanations, c.hypothesis, reference);
  return c;
}

}  // namespace edgeprobe::diagnose
