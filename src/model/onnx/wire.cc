// SPDX-License-Identifier: Apache-2.0
#include "model/onnx/wire.h"

#include <cstring>

#include "core/text.h"

namespace edgeprobe::model {
namespace {

constexpr std::size_t kFixedBudget = std::size_t{64} << 20;
constexpr std::size_t kBudgetPerByte = 16;
constexpr std::size_t kMostGroups = 100;  // Nesting depth; the limit of the usual parsers.

constexpr unsigned kStartGroup = 3;
constexpr unsigned kEndGroup = 4;

}  // namespace

WireReader::WireReader(ByteView file, std::string_view label)
    : file_(file), label_(sanitized(label)), budget_(kFixedBudget + kBudgetPerByte * file.size) {}

void WireReader::fail(ErrorKind kind, const Place& place, std::size_t offset,
                      const std::string& what) {
  if (failure_) return;
  const std::string field = path_of(place);
  failure_ = Error{kind, label_ + ": " + (field.empty() ? "the model" : field) + " at offset " +
                             std::to_string(offset) + " " + what};
}

bool WireReader::charge(std::size_t bytes, const Place& place) {
  if (failure_) return false;
  if (bytes <= budget_) {
    budget_ -= bytes;
    return true;
  }
  fail(ErrorKind::kLimit, place, 0,
       "is reached after over " + std::to_string(kBudgetPerByte) + " times the " +
           std::to_string(file_.size) + " bytes of the file: it has too many empty parts");
  return false;
}

std::optional<std::uint64_t> WireReader::varint(std::size_t& at, std::size_t end,
                                                const Place& place) {
  std::uint64_t value = 0;
  const std::size_t start = at;
  for (unsigned shift = 0; shift < 70; shift += 7) {
    if (at >= end) {
      fail(ErrorKind::kCorrupt, place, start, "ends inside a number");
      return std::nullopt;
    }
    const auto byte = static_cast<std::uint8_t>(file_.data[at++]);
    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  fail(ErrorKind::kCorrupt, place, start, "has a number of over 10 bytes");
  return std::nullopt;
}

std::optional<WireField> WireReader::next(std::size_t& at, std::size_t end, const Place& place) {
  WireField field;
  field.at = at;
  const auto tag = varint(at, end, place);
  if (!tag) return std::nullopt;
  field.number = static_cast<std::uint32_t>(*tag >> 3);
  if (field.number == 0 || *tag > 0xffffffffu) {
    fail(ErrorKind::kCorrupt, place, field.at,
         "has a field whose number is " + std::to_string(*tag >> 3));
    return std::nullopt;
  }
  const auto type = static_cast<unsigned>(*tag & 7);
  if (type == kStartGroup) {
    skip_group(at, end, field.number, place);
    return std::nullopt;
  }
  field.type = static_cast<WireType>(type);
  if (field.type == WireType::kVarint) {
    const auto value = varint(at, end, place);
    if (!value) return std::nullopt;
    field.value = *value;
    return field;
  }
  std::size_t size = 0;
  switch (field.type) {
    case WireType::kFixed64: size = 8; break;
    case WireType::kFixed32: size = 4; break;
    case WireType::kLength: {
      const auto length = varint(at, end, place);
      if (!length) return std::nullopt;
      if (*length > end - at) {
        fail(ErrorKind::kCorrupt, place, field.at,
             "has the field " + std::to_string(field.number) + " of " + std::to_string(*length) +
                 " bytes, where " + std::to_string(end - at) +
                 " are left: the file is cut short or damaged");
        return std::nullopt;
      }
      size = static_cast<std::size_t>(*length);
      break;
    }
    default:
      fail(ErrorKind::kCorrupt, place, field.at,
           "has a field of wire type " + std::to_string(type) + ", which does not exist");
      return std::nullopt;
  }
  if (size > end - at) {
    fail(ErrorKind::kCorrupt, place, field.at, "ends inside a number");
    return std::nullopt;
  }
  field.run = {at, size};
  if (field.type != WireType::kLength) std::memcpy(&field.value, file_.data + at, size);
  at += size;
  return field;
}

bool WireReader::skip_group(std::size_t& at, std::size_t end, std::uint32_t number,
                            const Place& place) {
  std::vector<std::uint32_t> open{number};
  while (!open.empty()) {
    const std::size_t start = at;
    const auto tag = varint(at, end, place);
    if (!tag) return false;
    const auto inner = static_cast<std::uint32_t>(*tag >> 3);
    const auto type = static_cast<unsigned>(*tag & 7);
    if (type == kStartGroup) {
      open.push_back(inner);
    } else if (type == kEndGroup && inner == open.back()) {
      open.pop_back();
    } else {
      at = start;
      if (!next(at, end, place)) return false;
    }
    if (open.size() > kMostGroups) {
      fail(ErrorKind::kLimit, place, start,
           "has over " + std::to_string(kMostGroups) + " groups inside each other");
      return false;
    }
  }
  return true;
}

}  // namespace edgeprobe::model
