// SPDX-License-Identifier: Apache-2.0
#include <charconv>

#include "core/csv.h"
#include "core/file.h"
#include "core/text.h"
#include "postprocess/segmentation/recipe.h"

namespace edgeprobe::postprocess::segmentation {
namespace {

constexpr std::size_t kMostPaletteBytes = std::size_t{1} << 20;
constexpr std::size_t kMostColors = 65'536;

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

std::optional<std::int32_t> whole(std::string_view text, int base, std::int32_t most) {
  std::int32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size() || value < 0 || value > most)
    return std::nullopt;
  return value;
}

// "#ff8000", "255, 128, 0" or "255 128 0", or "7".
std::optional<std::int32_t> number_of(std::string_view line) {
  if (line.front() == '#')
    return line.size() == 7 ? whole(line.substr(1), 16, 0xffffff) : std::nullopt;
  std::int32_t color = 0;
  int parts = 0;
  while (!line.empty()) {
    const std::size_t end = std::min(line.find_first_of(", \t"), line.size());
    const auto part = whole(line.substr(0, end), 10, 0xffffff);
    if (!part || ++parts > 3) return std::nullopt;
    if (parts == 1 && end == line.size()) return part;
    if (*part > 255) return std::nullopt;
    color = color << 8 | *part;
    line = line.substr(end);
    const std::size_t next = line.find_first_not_of(", \t");
    line = next == std::string_view::npos ? std::string_view() : line.substr(next);
  }
  return parts == 3 ? std::optional(color) : std::nullopt;
}

}  // namespace

Result<std::vector<std::int32_t>> palette_of(ByteView text) {
  std::vector<std::int32_t> numbers;
  std::size_t at = 0;
  for (const std::string_view raw : lines_of(text.text())) {
    ++at;
    const std::string_view line = trimmed(raw);
    if (line.empty()) continue;
    const auto number = number_of(line);
    if (!number)
      return Error{ErrorKind::kCorrupt, "line " + std::to_string(at) +
                                            " is no colour: #rrggbb, r, g, b or a whole number"};
    if (numbers.size() == kMostColors)
      return Error{ErrorKind::kLimit, "over " + std::to_string(kMostColors) + " colours"};
    numbers.push_back(*number);
  }
  if (numbers.empty()) return Error{ErrorKind::kCorrupt, "holds no colour"};
  return numbers;
}

Status load_colors(Recipe& recipe) {
  if (!recipe.colors) return {};
  auto bytes = read_file(recipe.colors->file, kMostPaletteBytes);
  if (!bytes) return std::move(bytes.error()).during("colour file");
  auto numbers = palette_of(*bytes);
  if (!numbers)
    return std::move(numbers.error())
        .during("colour file '" + sanitized(recipe.colors->file) + "'");
  recipe.colors->numbers = *std::move(numbers);
  return {};
}

}  // namespace edgeprobe::postprocess::segmentation
