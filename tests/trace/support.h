// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/bytes.h"
#include "trace/read/reader.h"
#include "trace/record/writer.h"

namespace edgeprobe::trace {

/// A separate folder for one test, removed at the end.
class Folder {
 public:
  /// In memory, where it can be: for thousands of files that exist for a moment. A disk with ext4
  /// and no journal looks for an inode that was not deleted lately, which takes most of the time.
  enum class Files { kFew, kMany };
  explicit Folder(Files files = Files::kFew);
  ~Folder();
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }
  std::size_t file_count() const;

 private:
  std::filesystem::path path_;
};

/// `size` bytes that look random and depend only on `seed`.
Bytes noise(std::size_t size, std::uint64_t seed);

Channel float_channel(Stage stage, std::string name, Shape shape);
Channel byte_channel(Stage stage, std::string name, std::size_t size);

/// Everything readable in a trace, to compare two readings.
struct Everything {
  /// Topic with metadata, message count.
  std::vector<std::pair<std::string, std::size_t>> channels;
  std::map<std::string, std::string> tensors;  ///< "topic#frame@time" -> sha256
  /// number, time, sample, sha, label, latency
  std::vector<std::string> frames;
  std::map<std::string, std::map<std::string, std::string>> metadata;
};
/// The name of the first part that differs, or "".
std::string difference(const Everything& a, const Everything& b);
/// Reads by visit() and checks that read() gives the same bytes.
Result<Everything> read_everything(const Reader& reader);

/// A small trace with three channels, frame records and metadata: `frames` frames.
Status write_sample(const std::filesystem::path& path, std::uint32_t frames,
                    const WriterOptions& options = {});

Bytes file_bytes(const std::filesystem::path& path);
void put_file(const std::filesystem::path& path, ByteView bytes);

/// True if a Python with the official mcap package is available.
bool has_python();
/// Runs tests/trace/python/<script> with arguments; returns its exit code and its output.
std::pair<int, std::string> run_python(const std::string& script,
                                       const std::vector<std::string>& arguments);

}  // namespace edgeprobe::trace
