// SPDX-License-Identifier: Apache-2.0
#include "archive/unpack_archive.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "archive/tar.h"
#include "archive/zip.h"
#include "core/descriptor.h"
#include "core/file.h"
#include "core/text.h"

namespace edgeprobe::archive {
namespace {

namespace fs = std::filesystem;

/// Writes members below a folder.
class Unpacker {
 public:
  Unpacker(const fs::path& folder, const UnpackOptions& options, const Control& control)
      : folder_(folder), options_(options), control_(control) {}

  Status begin(const std::string& name, std::uint64_t size, bool is_folder) {
    if (++members_ > options_.most_members || size > options_.most_bytes - bytes_)
      return Error{ErrorKind::kLimit, "it holds more than " +
                                          std::to_string(options_.most_members) + " members or " +
                                          bytes_text(static_cast<double>(options_.most_bytes))};
    bytes_ += size;
    EP_TRY(const auto path, safe_path(name));
    is_wanted_ = !is_folder && is_chosen(path.generic_string());
    if (!is_wanted_) return {};
    path_ = folder_ / path;
    std::error_code failure;
    fs::create_directories(path_.parent_path(), failure);
    if (failure) return not_written(failure.value());
    file_ = Descriptor(
        ::open(path_.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0644));
    if (const int code = errno; file_.get() < 0) {
      if (code != EEXIST) return not_written(code);
      return Error{ErrorKind::kCorrupt, in_quotes(name) + " is there twice"};
    }
    return {};
  }

  Status bytes(ByteView part) {
    while (is_wanted_ && !part.empty()) {
      const auto written = ::write(file_.get(), part.data, part.size);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return not_written(errno);
      part = part.sub(static_cast<std::size_t>(written),
                      part.size - static_cast<std::size_t>(written));
    }
    return {};
  }

  Status end() {
    if (!is_wanted_) return {};
    file_.close();
    ++files_;
    if (control_.progress) control_.progress(files_, 0, "unpacked");
    return {};
  }

  std::uint64_t files() const { return files_; }

 private:
  bool is_chosen(const std::string& path) const {
    for (std::size_t at = 0; at < path.size(); at = std::min(path.find('/', at), path.size()) + 1)
      if (path[at] == '.') return false;
    return options_.only.empty() ||
           std::any_of(options_.only.begin(), options_.only.end(),
                       [&](const std::string& one) { return path.starts_with(one); });
  }

  Status not_written(int code) const {
    return Error{
        disk_error_kind(code, ErrorKind::kTarget),
        in_quotes(path_.string(), 300) + " cannot be written: " + disk_problem(path_, code)};
  }

  const fs::path& folder_;
  const UnpackOptions& options_;
  const Control& control_;
  fs::path path_;
  Descriptor file_{-1};
  bool is_wanted_ = false;
  std::uint64_t members_ = 0, bytes_ = 0, files_ = 0;
};

Status unpack_zip(ByteView file, Unpacker& out, const Control& control) {
  constexpr ZipKind kKind{"archive", "of files", 0xffff'ffff, 2'000'000};
  EP_TRY(const auto members, read_zip(file, kKind));
  // Names are checked before anything is written.
  for (const ZipMember& member : members) EP_CHECK(safe_path(member.name));
  for (const ZipMember& member : members) {
    if (control.stopped()) return interrupted();
    const bool is_folder = member.name.ends_with('/');
    EP_CHECK(out.begin(member.name, member.size, is_folder));
    if (is_folder) continue;
    EP_TRY(const auto bytes, unpack(file, member, kKind));
    EP_CHECK(out.bytes(bytes));
    EP_CHECK(out.end());
  }
  return {};
}

}  // namespace

Result<fs::path> safe_path(std::string_view member) {
  const auto refused = [&](const std::string& why) {
    return Error{ErrorKind::kCorrupt, "the member " + in_quotes(member) + " " + why +
                                          ", so it could leave its folder: the archive is refused"};
  };
  if (member.empty()) return refused("has no name");
  if (member.front() == '/') return refused("is an absolute path");
  if (member.find('\\') != std::string_view::npos) return refused("has a backslash");
  for (const char c : member)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      return refused("has a control character");
  fs::path path;
  for (const fs::path& part : fs::path(member)) {
    if (part == "..") return refused("has a '..'");
    if (!part.empty() && part != ".") path /= part;
  }
  return path.empty() ? fs::path(".") : path;
}

Result<std::uint64_t> unpack_archive(const fs::path& file, const fs::path& folder,
                                     const UnpackOptions& options, const Control& control) {
  EP_TRY(const auto opened, MappedFile::open(file));
  const ByteView bytes = opened.bytes();
  Unpacker out(folder, options, control);
  const std::string name = file.filename().string();
  const auto done = [&]() -> Status {
    if (name.ends_with(".zip")) return unpack_zip(bytes, out, control);
    if (!name.ends_with(".tar") && !name.ends_with(".tar.gz") && !name.ends_with(".tgz"))
      return Error{ErrorKind::kUnsupported, "it is neither .zip nor .tar nor .tar.gz"};
    return read_tar(
        bytes,
        {[&](const TarMember& one) { return out.begin(one.name, one.size, one.is_folder); },
         [&](ByteView part) { return out.bytes(part); }, [&] { return out.end(); }},
        control);
  }();
  if (!done) return Error(done.error()).during("archive " + in_quotes(name));
  return out.files();
}

}  // namespace edgeprobe::archive
