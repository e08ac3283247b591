// SPDX-License-Identifier: Apache-2.0
#include "core/zip_layout.h"

#include <algorithm>

namespace edgeprobe {
namespace {

constexpr std::uint32_t kLargest32 = 0xffffffffu;
constexpr std::uint16_t kLargest16 = 0xffffu;
constexpr std::uint16_t kUtf8Names = 1 << 11, kDeflated = 8, kStored = 0, kZip64Field = 1;
constexpr std::uint16_t kFirstDay = 0x21;  // 1980-01-01: equal members produce equal archives.
constexpr std::uint16_t kUnix = 3 << 8;
constexpr std::uint32_t kOwnersFile = 0100600u << 16;

std::uint16_t version(ZipForm form) { return form == ZipForm::kZip64 ? 45 : 20; }

std::uint16_t made_by(ZipForm form) {
  const std::uint16_t system = form == ZipForm::kZip64 ? kUnix : 0;
  return static_cast<std::uint16_t>(version(form) | system);
}

std::uint32_t short_size(std::uint64_t size, ZipForm form) {
  return form == ZipForm::kZip64 ? kLargest32 : static_cast<std::uint32_t>(size);
}

// Size of a header's ZIP64 extra field, including its own four bytes.
std::uint16_t extra_size(int numbers, ZipForm form) {
  return static_cast<std::uint16_t>(form == ZipForm::kZip64 ? 4 + 8 * numbers : 0);
}

void put_common(ByteWriter& out, const ZipEntry& entry, int numbers, ZipForm form) {
  out.number(version(form));
  out.number(kUtf8Names);
  out.number(entry.deflated ? kDeflated : kStored);
  out.number(std::uint16_t{0});  // Midnight.
  out.number(kFirstDay);
  out.number(entry.checksum);
  out.number(short_size(entry.packed, form));
  out.number(short_size(entry.size, form));
  out.number(static_cast<std::uint16_t>(entry.name.size()));
  out.number(extra_size(numbers, form));
}

void put_extra(ByteWriter& out, const ZipEntry& entry, int numbers, ZipForm form) {
  if (form != ZipForm::kZip64) return;
  out.number(kZip64Field);
  out.number(static_cast<std::uint16_t>(8 * numbers));
  out.number(entry.size);
  out.number(entry.packed);
  if (numbers > 2) out.number(entry.offset);
}

// The ZIP64 end of central directory record and its locator.
void put_large_end(ByteWriter& out, std::uint64_t count, std::uint64_t length,
                   std::uint64_t start) {
  out.number(std::uint32_t{0x06064b50});
  out.number(std::uint64_t{44});
  out.number(made_by(ZipForm::kZip64));
  out.number(version(ZipForm::kZip64));
  out.number(std::uint32_t{0});
  out.number(std::uint32_t{0});
  out.number(count);
  out.number(count);
  out.number(length);
  out.number(start);
  out.number(std::uint32_t{0x07064b50});
  out.number(std::uint32_t{0});
  out.number(start + length);
  out.number(std::uint32_t{1});
}

}  // namespace

void put_local_header(ByteWriter& out, const ZipEntry& entry, ZipForm form) {
  out.number(std::uint32_t{0x04034b50});
  put_common(out, entry, 2, form);
  out.append(view_of(entry.name));
  put_extra(out, entry, 2, form);
}

void put_directory(ByteWriter& out, const std::vector<ZipEntry>& entries, std::uint64_t start,
                   ZipForm form) {
  const std::size_t before = out.bytes().size();
  for (const ZipEntry& entry : entries) {
    out.number(std::uint32_t{0x02014b50});
    out.number(made_by(form));
    put_common(out, entry, 3, form);
    out.number(std::uint16_t{0});  // No comment.
    out.number(std::uint16_t{0});  // The first disk.
    out.number(std::uint16_t{0});  // Internal attributes.
    out.number(form == ZipForm::kZip64 ? kOwnersFile : std::uint32_t{0});
    out.number(short_size(entry.offset, form));
    out.append(view_of(entry.name));
    put_extra(out, entry, 3, form);
  }
  const std::uint64_t length = out.bytes().size() - before, count = entries.size();
  if (form == ZipForm::kZip64) put_large_end(out, count, length, start);
  const auto short_count = static_cast<std::uint16_t>(std::min<std::uint64_t>(count, kLargest16));
  out.number(std::uint32_t{0x06054b50});
  out.number(std::uint16_t{0});
  out.number(std::uint16_t{0});
  out.number(short_count);
  out.number(short_count);
  out.number(static_cast<std::uint32_t>(std::min<std::uint64_t>(length, kLargest32)));
  out.number(static_cast<std::uint32_t>(std::min<std::uint64_t>(start, kLargest32)));
  out.number(std::uint16_t{0});
}

}  // namespace edgeprobe
