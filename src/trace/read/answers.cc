// SPDX-License-Identifier: Apache-2.0
#include "trace/read/answers.h"

#include <utility>

#include "core/text.h"

namespace edgeprobe::trace {

std::vector<const ReadChannel*> answer_channels(const Reader& reader) {
  std::vector<const ReadChannel*> found;
  for (const ReadChannel& channel : reader.channels())
    if (channel.channel.is_answer()) found.push_back(&channel);
  return found;
}

Result<std::optional<Answer>> answer_of(const Reader& reader, std::uint32_t frame,
                                        const ReadChannel& channel) {
  EP_TRY(const auto message, reader.read(frame, channel.id));
  if (!message) return std::optional<Answer>();
  auto answer = decode_answer(message->bytes);
  if (!answer)
    return std::move(answer.error())
        .during("frame " + std::to_string(frame) + ", answer '" +
                sanitized(channel.channel.spec.name, 60) + "'");
  return std::optional<Answer>(*std::move(answer));
}

Result<std::optional<Answer>> answer_of(const Reader& reader, std::uint32_t frame) {
  for (const ReadChannel* channel : answer_channels(reader)) {
    auto answer = answer_of(reader, frame, *channel);
    if (!answer || *answer) return answer;
  }
  return std::optional<Answer>();
}

}  // namespace edgeprobe::trace
