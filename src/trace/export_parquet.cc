// SPDX-License-Identifier: Apache-2.0
#include "core/text.h"
#include "trace/export_tables.h"

namespace edgeprobe::trace {
namespace {

/// A folder that goes away again when nothing came into it.
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
    return Error{Fault::kUsage, "'" + printable(path_.string()) +
                                    "': cannot make this folder: " + failure.message()};
  }

 private:
  std::filesystem::path path_;
  bool made_ = false;
};

}  // namespace

Result<ExportReport> export_parquet(const Reader& reader, const std::filesystem::path& path,
                                    const ExportOptions& options) {
  ExportReport report;
  auto table = values_table(reader, path, options, report);
  if (!table) return table.error();
  if (auto done = table->place(); !done) return done.error();
  return report;
}

Result<ExportReport> export_parquet_tables(const Reader& reader,
                                           const std::filesystem::path& folder,
                                           const ExportOptions& options) {
  NewFolder made(folder);
  if (auto done = made.make(); !done) return done.error();
  ExportReport report;
  std::vector<TableStep> steps;
  auto events = events_table(reader, folder / "events.parquet", options, report, steps);
  if (!events) return events.error();
  auto frames = frames_table(reader, folder / "frames.parquet", options, report, steps);
  if (!frames) return frames.error();
  auto values = values_table(reader, folder / "values.parquet", options, report);
  if (!values) return values.error();
  for (ParquetTable* table : {&*frames, &*events, &*values})
    if (auto done = table->place(); !done) return done.error();
  return report;
}

}  // namespace edgeprobe::trace
