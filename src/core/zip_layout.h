// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/codec.h"

/// Headers of a ZIP archive as it is written. Layout: APPNOTE.TXT of PKWARE, sections 4.3.7 (local
/// header) to 4.3.16 (end of the central directory).
namespace edgeprobe {

enum class ZipForm {
  kPlain,  ///< Every size and offset is below 2^32, and there are fewer than 2^16 members.
  kZip64,  ///< Members and archive may exceed 4 GB. Only the owner can read the files.
};

struct ZipEntry {
  std::string name;  ///< UTF-8, below 2^16 bytes.
  std::uint64_t offset = 0, packed = 0, size = 0;
  std::uint32_t checksum = 0;
  bool deflated = false;  ///< If false: stored, and `packed` equals `size`.
};

/// Writes a member's local header. Its length depends only on the name and the form.
void put_local_header(ByteWriter& out, const ZipEntry& entry, ZipForm form);
/// Writes the central directory, which begins at offset `start`, and the records that end it.
void put_directory(ByteWriter& out, const std::vector<ZipEntry>& entries, std::uint64_t start,
                   ZipForm form);

}  // namespace edgeprobe
