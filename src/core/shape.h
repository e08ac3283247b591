// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace edgeprobe {

/// Dimensions, outermost first. -1 marks a dimension that is only known when the model runs.
using Shape = std::vector<std::int64_t>;

/// Product of the dimensions (1 for a scalar); nothing when one is negative or the product
/// passes 2^62.
std::optional<std::size_t> element_count(const Shape& shape);

/// "1x224x224x3"; "scalar" for no dimensions.
std::string to_text(const Shape& shape);
/// As to_text(), with "?" for a dimension that is only known when the model runs.
std::string open_text(const Shape& shape);
/// Whether `shape` is one that `open` allows: dimension by dimension, -1 being any number.
bool fits(const Shape& shape, const Shape& open);
/// "1,224,224,3", the form in traces; "" for a scalar.
std::string to_list(const Shape& shape);
/// The inverse of to_list(); nothing when it is not a list of whole numbers or has over 32 of them.
std::optional<Shape> shape_from_list(std::string_view text);

}  // namespace edgeprobe
