// SPDX-License-Identifier: Apache-2.0
#include "trace/export/export_tables.h"
#include "core/text.h"

namespace edgeprobe::trace {
namespace {

/// A new folder; removed again if nothing was written into it.
class NewFolder {
 public:
  explicit NewFolder(std::filesystem::path path) : path_(std::move(path)) {}
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;
  ~NewFolder() {
    std::error_code not_empty;
    if (made_) std::filesystem::remove(path_, not_empty);
  }
  Status make() {
    std::error_code failure;
    made_ = std::filesystem::create_directory(path_, failure);
    if (!failure || std::filesystem::is_directory(path_)) return {};
    return Error{ErrorKind::kUsage, "'" + sanitized(path_.string()) +
                                        "': cannot make this folder: " + failure.message()};
  }

 private:
  std::filesystem::path path_;
  bool made_ = false;
};

}  // namespace

Result<ExportReport> export_values(const Reader& reader, const std::filesystem::path& path,
                                   const ExportOptions& options, TableWriter& writer,
                                   const Control& control) {
  ExportReport report;
  auto done = put_values(reader, path, options, writer, report, control);
  if (done) done = writer.place();
  if (!done) return done.error();
  return report;
}

Result<ExportReport> export_tables(const Reader& reader, const std::filesystem::path& folder,
                                   const ExportOptions& options, TableWriter& writer,
                                   const Control& control) {
  NewFolder made(folder);
  EP_CHECK(made.make());
  ExportReport report;
  std::vector<TableStep> steps;
  auto done =
      put_events(reader, folder / "events.parquet", options, writer, report, steps, control);
  if (done)
    done = put_frames(reader, folder / "frames.parquet", options, writer, report, steps, control);
  if (done) done = put_values(reader, folder / "values.parquet", options, writer, report, control);
  if (done) done = writer.place();
  if (!done) return done.error();
  return report;
}

}  // namespace edgeprobe::trace
