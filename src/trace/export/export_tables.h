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

/// The tables of export_tables(). Each is ended, and still without its name.
namespace edgeprobe::trace {

/// A vector of more values is no cell, and no rows of the events.
inline constexpr std::size_t kMostInList = 1024;

/// A step of the level of recording.
struct TableStep {
  std::optional<std::uint32_t> frame;  ///< The newest frame at that time.
  std::string to;
};

Status put_values(const Reader& reader, const std::filesystem::path& path,
                  const ExportOptions& options, TableWriter& writer, ExportReport& report,
                  const Control& control);
/// Also gives the steps of the level, in the order of the file.
Status put_events(const Reader& reader, const std::filesystem::path& path,
                  const ExportOptions& options, TableWriter& writer, ExportReport& report,
                  std::vector<TableStep>& steps, const Control& control);
Status put_frames(const Reader& reader, const std::filesystem::path& path,
                  const ExportOptions& options, TableWriter& writer, ExportReport& report,
                  const std::vector<TableStep>& steps, const Control& control);

/// The real values of a tensor of numbers, as many as fit a list; nothing for others.
std::optional<std::vector<double>> list_of(const TensorView& tensor);

/// A cell with a time; null when it is unknown, or beyond the year 2262.
inline void put_time(Table& table, std::size_t column, std::uint64_t time_ns,
                     std::size_t rows = 1) {
  if (time_ns == 0 || time_ns >> 63) table.none(column, rows);
  else table.integer(column, static_cast<std::int64_t>(time_ns), rows);
}
/// A cell with a text; null when it is empty.
inline void put_text(Table& table, std::size_t column, std::string_view text,
                     std::size_t rows = 1) {
  if (text.empty()) table.none(column, rows);
  else table.text(column, text, rows);
}

}  // namespace edgeprobe::trace
