// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace edgeprobe::kinds {

/// True if a table has one row for each id up to `last`, in order.
template <class Rows, class Id>
constexpr bool has_row_for_each(const Rows& rows, Id last) {
  if (rows.size() != static_cast<std::size_t>(last) + 1) return false;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (static_cast<std::size_t>(rows[i].id) != i) return false;
  return true;
}

}  // namespace edgeprobe::kinds
