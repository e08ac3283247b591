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
  /// Up to a zero byte.
  std::string_view name();
};

/// The description in a message 3, behind the channel's number. Fails with kCorrupt when it cannot
/// stand in a trace.
Result<Channel> described_channel(ByteView description);

}  // namespace edgeprobe::trace
