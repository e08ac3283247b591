// SPDX-License-Identifier: Apache-2.0
#include "trace/parquet_column.h"

#include <algorithm>
#include <cstring>

#include "trace/names.h"

namespace edgeprobe::trace {
namespace {

constexpr std::size_t kLongestText = std::size_t{16} << 20;

template <class T>
std::string_view bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

void append_varint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

// With its length in front, as levels stand in a page.
void append_levels(std::string& out, const Runs& levels, int width) {
  const std::string encoded = levels.encoded(width);
  const auto size = static_cast<std::uint32_t>(encoded.size());
  out += bytes_of(size);
  out += encoded;
}

int width_of(std::size_t values) {
  int width = 1;
  while (width < 32 && (std::size_t{1} << width) < values) ++width;
  return width;
}

}  // namespace

void Runs::add(std::uint32_t value, std::size_t count) {
  if (count == 0) return;
  if (!runs_.empty() && runs_.back().first == value) runs_.back().second += count;
  else runs_.emplace_back(value, count);
}

std::string Runs::encoded(int width) const {
  std::string out;
  for (const auto& [value, count] : runs_) {
    append_varint(out, count << 1);
    out.append(reinterpret_cast<const char*>(&value), static_cast<std::size_t>((width + 7) / 8));
  }
  return out;
}

void ColumnCells::count(std::uint32_t level, std::size_t rows) {
  levels_.add(level, rows);
  rows_ += rows;
  entries_ += rows;
}

void ColumnCells::put(std::string_view plain, std::size_t rows) {
  if (rows == 0) return;
  count(1, rows);
  if (!is_repeating()) {
    for (std::size_t i = 0; i < rows; ++i) values_ += plain;
    return;
  }
  if (dictionary_.empty() || last_.first != plain) {
    const auto [at, is_new] =
        dictionary_.try_emplace(std::string(plain), static_cast<std::uint32_t>(dictionary_.size()));
    if (is_new) values_ += plain;
    last_ = *at;
  }
  indices_.add(last_.second, rows);
}

void ColumnCells::integer(std::int64_t value, std::size_t rows) {
  if (rows > 0 && column_.kind != ParquetColumn::Kind::kUnsigned) {
    least_ = std::min(least_, value);
    greatest_ = std::max(greatest_, value);
  }
  put(bytes_of(value), rows);
}

void ColumnCells::real(double value) { put(bytes_of(value), 1); }

void ColumnCells::text(std::string_view value, std::size_t rows) {
  const std::string clean = as_utf8(value.substr(0, kLongestText));
  const auto size = static_cast<std::uint32_t>(clean.size());
  put(std::string(bytes_of(size)) + clean, rows);
}

// Levels of a list: 0 null, 1 empty, 3 a value (2 would be one that is null); a repetition of 0
// starts a row.
void ColumnCells::reals(const std::vector<double>& values) {
  ++rows_;
  repetitions_.add(0, 1);
  if (values.empty()) {
    levels_.add(1, 1);
    ++entries_;
    return;
  }
  repetitions_.add(1, values.size() - 1);
  levels_.add(3, values.size());
  entries_ += values.size();
  values_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double));
}

void ColumnCells::none(std::size_t rows) {
  count(0, rows);
  nulls_ += rows;
  if (is_list()) repetitions_.add(0, rows);
}

std::string ColumnCells::data_page() const {
  std::string page;
  if (is_list()) append_levels(page, repetitions_, 1);
  append_levels(page, levels_, is_list() ? 2 : 1);
  if (!has_dictionary()) return page + values_;
  const int width = width_of(dictionary_.size());
  page += static_cast<char>(width);
  return page + indices_.encoded(width);
}

void ColumnCells::clear() { *this = ColumnCells(std::move(column_)); }

}  // namespace edgeprobe::trace
