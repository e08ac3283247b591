// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "trace/parquet.h"

namespace edgeprobe::trace {

/// Small numbers with repetitions, as Parquet's run-length encoding keeps them.
class Runs {
 public:
  void add(std::uint32_t value, std::size_t count);
  void clear() { runs_.clear(); }
  std::size_t memory() const { return runs_.size() * sizeof(runs_[0]); }
  /// For values below 2^width.
  std::string encoded(int width) const;

 private:
  std::vector<std::pair<std::uint32_t, std::uint64_t>> runs_;
};

/// One column of the row group that is being filled.
class ColumnCells {
 public:
  explicit ColumnCells(ParquetColumn column) : column_(std::move(column)) {}

  void integer(std::int64_t value, std::size_t rows);
  void real(double value);
  void text(std::string_view value, std::size_t rows);
  void reals(const std::vector<double>& values);
  void none(std::size_t rows);

  const ParquetColumn& column() const { return column_; }
  bool is_list() const { return column_.kind == ParquetColumn::Kind::kReals; }
  std::size_t rows() const { return rows_; }
  std::size_t memory() const {
    return values_.size() + indices_.memory() + levels_.memory() + repetitions_.memory();
  }
  void clear();

  /// Pages without their heads. The dictionary is empty where the column has none.
  std::string dictionary_page() const { return has_dictionary() ? values_ : std::string(); }
  std::size_t dictionary_size() const { return dictionary_.size(); }
  bool has_dictionary() const { return !dictionary_.empty(); }
  std::string data_page() const;
  /// In the data page, nulls and empty lists included.
  std::uint64_t values() const { return entries_; }
  std::uint64_t nulls() const { return nulls_; }
  bool has_range() const { return least_ <= greatest_; }  ///< Of signed integers and times alone.
  std::int64_t least() const { return least_; }
  std::int64_t greatest() const { return greatest_; }

 private:
  void put(std::string_view plain, std::size_t rows);
  void count(std::uint32_t level, std::size_t rows);
  bool is_repeating() const {
    return column_.repeats || column_.kind == ParquetColumn::Kind::kText;
  }

  ParquetColumn column_;
  std::string values_;  ///< In Parquet's plain encoding: all of them, or each once.
  std::unordered_map<std::string, std::uint32_t> dictionary_;
  std::pair<std::string, std::uint32_t> last_;  ///< Of the dictionary.
  Runs indices_, levels_, repetitions_;
  std::size_t rows_ = 0;
  std::uint64_t entries_ = 0, nulls_ = 0;
  std::int64_t least_ = std::numeric_limits<std::int64_t>::max(),
               greatest_ = std::numeric_limits<std::int64_t>::min();
};

}  // namespace edgeprobe::trace
