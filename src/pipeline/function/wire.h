// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/tensor.h"
#include "preprocess/decode/image.h"

/// Bodies of messages (engine/wire.h) between this program and
/// python/edgeprobe/plugins/function.py, which runs a user's pipeline function.
///
/// All integers are little-endian. A text is its length in bytes (uint32) and UTF-8.
///
///   opened    version (uint32, 1), form (uint8: 0 pixels, 1 the encoded file),
///             text: the interpreter and NumPy
///   sample    text: name of the sample, form (uint8, as above);
///             0: height, width, channels (uint32 each), then the pixels, rows from the top,
///                uint8 RGB
///             1: the encoded file
///   answer    count (uint32), then for each array: text: name, text: dtype (NumPy's name),
///             rank (uint32), rank dimensions (int64), bytes (uint64), the values row-major
namespace edgeprobe::pipeline::function_wire {

inline constexpr std::uint32_t kVersion = 1;
/// Limits on the messages of a child (docs/reference/limits.md).
inline constexpr std::uint64_t kMostBody = std::uint64_t{1} << 30;
inline constexpr std::size_t kMostArrays = 256, kMostName = 1024, kMostRank = 8;

struct Hello {
  bool wants_encoded = false;
  std::string environment;
};
Result<Hello> parse_hello(ByteView body);

/// Returns the arrays in the child's order; names are unique and not empty.
Result<std::vector<Tensor>> parse_answer(ByteView body);

/// The body of a sample without its last field (the pixels or the file), which is sent after it
/// unchanged.
Bytes sample_of_pixels(std::string_view name, int height, int width, int channels);
Bytes sample_of_file(std::string_view name);

}  // namespace edgeprobe::pipeline::function_wire
