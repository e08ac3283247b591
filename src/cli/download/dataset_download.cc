// SPDX-License-Identifier: Apache-2.0
#include "cli/download/dataset_download.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "archive/unpack_archive.h"
#include "cli/download/catalog.h"
#include "cli/terminal/progress.h"
#include "core/csv.h"
#include "core/descriptor.h"
#include "core/file.h"
#include "core/text.h"
#include "dataset/layouts/layouts.h"
#include "engine/fetch/download.h"
#include "engine/fetch/index.h"

namespace edgeprobe::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kState = ".edgeprobe-download";
constexpr std::size_t kMostNames = std::size_t{1} << 20;

std::uint64_t size_of(const fs::path& file) {
  std::error_code failure;
  const std::uintmax_t size = fs::file_size(file, failure);
  return failure ? 0 : size;
}

bool is_there(const fs::path& path) {
  std::error_code failure;
  return fs::exists(path, failure);
}

Error not_made(const fs::path& path, int code) {
  return {disk_error_kind(code, ErrorKind::kTarget),
          in_quotes(path.string(), 300) + " cannot be made: " + disk_problem(path, code)};
}

Status make_folder(const fs::path& folder) {
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (failure) return not_made(folder, failure.value());
  return {};
}

std::string size_text(std::uint64_t bytes) { return bytes_text(static_cast<double>(bytes)); }

/// The download of one data set.
class Fetch {
 public:
  Fetch(fs::path folder, std::vector<DatasetArchive> archives, Terminal& terminal)
      : folder_(std::move(folder)),
        state_(folder_ / kState),
        archives_(std::move(archives)),
        terminal_(terminal) {}

  Status run() {
    std::error_code failure;
    if (!is_there(state_) && is_there(folder_) && !fs::is_empty(folder_, failure)) {
      terminal_.err << "note: " << in_quotes(folder_.string(), 200)
                    << " has files already: nothing is fetched\n";
      return {};
    }
    std::erase_if(archives_, [&](const DatasetArchive& one) { return is_there(done(one)); });
    if (archives_.empty()) return {};
    EP_CHECK(make_folder(state_));
    EP_CHECK(lock());
    EP_CHECK(announce());
    for (const DatasetArchive& one : archives_) EP_CHECK(bring(one));
    terminal_.err << "ready: " << sanitized(folder_.string(), 300) << "\n";
    return {};
  }

 private:
  fs::path part(const DatasetArchive& one) const { return state_ / (one.name() + ".part"); }
  fs::path done(const DatasetArchive& one) const { return state_ / (one.name() + ".done"); }
  fs::path moving(const DatasetArchive& one) const { return state_ / (one.name() + ".moving"); }

  Status lock() {
    lock_ = Descriptor(
        ::open((state_ / "lock").c_str(), O_CREAT | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (lock_.get() < 0) return not_made(state_ / "lock", errno);
    if (::flock(lock_.get(), LOCK_EX | LOCK_NB) == 0) return {};
    return Error{ErrorKind::kUsage, "another edgeprobe fetches into " +
                                        in_quotes(folder_.string(), 200) + "; wait for it"};
  }

  /// Says what will be fetched, and refuses a disk without room.
  Status announce() {
    std::uint64_t all = 0, kept = 0;
    for (const DatasetArchive& one : archives_) {
      all += one.bytes;
      kept += std::min(one.bytes, size_of(part(one)));
    }
    terminal_.err << "fetching " << size_text(all) << " in " << counted(archives_.size(), "archive")
                  << " from " << sanitized(host(archives_.front()), 200) << " to "
                  << sanitized(folder_.string(), 300);
    if (kept > 0) terminal_.err << "; " << size_text(kept) << " of it are there";
    terminal_.err << "\n";
    std::error_code failure;
    const fs::space_info disk = fs::space(folder_, failure);
    // The files in an archive are at least as large as it, and both are there for a while.
    const std::uint64_t needed = all - kept + all;
    if (!failure && disk.available < needed)
      return Error{ErrorKind::kLimit, "the data set needs about " + size_text(needed) +
                                          " on the disk of " + in_quotes(folder_.string(), 200) +
                                          ", which has " + size_text(disk.available) + " left"};
    return {};
  }

  static std::string host(const DatasetArchive& one) {
    const std::string url = engine::without_credentials(one.url);
    const std::size_t begin = url.find("://");
    if (begin == std::string::npos) return url;
    return url.substr(begin + 3, url.find('/', begin + 3) - begin - 3);
  }

  Status bring(const DatasetArchive& one) {
    EP_CHECK(receive(one));
    const fs::path archive = state_ / one.name();
    std::error_code failure;
    fs::rename(part(one), archive, failure);
    if (failure) return not_made(archive, failure.value());
    EP_CHECK(unpack(one, archive));
    EP_CHECK(write_file(done(one), view_of(one.sha256 + "\n")));
    fs::remove(archive, failure);
    fs::remove(moving(one), failure);
    return {};
  }

  /// Leaves the complete archive in its .part file.
  Status receive(const DatasetArchive& one) {
    // An archive whose unpacking was stopped.
    std::error_code failure;
    if (const fs::path archive = state_ / one.name(); is_there(archive)) {
      fs::rename(archive, part(one), failure);
      if (failure) return not_made(archive, failure.value());
    }
    if (size_of(part(one)) > one.bytes) fs::remove(part(one), failure);
    bool begins_anew = size_of(part(one)) == 0;
    while (true) {
      const auto received = size_of(part(one)) == one.bytes ? Status() : ask(one);
      if (!received && !begins_anew && received.error().kind == ErrorKind::kTarget &&
          received.error().what.find(engine::kNoRest) != std::string::npos) {
        terminal_.err << "note: the server cannot continue; the archive is fetched anew\n";
      } else if (!received) {
        return kept(one, received.error());
      } else {
        EP_TRY(const auto file, MappedFile::open(part(one)));
        if (file.bytes().size == one.bytes && sha256(file) == one.sha256) return {};
        if (begins_anew) {
          const std::size_t size = file.bytes().size;
          fs::remove(part(one), failure);
          return Error{ErrorKind::kCorrupt,
                       in_quotes(engine::without_credentials(one.url), 300) + " sent " +
                           std::to_string(size) +
                           " bytes, which are not the published archive (sha256 " + one.sha256 +
                           "); nothing of it is kept"};
        }
        terminal_.err << "note: the continued archive is not the published one; it is fetched "
                         "anew\n";
      }
      fs::remove(part(one), failure);
      begins_anew = true;
    }
  }

  Status ask(const DatasetArchive& one) {
    Progress bar(terminal_, "fetch");
    const engine::PackageIndex index = engine::package_index();
    EP_CHECK(engine::download({one.url, index.certificates, one.bytes, one.name(), true}, part(one),
                              {terminal_.stop, bar.callback()}));
    return {};
  }

  Error kept(const DatasetArchive& one, const Error& error) const {
    const std::uint64_t size = size_of(part(one));
    if (size == 0) return error;
    return {error.kind, error.what + "; " + size_text(size) + " of " + size_text(one.bytes) +
                            " are kept, and the same command continues"};
  }

  /// Unpacks into a folder of its own, then moves the complete files.
  Status unpack(const DatasetArchive& one, const fs::path& archive) {
    const fs::path fresh = state_ / "unpacked";
    std::error_code failure;
    fs::remove_all(fresh, failure);
    EP_CHECK(make_folder(fresh));
    {
      Progress bar(terminal_, "unpack " + one.name());
      archive::UnpackOptions options;
      options.only = one.only;
      EP_CHECK(archive::unpack_archive(archive, fresh, options, {terminal_.stop, bar.callback()}));
    }
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(fresh, failure))
      names.push_back(entry.path().filename().string());
    if (failure) return not_made(fresh, failure.value());
    // Only names that an earlier, stopped move has announced may be replaced.
    std::string announced;
    if (const auto before = read_file(moving(one), kMostNames))
      announced = ByteView(*before).text();
    const auto lines = lines_of(announced);
    for (const std::string& name : names)
      if (is_there(folder_ / name) && std::find(lines.begin(), lines.end(), name) == lines.end())
        return Error{ErrorKind::kUsage, in_quotes((folder_ / name).string(), 300) +
                                            " exists, and the archive has one, too; move it away"};
    EP_CHECK(write_file(moving(one), view_of(joined(names, "\n") + "\n")));
    for (const std::string& name : names) {
      fs::remove_all(folder_ / name, failure);
      fs::rename(fresh / name, folder_ / name, failure);
      if (failure) return not_made(folder_ / name, failure.value());
    }
    fs::remove_all(fresh, failure);
    return {};
  }

  fs::path folder_, state_;
  std::vector<DatasetArchive> archives_;
  Terminal& terminal_;
  Descriptor lock_;
};

}  // namespace

Status download_dataset(const std::string& data, Terminal& terminal) {
  const dataset::Layout* const layout = dataset::layout_of(data);
  if (!layout)
    return Error{
        ErrorKind::kUsage,
        "--download-dataset fetches published data sets; name one as --data LAYOUT:FOLDER, "
        "e.g. pets:FOLDER (docs/guides/datasets.md)"};
  EP_TRY(const auto place, dataset::place_of(*layout, data));
  EP_TRY(auto archives, archives_of(layout->name));
  return Fetch(place.folder, std::move(archives), terminal).run();
}

}  // namespace edgeprobe::cli
