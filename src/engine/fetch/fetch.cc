// SPDX-License-Identifier: Apache-2.0
#include "engine/fetch/fetch.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "archive/zip.h"
#include "core/descriptor.h"
#include "core/file.h"
#include "core/text.h"
#include "engine/fetch/download.h"

namespace edgeprobe::engine {
namespace {

namespace fs = std::filesystem;
constexpr archive::ZipKind kArchive{"archive", "of files", std::uint64_t{1} << 30, 100'000};
constexpr std::size_t kMostPage = std::size_t{16} << 20;

/// A file that the destructor removes.
class PartialFile {
 public:
  explicit PartialFile(fs::path path) : path_(std::move(path)) {}
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;
  ~PartialFile() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

Error not_writable(const fs::path& path, int code) {
  return {disk_error_kind(code, ErrorKind::kTarget),
          "'" + sanitized(path.string(), 300) + "' cannot be made: " + disk_problem(path, code)};
}

Status make_folder(const fs::path& folder) {
  if (::mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST) return {};
  return not_writable(folder, errno);
}

/// Address of the archive; `to` may hold an index page meanwhile.
Result<std::string> address_of(const Pin& pin, const PackageIndex& index, const fs::path& to,
                               const Control& control) {
  if (pin.source == Pin::Source::kMaven) return maven_url(pin.package, pin.version);
  const std::string page_url = index.url + "/" + pin.package + "/";
  EP_CHECK(download({page_url, index.certificates, 0, "the list of files"}, to, control));
  EP_TRY(const auto page, read_file(to, kMostPage));
  auto link = link_with(ByteView(page).text(), page_url, pin.sha256);
  if (!link)
    return Error{ErrorKind::kNotFound, "'" + sanitized(without_credentials(page_url), 300) +
                                           "' lists no file of " + title_of(pin) +
                                           " with the pinned hash (sha256 " + pin.sha256 + ")"};
  return *std::move(link);
}

/// Downloads the archive with the pinned hash to `to`; returns the name of the program used.
Result<std::string> bring(const Pin& pin, const PackageIndex& index, const fs::path& to,
                          const Control& control) {
  EP_TRY(const auto url, address_of(pin, index, to, control));
  auto tool = download({url, index.certificates, pin.bytes, title_of(pin)}, to, control);
  if (!tool) return tool;
  EP_TRY(const auto archive, MappedFile::open(to));
  if (sha256(archive) != pin.sha256)
    return Error{ErrorKind::kCorrupt,
                 "the download from '" + sanitized(without_credentials(url), 300) + "' (" +
                     std::to_string(archive.bytes().size) + " bytes) is not the pinned " +
                     title_of(pin) + ": it has another sha256; nothing of it is kept"};
  return tool;
}

Result<Bytes> unpacked(const Pin& pin, const fs::path& path) {
  EP_TRY(const auto file, MappedFile::open(path));
  EP_TRY(const auto members, archive::read_zip(file.bytes(), kArchive));
  for (const archive::ZipMember& member : members) {
    if (member.name != pin.member) continue;
    auto library = archive::unpack(file.bytes(), member, kArchive);
    if (library && sha256(*library) != pin.library_sha256)
      return Error{ErrorKind::kCorrupt, std::string("'") + pin.member + "' of " + title_of(pin) +
                                            " has another sha256 than the pinned one"};
    return library;
  }
  return Error{ErrorKind::kCorrupt, title_of(pin) + " contains no '" + pin.member + "'"};
}

/// The library's size if it exists and is complete, else 0.
std::uint64_t size_if_whole(const fs::path& library, const Pin& pin) {
  const auto file = MappedFile::open(library);
  return file && sha256(*file) == pin.library_sha256 ? file->bytes().size : 0;
}

}  // namespace

Result<Fetched> fetch(const Pin& pin, const PackageIndex& index, const fs::path& folder,
                      const Control& control) {
  Fetched fetched;
  fetched.library = library_in(folder, pin);
  if ((fetched.library_bytes = size_if_whole(fetched.library, pin)) > 0) {
    fetched.was_there = true;
    return fetched;
  }
  for (const fs::path& needed : {folder.parent_path(), folder}) EP_CHECK(make_folder(needed));
  const Descriptor lock(
      ::open((folder / "lock").c_str(), O_CREAT | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (lock.get() < 0) return not_writable(folder / "lock", errno);
  bool has_waited = false;
  while (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR)
      return Error{ErrorKind::kTarget, "'" + sanitized(folder.string(), 300) +
                                           "' cannot be locked: " + std::strerror(errno)};
    if (control.stopped()) return interrupted();
    if (!has_waited && control.progress) control.progress(0, 0, "waiting for another fetch");
    has_waited = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  if (has_waited && (fetched.library_bytes = size_if_whole(fetched.library, pin)) > 0) {
    fetched.was_there = true;
    return fetched;
  }
  const PartialFile archive(folder / "archive.part");
  EP_TRY(auto tool, bring(pin, index, archive.path(), control));
  std::error_code ignored;
  fetched.tool = std::move(tool);
  fetched.archive_bytes = fs::file_size(archive.path(), ignored);
  EP_TRY(const auto library, unpacked(pin, archive.path()));
  if (control.stopped()) return interrupted();
  fetched.library_bytes = library.size();
  // Replaces a damaged file: write_file() replaces it as a whole.
  EP_CHECK(write_file(fetched.library, library));
  return fetched;
}

}  // namespace edgeprobe::engine
