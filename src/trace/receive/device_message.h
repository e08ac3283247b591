// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "core/codec.h"
#include "core/result.h"
#include "trace/channel.h"

namespace edgeprobe::trace {

/// The fields of one message.
class Fields : public ByteReader {
 public:
  using ByteReader::ByteReader;
  /// Text up to a zero byte.
  std::string_view name();
};

/// Parses the description in a message of type 3, after the channel's number. Fails with kCorrupt
/// if a trace cannot hold the channel.
Result<Channel> described_channel(ByteView description);

}  // namespace edgeprobe::trace
