// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "trace/export/table_column.h"

namespace edgeprobe::trace {

/// A file format for tables. Tables are written one after another; their files get their names in
/// place().
class TableWriter {
 public:
  virtual ~TableWriter() = default;
  /// Begins the table for `path`. kUsage if the file exists and `replace` is off.
  virtual Status begin(const std::filesystem::path& path, const std::vector<TableColumn>& columns,
                       bool replace) = 0;
  /// Writes some rows, as one group if the format has row groups.
  virtual Status write(const std::vector<TableCells>& columns) = 0;
  /// Finishes the table.
  virtual Status end() = 0;
  /// Gives all finished tables their names.
  virtual Status place() = 0;
};

/// A table being written. Cells are added column by column, any number at a time. Memory holds one
/// row group.
class Table {
 public:
  static Result<Table> begin(TableWriter& writer, const std::filesystem::path& path,
                             std::vector<TableColumn> columns, bool replace);

  /// Adds `rows` cells to a column of kind kInteger, kUnsigned (as its bits) or kTime.
  void integer(std::size_t column, std::int64_t value, std::size_t rows = 1);
  void real(std::size_t column, double value);
  /// Bytes that are not UTF-8 become U+FFFD. Texts above 16 MiB are cut.
  void text(std::size_t column, std::string_view value, std::size_t rows = 1);
  void reals(std::size_t column, const std::vector<double>& values);
  void none(std::size_t column, std::size_t rows = 1);

  /// Call when all columns have equally many cells, at least every few thousand rows. Writes a row
  /// group once it is large enough.
  Status end_rows();
  std::uint64_t rows() const { return written_ + columns_.front().rows(); }
  /// Writes the remaining rows and finishes the table.
  Status finish();

 private:
  Table(TableWriter& writer, std::vector<TableCells> columns)
      : writer_(&writer), columns_(std::move(columns)) {}
  Status write_group();

  TableWriter* writer_;
  std::vector<TableCells> columns_;
  std::uint64_t written_ = 0;
};

}  // namespace edgeprobe::trace
