// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/result.h"
#include "trace/answer.h"
#include "trace/read/reader.h"

namespace edgeprobe::trace {

/// Channels with answers of the app, in the trace's channel order.
std::vector<const ReadChannel*> answer_channels(const Reader& reader);

/// The answer on `channel` in a frame; nothing if the app recorded none. Fails like Reader::read()
/// and decode_answer(), naming the frame and the channel.
Result<std::optional<Answer>> answer_of(const Reader& reader, std::uint32_t frame,
                                        const ReadChannel& channel);
/// The same for the first channel with an answer.
Result<std::optional<Answer>> answer_of(const Reader& reader, std::uint32_t frame);

}  // namespace edgeprobe::trace
