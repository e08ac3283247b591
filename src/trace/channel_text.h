// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"
#include "trace/channel.h"

namespace edgeprobe::trace {

/// How a Channel stands in the file (docs/reference/trace-format.md, section 2).
inline constexpr std::string_view kTensorEncoding = "x-tensor";
inline constexpr std::string_view kFrameTopic = "/frame";
inline constexpr std::string_view kFrameEncoding = "json";
inline constexpr std::size_t kLongestTopic = 65535;

std::string topic_of(const Channel& channel);
std::map<std::string, std::string> metadata_of(const Channel& channel);

/// What a channel takes in a file that has one chunk: it stands in front of its messages and in the
/// summary, and the index of each chunk and the statistics name it.
std::uint64_t channel_bytes(const std::string& topic,
                            const std::map<std::string, std::string>& metadata);

/// The inverse of both. Fails with kCorrupt, naming the key, when a key that must be there is
/// missing or a value makes no sense. The bytes of one message never pass 2^48.
Result<Channel> channel_from(std::string_view topic,
                             const std::map<std::string, std::string>& metadata);

/// Bytes of every message; nothing for encoded files, whose messages have any length.
std::optional<std::size_t> message_size(const Channel& channel);

/// Why the channel cannot be written; nothing when it can.
std::optional<Error> unwritable(const Channel& channel);

}  // namespace edgeprobe::trace
