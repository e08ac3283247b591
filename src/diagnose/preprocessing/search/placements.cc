// SPDX-License-Identifier: Apache-2.0
#include "diagnose/preprocessing/search/search.h"

#include <algorithm>
#include <cmath>

namespace edgeprobe::diagnose {

using preprocess::Align;
using preprocess::Kernel;
using preprocess::Resampling;

Placements narrow(Frame& frame, const Reference& reference, const std::vector<Framing>& framings,
                  const std::vector<Candidate>& candidates) {
  struct Scored {
    double score;
    std::size_t combo;
    int framing;
  };
  struct Combo {
    Order order;
    bool flipped;
    Orientation orientation;
  };
  std::vector<Combo> combos;
  for (const Candidate& candidate : candidates) {
    if (candidate.score < candidates.front().score - 0.08 && !combos.empty()) break;
    const bool known = std::any_of(combos.begin(), combos.end(), [&](const Combo& c) {
      return c.order == candidate.order && c.flipped == candidate.flipped &&
             c.orientation == candidate.orientation;
    });
    if (!known) combos.push_back({candidate.order, candidate.flipped, candidate.orientation});
    if (combos.size() == 3) break;
  }
  std::vector<Interpretation> interpretations;
  std::vector<Scored> scored;
  const bool small = std::min(reference.height, reference.width) < 64;
  std::vector<Resampling> neutral = {{Kernel::kBilinear, Align::kHalfPixel, true},
                                     {Kernel::kBilinear}};
  if (small) neutral.push_back({Kernel::kNearest});
  const int step = row_step_for(reference, 9000);
  for (std::size_t k = 0; k < combos.size(); ++k) {
    const Combo& combo = combos[k];
    interpretations.push_back(interpretation(frame, reference, combo.order, combo.flipped));
    std::vector<int> tried;
    double first = 0;
    for (const Candidate& candidate : candidates) {
      if (candidate.order != combo.order || candidate.flipped != combo.flipped ||
          candidate.orientation != combo.orientation)
        continue;
      if (tried.empty()) first = candidate.score;
      if (tried.size() == 3 || candidate.score < first - 0.1) break;
      tried.push_back(candidate.framing);
    }
    if (combo.orientation == candidates.front().orientation &&
        std::find(tried.begin(), tried.end(), 0) == tried.end())
      tried.push_back(0);
    for (int f : tried)
      for (const Resampling& resampling : neutral) {
        const auto trial = try_geometry(frame, reference, interpretations[k],
                                        {framings[f], combo.orientation, false}, resampling, {},
                                        {step, true, false});
        if (!trial) continue;
        const double score = 60 * std::sqrt(std::max(0.0, 1 - trial->fit.r2)) +
                             0.02 * ((f != 0) + (combo.orientation != reference.orientation) +
                                     (combo.order != reference.order)) +
                             0.05 * combo.flipped;
        scored.push_back({score, k, f});
      }
  }
  Placements out;
  if (scored.empty()) return out;
  std::stable_sort(scored.begin(), scored.end(),
                   [](const auto& a, const auto& b) { return a.score < b.score; });
  const Combo best = combos[scored.front().combo];
  std::vector<int> kept_framings;
  std::vector<Orientation> kept_orientations;
  for (const Scored& c : scored) {
    const Combo& combo = combos[c.combo];
    if (combo.order != best.order || combo.flipped != best.flipped) continue;
    if (combo.orientation == best.orientation && c.score < scored.front().score * 1.6 + 0.3 &&
        kept_framings.size() < 2 &&
        std::find(kept_framings.begin(), kept_framings.end(), c.framing) == kept_framings.end())
      kept_framings.push_back(c.framing);
    if (c.score < scored.front().score * 1.3 + 0.3 && kept_orientations.size() < 2 &&
        std::find(kept_orientations.begin(), kept_orientations.end(), combo.orientation) ==
            kept_orientations.end())
      kept_orientations.push_back(combo.orientation);
  }
  out.interpretation = std::move(interpretations[scored.front().combo]);
  for (int f : kept_framings)
    for (Orientation o : kept_orientations) out.placements.push_back({framings[f], o, false});
  return out;
}

}  // namespace edgeprobe::diagnose
