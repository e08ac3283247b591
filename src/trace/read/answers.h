// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/result.h"
#include "trace/answer.h"
#include "trace/read/reader.h"

namespace edgeprobe::trace {

/// Channels of a trace that hold answers of the app, in the order of its channels.
std::vector<const ReadChannel*> answer_channels(const Reader& reader);

/// The answer on `channel` in a frame; nothing where the app gave none. Fails as Reader::read() and
/// decode_answer() do, naming the frame and the channel.
Result<std::optional<Answer>> answer_of(const Reader& reader, std::uint32_t frame,
                                        const ReadChannel& channel);
/// The same on the first channel that has one.
Result<std::optional<Answer>> answer_of(const Reader& reader, std::uint32_t frame);

}  // namespace edgeprobe::trace
