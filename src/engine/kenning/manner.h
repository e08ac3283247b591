// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "protocol/generation.h"

/// Servers of Kenning (Edge AI tester) as engines: docs/reference/protocol.md.
namespace edgeprobe::engine::kenning {

/// Protocol variant of a server.
struct Manner {
  const char* name = "g4";  ///< Its name in addresses.
  protocol::Generation generation = protocol::Generation::kG4;
  /// IO_SPEC precedes MODEL. Without it the server receives and sends only floats and quantises
  /// them itself.
  bool io_spec = true;
  /// On a serial line: structures instead of JSON, short parts with a checksum, PING as a greeting.
  bool is_serial = false;

  bool two_oks() const { return generation == protocol::Generation::kG1; }
};

/// "g1" (2021 to October 2022), "g1-iospec" (to April 2023), "g2", "g3", "g3-late", "g4".
std::optional<Manner> manner_from_name(std::string_view name);
}  // namespace edgeprobe::engine::kenning
