// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "trace/export/export_visit.h"
#include "trace/export/table.h"

/// The tables of export_tables(). Each is complete but does not have its final name yet.
namespace edgeprobe::trace {

/// Longer vectors get neither a cell nor rows in the event table.
inline constexpr std::size_t kMostInList = 1024;

/// A change of the recording level.
struct TableStep {
  std::optional<std::uint32_t> frame;  ///< The newest frame at that time.
  std::string to;
};

Status put_values(const Reader& reader, const std::filesystem::path& path,
                  const ExportOptions& options, TableWriter& writer, ExportReport& report,
                  const Control& control);
/// Also returns the level changes, in file order.
Status put_events(const Reader& reader, const std::filesystem::path& path,
                  const ExportOptions& options, TableWriter& writer, ExportReport& report,
                  std::vector<TableStep>& steps, const Control& control);
Status put_frames(const Reader& reader, const std::filesystem::path& path,
                  const ExportOptions& options, TableWriter& writer, ExportReport& report,
                  const std::vector<TableStep>& steps, const Control& control);

/// The real values of a numeric tensor if they fit into a list; nothing for others.
std::optional<std::vector<double>> list_of(const TensorView& tensor);

/// Writes a time cell; null if the time is unknown or after the year 2262.
inline void put_time(Table& table, std::size_t column, std::uint64_t time_ns,
                     std::size_t rows = 1) {
  if (time_ns == 0 || time_ns >> 63) table.none(column, rows);
  else table.integer(column, static_cast<std::int64_t>(time_ns), rows);
}
/// Writes a text cell; null if the text is empty.
inline void put_text(Table& table, std::size_t column, std::string_view text,
                     std::size_t rows = 1) {
  if (text.empty()) table.none(column, rows);
  else table.text(column, text, rows);
}

}  // namespace edgeprobe::trace
