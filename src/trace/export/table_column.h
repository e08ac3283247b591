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
  bool repeats = false;  ///< Few values, many times each: worth a dictionary. Texts always are.
};

/// The cells of one column, in Apache Arrow's memory layout. Texts are kept once each, as a
/// dictionary.
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
  /// Bytes that a file would need for the cells.
  std::size_t memory() const;
  /// The validity bits (empty without nulls), then by kind: int64 or double numbers; int32 places
  /// in the dictionary, its int32 offsets, its texts; int32 offsets, the numbers of the lists.
  std::vector<ByteView> buffers() const;

 private:
  void mark(bool is_valid, std::size_t rows);

  TableColumn column_;
  std::vector<std::uint8_t> validity_;   ///< A bit a row, the lowest first.
  std::vector<std::int64_t> integers_;   ///< Bits of a uint64 too.
  std::vector<double> reals_;            ///< Of lists all values one after the other.
  std::vector<std::int32_t> positions_;  ///< Of each row in the dictionary.
  std::vector<std::int32_t> offsets_;    ///< Of texts in `texts_`, of lists in `reals_`.
  std::string texts_;
  std::unordered_map<std::string, std::int32_t> dictionary_;
  std::pair<std::string, std::int32_t> last_;  ///< Of the dictionary.
  std::size_t rows_ = 0, nulls_ = 0;
};

}  // namespace edgeprobe::trace
