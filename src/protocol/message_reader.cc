// SPDX-License-Identifier: Apache-2.0
#include "protocol/message_reader.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "core/huge_pages.h"

namespace edgeprobe::protocol {
namespace {

/// Memory is zeroed piece by piece, so that each piece is still in the cache when it is filled.
constexpr std::size_t kFirstPiece = std::size_t{64} << 10, kLongestPiece = std::size_t{1} << 20;
/// Reserved at once for a claimed length; uses no physical memory before bytes arrive.
constexpr std::size_t kMostReserved = std::size_t{128} << 20;
/// Memory kept for later payloads: about as many as our client has in flight.
constexpr std::size_t kMostSpares = 8, kLongestSpare = std::size_t{4} << 20;
/// Types that may have open parts at the same time: LOGS may arrive between the parts of an OUTPUT.
constexpr std::size_t kMostOpen = 4;
/// Read at once when a header is expected: a few short messages. Up to this many bytes of a long
/// payload are copied.
constexpr std::size_t kAhead = std::size_t{32} << 10;

std::string type_text(const Header& header) {
  return header.type == Type::kUnknown ? "type " + std::to_string(header.number)
                                       : std::string(name(header.type));
}

}  // namespace

MessageReader::MessageReader(Generation generation, std::uint64_t longest, Place place)
    : generation_(generation), longest_(longest), place_(std::move(place)) {}

Space MessageReader::space() {
  if (in_payload_) {
    const std::size_t left = part_.payload - read_;
    if (placed_) return {placed_ + read_, left};
    const std::size_t at = before_ + read_;
    if (payload_.size() <= at)
      payload_.resize(at + std::min(left, std::clamp(at, kFirstPiece, kLongestPiece)));
    return {payload_.data() + at, std::min(left, payload_.size() - at)};
  }
  if (memory_.empty()) memory_.resize(kAhead);
  // The bytes read ahead are fewer than a header: moves them to the beginning.
  if (!ahead_.empty()) std::memmove(memory_.data(), ahead_.data, ahead_.size);
  ahead_ = {memory_.data(), ahead_.size};
  return {memory_.data() + ahead_.size, memory_.size() - ahead_.size};
}

void MessageReader::advance(std::size_t size) {
  if (in_payload_) read_ += size;
  else ahead_.size += size;
}

void MessageReader::take_ahead() {
  const std::size_t size = std::min<std::size_t>(ahead_.size, part_.payload - read_);
  if (size == 0) return;
  const std::size_t at = before_ + read_;
  if (!placed_ && payload_.size() < at + size) payload_.resize(at + size);
  std::memcpy((placed_ ? placed_ : payload_.data()) + at, ahead_.data, size);
  read_ += size;
  ahead_ = ahead_.sub(size, ahead_.size - size);
}

Result<std::optional<Message>> MessageReader::next() {
  const std::size_t header = header_bytes(generation_);
  while (in_payload_ || ahead_.size >= header) {
    if (!in_payload_) {
      EP_CHECK(begin_part(ahead_.sub(0, header)));
      ahead_ = ahead_.sub(header, ahead_.size - header);
      take_ahead();
    }
    if (read_ < part_.payload) break;
    auto message = end_part();
    if (!message || *message) return message;
  }
  return std::optional<Message>();
}

Result<std::vector<Message>> MessageReader::push(ByteView bytes) {
  std::vector<Message> messages;
  while (true) {
    EP_TRY(auto message, next());
    if (message) {
      messages.push_back(*std::move(message));
      continue;
    }
    if (bytes.empty()) return messages;
    const Space free = space();
    const std::size_t size = std::min(free.size, bytes.size);
    std::memcpy(free.at, bytes.data, size);
    bytes = bytes.sub(size, bytes.size - size);
    advance(size);
  }
}

Message* MessageReader::open_message() {
  for (Message& message : open_)
    if (message.header.number == part_.number && message.header.flow == part_.flow) return &message;
  return nullptr;
}

Status MessageReader::begin_part(ByteView bytes) {
  EP_TRY(part_, read_header(bytes, generation_));
  Message* const before = open_message();
  const std::uint64_t together = part_.payload + (before ? before->payload.size() : 0);
  if (together > longest_)
    return Error{ErrorKind::kLimit, type_text(part_) + " of " + std::to_string(together) +
                                        " bytes is longer than the limit of " +
                                        std::to_string(longest_)};
  if (part_.has(flag::kFirst) && before)
    return Error{ErrorKind::kCorrupt,
                 type_text(part_) + " begins again before its last part has come"};
  if (!part_.has(flag::kFirst) && !before)
    return Error{ErrorKind::kCorrupt, "a part of " + type_text(part_) + " has no first part"};
  if (!part_.has(flag::kLast) && !before && open_.size() >= kMostOpen)
    return Error{ErrorKind::kCorrupt,
                 "parts of more than " + std::to_string(kMostOpen) + " messages are mixed"};
  in_payload_ = true;
  read_ = before_ = 0;
  payload_ = {};
  const bool whole = part_.has(flag::kFirst) && part_.has(flag::kLast);
  placed_ = place_ && whole && part_.payload > 0 ? place_(part_) : nullptr;
  if (before) go_on(*before);
  else if (!placed_) make_room();
  return {};
}

void MessageReader::reuse(Bytes payload) {
  if (payload.capacity() > kLongestSpare) return;
  const std::lock_guard lock(spares_->mutex);
  if (spares_->bytes.size() < kMostSpares) spares_->bytes.push_back(std::move(payload));
}

/// The part is read to its place after the earlier ones. The total length of a message in parts is
/// not announced, so its memory grows by doubling.
void MessageReader::go_on(Message& message) {
  payload_ = std::move(message.payload);
  before_ = payload_.size();
  const std::size_t more = std::min<std::size_t>(part_.payload, kMostReserved);
  if (before_ + more <= payload_.capacity()) return;
  Bytes longer;
  longer.reserve(2 * before_ + more);
  ask_for_huge_pages(longer);
  longer.insert(longer.end(), payload_.begin(), payload_.end());
  payload_ = std::move(longer);
}

void MessageReader::make_room() {
  {
    const std::lock_guard lock(spares_->mutex);
    if (!spares_->bytes.empty()) {
      payload_ = std::move(spares_->bytes.back());
      spares_->bytes.pop_back();
    }
  }
  if (payload_.capacity() >= part_.payload) return;
  payload_ = {};
  payload_.reserve(std::min<std::size_t>(part_.payload, kMostReserved));
  ask_for_huge_pages(payload_);
}

Result<std::optional<Message>> MessageReader::end_part() {
  in_payload_ = false;
  read_ = 0;
  if (!placed_) payload_.resize(before_ + part_.payload);
  const ByteView bytes =
      placed_ ? ByteView(placed_, part_.payload) : ByteView(payload_).sub(before_, part_.payload);
  const bool checksum_right =
      part_.checksum == 0 || checksum_of(part_, bytes, generation_) == part_.checksum;
  const bool last = part_.has(flag::kLast);
  Message* const before = open_message();
  if (before) {
    before->payload = std::exchange(payload_, {});
    before->header.payload = static_cast<std::uint32_t>(before->payload.size());
    before->header.flags |= part_.flags;
    before->checksum_right &= checksum_right;
    if (!last) return std::optional<Message>();
    Message whole = std::move(*before);
    open_.erase(open_.begin() + (before - open_.data()));
    return std::optional(std::move(whole));
  }
  Message message;
  message.header = part_;
  message.placed = std::exchange(placed_, nullptr);
  message.payload = std::exchange(payload_, {});
  message.checksum_right = checksum_right;
  if (last) return std::optional(std::move(message));
  open_.push_back(std::move(message));
  return std::optional<Message>();
}

}  // namespace edgeprobe::protocol
