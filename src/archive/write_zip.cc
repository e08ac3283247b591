// SPDX-License-Identifier: Apache-2.0
#include <zlib.h>

#include "archive/zip.h"
#include "core/zip_layout.h"

namespace edgeprobe::archive {
namespace {

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
  ByteWriter out;
  std::vector<ZipEntry> entries;
  std::uint64_t total = 0;
  for (const auto& [name, bytes] : members) {
    total += bytes.size;
    if (total > (std::uint64_t{1} << 31) || members.size() > 1000 || name.size() > 1000)
      return Error{ErrorKind::kLimit, "an archive of this kind holds at most 2 GB"};
    auto packed = deflated(bytes);
    if (!packed) return packed;
    ZipEntry entry{name, out.bytes().size(), packed->size(), bytes.size, 0, true};
    entry.checksum = static_cast<std::uint32_t>(::crc32_z(
        ::crc32_z(0, nullptr, 0), reinterpret_cast<const Bytef*>(bytes.data), bytes.size));
    put_local_header(out, entry, ZipForm::kPlain);
    out.append(*packed);
    entries.push_back(std::move(entry));
  }
  const std::uint64_t start = out.bytes().size();
  put_directory(out, entries, start, ZipForm::kPlain);
  return std::move(out).bytes();
}

}  // namespace edgeprobe::archive
