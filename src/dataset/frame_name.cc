// SPDX-License-Identifier: Apache-2.0
#include "dataset/frame_name.h"

#include <charconv>
#include <optional>
#include <string>

#include "core/text.h"

namespace edgeprobe::dataset {
namespace {

using preprocess::YuvFrame;
using preprocess::YuvLayout;

std::optional<YuvLayout> layout_of(std::string_view file_name) {
  const std::size_t dot = file_name.rfind('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const std::string ending = lower_case(file_name.substr(dot + 1));
  return ending == "yuv" ? YuvLayout::kI420 : preprocess::yuv_layout_from_name(ending);
}

/// Parses an integer of at most that many digits and nothing else.
std::optional<int> number_of(std::string_view text, std::size_t digits) {
  int value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size() || text.empty() ||
      text.size() > digits || value <= 0)
    return std::nullopt;
  return value;
}

struct Size {
  int width = 0, height = 0;
};

std::optional<Size> size_of(std::string_view word) {
  const std::size_t x = word.find('x');
  if (x == std::string_view::npos) return std::nullopt;
  const auto width = number_of(word.substr(0, x), 6), height = number_of(word.substr(x + 1), 6);
  if (!width || !height) return std::nullopt;
  return Size{*width, *height};
}

/// Number after a prefix: "stride704" with prefix "stride" yields 704.
std::optional<int> behind(std::string_view word, std::string_view prefix) {
  if (word.substr(0, prefix.size()) != prefix) return std::nullopt;
  // A number too large for a stride is refused as a stride.
  return number_of(word.substr(prefix.size()), 9);
}

/// Properties read so far; a second word for the same property is an error.
struct Said {
  std::optional<Size> size;
  std::optional<int> stride, uv_stride, rotation;
  std::optional<preprocess::YuvMatrix> matrix;
  std::optional<preprocess::YuvRange> range;
  std::optional<bool> mirrored;
};

template <class T>
bool take(std::optional<T>& place, const std::optional<T>& value, bool& twice) {
  if (!value) return false;
  twice = place.has_value();
  place = value;
  return true;
}

/// True if the word was recognised.
bool read_word(std::string_view word, Said& said, bool& twice) {
  if (take(said.size, size_of(word), twice)) return true;
  if (take(said.stride, behind(word, "stride"), twice)) return true;
  if (take(said.uv_stride, behind(word, "uvstride"), twice)) return true;
  if (take(said.matrix, preprocess::yuv_matrix_from_name(word), twice)) return true;
  if (take(said.range, preprocess::yuv_range_from_name(word), twice)) return true;
  if (word == "rot90" || word == "rot180" || word == "rot270")
    return take(said.rotation, behind(word, "rot"), twice);
  return word == "mirrored" && take(said.mirrored, std::optional(true), twice);
}

bool is_number(std::string_view word) {
  return !word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Before the size, a frame may have any name; but a word that begins like a known one and
/// continues with digits was intended as one.
bool was_meant(std::string_view word) {
  for (const std::string_view key : {"stride", "uvstride", "rot"})
    if (word.substr(0, key.size()) == key && is_number(word.substr(key.size()))) return true;
  return false;
}

}  // namespace

bool is_frame_name(std::string_view file_name) { return layout_of(file_name).has_value(); }

Result<YuvFrame> frame_from_name(std::string_view file_name) {
  const auto wrong = [&](const std::string& what) {
    return Error{ErrorKind::kUsage, "'" + sanitized(file_name) + "': " + what};
  };
  const auto layout = layout_of(file_name);
  if (!layout) return wrong("a camera frame's file ends in .nv12, .nv21, .i420, .yv12 or .yuv");
  const std::size_t slash = file_name.rfind('/');
  if (slash != std::string_view::npos) file_name.remove_prefix(slash + 1);
  const std::string stem = lower_case(file_name.substr(0, file_name.rfind('.')));
  Said said;
  for (std::size_t at = 0; at <= stem.size();) {
    const std::size_t end = std::min(stem.find('_', at), stem.size());
    const std::string word = stem.substr(at, end - at);
    bool twice = false;
    const bool known = read_word(word, said, twice);
    if (twice) return wrong("its name says '" + sanitized(word) + "' and something else before");
    if (!known && (said.size ? !is_number(word) : was_meant(word)))
      return wrong("its name says '" + sanitized(word) +
                   "', which is not understood: known words after the size are stride704, "
                   "uvstride704, bt601, "
                   "bt709, limited, full, rot90, rot180, rot270, mirrored and numbers");
    at = end + 1;
  }
  if (!said.size)
    return wrong(
        std::string(
            "the name of a camera frame must contain its size as WIDTHxHEIGHT, e.g. cat_640x480.") +
        name(*layout));
  YuvFrame frame;
  frame.layout = *layout;
  frame.width = said.size->width;
  frame.height = said.size->height;
  frame.stride = said.stride.value_or(0);
  frame.uv_stride = said.uv_stride.value_or(0);
  frame.matrix = said.matrix.value_or(frame.matrix);
  frame.range = said.range.value_or(frame.range);
  frame.rotation = said.rotation.value_or(0);
  frame.mirrored = said.mirrored.value_or(false);
  if (auto planes = preprocess::planes_of(frame); !planes) return wrong(planes.error().what);
  return frame;
}

}  // namespace edgeprobe::dataset
