// SPDX-License-Identifier: Apache-2.0
#include "compare/golden/npz.h"

#include <zlib.h>

#include <charconv>

#include "core/codec.h"
#include "core/text.h"

namespace edgeprobe::compare {
namespace {

constexpr std::uint32_t kEndMark = 0x06054b50, kEnd64Mark = 0x06064b50, kLocator64Mark = 0x07064b50;
constexpr std::uint32_t kEntryMark = 0x02014b50, kLocalMark = 0x04034b50;
constexpr std::size_t kEndBytes = 22, kEntryBytes = 46, kLocalBytes = 30;
constexpr std::uint64_t kMostRatio = 1040;  // deflate cannot do better
constexpr std::size_t kMostHeader = 65536, kMostRank = 32;

Error damaged(const std::string& what) {
  return {Fault::kCorrupt, "no sound NumPy archive: " + what};
}

template <class T>
T read(ByteView bytes, std::size_t at) {
  return at <= bytes.size && bytes.size - at >= sizeof(T) ? load_little<T>(bytes.data + at) : T{};
}

bool holds(ByteView bytes, std::uint64_t at, std::uint64_t size) {
  return at <= bytes.size && size <= bytes.size - at;
}

struct Entry {
  std::string name;
  std::uint16_t flags = 0, method = 0;
  std::uint32_t checksum = 0;
  std::uint64_t packed = 0, size = 0, local = 0;
};

struct Directory {
  std::uint64_t entries = 0, offset = 0;
};

Result<Directory> find_directory(ByteView file) {
  if (file.size < kEndBytes) return damaged("it has " + std::to_string(file.size) + " bytes");
  // The end record is followed by a comment of at most 65,535 bytes.
  const std::size_t first = file.size - std::min<std::size_t>(file.size, kEndBytes + 65535);
  for (std::size_t at = file.size - kEndBytes + 1; at-- > first;) {
    if (read<std::uint32_t>(file, at) != kEndMark) continue;
    Directory found{read<std::uint16_t>(file, at + 10), read<std::uint32_t>(file, at + 16)};
    if (at >= 20 && read<std::uint32_t>(file, at - 20) == kLocator64Mark) {
      const auto end64 = read<std::uint64_t>(file, at - 12);
      if (!holds(file, end64, 56) || read<std::uint32_t>(file, end64) != kEnd64Mark)
        return damaged("its 64-bit end record is missing");
      found = {read<std::uint64_t>(file, end64 + 32), read<std::uint64_t>(file, end64 + 48)};
    }
    return found;
  }
  return damaged("it has no directory of members");
}

// Sizes that do not fit 32 bits stand in an extra field, in a fixed order, only those that are
// needed.
bool read_zip64(ByteView extra, Entry& entry) {
  for (std::size_t at = 0; holds(extra, at, 4);) {
    const auto id = read<std::uint16_t>(extra, at), size = read<std::uint16_t>(extra, at + 2);
    at += 4;
    if (!holds(extra, at, size)) return false;
    if (id == 1) {
      std::size_t used = 0;
      for (std::uint64_t* value : {&entry.size, &entry.packed, &entry.local}) {
        if (*value != 0xffffffff) continue;
        if (used + 8 > size) return false;
        *value = read<std::uint64_t>(extra, at + used);
        used += 8;
      }
      return true;
    }
    at += size;
  }
  return entry.size != 0xffffffff && entry.packed != 0xffffffff && entry.local != 0xffffffff;
}

Result<std::vector<Entry>> read_entries(ByteView file) {
  const auto directory = find_directory(file);
  if (!directory) return directory.error();
  if (directory->entries > kMostNpzMembers)
    return Error{Fault::kLimit,
                 "a NumPy archive has at most " + std::to_string(kMostNpzMembers) + " members"};
  std::vector<Entry> entries;
  std::uint64_t at = directory->offset, total = 0, packed = 0;
  for (std::uint64_t i = 0; i < directory->entries; ++i) {
    if (!holds(file, at, kEntryBytes) || read<std::uint32_t>(file, at) != kEntryMark)
      return damaged("its directory is cut short");
    const auto name = read<std::uint16_t>(file, at + 28),
               extra = read<std::uint16_t>(file, at + 30),
               comment = read<std::uint16_t>(file, at + 32);
    if (!holds(file, at + kEntryBytes, std::uint64_t{name} + extra + comment))
      return damaged("its directory is cut short");
    Entry entry{std::string(file.sub(at + kEntryBytes, name).text()),
                read<std::uint16_t>(file, at + 8),
                read<std::uint16_t>(file, at + 10),
                read<std::uint32_t>(file, at + 16),
                read<std::uint32_t>(file, at + 20),
                read<std::uint32_t>(file, at + 24),
                read<std::uint32_t>(file, at + 42)};
    if (!read_zip64(file.sub(at + kEntryBytes + name, extra), entry))
      return damaged("the sizes of '" + printable(entry.name) + "' are missing");
    // Checked one by one, so that the sum cannot overflow.
    if (entry.size > kMostNpzBytes || total + entry.size > kMostNpzBytes)
      return Error{Fault::kLimit, "a NumPy archive holds at most " +
                                      bytes_text(static_cast<double>(kMostNpzBytes)) +
                                      " of values"};
    total += entry.size;
    // Members that share their bytes could multiply a small file without end.
    if (entry.packed > file.size - packed)
      return damaged("its members together are larger than the file");
    packed += entry.packed;
    at += kEntryBytes + std::uint64_t{name} + extra + comment;
    entries.push_back(std::move(entry));
  }
  return entries;
}

Result<Bytes> unpack(ByteView file, const Entry& entry) {
  const std::string who = "'" + printable(entry.name) + "'";
  if (entry.flags & 1) return Error{Fault::kUnsupported, who + " is encrypted"};
  if (!holds(file, entry.local, kLocalBytes) ||
      read<std::uint32_t>(file, entry.local) != kLocalMark)
    return damaged(who + " is not where the directory says");
  const std::uint64_t start = entry.local + kLocalBytes +
                              read<std::uint16_t>(file, entry.local + 26) +
                              read<std::uint16_t>(file, entry.local + 28);
  if (!holds(file, start, entry.packed)) return damaged(who + " reaches past the end of the file");
  const ByteView packed = file.sub(start, entry.packed);
  Bytes bytes;
  if (entry.method == 0) {
    if (entry.size != entry.packed) return damaged(who + " has two different sizes");
    bytes = packed.copy();
  } else if (entry.method == 8) {
    if (entry.size / kMostRatio > entry.packed + 1)
      return damaged(who + " claims more bytes than it can hold");
    bytes.resize(entry.size);
    z_stream stream{};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
      return Error{Fault::kLimit, "zlib cannot start: out of memory"};
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(packed.data));
    stream.avail_in = static_cast<uInt>(packed.size);  // below 2^31, as the file is
    Bytef none = 0;
    stream.next_out = bytes.empty() ? &none : reinterpret_cast<Bytef*>(bytes.data());
    stream.avail_out = static_cast<uInt>(bytes.size());
    const int ended = inflate(&stream, Z_FINISH);
    const bool whole = ended == Z_STREAM_END && stream.total_out == bytes.size();
    inflateEnd(&stream);
    if (!whole) return damaged(who + " cannot be decompressed");
  } else {
    return Error{Fault::kUnsupported, who + " is compressed by method " +
                                          std::to_string(entry.method) +
                                          ", expected stored or deflated"};
  }
  const auto checksum = ::crc32_z(::crc32_z(0, nullptr, 0),
                                  reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  if (checksum != entry.checksum) return damaged("the checksum of " + who + " is wrong");
  return bytes;
}

// The value behind "'key':" in the header's dictionary, up to the comma or brace that ends it.
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

// Texts of a fixed width, filled with zeros: 'U' in 4-byte code points, 'S' in bytes.
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

Status add_npy(ByteView file, const std::string& name, Npz& npz) {
  const std::string who = "'" + printable(name) + "'";
  const auto wrong = [&](const std::string& what) { return damaged(who + " " + what); };
  if (file.size < 10 || file.text().substr(0, 6) != "\x93NUMPY")
    return wrong("is no array of NumPy");
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
    return Error{Fault::kUnsupported, who + " holds records; expected plain numbers"};
  const std::string_view type = descr.substr(2, descr.size() - 3);
  const char byte_order = descr[1];
  const std::size_t count = *element_count(*shape);
  if (type[0] == 'O')
    return Error{Fault::kUnsupported,
                 who + " holds pickled Python objects, which are never loaded; save plain arrays"};
  if (order == "True" && shape->size() > 1)
    return Error{Fault::kUnsupported,
                 who + " is in Fortran order; save it with numpy.ascontiguousarray"};
  if (type[0] == 'U' || type[0] == 'S') {
    std::size_t width = 0;
    const auto [end, failure] = std::from_chars(type.data() + 1, type.data() + type.size(), width);
    const std::size_t unit = type[0] == 'U' ? 4 : 1;
    if (failure != std::errc{} || end != type.data() + type.size() ||
        (byte_order == '>' && unit == 4) || shape->size() != 1)
      return Error{Fault::kUnsupported, who + " holds texts of another form than one list of them"};
    if (width > values.size || (width > 0 && count > values.size / (width * unit)) ||
        values.size != count * width * unit || (width == 0 && count > 0))
      return wrong("has " + std::to_string(values.size) +
                   " bytes of values, which do not fit its shape");
    // Only frames have names; nothing else pays for its texts.
    if (name != kSamples) return {};
    if (count > kMostNpzTexts)
      return Error{Fault::kLimit, who + " holds " + std::to_string(count) + " texts; at most " +
                                      std::to_string(kMostNpzTexts) + " are read"};
    npz.texts[name] = texts_of(values, unit == 4, width, count);
    return {};
  }
  const auto dtype = number_type(type);
  if (!dtype || (byte_order != '<' && byte_order != '|' && byte_order != '='))
    return Error{Fault::kUnsupported, who + " has the type " + printable(descr) +
                                          "; expected little-endian numbers of 8 to 64 bits"};
  Tensor tensor{{name, *dtype, *shape, {}}, {}};
  const auto size = tensor.spec.byte_size();
  if (!size || *size != values.size)
    return wrong("has " + std::to_string(values.size) +
                 " bytes of values, which do not fit its shape");
  tensor.bytes = values.copy();
  npz.arrays.push_back(std::move(tensor));
  return {};
}

}  // namespace

Result<Npz> parse_npy(ByteView file, const std::string& name) {
  Npz npz;
  if (auto added = add_npy(file, name, npz); !added) return std::move(added.error());
  return npz;
}

Result<Npz> parse_npz(ByteView file) {
  if (file.size > kMostNpzBytes)
    return Error{Fault::kLimit,
                 "a NumPy archive has at most " + bytes_text(static_cast<double>(kMostNpzBytes))};
  const auto entries = read_entries(file);
  if (!entries) return entries.error();
  Npz npz;
  for (const Entry& entry : *entries) {
    constexpr std::string_view kEnding = ".npy";
    if (!std::string_view(entry.name).ends_with(kEnding)) continue;
    const auto bytes = unpack(file, entry);
    if (!bytes) return bytes.error();
    if (auto added = add_npy(*bytes, entry.name.substr(0, entry.name.size() - kEnding.size()), npz);
        !added)
      return std::move(added.error());
  }
  return npz;
}

}  // namespace edgeprobe::compare
