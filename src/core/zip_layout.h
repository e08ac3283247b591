// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/codec.h"

/// The headers of a ZIP archive that is being written. Layout: APPNOTE.TXT of PKWARE,
/// sections 4.3.7 (local header) to 4.3.16 (end of the central directory).
namespace edgeprobe {

enum class ZipForm {
  kPlain,  ///< Every size and offset is below 2^32, and there are fewer than 2^16 members.
  kZip64,  ///< Members and archive may pass 4 GB. Files are readable by their owner alone.
};

struct ZipEntry {
  std::string name;  ///< UTF-8, below 2^16 bytes.
  std::uint64_t offset = 0, packed = 0, size = 0;
  std::uint32_t checksum = 0;
  bool deflated = false;  ///< False: stored, and `packed` equals `size`.
};

/// What stands before a member's bytes. Its length depends on the name and the form alone.
void put_local_header(ByteWriter& out, const ZipEntry& entry, ZipForm form);
/// The central directory, which begins at `start` of the archive, and the records that end it.
void put_directory(ByteWriter& out, const std::vector<ZipEntry>& entries, std::uint64_t start,
                   ZipForm form);

}  // namespace edgeprobe
