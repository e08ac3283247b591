// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "core/bytes.h"
#include "core/result.h"
#include "core/sha256.h"

namespace edgeprobe::serve {

/// Models uploaded by clients, only in memory: nothing remains after the process. They outlive a
/// connection, so that an interrupted upload can resume. Not thread-safe.
class Uploads {
 public:
  explicit Uploads(std::uint64_t most) : most_(most) {}

  /// Returns how many bytes of a model with this hash (32 bytes) and size are already here. The
  /// least recently used models make room; kLimit for one that does not fit. kUsage for a size that
  /// differs from an earlier offer.
  Result<std::uint64_t> offer(ByteView sha256, std::uint64_t size);
  /// Returns the number of bytes present after adding. kUsage for a model that was not offered, and
  /// for an offset beyond its current end; bytes already present are skipped.
  Result<std::uint64_t> add(ByteView sha256, std::uint64_t offset, ByteView bytes);
  /// The complete model. kCorrupt if its bytes have another hash: they are discarded.
  Result<ByteView> model(ByteView sha256);
  /// Same, and removes it from here.
  Result<Bytes> take(ByteView sha256);

 private:
  struct Upload {
    std::uint64_t size = 0;
    Bytes bytes;
    Sha256 hash = {};  ///< Hash of the bytes; one part is hashed while the next arrives.
    bool checked = false;
    std::uint64_t used = 0;  ///< Use counter for all models.
  };
  std::uint64_t held() const;
  void make_room(std::uint64_t bytes, const std::string& but);

  std::uint64_t most_;
  std::uint64_t uses_ = 0;
  std::map<std::string, Upload> uploads_;  ///< Keyed by hash.
};

}  // namespace edgeprobe::serve
