// SPDX-License-Identifier: Apache-2.0
#include <zlib.h>

#include "archive/zip.h"
#include "core/codec.h"

// Layout: APPNOTE.TXT of PKWARE, sections 4.3.7, 4.3.12 and 4.3.16.
namespace edgeprobe::archive {
namespace {

constexpr std::uint16_t kVersion = 20, kUtf8Names = 1 << 11, kDeflated = 8;
constexpr std::uint16_t kFirstDay = 0x21;  // 1980-01-01: equal members give equal archives.

Result<Bytes> deflated(ByteView bytes) {
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY) !=
      Z_OK)
    return Error{ErrorKind::kLimit, "zlib cannot start: out of memory"};
  Bytes packed(deflateBound(&stream, static_cast<uLong>(bytes.size)));
  Bytef none = 0;
  stream.next_in =
      bytes.size ? reinterpret_cast<Bytef*>(const_cast<std::byte*>(bytes.data)) : &none;
  stream.avail_in = static_cast<uInt>(bytes.size);
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const int ended = deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  if (ended != Z_STREAM_END) return Error{ErrorKind::kLimit, "zlib cannot compress a member"};
  return packed;
}

}  // namespace

Result<Bytes> zip_of(const std::vector<std::pair<std::string, ByteView>>& members) {
  ByteWriter out, directory;
  std::uint64_t total = 0;
  for (const auto& [name, bytes] : members) {
    total += bytes.size;
    if (total > (std::uint64_t{1} << 31) || members.size() > 1000 || name.size() > 1000)
      return Error{ErrorKind::kLimit, "an archive of this kind holds at most 2 GB"};
    auto packed = deflated(bytes);
    if (!packed) return packed;
    const auto checksum = static_cast<std::uint32_t>(::crc32_z(
        ::crc32_z(0, nullptr, 0), reinterpret_cast<const Bytef*>(bytes.data), bytes.size));
    const auto local = static_cast<std::uint32_t>(out.bytes().size());
    const auto common = [&, &named = name, size = bytes.size](ByteWriter& to) {
      to.number(kVersion);
      to.number(kUtf8Names);
      to.number(kDeflated);
      to.number(std::uint16_t{0});  // Midnight.
      to.number(kFirstDay);
      to.number(checksum);
      to.number(static_cast<std::uint32_t>(packed->size()));
      to.number(static_cast<std::uint32_t>(size));
      to.number(static_cast<std::uint16_t>(named.size()));
      to.number(std::uint16_t{0});  // No extra field.
    };
    out.number(std::uint32_t{0x04034b50});
    common(out);
    out.append(view_of(name));
    out.append(*packed);
    directory.number(std::uint32_t{0x02014b50});
    directory.number(kVersion);
    common(directory);
    directory.number(std::uint16_t{0});  // No comment.
    directory.number(std::uint16_t{0});  // The first disk.
    directory.number(std::uint16_t{0});
    directory.number(std::uint32_t{0});
    directory.number(local);
    directory.append(view_of(name));
  }
  const auto start = static_cast<std::uint32_t>(out.bytes().size());
  out.append(directory.bytes());
  out.number(std::uint32_t{0x06054b50});
  out.number(std::uint16_t{0});
  out.number(std::uint16_t{0});
  out.number(static_cast<std::uint16_t>(members.size()));
  out.number(static_cast<std::uint16_t>(members.size()));
  out.number(static_cast<std::uint32_t>(directory.bytes().size()));
  out.number(start);
  out.number(std::uint16_t{0});
  return std::move(out).bytes();
}

}  // namespace edgeprobe::archive
