// SPDX-License-Identifier: Apache-2.0
#include "diagnose/tensors/where.h"

#include <algorithm>

#include "core/text.h"

namespace edgeprobe::diagnose::tensors {
namespace {

/// Largest number of frames searched for another frame's input.
constexpr std::size_t kMostFrames = 500;

bool is_near(const Pairs& pairs, float a, float b) {
  return std::abs(double(a) - double(b)) <= pairs.same;
}

bool is_another(const Pairs& pairs, std::size_t at) {
  const std::vector<float>& fed = pairs.all[at].fed;
  return std::any_of(pairs.all.begin(), pairs.all.end(), [&](const Pair& other) {
    return std::equal(fed.begin(), fed.end(), other.wanted.begin(),
                      [&](float a, float b) { return is_near(pairs, a, b); });
  });
}

std::string text_of(const Where::Span& span) {
  const std::string of = " of " + std::to_string(span.axis.size);
  const std::string name = span.axis.of > 2 ? span.axis.names() + ": " : span.axis.names() + " ";
  if (span.held == 1) return span.axis.name(span.from) + of;
  const std::string range = std::to_string(span.from) + " to " + std::to_string(span.to);
  if (span.held == span.to - span.from + 1) return name + range + of;
  return std::to_string(span.held) + of + " " + span.axis.names() + ", " + range;
}

}  // namespace

Where where_of(const Pairs& pairs) {
  Where where;
  where.of_frames = pairs.all.size();
  where.frames = pairs.differs.size();
  if (pairs.differs.empty()) return where;
  where.first = pairs.all[pairs.differs.front()].frame;
  while (where.following + 1 < pairs.differs.size() &&
         pairs.differs[where.following + 1] == pairs.differs.front() + where.following + 1)
    ++where.following;
  where.held.assign(pairs.values(), false);
  for (const std::size_t at : pairs.differs) {
    for (std::size_t i = 0; i < pairs.values(); ++i)
      if (is_near(pairs, pairs.all[at].fed[i], pairs.all[at].wanted[i])) ++where.equal;
      else where.held[i] = true;
  }
  where.values = pairs.values() * pairs.differs.size();
  for (const Axis& axis : all_axes(pairs.shape)) {
    std::vector<bool> slices(axis.size, false);
    for (std::size_t i = 0; i < where.held.size(); ++i)
      if (where.held[i]) slices[axis.slice(i)] = true;
    Where::Span span{axis, axis.size, 0, 0};
    for (std::size_t k = 0; k < axis.size; ++k)
      if (slices[k]) {
        span.from = std::min(span.from, k);
        span.to = k;
        ++span.held;
      }
    where.spans.push_back(span);
  }
  return where;
}

std::size_t of_other_frames(const Pairs& pairs) {
  if (pairs.all.size() > kMostFrames) return 0;
  return std::size_t(std::count_if(pairs.differs.begin(), pairs.differs.end(),
                                   [&](const std::size_t at) { return is_another(pairs, at); }));
}

std::string in_frames(const Pairs& pairs) {
  if (pairs.differs.size() == pairs.all.size()) return "";
  return " in " + std::to_string(pairs.differs.size()) + " of " +
         counted(pairs.all.size(), "frame") + " (first at frame " +
         std::to_string(pairs.all[pairs.differs.front()].frame) + ")";
}

std::string place_of(const Where& where) {
  std::vector<std::string> places;
  for (const Where::Span& span : where.spans)
    if (span.held < span.axis.size) places.push_back(text_of(span));
  return joined(places, " and ");
}

std::string worded(const Where& where) {
  if (where.frames == 0) return "";
  std::string text = "in " + std::to_string(where.frames) + " of " +
                     counted(where.of_frames, "frame") + ", first at frame " +
                     std::to_string(where.first);
  if (where.frames < where.of_frames && where.following > 0)
    text +=
        " and in the " + (where.following == 1 ? std::string("next one")
                                               : std::to_string(where.following) + " that follow");
  if (where.equal > 0) {
    text += "; " + percent(double(where.equal) / double(where.values)) +
            " of their values are the reference's";
    if (const std::string place = place_of(where); !place.empty())
      text += ", all but those in " + place;
  } else {
    text += "; none of their values is the reference's";
  }
  if (where.of_other_frames > 0)
    text += "; " + counted(where.of_other_frames, "frame") +
            (where.of_other_frames == 1 ? " holds" : " hold") + " the input of another one";
  return text;
}

}  // namespace edgeprobe::diagnose::tensors
