// SPDX-License-Identifier: Apache-2.0
#include "archive/tar.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "core/text.h"

namespace edgeprobe::archive {
namespace {

constexpr std::size_t kBlock = 512, kPart = std::size_t{1} << 20,
                      kMostHeader = std::size_t{1} << 20;

Error damaged_tar(const std::string& what) {
  return {ErrorKind::kCorrupt, "no sound .tar: " + what};
}

/// The archive's bytes, decompressed if it is a gzip file.
class Source {
 public:
  explicit Source(ByteView file) : file_(file) {
    is_gzip_ = file.size > 2 && file.data[0] == std::byte{0x1f} && file.data[1] == std::byte{0x8b};
  }
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  ~Source() {
    if (is_open_) inflateEnd(&stream_);
  }

  Status open() {
    if (!is_gzip_) return {};
    // 16: a gzip header.
    if (inflateInit2(&stream_, MAX_WBITS + 16) != Z_OK)
      return Error{ErrorKind::kLimit, "zlib cannot start: out of memory"};
    is_open_ = true;
    buffer_.resize(kPart);
    return {};
  }

  /// At most `most` further bytes, valid until the next call; empty at the end.
  Result<ByteView> next(std::size_t most) {
    if (!is_gzip_) {
      const std::size_t size = std::min(most, file_.size - at_);
      at_ += size;
      return file_.sub(at_ - size, size);
    }
    if (begin_ == end_) EP_CHECK(fill());
    const std::size_t size = std::min(most, end_ - begin_);
    begin_ += size;
    return ByteView(buffer_).sub(begin_ - size, size);
  }

 private:
  Status fill() {
    begin_ = end_ = 0;
    while (end_ == 0 && !is_over_) {
      const std::size_t given = std::min(file_.size - at_, kPart);
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(file_.data + at_));
      stream_.avail_in = static_cast<uInt>(given);
      stream_.next_out = reinterpret_cast<Bytef*>(buffer_.data());
      stream_.avail_out = static_cast<uInt>(buffer_.size());
      const int result = inflate(&stream_, Z_NO_FLUSH);
      at_ += given - stream_.avail_in;
      end_ = buffer_.size() - stream_.avail_out;
      if (result == Z_STREAM_END) {
        // A gzip file may consist of several, one after another.
        is_over_ = at_ == file_.size;
        if (!is_over_ && inflateReset(&stream_) != Z_OK) return damaged_tar("zlib fails");
      } else if (result != Z_OK && result != Z_BUF_ERROR) {
        return damaged_tar("it cannot be decompressed");
      } else if (end_ == 0 && given == 0) {
        return damaged_tar("the compressed data ends early");
      }
    }
    return {};
  }

  ByteView file_;
  std::size_t at_ = 0;
  bool is_gzip_ = false, is_open_ = false, is_over_ = false;
  z_stream stream_{};
  Bytes buffer_;
  std::size_t begin_ = 0, end_ = 0;
};

/// A number in octal digits, or in base 256 if the first bit is set.
std::optional<std::uint64_t> number_in(std::string_view field) {
  std::uint64_t value = 0;
  if (static_cast<unsigned char>(field[0]) == 0x80) {
    for (const char c : field.substr(1)) {
      if (value >> 56) return std::nullopt;
      value = value << 8 | static_cast<unsigned char>(c);
    }
    return value;
  }
  const std::size_t begin = field.find_first_not_of(' ');
  if (begin == std::string_view::npos) return std::nullopt;
  for (const char c : field.substr(begin)) {
    if (c == '\0' || c == ' ') break;
    if (c < '0' || c > '7' || value >> 60) return std::nullopt;
    value = value << 3 | static_cast<std::uint64_t>(c - '0');
  }
  return value;
}

std::string text_in(std::string_view field) {
  return std::string(field.substr(0, std::min(field.find('\0'), field.size())));
}

/// The value of a key in a pax header: "LENGTH KEY=VALUE\n" for each.
std::optional<std::string> pax_value(std::string_view header, std::string_view key) {
  std::optional<std::string> found;
  while (!header.empty()) {
    std::size_t length = 0;
    const auto read = std::from_chars(header.data(), header.data() + header.size(), length);
    const auto digits = static_cast<std::size_t>(read.ptr - header.data());
    if (read.ec != std::errc{} || length > header.size() || length < digits + 3) break;
    const std::string_view record = header.substr(digits + 1, length - digits - 2);
    if (const std::size_t equals = record.find('='); record.substr(0, equals) == key)
      found = record.substr(std::min(equals + 1, record.size()));
    header.remove_prefix(length);
  }
  return found;
}

class Tar {
 public:
  Tar(ByteView file, const TarReceiver& receiver, const Control& control)
      : source_(file), receiver_(receiver), control_(control) {}

  Status read() {
    EP_CHECK(source_.open());
    while (true) {
      if (control_.stopped()) return interrupted();
      EP_TRY(const auto header, block());
      if (header.empty()) return {};
      EP_CHECK(member(header));
    }
  }

 private:
  /// The next header; empty at the end, which is marked by zeros.
  Result<std::string> block() {
    std::string header;
    while (header.size() < kBlock) {
      EP_TRY(const auto part, source_.next(kBlock - header.size()));
      if (part.empty()) break;
      header += part.text();
    }
    if (header.size() == kBlock && header.find_first_not_of('\0') != std::string::npos)
      return header;
    if (header.size() == kBlock) return std::string();
    return damaged_tar("it ends early");
  }

  Status member(const std::string& header) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < kBlock; ++i)
      sum += i >= 148 && i < 156 ? ' ' : static_cast<unsigned char>(header[i]);
    const std::string_view all = header;
    if (number_in(all.substr(148, 8)) != sum)
      return damaged_tar("the checksum of a header is wrong");
    auto size = number_in(all.substr(124, 12));
    if (!size) return damaged_tar("a member has no size");
    const char type = header[156];
    if (type == 'L' || type == 'x' || type == 'g') return long_header(type, *size);
    TarMember one{text_in(all.substr(0, 100)), *size, type == '5'};
    // POSIX; GNU has two blanks here and other fields instead of the prefix.
    if (all.substr(257, 6) == std::string_view("ustar\0", 6))
      if (const std::string prefix = text_in(all.substr(345, 155)); !prefix.empty())
        one.name = prefix + "/" + one.name;
    if (!long_name_.empty()) one.name = std::exchange(long_name_, {});
    if (long_size_) one.size = *std::exchange(long_size_, std::nullopt);
    if (one.name.ends_with('/')) one.is_folder = true;
    if (type != '0' && type != '\0' && type != '5' && type != '7')
      return Error{ErrorKind::kUnsupported,
                   in_quotes(one.name) + " is a link or a device, which may not be unpacked"};
    if (one.is_folder && one.size > 0) return damaged_tar("a folder has a size");
    EP_CHECK(receiver_.begin(one));
    EP_CHECK(copy(one.size, receiver_.bytes));
    return receiver_.end();
  }

  Status long_header(char type, std::uint64_t size) {
    if (size > kMostHeader) return damaged_tar("a header is too long");
    std::string text;
    EP_CHECK(copy(size, [&](ByteView part) -> Status {
      text += part.text();
      return {};
    }));
    if (type == 'L') long_name_ = text_in(text);
    if (type != 'x') return {};
    if (const auto path = pax_value(text, "path")) long_name_ = *path;
    if (const auto stated = pax_value(text, "size")) {
      std::uint64_t bytes = 0;
      const auto read = std::from_chars(stated->data(), stated->data() + stated->size(), bytes);
      if (read.ec != std::errc{}) return damaged_tar("a member has no size");
      long_size_ = bytes;
    }
    return {};
  }

  /// Passes on `size` bytes and skips the rest of their last block.
  Status copy(std::uint64_t size, const std::function<Status(ByteView)>& to) {
    std::uint64_t rest = (kBlock - size % kBlock) % kBlock;
    for (std::uint64_t* const left : {&size, &rest})
      while (*left > 0) {
        if (control_.stopped()) return interrupted();
        EP_TRY(const auto part,
               source_.next(static_cast<std::size_t>(std::min<std::uint64_t>(*left, kPart))));
        if (part.empty()) return damaged_tar("it ends early");
        if (left == &size) EP_CHECK(to(part));
        *left -= part.size;
      }
    return {};
  }

  Source source_;
  const TarReceiver& receiver_;
  const Control& control_;
  std::string long_name_;
  std::optional<std::uint64_t> long_size_;
};

}  // namespace

Status read_tar(ByteView file, const TarReceiver& receiver, const Control& control) {
  return Tar(file, receiver, control).read();
}

}  // namespace edgeprobe::archive
