// SPDX-License-Identifier: Apache-2.0
#include "compare/outputs/join.h"

#include <algorithm>
#include <map>

#include "core/text.h"

namespace edgeprobe::compare {
namespace {

using Records = std::vector<trace::FrameRecord>;

// Pairs equal keys in order; ignores empty keys.
template <class Key>
std::vector<std::pair<std::size_t, std::size_t>> by_key(const Records& reference,
                                                        const Records& target, Key key) {
  std::map<std::string, std::vector<std::size_t>> places;
  for (std::size_t j = target.size(); j-- > 0;)
    if (const std::string& k = key(target[j]); !k.empty()) places[k].push_back(j);
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    const auto found = places.find(key(reference[i]));
    if (found == places.end() || found->second.empty()) continue;
    pairs.emplace_back(i, found->second.back());
    found->second.pop_back();
  }
  return pairs;
}

bool any(const Records& records, std::string trace::FrameRecord::*field) {
  return std::any_of(records.begin(), records.end(),
                     [&](const trace::FrameRecord& r) { return !(r.*field).empty(); });
}

}  // namespace

Join join_frames(const Records& reference, const Records& target, bool by_frame_number) {
  Join join;
  const auto both_have = [&](std::string trace::FrameRecord::*field) {
    return any(reference, field) && any(target, field);
  };
  const auto by_field = [&](std::string trace::FrameRecord::*field) {
    return by_key(reference, target,
                  [field](const trace::FrameRecord& r) -> const std::string& { return r.*field; });
  };
  if (!by_frame_number && both_have(&trace::FrameRecord::sample)) {
    join.frames = by_field(&trace::FrameRecord::sample);
    std::size_t other_content = 0;
    std::string example;
    std::erase_if(join.frames, [&](const auto& pair) {
      const trace::FrameRecord &r = reference[pair.first], &t = target[pair.second];
      const bool differ = !r.sha256.empty() && !t.sha256.empty() && r.sha256 != t.sha256;
      if (differ && other_content++ == 0) example = r.sample;
      return differ;
    });
    if (other_content > 0)
      join.problems.push_back(std::to_string(other_content) +
                              " samples have the same name but other content, such as '" +
                              sanitized(example, 80) + "'; they were not compared");
    // Names may have changed with the folder; the content has not.
    if (join.frames.empty() && both_have(&trace::FrameRecord::sha256))
      join.frames = by_field(&trace::FrameRecord::sha256);
    join.how = JoinedBy::kSample;
  } else if (!by_frame_number && both_have(&trace::FrameRecord::sha256)) {
    join.frames = by_field(&trace::FrameRecord::sha256);
    join.how = JoinedBy::kSample;
  } else {
    std::map<std::uint32_t, std::size_t> numbers;
    for (std::size_t j = 0; j < target.size(); ++j) numbers.emplace(target[j].frame, j);
    for (std::size_t i = 0; i < reference.size(); ++i)
      if (const auto found = numbers.find(reference[i].frame); found != numbers.end())
        join.frames.emplace_back(i, found->second);
    join.how = JoinedBy::kFrameNumber;
  }
  if (join.frames.empty()) join.how = JoinedBy::kNothing;
  return join;
}

}  // namespace edgeprobe::compare
