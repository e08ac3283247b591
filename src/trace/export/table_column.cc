// SPDX-License-Identifier: Apache-2.0
#include "trace/export/table_column.h"

#include "trace/names.h"

namespace edgeprobe::trace {
namespace {

using Kind = TableColumn::Kind;

constexpr std::size_t kLongestText = std::size_t{16} << 20;

template <class T>
ByteView view(const std::vector<T>& values) {
  return {reinterpret_cast<const std::byte*>(values.data()), values.size() * sizeof(T)};
}

}  // namespace

void TableCells::mark(bool is_valid, std::size_t rows) {
  const std::size_t end = rows_ + rows;
  validity_.resize((end + 7) / 8);
  for (std::size_t row = rows_; is_valid && row < end;) {
    if (row % 8 == 0 && end - row >= 8) {
      validity_[row / 8] = 0xFF;
      row += 8;
    } else {
      validity_[row / 8] = static_cast<std::uint8_t>(validity_[row / 8] | 1u << row % 8);
      ++row;
    }
  }
  rows_ = end;
  if (!is_valid) nulls_ += rows;
}

void TableCells::integer(std::int64_t value, std::size_t rows) {
  mark(true, rows);
  integers_.insert(integers_.end(), rows, value);
}

void TableCells::real(double value) {
  mark(true, 1);
  reals_.push_back(value);
}

void TableCells::text(std::string_view value, std::size_t rows) {
  const std::string clean = as_utf8(value.substr(0, kLongestText));
  mark(true, rows);
  if (dictionary_.empty() || last_.first != clean) {
    const auto [at, is_new] =
        dictionary_.try_emplace(clean, static_cast<std::int32_t>(dictionary_.size()));
    if (is_new) {
      texts_ += clean;
      offsets_.push_back(static_cast<std::int32_t>(texts_.size()));
    }
    last_ = *at;
  }
  positions_.insert(positions_.end(), rows, last_.second);
}

void TableCells::reals(const std::vector<double>& values) {
  mark(true, 1);
  reals_.insert(reals_.end(), values.begin(), values.end());
  offsets_.push_back(static_cast<std::int32_t>(reals_.size()));
}

void TableCells::none(std::size_t rows) {
  mark(false, rows);
  switch (column_.kind) {
    case Kind::kText: positions_.insert(positions_.end(), rows, 0); return;
    case Kind::kReals: offsets_.insert(offsets_.end(), rows, offsets_.back()); return;
    case Kind::kReal: reals_.insert(reals_.end(), rows, 0); return;
    default: integers_.insert(integers_.end(), rows, 0); return;
  }
}

void TableCells::clear() {
  validity_.clear();
  integers_.clear();
  reals_.clear();
  positions_.clear();
  offsets_.assign(1, 0);
  texts_.clear();
  dictionary_.clear();
  rows_ = nulls_ = 0;
}

std::size_t TableCells::memory() const {
  if (column_.kind == Kind::kText) return texts_.size();
  return column_.repeats ? 0 : (integers_.size() + reals_.size()) * sizeof(double);
}

std::vector<ByteView> TableCells::buffers() const {
  const ByteView validity = nulls_ > 0 ? view(validity_) : ByteView();
  switch (column_.kind) {
    case Kind::kText: return {validity, view(positions_), view(offsets_), view_of(texts_)};
    case Kind::kReals: return {validity, view(offsets_), view(reals_)};
    case Kind::kReal: return {validity, view(reals_)};
    default: return {validity, view(integers_)};
  }
}

}  // namespace edgeprobe::trace
