// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "core/tensor.h"

namespace edgeprobe::trace {

/// Element `index` of a tensor as stored: exactly, in the shortest text that reads back as the same
/// number.
std::string stored_text(const TensorView& tensor, std::size_t index);
/// The same of an integer or boolean dtype; nothing of a fraction, and of a uint64 that no int64
/// holds.
std::optional<std::int64_t> stored_integer(const TensorView& tensor, std::size_t index);
/// The same as a double: exact up to 2^53.
double stored_real(const TensorView& tensor, std::size_t index);

/// A number as such a text.
std::string text_of(float value);

}  // namespace edgeprobe::trace
