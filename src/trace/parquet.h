// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace edgeprobe::trace {

/// One column of a table; every cell may be null.
struct ParquetColumn {
  enum class Kind {
    kInteger,   ///< int64
    kUnsigned,  ///< uint64
    kReal,      ///< double
    kTime,      ///< timestamp, nanoseconds since 1970-01-01 UTC
    kText,      ///< UTF-8
    kReals,     ///< list of doubles
  };
  std::string name;
  Kind kind = Kind::kInteger;
  bool repeats = false;  ///< Few values, many times each: kept as a dictionary. Texts always are.
};

/// A table as an Apache Parquet file (format 2, one page a column and row group, zstd where this
/// build has it). Rows are given column by column, any number at a time; memory holds one row group
/// and, of those before, some hundred bytes a column. The file has a temporary name until place(),
/// and goes away with this object before.
class ParquetTable {
 public:
  static Result<ParquetTable> create(const std::filesystem::path& path,
                                     std::vector<ParquetColumn> columns, bool replace);
  ParquetTable(ParquetTable&&) noexcept;
  ~ParquetTable();

  /// The next `rows` cells of a column, which must be of that kind: kInteger, kUnsigned (as its
  /// bits) or kTime.
  void integer(std::size_t column, std::int64_t value, std::size_t rows = 1);
  void real(std::size_t column, double value);
  /// Bytes that are no UTF-8 become U+FFFD. Above 16 MiB it is cut.
  void text(std::size_t column, std::string_view value, std::size_t rows = 1);
  void reals(std::size_t column, const std::vector<double>& values);
  void none(std::size_t column, std::size_t rows = 1);

  /// After each row, or some thousand of them: all columns have the same number of cells. Writes a
  /// row group when it is large enough.
  Status end_rows();
  std::uint64_t rows() const;
  /// Writes what is left and the footer.
  Status finish();
  /// Gives the finished file its name.
  Status place();

 private:
  struct State;
  explicit ParquetTable(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace edgeprobe::trace
