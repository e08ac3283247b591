// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <utility>

#include "trace/record/output_file.h"
#include "trace/record/record_sink.h"

namespace edgeprobe::trace {

/// Writes a trace to its own file. If the disk fills up, keeps the last parts shortened to what
/// fits.
class FileSink final : public RecordSink {
 public:
  struct Options {
    /// Another file may exist; it stays until the first bytes of this one are written.
    bool replace = false;
    /// The file has no name until it is complete; a failure leaves nothing.
    bool hidden = false;
    /// As in Output::reserve_at_most(). 0: unknown.
    std::uint64_t most_bytes = 0;
  };
  /// Fails like Output::create() and Output::create_hidden().
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
