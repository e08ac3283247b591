// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/bytes.h"
#include "core/result.h"

/// The only code that reads ZIP files (NumPy archives, wheels, the demo's files, evidence). It also
/// writes small ones.
namespace edgeprobe::archive {

/// Limits of one kind of archive, and its names in messages.
struct ZipKind {
  const char* name = "";     ///< "NumPy archive"
  const char* content = "";  ///< Name of the contents in messages: "of values".
  /// Limit for the file, and for the total size of its unpacked members; below 2^32.
  std::uint64_t most_bytes = 0;
  std::uint64_t most_members = 0;
};

/// A directory entry, with only its sizes checked.
struct ZipMember {
  std::string name;  ///< As stored in the file: not safe as a path.
  std::uint16_t flags = 0, method = 0;
  std::uint32_t checksum = 0;
  std::uint64_t packed = 0, size = 0, local = 0;
};

/// Reads the directory, including 64-bit forms. kCorrupt for damaged bytes, and if the members
/// together are larger than the file; kLimit beyond the limits of `kind`.
Result<std::vector<ZipMember>> read_zip(ByteView file, const ZipKind& kind);

/// Unpacks a stored or deflated member and verifies its checksum. kCorrupt, or kUnsupported for
/// encryption and other methods.
Result<Bytes> unpack(ByteView file, const ZipMember& member, const ZipKind& kind);

/// Builds an archive of these named members in memory, deflated; equal members yield equal bytes.
/// kLimit for more than 2 GB.
Result<Bytes> zip_of(const std::vector<std::pair<std::string, ByteView>>& members);

/// kCorrupt: "no sound NumPy archive: " and the problem.
Error damaged(const ZipKind& kind, const std::string& what);

}  // namespace edgeprobe::archive
