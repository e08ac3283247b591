// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "contract/parts/parts.h"
#include "contract/summary.h"

namespace edgeprobe::contract {
namespace {

// A camera slower than its app repeats each picture a few times, and some frames may be dropped.
constexpr std::uint64_t kManyFrames = 8, kFewFrames = 4;
// A run at most this many times as long as usual is normal for a slow camera.
constexpr std::uint64_t kLongerThanUsual = 4;

/// Median length of the other runs; 0 if there are none.
std::uint64_t usual_length(const std::vector<Repeat>& runs, const Repeat& longest) {
  std::vector<std::uint64_t> lengths;
  for (const Repeat& run : runs)
    if (run.first != longest.first) lengths.push_back(run.length);
  if (lengths.empty()) return 0;
  std::sort(lengths.begin(), lengths.end());
  return lengths[lengths.size() / 2];
}

}  // namespace

Finding check_repeats(std::uint64_t most, const std::vector<std::string>& states,
                      const Evidence& evidence) {
  Finding finding = passing("repeats");
  const std::vector<Repeat> runs = repeats_of(evidence.figures, fed_states(states));
  const std::uint64_t bound = std::max(2 * most, kManyFrames - 1);
  const auto is_usual = [&](const Repeat& run) {
    return run.length <= kLongerThanUsual * usual_length(runs, run);
  };
  // A source that sticks for good counts more than a longer run that ended.
  const bool sticks = !runs.empty() && runs.back().length > bound && !is_usual(runs.back());
  const Repeat longest = sticks ? runs.back() : longest_of(runs);
  for (const Repeat& run : runs) finding.frames += run.length;
  finding.value = std::to_string(longest.length) + (longest.length == 1 ? " frame" : " frames") +
                  " with the same inputs";
  finding.bound = "at most " + std::to_string(bound) + " in a row";
  if (is_usual(longest) || longest.length < kFewFrames || longest.length <= 2 * most)
    return finding;
  finding.failing = longest.length;
  set_frame(finding, longest.first, evidence.figures);
  if (longest.length > bound && (sticks || 2 * longest.length > finding.frames)) {
    finding.state = State::kFails;
    finding.why =
        "the model gets the same values again and again: its source is stuck, or the app "
        "feeds an old buffer";
    finding.cure = "check that each frame reads anew: edgeprobe trace cat TRACE --frame " +
                   std::to_string(longest.first);
    return finding;
  }
  finding.state = State::kCannotTell;
  if (longest.length > bound) {
    finding.why =
        "the model gets the same values for a while, then new ones: a scene that stands still, or "
        "a source that sticks at times";
    finding.cure = "check whether the scene stood still: edgeprobe trace cat TRACE --frame " +
                   std::to_string(longest.first);
    return finding;
  }
  finding.why = "too few frames to distinguish a stuck source from a slow one";
  finding.cure =
      "check more frames; an app that is shown one picture over and over names it "
      "(the sample of a frame)";
  return finding;
}

}  // namespace edgeprobe::contract
