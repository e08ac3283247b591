// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/bytes.h"
#include "core/file.h"
#include "core/result.h"
#include "core/tensor.h"
#include "trace/channel.h"
#include "trace/read/read_channel.h"

namespace edgeprobe::trace {

struct ReaderOptions {
  bool verify_checksums = true;
  /// Open with the file's own indexes if they are valid; else visit the header of every message.
  bool use_index = true;
};

/// A memory-mapped trace file. Opening reads the summary (or scans the chunks if it is missing);
/// memory stays bounded however long the file is. Not thread-safe.
class Reader {
 public:
  static Result<Reader> open(const std::filesystem::path& path, const ReaderOptions& options = {});
  /// A trace in memory; its path() is "memory".
  static Result<Reader> open(Bytes bytes, const ReaderOptions& options = {});
  Reader(Reader&&) noexcept;
  Reader& operator=(Reader&&) noexcept;
  ~Reader();

  const std::filesystem::path& path() const;
  const std::vector<ReadChannel>& channels() const;
  /// Sensors, marks and level changes, sorted by id.
  std::vector<ReadEventStream> stream() const;
  /// Frame numbers in ascending order.
  const std::vector<std::uint32_t>& frames() const;
  /// Records of the frames, in the order of frames(); a frame without a record has only its number.
  const std::vector<FrameRecord>& records() const;
  /// Metadata groups by name; records with the same name are merged.
  const std::map<std::string, std::map<std::string, std::string>>& metadata() const;
  /// A fact about the run from the trace, e.g. "recipe", "model_sha256" (group "edgeprobe.run");
  /// untrusted text.
  std::optional<std::string> declared(const std::string& fact) const;
  /// The program that wrote the file, according to the file; untrusted text.
  const std::string& library() const;
  /// False if the recording was truncated: it has no footer.
  bool is_finished() const;
  /// One sentence for each problem that did not stop reading (no summary, a wrong checksum, …).
  const std::vector<std::string>& problems() const;

  /// The bytes of one tensor; valid until the next call on this reader. Nothing (ok, empty
  /// optional) if that frame has no such message, or one of the wrong length (also reported as a
  /// problem). Fails with kCorrupt if the chunk is damaged, with kNotFound for an unknown channel.
  Result<std::optional<TensorView>> read(std::uint32_t frame, ChannelId channel) const;
  /// Visits every message in file order, e.g. for one pass over all layers. Skips damaged chunks
  /// and adds them to problems(); stops at the first failure of the visitor and returns it.
  Status visit(const std::function<Status(const ReadChannel&, std::uint32_t frame,
                                          std::uint64_t time_ns, ByteView bytes)>& visitor) const;

 private:
  struct State;
  explicit Reader(std::unique_ptr<State> state);
  static Result<Reader> open(std::filesystem::path path, MappedFile file,
                             const ReaderOptions& options);
  std::unique_ptr<State> state_;
};

}  // namespace edgeprobe::trace
