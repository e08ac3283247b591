// SPDX-License-Identifier: Apache-2.0
#include "archive/npz.h"

#include <charconv>

#include "archive/zip.h"
#include "core/codec.h"
#include "core/text.h"

namespace edgeprobe::archive {
namespace {

constexpr ZipKind kArchive{"NumPy archive", "of values", kMostNpzBytes, kMostNpzMembers};
constexpr std::size_t kMostHeader = 65536, kMostRank = 32;

Error damaged(const std::string& what) { return archive::damaged(kArchive, what); }

template <class T>
T read(ByteView bytes, std::size_t at) {
  return at <= bytes.size && bytes.size - at >= sizeof(T) ? load_little<T>(bytes.data + at) : T{};
}

bool holds(ByteView bytes, std::uint64_t at, std::uint64_t size) {
  return at <= bytes.size && size <= bytes.size - at;
}

// The value after "'key':" in the header's dictionary, up to the comma or brace that ends it.
std::string_view field_of(std::string_view header, const std::string& key) {
  const std::size_t at = header.find("'" + key + "':");
  if (at == std::string_view::npos) return {};
  std::string_view rest = header.substr(at + key.size() + 3);
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  if (!rest.empty() && rest[0] == '(')
    return rest.substr(0, std::min(rest.find(')'), rest.size() - 1) + 1);
  if (!rest.empty() && rest[0] == '\'')
    return rest.substr(0, std::min(rest.find('\'', 1), rest.size() - 1) + 1);
  return rest.substr(0, std::min(rest.find_first_of(",}"), rest.size()));
}

std::optional<Shape> shape_of(std::string_view text) {
  if (text.size() < 2 || text.front() != '(' || text.back() != ')') return std::nullopt;
  std::string list;
  for (const char c : text.substr(1, text.size() - 2))
    if (c != ' ' && c != 'L') list += c;
  if (!list.empty() && list.back() == ',') list.pop_back();
  const auto shape = shape_from_list(list);
  if (!shape || shape->size() > kMostRank || !element_count(*shape)) return std::nullopt;
  return shape;
}

std::optional<DType> number_type(std::string_view type) {
  static const std::map<std::string_view, DType> kTypes{
      {"f2", DType::kFloat16}, {"f4", DType::kFloat32}, {"f8", DType::kFloat64},
      {"i1", DType::kInt8},    {"u1", DType::kUInt8},   {"i2", DType::kInt16},
      {"u2", DType::kUInt16},  {"i4", DType::kInt32},   {"u4", DType::kUInt32},
      {"i8", DType::kInt64},   {"u8", DType::kUInt64},  {"b1", DType::kBool}};
  const auto at = kTypes.find(type);
  return at == kTypes.end() ? std::nullopt : std::optional(at->second);
}

void append_utf8(std::string& text, std::uint32_t code) {
  const auto put = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xc0 | code >> 6);
    put(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    put(0xe0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3f));
    put(0x80 | (code & 0x3f));
  } else {
    put(0xf0 | (code >> 18 & 7));
    put(0x80 | (code >> 12 & 0x3f));
    put(0x80 | (code >> 6 & 0x3f));
    put(0x80 | (code & 0x3f));
  }
}

// Fixed-width texts, zero-padded: 'U' in 4-byte code points, 'S' in bytes.
std::vector<std::string> texts_of(ByteView values, bool unicode, std::size_t width,
                                  std::size_t count) {
  std::vector<std::string> texts(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (unicode) {
      for (std::size_t c = 0; c < width; ++c)
        if (const auto code = read<std::uint32_t>(values, (i * width + c) * 4); code != 0)
          append_utf8(texts[i], code);
    } else {
      texts[i] = std::string(values.sub(i * width, width).text());
      texts[i].erase(std::min(texts[i].find('\0'), texts[i].size()));
    }
  }
  return texts;
}

/// Converts to C order and little-endian. The size of `values` fits `shape`.
Bytes in_our_order(ByteView values, const Shape& shape, std::size_t width, bool fortran,
                   bool big_endian) {
  Bytes out(values.size);
  const std::size_t count = width ? values.size / width : 0;
  std::vector<std::size_t> strides(shape.size(), 1), at(shape.size(), 0);
  for (std::size_t k = 1; k < shape.size(); ++k)
    strides[k] = strides[k - 1] * static_cast<std::size_t>(shape[k - 1]);
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t from = i;
    if (fortran) {
      from = 0;
      for (std::size_t k = 0; k < shape.size(); ++k) from += at[k] * strides[k];
      for (std::size_t k = shape.size(); k-- > 0;) {
        if (++at[k] < static_cast<std::size_t>(shape[k])) break;
        at[k] = 0;
      }
    }
    for (std::size_t b = 0; b < width; ++b)
      out[i * width + b] = values.data[from * width + (big_endian ? width - 1 - b : b)];
  }
  return out;
}

Status add_npy(ByteView file, const std::string& name, Npz& npz) {
  const std::string who = "'" + sanitized(name) + "'";
  const auto wrong = [&](const std::string& what) { return damaged(who + " " + what); };
  if (file.size < 10 || file.text().substr(0, 6) != "\x93NUMPY")
    return wrong("is not a NumPy array");
  const auto version = read<std::uint8_t>(file, 6);
  const std::size_t head = version == 1 ? 10 : 12;
  const std::size_t length =
      version == 1 ? read<std::uint16_t>(file, 8) : read<std::uint32_t>(file, 8);
  if (version < 1 || version > 3 || length > kMostHeader || !holds(file, head, length))
    return wrong("has a damaged head");
  const std::string_view header = file.sub(head, length).text();
  const ByteView values = file.sub(head + length, file.size - head - length);
  const std::string_view descr = field_of(header, "descr"),
                         order = field_of(header, "fortran_order");
  const auto shape = shape_of(field_of(header, "shape"));
  if (!shape || descr.empty() || (order != "False" && order != "True"))
    return wrong("has a head that cannot be read");
  if (descr.size() < 4 || descr.front() != '\'')
    return Error{ErrorKind::kUnsupported, who + " holds records; expected plain numbers"};
  const std::string_view type = descr.substr(2, descr.size() - 3);
  const char byte_order = descr[1];
  const std::size_t count = *element_count(*shape);
  if (type[0] == 'O')
    return Error{ErrorKind::kUnsupported,
                 who + " holds pickled Python objects, which are never loaded; save plain arrays"};
  if (type[0] == 'U' || type[0] == 'S') {
    std::size_t width = 0;
    const auto [end, failure] = std::from_chars(type.data() + 1, type.data() + type.size(), width);
    const std::size_t unit = type[0] == 'U' ? 4 : 1;
    if (failure != std::errc{} || end != type.data() + type.size() ||
        (byte_order == '>' && unit == 4) || shape->size() != 1)
      return Error{ErrorKind::kUnsupported,
                   who + " holds texts of another form than one list of them"};
    if (width > values.size || (width > 0 && count > values.size / (width * unit)) ||
        values.size != count * width * unit || (width == 0 && count > 0))
      return wrong("has " + std::to_string(values.size) +
                   " bytes of values, which do not fit its shape");
    // Only frames and sequences have names; skip the cost of other texts.
    if (name != kSamples && name != kSequences) {
      npz.unread.push_back(name);
      return {};
    }
    if (count > kMostNpzTexts)
      return Error{ErrorKind::kLimit, who + " holds " + std::to_string(count) + " texts; at most " +
                                          std::to_string(kMostNpzTexts) + " are read"};
    npz.texts[name] = texts_of(values, unit == 4, width, count);
    return {};
  }
  const auto dtype = number_type(type);
  if (!dtype || std::string_view("<>|=").find(byte_order) == std::string_view::npos)
    return Error{ErrorKind::kUnsupported,
                 who + " has the type " + sanitized(descr) + "; expected numbers of 8 to 64 bits"};
  Tensor tensor{{name, *dtype, *shape, {}}, {}};
  const auto size = tensor.spec.byte_size();
  if (!size || *size != values.size)
    return wrong("has " + std::to_string(values.size) +
                 " bytes of values, which do not fit its shape");
  const std::size_t width = size_of(*dtype);
  const bool fortran = order == "True" && shape->size() > 1,
             big_endian = byte_order == '>' && width > 1;
  tensor.bytes = fortran || big_endian ? in_our_order(values, *shape, width, fortran, big_endian)
                                       : values.copy();
  npz.arrays.push_back(std::move(tensor));
  return {};
}

}  // namespace

Result<Npz> parse_npy(ByteView file, const std::string& name) {
  Npz npz;
  EP_CHECK(add_npy(file, name, npz));
  return npz;
}

Result<Npz> parse_npz(ByteView file) {
  EP_TRY(const auto members, read_zip(file, kArchive));
  Npz npz;
  for (const ZipMember& member : members) {
    constexpr std::string_view kEnding = ".npy";
    if (!std::string_view(member.name).ends_with(kEnding)) continue;
    EP_TRY(const auto bytes, unpack(file, member, kArchive));
    EP_CHECK(add_npy(bytes, member.name.substr(0, member.name.size() - kEnding.size()), npz));
  }
  return npz;
}

}  // namespace edgeprobe::archive
