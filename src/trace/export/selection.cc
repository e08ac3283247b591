// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/text.h"
#include "trace/channel_text.h"
#include "trace/export/export.h"

namespace edgeprobe::trace {
namespace {

constexpr std::size_t kMostListed = 12;  // Names listed in a message.

}  // namespace

std::string OpenMessages::text() const {
  std::string text;
  std::size_t all = 0, kinds = 0;
  for (const auto& [encoding, count] : counts_) {
    const bool is_one = count == 1;
    const std::string what = encoding == "utf8"     ? (is_one ? "text" : "texts")
                             : encoding == "json"   ? (is_one ? "JSON text" : "JSON texts")
                             : encoding == "answer" ? (is_one ? "answer" : "answers")
                             : is_one               ? "encoded file"
                                                    : "encoded files";
    text += (kinds++ == 0              ? ""
             : kinds == counts_.size() ? " and "
                                       : ", ") +
            std::to_string(count) + " " + what;
    all += count;
  }
  return text + (all == 1 ? " was" : " were");
}

Result<std::vector<const ReadChannel*>> selected_channels(const Reader& reader,
                                                          const Selection& selection) {
  std::vector<const ReadChannel*> found;
  std::vector<std::string> names;
  std::string listed;
  for (const ReadChannel& channel : reader.channels()) {
    const std::string& own = channel.channel.spec.name;
    const std::string& wanted = selection.tensor;
    if (wanted.empty() || wanted == own ||
        wanted == std::string(name(channel.channel.stage)) + "/" + own ||
        wanted == topic_of(channel.channel))
      found.push_back(&channel);
    names.push_back(own);
    if (names.size() <= kMostListed)
      listed += (listed.empty() ? "" : ", ") + std::string(name(channel.channel.stage)) + "/" +
                sanitized(own, 60);
  }
  if (!found.empty() || selection.tensor.empty()) return found;
  const std::string near = closest_match(selection.tensor, names);
  return Error{ErrorKind::kNotFound,
               "'" + sanitized(reader.path().string()) + "' has no tensor '" +
                   sanitized(selection.tensor, 60) + "'" +
                   (near.empty() ? "" : "; the nearest name is '" + sanitized(near, 60) + "'") +
                   (names.empty() ? "; it has none" : "; it has " + listed) +
                   (names.size() > kMostListed
                        ? " and " + std::to_string(names.size() - kMostListed) + " more"
                        : "")};
}

Result<std::vector<std::uint32_t>> selected_frames(const Reader& reader,
                                                   const Selection& selection) {
  const auto& all = reader.frames();
  if (!selection.frame) return all;
  if (std::binary_search(all.begin(), all.end(), *selection.frame))
    return std::vector{*selection.frame};
  const std::string there = all.empty() ? "it has none"
                                        : "it has " + std::to_string(all.size()) + ", from " +
                                              std::to_string(all.front()) + " to " +
                                              std::to_string(all.back());
  return Error{ErrorKind::kNotFound, "'" + sanitized(reader.path().string()) + "' has no frame " +
                                         std::to_string(*selection.frame) + "; " + there};
}

}  // namespace edgeprobe::trace
