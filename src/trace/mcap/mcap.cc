// SPDX-License-Identifier: Apache-2.0
#include "trace/mcap/mcap.h"

#include "trace/mcap/crc32.h"

namespace edgeprobe::trace::mcap {

void Builder::text(std::string_view value) {
  u32(static_cast<std::uint32_t>(value.size()));
  bytes_.append(value);
}

void Builder::map(const TextMap& values) {
  std::size_t size = 0;
  for (const auto& [key, value] : values) size += 8 + key.size() + value.size();
  u32(static_cast<std::uint32_t>(size));
  for (const auto& [key, value] : values) {
    text(key);
    text(value);
  }
}

std::size_t Builder::begin(Op op) {
  u8(static_cast<std::uint8_t>(op));
  u64(0);
  return bytes_.size();
}

void Builder::end(std::size_t mark) {
  store_little(reinterpret_cast<std::byte*>(bytes_.data()) + mark - 8,
               std::uint64_t{bytes_.size() - mark});
}

TextMap Cursor::map() {
  TextMap values;
  Cursor inner(view_of(text()));
  while (ok() && !inner.rest().empty()) {
    const std::string_view key = inner.text();
    const std::string_view value = inner.text();
    if (!inner.ok()) fail();
    if (ok()) values[std::string(key)] = value;
  }
  return values;
}

std::optional<Record> record_at(ByteView bytes, std::size_t offset) {
  if (offset > bytes.size || bytes.size - offset < kRecordHead) return std::nullopt;
  const auto op = static_cast<std::uint8_t>(bytes.data[offset]);
  const auto length = load_little<std::uint64_t>(bytes.data + offset + 1);
  if (op == 0 || length > bytes.size - offset - kRecordHead) return std::nullopt;
  return Record{static_cast<Op>(op), offset, bytes.sub(offset + kRecordHead, length)};
}

std::optional<MessageHead> message_head(ByteView content) {
  Cursor cursor(content);
  MessageHead head;
  head.channel = cursor.u16();
  head.sequence = cursor.u32();
  head.log_time = cursor.u64();
  cursor.u64();  // publish time: equal to the log time, or not checked
  if (!cursor.ok()) return std::nullopt;
  return head;
}

std::optional<ChannelFields> channel_fields(ByteView content) {
  Cursor cursor(content);
  ChannelFields fields;
  fields.id = cursor.u16();
  cursor.u16();
  fields.topic = cursor.text();
  fields.encoding = cursor.text();
  fields.metadata = cursor.map();
  if (!cursor.ok()) return std::nullopt;
  return fields;
}

std::optional<ChunkFields> chunk_fields(ByteView content) {
  Cursor cursor(content);
  ChunkFields fields;
  fields.first_time = cursor.u64();
  fields.last_time = cursor.u64();
  fields.decoded_size = cursor.u64();
  fields.checksum = cursor.u32();
  fields.codec = cursor.text();
  const std::uint64_t size = cursor.u64();
  if (!cursor.ok() || size > cursor.rest().size) return std::nullopt;
  if (fields.codec.empty() && fields.decoded_size != size) return std::nullopt;
  fields.stored = cursor.rest().sub(0, size);
  return fields;
}

std::string metadata_checksum(const std::string& name, const TextMap& values) {
  std::string text = name + "\n";
  for (const auto& [key, value] : values)
    if (key != "crc32") text += key + "=" + value + "\n";
  const std::uint32_t sum = crc32(view_of(text));
  std::string hex;
  for (int shift = 28; shift >= 0; shift -= 4) hex += "0123456789abcdef"[(sum >> shift) & 15];
  return hex;
}

}  // namespace edgeprobe::trace::mcap
