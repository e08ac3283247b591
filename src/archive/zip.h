// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/bytes.h"
#include "core/result.h"

/// The one reader of ZIP files (NumPy archives, wheels, the demo's files, evidence), and the writer
/// of small ones.
namespace edgeprobe::archive {

/// Words for messages and limits of a kind of archive.
struct ZipKind {
  const char* name = "";         ///< "NumPy archive"
  const char* content = "";      ///< "of values": what its bytes are.
  std::uint64_t most_bytes = 0;  ///< Of the file, and of all members unpacked; below 2^32.
  std::uint64_t most_members = 0;
};

/// An entry of the directory, unchecked but for its sizes.
struct ZipMember {
  std::string name;  ///< As the file has it: not safe as a path.
  std::uint16_t flags = 0, method = 0;
  std::uint32_t checksum = 0;
  std::uint64_t packed = 0, size = 0, local = 0;
};

/// The directory, 64-bit forms included. kCorrupt for damaged bytes, and for members that are
/// larger together than the file; kLimit beyond the limits of `kind`.
Result<std::vector<ZipMember>> read_zip(ByteView file, const ZipKind& kind);

/// Bytes of a stored or deflated member, whose checksum is right. kCorrupt, or kUnsupported for
/// encrypted ones and other methods.
Result<Bytes> unpack(ByteView file, const ZipMember& member, const ZipKind& kind);

/// An archive of these members in memory, deflated, by name; equal members give equal bytes. kLimit
/// for more than 2 GB.
Result<Bytes> zip_of(const std::vector<std::pair<std::string, ByteView>>& members);

/// kCorrupt: "no sound NumPy archive: " and what is wrong.
Error damaged(const ZipKind& kind, const std::string& what);

}  // namespace edgeprobe::archive
