// SPDX-License-Identifier: Apache-2.0
#include "archive/zip.h"

#include <zlib.h>

#include <algorithm>

#include "core/codec.h"
#include "core/text.h"

namespace edgeprobe::archive {
namespace {

constexpr std::uint32_t kEndMark = 0x06054b50, kEnd64Mark = 0x06064b50, kLocator64Mark = 0x07064b50;
constexpr std::uint32_t kEntryMark = 0x02014b50, kLocalMark = 0x04034b50;
constexpr std::size_t kEndBytes = 22, kEntryBytes = 46, kLocalBytes = 30;
constexpr std::uint64_t kMostRatio = 1040;  // maximum compression ratio of deflate

template <class T>
T read(ByteView bytes, std::size_t at) {
  return at <= bytes.size && bytes.size - at >= sizeof(T) ? load_little<T>(bytes.data + at) : T{};
}

bool holds(ByteView bytes, std::uint64_t at, std::uint64_t size) {
  return at <= bytes.size && size <= bytes.size - at;
}

struct Directory {
  std::uint64_t entries = 0, offset = 0;
};

Result<Directory> find_directory(ByteView file, const ZipKind& kind) {
  if (file.size < kEndBytes) return damaged(kind, "it has " + std::to_string(file.size) + " bytes");
  // The end record is followed by a comment of at most 65,535 bytes.
  const std::size_t first = file.size - std::min<std::size_t>(file.size, kEndBytes + 65535);
  for (std::size_t at = file.size - kEndBytes + 1; at-- > first;) {
    if (read<std::uint32_t>(file, at) != kEndMark) continue;
    Directory found{read<std::uint16_t>(file, at + 10), read<std::uint32_t>(file, at + 16)};
    if (at >= 20 && read<std::uint32_t>(file, at - 20) == kLocator64Mark) {
      const auto end64 = read<std::uint64_t>(file, at - 12);
      if (!holds(file, end64, 56) || read<std::uint32_t>(file, end64) != kEnd64Mark)
        return damaged(kind, "its 64-bit end record is missing");
      found = {read<std::uint64_t>(file, end64 + 32), read<std::uint64_t>(file, end64 + 48)};
    }
    return found;
  }
  return damaged(kind, "it has no directory of members");
}

// Sizes that do not fit into 32 bits are in an extra field, in a fixed order, only those needed.
bool read_zip64(ByteView extra, ZipMember& member) {
  for (std::size_t at = 0; holds(extra, at, 4);) {
    const auto id = read<std::uint16_t>(extra, at), size = read<std::uint16_t>(extra, at + 2);
    at += 4;
    if (!holds(extra, at, size)) return false;
    if (id == 1) {
      std::size_t used = 0;
      for (std::uint64_t* value : {&member.size, &member.packed, &member.local}) {
        if (*value != 0xffffffff) continue;
        if (used + 8 > size) return false;
        *value = read<std::uint64_t>(extra, at + used);
        used += 8;
      }
      return true;
    }
    at += size;
  }
  return member.size != 0xffffffff && member.packed != 0xffffffff && member.local != 0xffffffff;
}

}  // namespace

Error damaged(const ZipKind& kind, const std::string& what) {
  return {ErrorKind::kCorrupt, std::string("no sound ") + kind.name + ": " + what};
}

Result<std::vector<ZipMember>> read_zip(ByteView file, const ZipKind& kind) {
  if (file.size > kind.most_bytes)
    return Error{ErrorKind::kLimit, std::string("a ") + kind.name + " has at most " +
                                        bytes_text(static_cast<double>(kind.most_bytes))};
  EP_TRY(const auto directory, find_directory(file, kind));
  if (directory.entries > kind.most_members)
    return Error{ErrorKind::kLimit, std::string("a ") + kind.name + " has at most " +
                                        std::to_string(kind.most_members) + " members"};
  std::vector<ZipMember> members;
  std::uint64_t at = directory.offset, total = 0, packed = 0;
  for (std::uint64_t i = 0; i < directory.entries; ++i) {
    if (!holds(file, at, kEntryBytes) || read<std::uint32_t>(file, at) != kEntryMark)
      return damaged(kind, "its directory is cut short");
    const auto name = read<std::uint16_t>(file, at + 28),
               extra = read<std::uint16_t>(file, at + 30),
               comment = read<std::uint16_t>(file, at + 32);
    if (!holds(file, at + kEntryBytes, std::uint64_t{name} + extra + comment))
      return damaged(kind, "its directory is cut short");
    ZipMember member{std::string(file.sub(at + kEntryBytes, name).text()),
                     read<std::uint16_t>(file, at + 8),
                     read<std::uint16_t>(file, at + 10),
                     read<std::uint32_t>(file, at + 16),
                     read<std::uint32_t>(file, at + 20),
                     read<std::uint32_t>(file, at + 24),
                     read<std::uint32_t>(file, at + 42)};
    if (!read_zip64(file.sub(at + kEntryBytes + name, extra), member))
      return damaged(kind, "the sizes of '" + sanitized(member.name) + "' are missing");
    // Checked one by one, so that the sum cannot overflow.
    if (member.size > kind.most_bytes || total + member.size > kind.most_bytes)
      return Error{ErrorKind::kLimit, std::string("a ") + kind.name + " holds at most " +
                                          bytes_text(static_cast<double>(kind.most_bytes)) + " " +
                                          kind.content};
    total += member.size;
    // Members that share bytes could inflate a small file without limit.
    if (member.packed > file.size - packed)
      return damaged(kind, "its members together are larger than the file");
    packed += member.packed;
    at += kEntryBytes + std::uint64_t{name} + extra + comment;
    members.push_back(std::move(member));
  }
  return members;
}

Result<Bytes> unpack(ByteView file, const ZipMember& member, const ZipKind& kind) {
  const std::string who = "'" + sanitized(member.name) + "'";
  if (member.flags & 1) return Error{ErrorKind::kUnsupported, who + " is encrypted"};
  if (!holds(file, member.local, kLocalBytes) ||
      read<std::uint32_t>(file, member.local) != kLocalMark)
    return damaged(kind, who + " is not where the directory says");
  const std::uint64_t start = member.local + kLocalBytes +
                              read<std::uint16_t>(file, member.local + 26) +
                              read<std::uint16_t>(file, member.local + 28);
  if (!holds(file, start, member.packed))
    return damaged(kind, who + " reaches past the end of the file");
  const ByteView packed = file.sub(start, member.packed);
  Bytes bytes;
  if (member.method == 0) {
    if (member.size != member.packed) return damaged(kind, who + " has two different sizes");
    bytes = packed.copy();
  } else if (member.method == 8) {
    if (member.size / kMostRatio > member.packed + 1)
      return damaged(kind, who + " claims more bytes than it can hold");
    bytes.resize(member.size);
    z_stream stream{};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
      return Error{ErrorKind::kLimit, "zlib cannot start: out of memory"};
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(packed.data));
    stream.avail_in = static_cast<uInt>(packed.size);  // below 2^31, like the file
    Bytef none = 0;
    stream.next_out = bytes.empty() ? &none : reinterpret_cast<Bytef*>(bytes.data());
    stream.avail_out = static_cast<uInt>(bytes.size());
    const int ended = inflate(&stream, Z_FINISH);
    const bool whole = ended == Z_STREAM_END && stream.total_out == bytes.size();
    inflateEnd(&stream);
    if (!whole) return damaged(kind, who + " cannot be decompressed");
  } else {
    return Error{ErrorKind::kUnsupported, who + " is compressed by method " +
                                              std::to_string(member.method) +
                                              ", expected stored or deflated"};
  }
  const auto checksum = ::crc32_z(::crc32_z(0, nullptr, 0),
                                  reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  if (checksum != member.checksum) return damaged(kind, "the checksum of " + who + " is wrong");
  return bytes;
}

}  // namespace edgeprobe::archive
