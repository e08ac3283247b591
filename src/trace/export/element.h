// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "core/tensor.h"

namespace edgeprobe::trace {

/// Stored element `index` of a tensor, as the shortest text that reads back as the same number.
std::string stored_text(const TensorView& tensor, std::size_t index);
/// Stored element of an integer or boolean dtype; empty for fractions, or for a uint64 beyond
/// int64.
std::optional<std::int64_t> stored_integer(const TensorView& tensor, std::size_t index);
/// Stored element as a double: exact up to 2^53.
double stored_real(const TensorView& tensor, std::size_t index);

/// The shortest text that reads back as the same number.
std::string text_of(float value);

}  // namespace edgeprobe::trace
