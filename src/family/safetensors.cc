// SPDX-License-Identifier: Apache-2.0
#include "family/safetensors.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/codec.h"
#include "core/text.h"

namespace edgeprobe::family {
namespace {

using nlohmann::json;

/// Limits of the format's own library.
constexpr std::size_t kMostHeader = 100'000'000;
constexpr std::size_t kMostTensors = 100'000;

struct Size {
  const char* dtype;
  std::uint64_t bytes;
};
constexpr std::array kSizes{Size{"F64", 8}, Size{"F32", 4}, Size{"F16", 2}, Size{"BF16", 2},
                            Size{"I64", 8}, Size{"I32", 4}, Size{"I16", 2}, Size{"I8", 1},
                            Size{"U64", 8}, Size{"U32", 4}, Size{"U16", 2}, Size{"U8", 1},
                            Size{"BOOL", 1}};

Error broken(const std::string& what) {
  return {ErrorKind::kCorrupt, "not a safetensors file: " + what};
}

/// Counts nesting: JSON of this format has three levels, and a parser's stack is finite.
bool is_shallow(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (quoted && text[i] == '\\') ++i;
    else if (text[i] == '"') quoted = !quoted;
    else if (!quoted && (text[i] == '{' || text[i] == '[') && ++depth > 4) return false;
    else if (!quoted && (text[i] == '}' || text[i] == ']')) --depth;
  }
  return true;
}

std::optional<std::uint64_t> whole(const json& value) {
  if (!value.is_number_unsigned()) return std::nullopt;
  return value.get<std::uint64_t>();
}

struct Range {
  std::uint64_t begin, end;
};

Result<Range> entry_of(const std::string& name, const json& entry, ByteView data, Stored& out) {
  const std::string what = "tensor '" + sanitized(name, 80) + "' ";
  if (!entry.is_object() || entry.size() != 3 || !entry.contains("dtype") ||
      !entry.contains("shape") || !entry.contains("data_offsets"))
    return broken(what + "needs dtype, shape and data_offsets");
  const json& offsets = entry["data_offsets"];
  if (!entry["dtype"].is_string() || !entry["shape"].is_array() || !offsets.is_array() ||
      offsets.size() != 2)
    return broken(what + "has a key of another type");
  out.dtype = entry["dtype"].get<std::string>();
  const auto size = std::find_if(kSizes.begin(), kSizes.end(),
                                 [&](const Size& one) { return out.dtype == one.dtype; });
  if (size == kSizes.end())
    return broken(what + "has the unknown type '" + sanitized(out.dtype, 20) + "'");
  std::uint64_t bytes = size->bytes;
  for (const json& one : entry["shape"]) {
    const auto dimension = whole(one);
    if (!dimension || *dimension > (std::uint64_t{1} << 40) ||
        (*dimension > 0 && bytes > (std::uint64_t{1} << 62) / *dimension))
      return broken(what + "has a shape that is not one of whole numbers");
    bytes *= *dimension;
    out.shape.push_back(static_cast<std::int64_t>(*dimension));
  }
  const auto begin = whole(offsets[0]), end = whole(offsets[1]);
  if (!begin || !end || *begin > *end || *end > data.size)
    return broken(what + "lies outside the file");
  if (*end - *begin != bytes)
    return broken(what + "has " + std::to_string(*end - *begin) + " bytes; its shape needs " +
                  std::to_string(bytes));
  out.bytes = data.sub(*begin, *end - *begin);
  return Range{*begin, *end};
}

}  // namespace

Result<std::map<std::string, Stored>> read_safetensors(ByteView file) {
  if (file.size < 8) return broken("it has " + std::to_string(file.size) + " bytes");
  const auto length = load_little<std::uint64_t>(file.data);
  if (length > kMostHeader || length > file.size - 8)
    return broken("its header would have " + std::to_string(length) + " bytes");
  const std::string_view header = file.sub(8, length).text();
  if (!is_shallow(header)) return broken("its header is nested too deeply");
  const json entries = json::parse(header, nullptr, false);
  if (!entries.is_object()) return broken("its header is not a JSON object");
  if (entries.size() > kMostTensors)
    return broken("it lists " + std::to_string(entries.size()) + " tensors");
  const ByteView data = file.sub(8 + length, file.size - 8 - length);
  std::map<std::string, Stored> tensors;
  std::vector<Range> ranges;
  for (const auto& [name, entry] : entries.items()) {
    if (name == "__metadata__") continue;
    Stored stored;
    EP_TRY(const auto range, entry_of(name, entry, data, stored));
    ranges.push_back(range);
    tensors.emplace(name, std::move(stored));
  }
  std::sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  std::uint64_t next = 0;
  for (const Range& range : ranges) {
    if (range.begin != next) return broken("its tensors overlap or leave a gap");
    next = range.end;
  }
  if (next != data.size) return broken("bytes after its last tensor");
  return tensors;
}

}  // namespace edgeprobe::family
