// SPDX-License-Identifier: Apache-2.0
#include "core/shape.h"

#include <algorithm>
#include <charconv>

namespace edgeprobe {
namespace {

std::string join(const Shape& shape, char separator) {
  std::string text;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i) text += separator;
    text += std::to_string(shape[i]);
  }
  return text;
}

}  // namespace

std::optional<std::size_t> element_count(const Shape& shape) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 62;
  std::uint64_t count = 1;
  for (const std::int64_t dim : shape) {
    if (dim < 0) return std::nullopt;
    const auto d = static_cast<std::uint64_t>(dim);
    if (d != 0 && count > kMost / d) return std::nullopt;
    count *= d;
  }
  return static_cast<std::size_t>(count);
}

std::string to_text(const Shape& shape) { return shape.empty() ? "scalar" : join(shape, 'x'); }

std::string open_text(const Shape& shape) {
  std::string text;
  for (const std::int64_t dim : shape)
    text += (text.empty() ? "" : "x") + (dim < 0 ? std::string("?") : std::to_string(dim));
  return text.empty() ? "scalar" : text;
}

bool fits(const Shape& shape, const Shape& open) {
  return std::equal(shape.begin(), shape.end(), open.begin(), open.end(),
                    [](std::int64_t is, std::int64_t may) { return may < 0 || is == may; });
}

std::string to_list(const Shape& shape) { return join(shape, ','); }

std::optional<Shape> shape_from_list(std::string_view text) {
  Shape shape;
  if (text.empty()) return shape;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    std::int64_t dim = 0;
    const auto [next, failure] = std::from_chars(at, end, dim);
    if (failure != std::errc{} || shape.size() == 32) return std::nullopt;
    shape.push_back(dim);
    if (next == end) return shape;
    if (*next != ',') return std::nullopt;
    at = next + 1;
  }
}

}  // namespace edgeprobe
