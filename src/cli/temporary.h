#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/result.h"

namespace edgeprobe::cli {

/// A folder that disappears with this object.
class TemporaryFolder {
 public:
  static Result<TemporaryFolder> make();
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::move(other.path_)) { other.path_.clear(); }
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();
  const std::filesystem::path& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

/// Where the traces of one command lie: a folder that is kept, or one that is not.
struct TraceFolder {
  std::filesystem::path path;
  std::optional<TemporaryFolder> temporary;

  /// A failure to write there, without the advice to recover a trace that goes with the folder.
  Error told(Error error) const;
};
/// `keep` is created when it is missing; empty: a temporary folder.
Result<TraceFolder> trace_folder(const std::string& keep);

}  // namespace edgeprobe::cli
