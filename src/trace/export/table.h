// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "trace/export/table_column.h"

namespace edgeprobe::trace {

/// A file format of tables. Tables are written one after the other; their files have no names until
/// place().
class TableWriter {
 public:
  virtual ~TableWriter() = default;
  /// Begins the table that is to be at `path`. kUsage when something is there and `replace` is off.
  virtual Status begin(const std::filesystem::path& path, const std::vector<TableColumn>& columns,
                       bool replace) = 0;
  /// Writes some rows, as a group of their own where the format has groups.
  virtual Status write(const std::vector<TableCells>& columns) = 0;
  /// Ends the table.
  virtual Status end() = 0;
  /// Gives all ended tables their names.
  virtual Status place() = 0;
};

/// A table that is being written. Rows are given column by column, any number at a time. Memory
/// holds one group of them.
class Table {
 public:
  static Result<Table> begin(TableWriter& writer, const std::filesystem::path& path,
                             std::vector<TableColumn> columns, bool replace);

  /// The next `rows` cells of a column, which must be of that kind: kInteger, kUnsigned (as its
  /// bits) or kTime.
  void integer(std::size_t column, std::int64_t value, std::size_t rows = 1);
  void real(std::size_t column, double value);
  /// Bytes that are no UTF-8 become U+FFFD. Above 16 MiB it is cut.
  void text(std::size_t column, std::string_view value, std::size_t rows = 1);
  void reals(std::size_t column, const std::vector<double>& values);
  void none(std::size_t column, std::size_t rows = 1);

  /// After each row, or some thousand of them: all columns have the same number of cells. Writes a
  /// group of rows when it is large enough.
  Status end_rows();
  std::uint64_t rows() const { return written_ + columns_.front().rows(); }
  /// Writes what is left and ends the table.
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
