// SPDX-License-Identifier: Apache-2.0
#include "trace/export/zip.h"

#include "core/zip_layout.h"
#include "trace/mcap/crc32.h"
#include "trace/names.h"

namespace edgeprobe::trace {
namespace {

constexpr std::size_t kBuffer = std::size_t{1} << 20;

Bytes header_of(const ZipEntry& member) {
  ByteWriter out;
  put_local_header(out, member, ZipForm::kZip64);
  return std::move(out).bytes();
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
    // Continues from this name's last number, so that many members of one name need no repeated
    // search.
    std::uint64_t& number = numbers_.try_emplace(whole, 1).first->second;
    std::string numbered;
    do numbered = name + "~" + std::to_string(++number) + std::string(ending);
    while (!names_.insert(numbered).second);
    whole = std::move(numbered);
  }
  members_.push_back({whole, position(), 0, 0, 0, false});
  buffer_ += ByteView(header_of(members_.back())).text();
  return whole;
}

Status ZipWriter::append(ByteView bytes) {
  ZipEntry& member = members_.back();
  member.checksum = crc32(bytes, member.checksum);
  member.packed = member.size += bytes.size;
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
  const ZipEntry& member = members_.back();
  const Bytes header = header_of(member);
  if (member.offset >= output_.size()) {
    buffer_.replace(member.offset - output_.size(), header.size(), ByteView(header).text());
    return {};
  }
  EP_CHECK(flush());
  return output_.rewrite(member.offset, header);
}

Status ZipWriter::finish() {
  ByteWriter out;
  put_directory(out, members_, position(), ZipForm::kZip64);
  buffer_ += ByteView(out.bytes()).text();
  EP_CHECK(flush());
  EP_CHECK(output_.close());
  return output_.place();
}

}  // namespace edgeprobe::trace
