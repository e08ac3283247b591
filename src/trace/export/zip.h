// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/bytes.h"
#include "core/result.h"
#include "core/zip_layout.h"
#include "trace/record/output_file.h"

namespace edgeprobe::trace {

/// A ZIP archive without compression, written member by member; memory grows only with the number
/// of members. Uses Zip64, so members and archive may exceed 4 GB. finish() gives the file its
/// name; until then it has a temporary name and is removed with this object.
class ZipWriter {
 public:
  static Result<ZipWriter> create(const std::filesystem::path& path, bool replace);
  ZipWriter(ZipWriter&&) noexcept = default;

  /// Starts a member. `name` must be an archive_name(); a name that is taken gets a number before
  /// its ending. Returns the final name.
  Result<std::string> begin(std::string name, std::string_view ending);
  Status append(ByteView bytes);
  Status end();
  Status finish();

 private:
  explicit ZipWriter(OutputFile output) : output_(std::move(output)) {}
  Status flush();
  std::uint64_t position() const { return output_.size() + buffer_.size(); }

  OutputFile output_;
  std::vector<ZipEntry> members_;
  std::set<std::string> names_;
  std::map<std::string, std::uint64_t> numbers_;  ///< Last number added to a repeated name.
  std::string buffer_;
};

/// The text as a relative path of plain file names: no "..", no leading '/', no control characters,
/// no part over 80 bytes, at most 8 parts.
std::string archive_name(std::string_view text);

}  // namespace edgeprobe::trace
