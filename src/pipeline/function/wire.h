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

/// Messages between this program and python/edgeprobe/child.py, which runs a user's pipeline
/// function.
///
/// A message is kind (uint32), length of the body (uint64), body; all integers are little-endian. A
/// text is its length in bytes (uint32) and UTF-8. The child sends kHello or kFailure once, then
/// answers each kSample with kAnswer or kFailure. It exits when its input closes.
///
///   kHello    version (uint32, 1), form (uint8: 0 pixels, 1 the encoded file),
///             text: the interpreter and NumPy
///   kSample   text: name of the sample, form (uint8, as in kHello);
///             0: height, width, channels (uint32 each), then the pixels, rows from the top,
///                uint8 RGB
///             1: the encoded file
///   kAnswer   count (uint32), then for each array: text: name, text: dtype (NumPy's name),
///             rank (uint32), rank dimensions (int64), bytes (uint64), the values row-major
///   kFailure  text: one sentence
namespace edgeprobe::pipeline::function_wire {

enum class Kind : std::uint32_t { kHello = 1, kSample = 2, kAnswer = 3, kFailure = 4 };

inline constexpr std::uint32_t kVersion = 1;
inline constexpr std::size_t kHeaderBytes = 12;
/// Limits on the messages of a child (docs/reference/limits.md).
inline constexpr std::uint64_t kMostBody = std::uint64_t{1} << 30;
inline constexpr std::size_t kMostArrays = 256, kMostName = 1024, kMostRank = 8;

struct Header {
  Kind kind{};
  std::uint64_t size = 0;
};
/// kCorrupt for an unknown kind, kLimit for a body longer than kMostBody. `bytes` holds
/// kHeaderBytes.
Result<Header> parse_header(ByteView bytes);
Bytes header(Kind kind, std::uint64_t size);

struct Hello {
  bool wants_encoded = false;
  std::string environment;
};
Result<Hello> parse_hello(ByteView body);

/// Returns the arrays in the child's order; names are unique and not empty.
Result<std::vector<Tensor>> parse_answer(ByteView body);
Result<std::string> parse_failure(ByteView body);

/// The body of kSample without its last field (the pixels or the file), which is sent after it
/// unchanged.
Bytes sample_of_pixels(std::string_view name, int height, int width, int channels);
Bytes sample_of_file(std::string_view name);

}  // namespace edgeprobe::pipeline::function_wire
