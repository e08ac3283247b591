// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "core/text.h"
#include "diagnose/input/parts/parts.h"
#include "diagnose/input/parts/signatures.h"

namespace edgeprobe::diagnose {
namespace {

/// Largest fraction of placed pixels that may have another value.
constexpr double kMostWrong = 0.003;
/// Smallest fractions of pixels that must be placed, and of those that must have moved.
constexpr double kLeastPlaced = 0.75, kLeastMoved = 0.04;

/// Index of the reference's pixel that each pixel holds; -1 if unknown.
using Origins = std::vector<std::int32_t>;

/// True if the pixels have these origins in all pictures.
bool is_right(const RecordedPictures& recorded, const Origins& origins) {
  const std::size_t channels = recorded.layout.channels;
  std::size_t placed = 0, moved = 0;
  for (std::size_t p = 0; p < origins.size(); ++p) {
    placed += origins[p] >= 0;
    moved += origins[p] >= 0 && origins[p] != std::int32_t(p);
  }
  if (double(placed) < kLeastPlaced * double(origins.size()) ||
      double(moved) < kLeastMoved * double(origins.size()))
    return false;
  const double most = kMostWrong * double(placed * recorded.pictures.size());
  std::size_t wrong = 0;
  for (const RecordedPicture& one : recorded.pictures)
    for (std::size_t p = 0; p < origins.size(); ++p) {
      if (origins[p] < 0) continue;
      bool same = true;
      for (std::size_t c = 0; c < channels; ++c)
        same = same && std::abs(double(one.fed[p * channels + c]) -
                                double(one.wanted[std::size_t(origins[p]) * channels + c])) <=
                           recorded.near;
      wrong += !same;
      if (double(wrong) > most) return false;
    }
  return true;
}

/// The most frequent number; -1 if there are none.
std::int32_t most_frequent(const std::map<std::int32_t, std::size_t>& votes) {
  const auto best = std::max_element(
      votes.begin(), votes.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return best == votes.end() ? -1 : best->first;
}

/// Describes which line each line holds; empty if every line holds its own.
std::string lines_text(const std::vector<std::int32_t>& from, const char* line) {
  const auto n = std::int32_t(from.size());
  const auto follows = [&](const std::function<std::int32_t(std::int32_t)>& rule) {
    for (std::int32_t i = 0; i < n; ++i)
      if (from[std::size_t(i)] >= 0 && from[std::size_t(i)] != rule(i)) return false;
    return true;
  };
  const std::string lines = std::string(line) + "s", number_of = std::string(line) + " ";
  if (follows([](std::int32_t i) { return i; })) return "";
  if (follows([&](std::int32_t i) { return n - 1 - i; })) return lines + " come in reverse order";
  for (std::int32_t by = 1; by < n; ++by)
    if (follows([&](std::int32_t i) { return (i + by) % n; })) {
      const bool back = 2 * by > n;
      // Lines freed by the shift, and whether they hold parts of the reference's picture.
      const std::int32_t free = back ? n - by : by, first = back ? 0 : n - by;
      const bool comes_in = std::any_of(from.begin() + first, from.begin() + first + free,
                                        [](std::int32_t line) { return line >= 0; });
      return "the picture is moved by " + counted(std::size_t(free), line) +
             (back ? " towards the end" : " towards the beginning") + ", and " +
             (comes_in ? "what leaves on one side comes in on the other"
                       : "the lines that become free hold something else");
    }
  for (std::int32_t times = 2; times <= 8; ++times)
    for (std::int32_t at = 0; at < times; ++at)
      if (follows([&](std::int32_t i) { return std::min(i / times * times + at, n - 1); }))
        return "each " + number_of + "comes " + std::to_string(times) + " times, and " +
               std::to_string(times - 1) + " of " + std::to_string(times) + " are lost";
  for (std::int32_t size = 2; size < n; ++size) {
    if (n % size != 0) continue;
    if (follows([&](std::int32_t i) { return i / size * size + size - 1 - i % size; }))
      return "the " + lines + " of each band of " + std::to_string(size) + " come in reverse order";
    if (follows([&](std::int32_t i) { return n - size - i / size * size + i % size; }))
      return "bands of " + std::to_string(size) + " " + lines + " come in reverse order";
    for (std::int32_t part = 0; part < n / size; ++part)
      if (follows([&](std::int32_t i) { return part * size + i % size; }))
        return lines + " " + std::to_string(part * size) + " to " +
               std::to_string(part * size + size - 1) + " come " + std::to_string(n / size) +
               " times";
  }
  if (follows([&](std::int32_t i) { return std::min(i, n - 1 - i); }))
    return "the second half of the " + lines + " mirrors the first";
  if (follows([&](std::int32_t i) { return std::max(i, n - 1 - i); }))
    return "the first half of the " + lines + " mirrors the second";
  // Runs of consecutive lines.
  std::string text;
  std::size_t stretches = 0;
  for (std::int32_t i = 0; i < n;) {
    std::int32_t to = i;
    while (to + 1 < n && from[std::size_t(to) + 1] == from[std::size_t(to)] + 1) ++to;
    if (from[std::size_t(i)] >= 0 && from[std::size_t(i)] != i && ++stretches <= 3)
      text += (text.empty() ? "" : ", ") + number_of +
              (to > i ? std::to_string(i) + " to " + std::to_string(to) : std::to_string(i)) +
              " from " + std::to_string(from[std::size_t(i)]) + " on";
    i = to + 1;
  }
  return lines + " hold those of other places (" + text + (stretches > 3 ? ", ..." : "") + ")";
}

/// Describes origins by one rule for rows and another for columns.
std::optional<std::string> by_lines(const RecordedPictures& recorded, const Origins& found) {
  const PictureLayout& l = recorded.layout;
  std::vector<std::map<std::int32_t, std::size_t>> rows(l.height), columns(l.width);
  const auto width = std::int32_t(l.width);
  for (std::size_t p = 0; p < found.size(); ++p) {
    if (found[p] < 0) continue;
    ++rows[p / l.width][found[p] / width];
    ++columns[p % l.width][found[p] % width];
  }
  std::vector<std::int32_t> row, column;
  for (const auto& votes : rows) row.push_back(most_frequent(votes));
  for (const auto& votes : columns) column.push_back(most_frequent(votes));
  Origins origins(found.size(), -1);
  for (std::size_t p = 0; p < found.size(); ++p)
    if (row[p / l.width] >= 0 && column[p % l.width] >= 0)
      origins[p] = row[p / l.width] * width + column[p % l.width];
  if (!is_right(recorded, origins)) return std::nullopt;
  const std::string of_rows = lines_text(row, "row"), of_columns = lines_text(column, "column");
  return of_rows + (of_rows.empty() || of_columns.empty() ? "" : "; ") + of_columns;
}

/// One of the eight orientations of a square tile.
struct Turn {
  bool exchanged = false, down = false, right = false;
};

/// Describes origins by tiles of one size, each from another place, all in the same orientation.
std::optional<std::string> by_tiles(const RecordedPictures& recorded, const Origins& found,
                                    std::size_t tile_height, std::size_t tile_width) {
  const PictureLayout& l = recorded.layout;
  if (l.height % tile_height != 0 || l.width % tile_width != 0) return std::nullopt;
  const std::size_t across = l.width / tile_width, tiles = l.height / tile_height * across;
  for (int way = 0; way < (tile_height == tile_width ? 8 : 4); ++way) {
    const Turn turn{(way & 4) != 0, (way & 1) != 0, (way & 2) != 0};
    // Position inside the source tile from which pixel (y, x) of a tile comes.
    const auto inside = [&](std::size_t y, std::size_t x) {
      if (turn.exchanged) std::swap(y, x);
      return std::pair(std::int32_t(turn.down ? tile_height - 1 - y : y),
                       std::int32_t(turn.right ? tile_width - 1 - x : x));
    };
    std::vector<std::map<std::int32_t, std::size_t>> votes(tiles);
    const auto width = std::int32_t(l.width);
    for (std::size_t p = 0; p < found.size(); ++p) {
      if (found[p] < 0) continue;
      const std::size_t y = p / l.width, x = p % l.width;
      const auto [dy, dx] = inside(y % tile_height, x % tile_width);
      const std::int32_t top = found[p] / width - dy, left = found[p] % width - dx;
      if (top >= 0 && left >= 0 && std::size_t(top) + tile_height <= l.height &&
          std::size_t(left) + tile_width <= l.width)
        ++votes[y / tile_height * across + x / tile_width][top * width + left];
    }
    std::vector<std::int32_t> from;
    for (const auto& of : votes) from.push_back(most_frequent(of));
    Origins origins(found.size(), -1);
    for (std::size_t p = 0; p < found.size(); ++p) {
      const std::size_t y = p / l.width, x = p % l.width;
      const std::int32_t origin = from[y / tile_height * across + x / tile_width];
      const auto [dy, dx] = inside(y % tile_height, x % tile_width);
      if (origin >= 0) origins[p] = origin + dy * width + dx;
    }
    if (!is_right(recorded, origins)) continue;
    std::string text =
        "blocks of " + std::to_string(tile_height) + "x" + std::to_string(tile_width) + " pixels";
    const auto own = [&](std::size_t tile) {
      return std::int32_t(tile / across * tile_height * l.width + tile % across * tile_width);
    };
    std::size_t moved = tiles;
    for (std::size_t t = 0; t < tiles && moved == tiles; ++t)
      if (from[t] >= 0 && from[t] != own(t)) moved = t;
    const char* const turned = turn.exchanged && turn.down && turn.right
                                   ? "are mirrored about the diagonal from below left"
                               : turn.exchanged && turn.down  ? "are turned clockwise by 90 degrees"
                               : turn.exchanged && turn.right ? "are turned counterclockwise by 90 "
                                                                "degrees"
                               : turn.exchanged               ? "have height and width exchanged"
                               : turn.down && turn.right      ? "are turned by 180 degrees"
                               : turn.down                    ? "are upside down"
                               : turn.right                   ? "are mirrored"
                                                              : "";
    text += (*turned ? " " : "") + std::string(turned);
    if (moved < tiles)
      text += std::string(*turned ? " and" : "") + " are in other places (at row " +
              std::to_string(own(moved) / width) + ", column " +
              std::to_string(own(moved) % width) + " that of row " +
              std::to_string(from[moved] / width) + ", column " +
              std::to_string(from[moved] % width) + ")";
    return text;
  }
  return std::nullopt;
}

std::vector<std::pair<std::size_t, std::size_t>> tile_sizes(const PictureLayout& l) {
  std::vector<std::pair<std::size_t, std::size_t>> sizes;
  for (const std::size_t parts : {2, 3, 4}) {
    sizes.emplace_back(l.height / parts, l.width / parts);
    sizes.emplace_back(l.height / parts, l.width);
    sizes.emplace_back(l.height, l.width / parts);
  }
  for (const std::size_t side : {64, 32, 24, 16, 12, 8, 4}) sizes.emplace_back(side, side);
  return sizes;
}

}  // namespace

std::optional<InputFault> moved_places(const RecordedPictures& recorded) {
  const auto fed = pixel_signatures(recorded, &RecordedPicture::fed);
  const Signatures wanted(pixel_signatures(recorded, &RecordedPicture::wanted));
  Origins found;
  found.reserve(fed.size());
  std::size_t known = 0;
  for (const std::uint64_t signature : fed) {
    found.push_back(wanted.only(signature));
    known += found.back() >= 0;
  }
  if (20 * known < found.size()) return std::nullopt;
  auto how = by_lines(recorded, found);
  for (const auto& [height, width] : tile_sizes(recorded.layout))
    if (!how && height >= 2 && width >= 2) how = by_tiles(recorded, found, height, width);
  if (!how || how->empty()) return std::nullopt;
  InputFault fault;
  fault.kind = CauseKind::kLayout;
  fault.detail = "the app feeds the reference's own pixels in other places: " + *how;
  return fault;
}

}  // namespace edgeprobe::diagnose
