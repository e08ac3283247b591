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

/// How a Channel is stored in the file (docs/reference/trace-format.md, section 2).
inline constexpr std::string_view kTensorEncoding = "x-tensor";
inline constexpr std::string_view kFrameTopic = "/frame";
inline constexpr std::string_view kFrameEncoding = "json";
inline constexpr std::size_t kLongestTopic = 65535;

std::string topic_of(const Channel& channel);
std::map<std::string, std::string> metadata_of(const Channel& channel);

/// Bytes that a channel adds to a file with one chunk: its record before its messages and in the
/// summary, and its entries in each chunk's index and in the statistics.
std::uint64_t channel_bytes(const std::string& topic,
                            const std::map<std::string, std::string>& metadata);

/// The inverse of both. Fails with kCorrupt, naming the key, if a required key is missing or a
/// value is invalid. A message is never larger than 2^48 bytes.
Result<Channel> channel_from(std::string_view topic,
                             const std::map<std::string, std::string>& metadata);

/// Bytes of each message; empty for encoded files, whose messages vary in length.
std::optional<std::size_t> message_size(const Channel& channel);

/// Why the channel cannot be written; empty if it can.
std::optional<Error> unwritable(const Channel& channel);

}  // namespace edgeprobe::trace
