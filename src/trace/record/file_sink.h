// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <utility>

#include "trace/record/output_file.h"
#include "trace/record/record_sink.h"

namespace edgeprobe::trace {

/// A trace in a file of its own. What a full disk took of the last parts is kept, shortened.
class FileSink final : public RecordSink {
 public:
  struct Options {
    /// Another file may be there; it stays until the first bytes of this one are written.
    bool replace = false;
    /// The file has no name until it is whole, and nothing stays of one that fails.
    bool hidden = false;
    /// As Output::reserve_at_most(). 0: unknown.
    std::uint64_t most_bytes = 0;
  };
  /// Fails as Output::create() and Output::create_hidden() do.
  static Result<std::unique_ptr<RecordSink>> create(const std::filesystem::path& path,
                                                    const Options& options);
  FileSink(OutputFile file, bool hidden) : file_(std::move(file)), hidden_(hidden) {}

  Status append(const std::vector<ByteView>& parts, const Shorten& shorten) override;
  std::uint64_t size() const override { return file_.size(); }
  Status sync() override { return file_.sync(); }
  Status end(End how) override;

 private:
  OutputFile file_;
  bool hidden_;
};

}  // namespace edgeprobe::trace
