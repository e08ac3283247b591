// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/codec.h"

/// The grammar of MCAP (https://mcap.dev/spec): records with an opcode, a length and a content.
namespace edgeprobe::trace::mcap {

inline constexpr unsigned char kMagic[8] = {0x89, 'M', 'C', 'A', 'P', '0', '\r', '\n'};
inline constexpr std::size_t kRecordHead = 9;  ///< Opcode and length.
/// Channel, sequence and two times, before the data.
inline constexpr std::size_t kMessageHead = 22;

enum class Op : std::uint8_t {
  kHeader = 0x01,
  kFooter = 0x02,
  kSchema = 0x03,
  kChannel = 0x04,
  kMessage = 0x05,
  kChunk = 0x06,
  kMessageIndex = 0x07,
  kChunkIndex = 0x08,
  kAttachment = 0x09,
  kAttachmentIndex = 0x0a,
  kStatistics = 0x0b,
  kMetadata = 0x0c,
  kMetadataIndex = 0x0d,
  kSummaryOffset = 0x0e,
  kDataEnd = 0x0f,
};

using TextMap = std::map<std::string, std::string>;

/// Appends records to a byte string.
class Builder {
 public:
  void u8(std::uint8_t value) { bytes_ += static_cast<char>(value); }
  void u16(std::uint16_t value) { number(value); }
  void u32(std::uint32_t value) { number(value); }
  void u64(std::uint64_t value) { number(value); }
  void text(std::string_view value);
  void map(const TextMap& values);
  void raw(const void* data, std::size_t size) {
    bytes_.append(static_cast<const char*>(data), size);
  }
  /// Starts a record; the returned mark goes to end().
  std::size_t begin(Op op);
  void end(std::size_t mark);

  const std::string& bytes() const { return bytes_; }
  std::size_t size() const { return bytes_.size(); }
  void clear() { bytes_.clear(); }

 private:
  template <class T>
  void number(T value) {
    std::byte little[sizeof value];
    store_little(little, value);
    raw(little, sizeof value);
  }
  std::string bytes_;
};

/// Reads the fields of a record's content.
class Cursor : public ByteReader {
 public:
  using ByteReader::ByteReader;
  std::string_view text() { return sized<std::uint32_t>().text(); }
  /// If a key occurs twice, the last value counts.
  TextMap map();
};

struct Record {
  Op op;
  std::size_t offset;  ///< Offset of the record within `bytes`.
  ByteView content;
  std::size_t end() const { return offset + kRecordHead + content.size; }
};
/// The record at `offset`; nothing if it does not fit into `bytes` or its opcode is 0.
std::optional<Record> record_at(ByteView bytes, std::size_t offset);

/// The fields at the start of a Message record's content.
struct MessageHead {
  std::uint16_t channel = 0;
  std::uint32_t sequence = 0;
  std::uint64_t log_time = 0;
};
std::optional<MessageHead> message_head(ByteView content);

/// The fields of a Channel record. Its schema adds nothing to the metadata.
struct ChannelFields {
  std::uint16_t id = 0;
  std::string_view topic, encoding;
  TextMap metadata;
};
/// Returns nothing if the record is malformed.
std::optional<ChannelFields> channel_fields(ByteView content);

/// The fields of a Chunk record, and its stored bytes.
struct ChunkFields {
  std::uint64_t first_time = 0, last_time = 0, decoded_size = 0;
  std::uint32_t checksum = 0;  ///< Checksum of the decoded bytes; 0 if absent.
  std::string_view codec;      ///< "" if uncompressed.
  ByteView stored;
};
/// Returns nothing if the record is too short, or if an uncompressed chunk claims two sizes.
std::optional<ChunkFields> chunk_fields(ByteView content);

/// The checksum that Metadata records may carry (docs/reference/trace-format.md, section 4).
std::string metadata_checksum(const std::string& name, const TextMap& values);

}  // namespace edgeprobe::trace::mcap
