// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace edgeprobe {

/// Dimensions, outermost first. -1 is a dimension known only when the model runs.
using Shape = std::vector<std::int64_t>;

/// Product of the dimensions (1 for a scalar); nullopt if one is negative or the product exceeds
/// 2^62.
std::optional<std::size_t> element_count(const Shape& shape);

/// "1x224x224x3"; "scalar" for no dimensions.
std::string to_text(const Shape& shape);
/// As to_text(), with "?" for a dimension known only when the model runs.
std::string open_text(const Shape& shape);
/// True if each dimension of `shape` equals that of `open`; -1 in `open` matches any number.
bool fits(const Shape& shape, const Shape& open);
/// "1,224,224,3", the form used in traces; "" for a scalar.
std::string to_list(const Shape& shape);
/// The inverse of to_list(); nullopt unless it is a list of at most 32 whole numbers.
std::optional<Shape> shape_from_list(std::string_view text);

}  // namespace edgeprobe
