// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "core/bytes.h"
#include "core/result.h"
#include "core/sha256.h"

namespace edgeprobe::serve {

/// Models that clients have sent, in memory alone: nothing is left when the process ends. They
/// outlive a connection, so that one that was cut off goes on where it was. Not thread-safe.
class Uploads {
 public:
  explicit Uploads(std::uint64_t most) : most_(most) {}

  /// The bytes of a model of this hash (32 bytes) and size that are here already. Models that were
  /// not used for longest make room; kLimit for one that has none. kUsage for a size that differs
  /// from the one offered before.
  Result<std::uint64_t> offer(ByteView sha256, std::uint64_t size);
  /// The bytes that are here then. kUsage for bytes of no offered model, and for an offset behind
  /// its end so far; what is here already is passed over.
  Result<std::uint64_t> add(ByteView sha256, std::uint64_t offset, ByteView bytes);
  /// The whole model. kCorrupt when its bytes have another hash: they are dropped.
  Result<ByteView> model(ByteView sha256);
  /// The same, and they are not kept here any longer.
  Result<Bytes> take(ByteView sha256);

 private:
  struct Upload {
    std::uint64_t size = 0;
    Bytes bytes;
    Sha256 hash = {};  ///< Of them; a part is hashed while the next one comes.
    bool checked = false;
    std::uint64_t used = 0;  ///< Counts uses of all.
  };
  std::uint64_t held() const;
  void make_room(std::uint64_t bytes, const std::string& but);

  std::uint64_t most_;
  std::uint64_t uses_ = 0;
  std::map<std::string, Upload> uploads_;  ///< By hash.
};

}  // namespace edgeprobe::serve
