// SPDX-License-Identifier: Apache-2.0
#include "model/tflite/flatbuffer.h"

#include "core/text.h"

namespace edgeprobe::model {
namespace {

constexpr std::size_t kFixedBudget = std::size_t{1} << 20;
constexpr std::size_t kBudgetPerByte = 16;
constexpr std::size_t kTableCost = 32;

Place inner(const Table& outer, Field field) { return {&outer.place, field.name, -1}; }

}  // namespace

FlatReader::FlatReader(ByteView file, std::string_view label)
    : file_(file), label_(sanitized(label)), budget_(kFixedBudget + kBudgetPerByte * file.size) {}

void FlatReader::fail(ErrorKind kind, const Place& place, std::size_t offset,
                      const std::string& what) {
  if (failure_) return;
  const std::string field = path_of(place);
  failure_ = Error{kind, label_ + ": " + (field.empty() ? "root table" : field) + " at offset " +
                             std::to_string(offset) + " " + what};
}

bool FlatReader::charge(std::size_t bytes, const Place& place) {
  if (failure_) return false;
  if (bytes <= budget_) {
    budget_ -= bytes;
    return true;
  }
  fail(ErrorKind::kLimit, place, 0,
       "is reached after reading over " + std::to_string(kBudgetPerByte) + " times the " +
           std::to_string(file_.size) +
           " bytes of the file: its tables share their contents too often");
  return false;
}

Table FlatReader::root() {
  if (failure_) return {};
  const Place place;
  if (!inside(0, 8)) {
    fail(ErrorKind::kCorrupt, place, 0,
         "needs at least 8 bytes, the file has " + std::to_string(file_.size));
    return {};
  }
  return open(follow(0, place), place);
}

// References are unsigned offsets from their own position: they only point forwards, so no chain of
// them can form a cycle.
std::size_t FlatReader::follow(std::size_t from, const Place& place) {
  if (failure_) return 0;
  const std::size_t distance = load<std::uint32_t>(from);
  if (distance == 0) {
    fail(ErrorKind::kCorrupt, place, from, "refers to itself");
    return 0;
  }
  if (!inside(from, distance) || !inside(from + distance, 4)) {
    fail(ErrorKind::kCorrupt, place, from,
         "refers to offset " + std::to_string(from + distance) + ", past the end of the file (" +
             std::to_string(file_.size) + " bytes)");
    return 0;
  }
  return from + distance;
}

Table FlatReader::open(std::size_t at, const Place& place) {
  if (failure_ || at == 0 || !charge(kTableCost, place)) return {};
  const std::int64_t vtable = static_cast<std::int64_t>(at) - load<std::int32_t>(at);
  if (vtable < 0 || !inside(static_cast<std::size_t>(vtable), 4)) {
    fail(ErrorKind::kCorrupt, place, at,
         "has its vtable at offset " + std::to_string(vtable) + ", outside of the file");
    return {};
  }
  const auto start = static_cast<std::size_t>(vtable);
  const std::size_t size = load<std::uint16_t>(start);
  if (size < 4 || size % 2 != 0 || !inside(start, size)) {
    fail(ErrorKind::kCorrupt, place, start,
         "has a vtable of " + std::to_string(size) +
             " bytes, expected an even number from 4 to what is left of the file");
    return {};
  }
  return {at, start, size, place};
}

std::size_t FlatReader::slot(const Table& table, Field field, std::size_t size) {
  const std::size_t entry = 4 + 2 * static_cast<std::size_t>(field.id);
  if (failure_ || !table || entry + 2 > table.vtable_size) return 0;
  const std::size_t offset = load<std::uint16_t>(table.vtable + entry);
  if (offset == 0) return 0;
  if (offset < 4 || !inside(table.at + offset, size)) {
    fail(ErrorKind::kCorrupt, inner(table, field), table.at,
         "is " + std::to_string(offset) +
             " bytes into its table, outside of the file or on the table's head");
    return 0;
  }
  return table.at + offset;
}

Table FlatReader::table(const Table& outer, Field field) {
  const std::size_t at = slot(outer, field, 4);
  return at ? open(follow(at, inner(outer, field)), inner(outer, field)) : Table{};
}

Table FlatReader::table_at(const Vector& tables, std::size_t index) {
  const Place place{tables.place.outer, tables.place.field, static_cast<std::int64_t>(index)};
  return open(follow(tables.at + 4 * index, place), place);
}

Vector FlatReader::vector(const Table& outer, Field field, std::size_t element_size) {
  const Place place = inner(outer, field);
  const std::size_t reference = slot(outer, field, 4);
  const std::size_t at = reference ? follow(reference, place) : 0;
  if (at == 0) return {0, 0, place};
  const std::size_t count = load<std::uint32_t>(at);
  if (count > (file_.size - at - 4) / element_size) {
    fail(ErrorKind::kCorrupt, place, at,
         "claims " + std::to_string(count) + " elements of " + std::to_string(element_size) +
             " bytes, only " + std::to_string(file_.size - at - 4) + " bytes are left in the file");
    return {0, 0, place};
  }
  return {at + 4, count, place};
}

std::string FlatReader::string(const Table& outer, Field field) {
  const Vector found = vector(outer, field, 1);
  if (!found || !charge(found.count, found.place)) return "";
  return std::string(file_.sub(found.at, found.count).text());
}

}  // namespace edgeprobe::model
