// SPDX-License-Identifier: Apache-2.0
#include "trace/export/zip.h"

#include <algorithm>

#include "trace/mcap/crc32.h"
#include "trace/mcap/mcap.h"
#include "trace/names.h"

// Layout: APPNOTE.TXT of PKWARE, sections 4.3.7 (local header) to 4.3.16 (end of central
// directory).
namespace edgeprobe::trace {
namespace {

using mcap::Builder;  // little-endian fields are little-endian fields

constexpr std::size_t kBuffer = std::size_t{1} << 20;
constexpr std::uint32_t kLargest32 = 0xffffffffu;
constexpr std::uint16_t kLargest16 = 0xffffu;
constexpr std::uint16_t kVersion = 45;  // Zip64
constexpr std::uint16_t kUtf8Names = 1 << 11;
constexpr std::uint16_t kFirstDay = 0x21;  // 1980-01-01: the same trace gives the same archive

void put_common(Builder& out, const std::string& name, std::uint32_t checksum,
                std::uint16_t extra) {
  out.u16(kVersion);
  out.u16(kUtf8Names);
  out.u16(0);  // stored
  out.u16(0);  // midnight
  out.u16(kFirstDay);
  out.u32(checksum);
  out.u32(kLargest32);  // both sizes are in the Zip64 field
  out.u32(kLargest32);
  out.u16(static_cast<std::uint16_t>(name.size()));
  out.u16(extra);
}

Builder local_header(const std::string& name, std::uint64_t size, std::uint32_t checksum) {
  Builder out;
  out.u32(0x04034b50);
  put_common(out, name, checksum, 20);
  out.raw(name.data(), name.size());
  out.u16(1);  // Zip64
  out.u16(16);
  out.u64(size);
  out.u64(size);
  return out;
}

}  // namespace

std::string archive_name(std::string_view text) {
  std::string out;
  for (int parts = 0; parts < 8; ++parts) {
    const std::size_t slash = parts == 7 ? std::string_view::npos : text.find('/');
    if (!out.empty()) out += '/';
    out += file_name_part(text.substr(0, slash));
    if (slash == std::string_view::npos) break;
    text.remove_prefix(slash + 1);
  }
  return out;
}

Result<ZipWriter> ZipWriter::create(const std::filesystem::path& path, bool replace) {
  EP_TRY(auto output, OutputFile::create_hidden(path, replace));
  return ZipWriter(std::move(output));
}

Status ZipWriter::flush() {
  if (buffer_.empty()) return {};
  auto done = output_.append({view_of(buffer_)});
  buffer_.clear();
  return done;
}

Result<std::string> ZipWriter::begin(std::string name, std::string_view ending) {
  std::string whole = name + std::string(ending);
  if (!names_.insert(whole).second) {
    // Numbers go on where they ended for this name, so that many of one name are not counted
    // through again.
    std::uint64_t& number = numbers_.try_emplace(whole, 1).first->second;
    std::string numbered;
    do numbered = name + "~" + std::to_string(++number) + std::string(ending);
    while (!names_.insert(numbered).second);
    whole = std::move(numbered);
  }
  members_.push_back({whole, position(), 0, 0});
  buffer_ += local_header(whole, 0, 0).bytes();
  return whole;
}

Status ZipWriter::append(ByteView bytes) {
  Member& member = members_.back();
  member.checksum = crc32(bytes, member.checksum);
  member.size += bytes.size;
  if (buffer_.size() + bytes.size <= kBuffer) {
    buffer_.append(bytes.text());
    return {};
  }
  auto done = flush();
  if (!done || bytes.size < kBuffer / 2) {
    buffer_.append(bytes.text());
    return done;
  }
  return output_.append({bytes});
}

Status ZipWriter::end() {
  const Member& member = members_.back();
  const Builder header = local_header(member.name, member.size, member.checksum);
  if (member.offset >= output_.size()) {
    buffer_.replace(member.offset - output_.size(), header.size(), header.bytes());
    return {};
  }
  EP_CHECK(flush());
  return output_.rewrite(member.offset, view_of(header.bytes()));
}

Status ZipWriter::finish() {
  const std::uint64_t start = position();
  Builder out;
  for (const Member& member : members_) {
    out.u32(0x02014b50);
    out.u16(kVersion | (3 << 8));  // made on Unix
    put_common(out, member.name, member.checksum, 28);
    out.u16(0);  // comment
    out.u16(0);  // disk
    out.u16(0);  // internal attributes
    out.u32(0100600u << 16);
    out.u32(kLargest32);  // offset: in the Zip64 field
    out.raw(member.name.data(), member.name.size());
    out.u16(1);
    out.u16(24);
    out.u64(member.size);
    out.u64(member.size);
    out.u64(member.offset);
  }
  const std::uint64_t length = out.size(), count = members_.size();
  out.u32(0x06064b50);  // Zip64 end of central directory
  out.u64(44);
  out.u16(kVersion | (3 << 8));
  out.u16(kVersion);
  out.u32(0);
  out.u32(0);
  out.u64(count);
  out.u64(count);
  out.u64(length);
  out.u64(start);
  out.u32(0x07064b50);  // its locator
  out.u32(0);
  out.u64(start + length);
  out.u32(1);
  const auto count16 = static_cast<std::uint16_t>(std::min<std::uint64_t>(count, kLargest16));
  out.u32(0x06054b50);
  out.u16(0);
  out.u16(0);
  out.u16(count16);
  out.u16(count16);
  out.u32(static_cast<std::uint32_t>(std::min<std::uint64_t>(length, kLargest32)));
  out.u32(static_cast<std::uint32_t>(std::min<std::uint64_t>(start, kLargest32)));
  out.u16(0);
  buffer_ += out.bytes();
  EP_CHECK(flush());
  EP_CHECK(output_.close());
  return output_.place();
}

}  // namespace edgeprobe::trace
