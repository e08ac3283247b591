// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "diagnose/recorded/further_frames.h"
#include "diagnose/verdict/evidence.h"
#include "search/deciding.h"

namespace edgeprobe::diagnose {

/// A frame that would decide between explanations that fit equally well.
struct DecidingFrame {
  std::optional<FurtherFrame> frame;  ///< A recorded frame that decides, if there is one.
  /// Without a frame: the property that it would need, such as "an upright picture". Empty: not
  /// known.
  std::string property;
  /// Number of recipes after the first, and of those that the frame distinguishes from it.
  std::size_t others = 0, told_apart = 0;
};

/// `differ(a, b, frame)`: whether two recipes answer a further frame differently. `property(a, b)`:
/// the property of a frame on which they do. Prefers recorded frames, and among them the one that
/// distinguishes most recipes. Fails with kInterrupted if the user stopped it.
template <class Recipe, class Differ, class Property>
Result<DecidingFrame> deciding_frame(const Case& known, const std::vector<Recipe>& open,
                                     const std::set<std::uint32_t>& seen, bool are_all_frames,
                                     const Control& control, Differ differ, Property property) {
  DecidingFrame out;
  out.others = open.size() - 1;
  if (are_all_frames) {
    auto visited = visit_further_frames(known, seen, control, [&](FurtherFrame& frame) {
      std::size_t apart = 0;
      for (std::size_t i = 1; i < open.size(); ++i) apart += differ(open[0], open[i], frame);
      if (apart > out.told_apart) {
        out.told_apart = apart;
        out.frame = std::move(frame);
      }
      return out.told_apart == out.others;
    });
    if (!visited) return std::move(visited.error());
  }
  for (std::size_t i = 1; i < open.size() && !out.frame && out.property.empty(); ++i)
    if (out.property = property(open[0], open[i]); !out.property.empty()) out.told_apart = 1;
  return out;
}

/// `otherwise`: which frames would confirm the only explanation if no frame or property is known.
/// Explanations that no frame can distinguish are the same recipe in two wordings.
inline Evidence deciding_evidence(const DecidingFrame& found, bool is_only,
                                  const std::string& otherwise) {
  Evidence out{EvidenceKind::kAnswerDecides,
               {{"what", is_only ? otherwise : "nothing"}, {"class", -1}, {"name", ""}}};
  if (found.frame)
    out.values = {{"what", "recorded"},
                  {"class", -1},
                  {"name", found.frame->sample},
                  {"frame", found.frame->number}};
  else if (!found.property.empty())
    out.values = {{"what", "property"}, {"class", -1}, {"name", found.property}};
  return out;
}

}  // namespace edgeprobe::diagnose
