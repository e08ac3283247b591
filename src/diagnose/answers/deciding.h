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

/// The frame that would decide between explanations which fit equally.
struct DecidingFrame {
  std::optional<FurtherFrame> frame;  ///< One that is at hand.
  std::string property;  ///< Else what a frame must have: "an upright picture". Empty: not known.
  /// Recipes beside the first, and those of them that the frame tells from it.
  std::size_t others = 0, told_apart = 0;
};

/// `differ(a, b, frame)`: whether two recipes answer a further frame differently. `property(a, b)`:
/// what a frame must have on which they do. Frames that are at hand go first, those that decide the
/// most of them. kInterrupted when the user stopped it.
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

/// `otherwise`: which frames would make the only explanation sure, where no frame and no property
/// is known. Several that nothing tells apart are one thing in two wordings.
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
