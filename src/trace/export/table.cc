// SPDX-License-Identifier: Apache-2.0
#include "trace/export/table.h"

#include <utility>

#include "core/text.h"

namespace edgeprobe::trace {
namespace {

constexpr std::size_t kGroupRows = std::size_t{1} << 18, kGroupBytes = std::size_t{16} << 20;

}  // namespace

Result<Table> Table::begin(TableWriter& writer, const std::filesystem::path& path,
                           std::vector<TableColumn> columns, bool replace) {
  for (TableColumn& column : columns) column.name = sanitized(column.name, 1000);
  EP_CHECK(writer.begin(path, columns, replace));
  std::vector<TableCells> cells;
  for (TableColumn& column : columns) cells.emplace_back(std::move(column));
  return Table(writer, std::move(cells));
}

void Table::integer(std::size_t column, std::int64_t value, std::size_t rows) {
  columns_[column].integer(value, rows);
}
void Table::real(std::size_t column, double value) { columns_[column].real(value); }
void Table::text(std::size_t column, std::string_view value, std::size_t rows) {
  columns_[column].text(value, rows);
}
void Table::reals(std::size_t column, const std::vector<double>& values) {
  columns_[column].reals(values);
}
void Table::none(std::size_t column, std::size_t rows) { columns_[column].none(rows); }

Status Table::write_group() {
  const std::size_t count = columns_.front().rows();
  if (count == 0) return {};
  EP_CHECK(writer_->write(columns_));
  for (TableCells& cells : columns_) cells.clear();
  written_ += count;
  return {};
}

Status Table::end_rows() {
  std::size_t memory = 0;
  for (const TableCells& cells : columns_) memory += cells.memory();
  return memory < kGroupBytes && columns_.front().rows() < kGroupRows ? Status() : write_group();
}

Status Table::finish() {
  EP_CHECK(write_group());
  return writer_->end();
}

}  // namespace edgeprobe::trace
