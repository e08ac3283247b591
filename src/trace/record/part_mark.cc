// SPDX-License-Identifier: Apache-2.0
#include "trace/record/part_mark.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <optional>

#include "trace/mcap/mcap.h"

namespace edgeprobe::trace {
namespace {

// header, a schema and two Metadata records take about 300 bytes
constexpr std::size_t kFront = 4096;

class File {
 public:
  explicit File(const std::filesystem::path& path)
      : fd_(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (fd_ >= 0) ::close(fd_);
  }

  std::optional<std::string> series() const {
    struct stat own {};
    if (fd_ < 0 || ::fstat(fd_, &own) != 0 || !S_ISREG(own.st_mode)) return std::nullopt;
    std::array<std::byte, kFront> front;
    const ssize_t size = ::pread(fd_, front.data(), front.size(), 0);
    if (size < static_cast<ssize_t>(sizeof mcap::kMagic) ||
        std::memcmp(front.data(), mcap::kMagic, sizeof mcap::kMagic) != 0)
      return std::nullopt;
    const ByteView bytes{front.data(), static_cast<std::size_t>(size)};
    auto record = mcap::record_at(bytes, sizeof mcap::kMagic);
    for (; record; record = mcap::record_at(bytes, record->end())) {
      if (record->op != mcap::Op::kMetadata) continue;
      mcap::Cursor fields(record->content);
      if (fields.text() != kPartName) continue;
      const mcap::TextMap values = fields.map();
      const auto series = values.find("series");
      if (fields.ok() && series != values.end()) return series->second;
    }
    return std::nullopt;
  }

  // While the file is open, its inode number is not reused.
  bool is_at(const std::filesystem::path& path) const {
    struct stat own {
    }, there{};
    return ::fstat(fd_, &own) == 0 && ::lstat(path.c_str(), &there) == 0 &&
           own.st_dev == there.st_dev && own.st_ino == there.st_ino;
  }

 private:
  int fd_;
};

}  // namespace

void remove_part(const std::filesystem::path& path, const std::string& series) {
  const File file(path);
  if (file.series() == series && file.is_at(path)) ::unlink(path.c_str());
}

}  // namespace edgeprobe::trace
