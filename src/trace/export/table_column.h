// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/bytes.h"

namespace edgeprobe::trace {

/// One column of a table; every cell may be null.
struct TableColumn {
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
  bool repeats = false;  ///< Few distinct values, so a dictionary pays off. Texts always use one.
};

/// The cells of one column, in Apache Arrow's memory layout. Each distinct text is stored once, in
/// a dictionary.
class TableCells {
 public:
  explicit TableCells(TableColumn column) : column_(std::move(column)) { clear(); }

  void integer(std::int64_t value, std::size_t rows);
  void real(double value);
  void text(std::string_view value, std::size_t rows);
  void reals(const std::vector<double>& values);
  void none(std::size_t rows);
  void clear();

  const TableColumn& column() const { return column_; }
  std::size_t rows() const { return rows_; }
  std::size_t nulls() const { return nulls_; }
  /// Bytes that the cells would need in a file.
  std::size_t memory() const;
  /// The validity bits (empty without nulls), then by kind: int64 or double numbers; or, for texts,
  /// int32 dictionary indices, the dictionary's int32 offsets and its texts; or, for lists, int32
  /// offsets and the numbers.
  std::vector<ByteView> buffers() const;

 private:
  void mark(bool is_valid, std::size_t rows);

  TableColumn column_;
  std::vector<std::uint8_t> validity_;   ///< One bit per row, lowest bit first.
  std::vector<std::int64_t> integers_;   ///< For integers, times, and the bits of uint64 cells.
  std::vector<double> reals_;            ///< For lists, all values concatenated.
  std::vector<std::int32_t> positions_;  ///< Dictionary index of each row.
  std::vector<std::int32_t> offsets_;    ///< Offsets of texts in `texts_`, or of lists in `reals_`.
  std::string texts_;
  std::unordered_map<std::string, std::int32_t> dictionary_;
  std::pair<std::string, std::int32_t> last_;  ///< The last text and its dictionary index.
  std::size_t rows_ = 0, nulls_ = 0;
};

}  // namespace edgeprobe::trace
