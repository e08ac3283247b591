// SPDX-License-Identifier: Apache-2.0
#include "text/encode.h"

#include <algorithm>
#include <iterator>

namespace edgeprobe::text {
namespace {

using Ids = std::vector<std::int64_t>;

/// The ids of one part of a pair, truncated to `room`.
Ids cut(const Ids& ids, std::size_t room, Side side) {
  if (ids.size() <= room) return ids;
  const auto from =
      side == Side::kRight ? ids.begin() : ids.end() - static_cast<std::ptrdiff_t>(room);
  return {from, from + static_cast<std::ptrdiff_t>(room)};
}

/// The selected parts, with each token's id shifted.
Tokens chosen(const FrontEnd& front_end, const Tokens& tokens) {
  Tokens parts = tokens;
  if (parts.size() > 1 && front_end.pair == Pair::kSwapped) std::swap(parts[0], parts[1]);
  if (parts.size() > 1 && front_end.pair == Pair::kSecond) parts.erase(parts.begin());
  if (parts.size() > 1 && front_end.pair != Pair::kBoth && front_end.pair != Pair::kSwapped)
    parts.resize(1);
  for (Ids& part : parts)
    for (std::int64_t& id : part) id += front_end.shift;
  if (parts.empty()) parts.emplace_back();
  parts.front().insert(parts.front().begin(), front_end.front.begin(), front_end.front.end());
  parts.back().insert(parts.back().end(), front_end.back.begin(), front_end.back.end());
  return parts;
}

/// The longer text of a pair is truncated first: the shorter one keeps up to half of the room.
void truncate(Tokens& parts, std::size_t room, Side side) {
  if (parts.size() != 2) {
    for (Ids& part : parts) {
      part = cut(part, room, side);
      room -= part.size();
    }
    return;
  }
  Ids &a = parts[0], &b = parts[1];
  if (a.size() + b.size() <= room) return;
  Ids& shorter = a.size() <= b.size() ? a : b;
  Ids& longer = &shorter == &a ? b : a;
  const std::size_t kept = std::min(shorter.size(), room / 2);
  shorter = cut(shorter, kept, side);
  longer = cut(longer, room - kept, side);
}

struct Marked {
  Ids ids, types;
  void add(const Ids& more, std::int64_t type) {
    ids.insert(ids.end(), more.begin(), more.end());
    types.insert(types.end(), more.size(), type);
  }
};

Ids times(const std::optional<std::int64_t>& id, int count) {
  return id ? Ids(static_cast<std::size_t>(std::max(0, count)), *id) : Ids();
}

/// Joins ids and their types: `first`, then each part followed by `last`.
Marked joined(const Special& special, const Tokens& parts) {
  Marked out;
  out.add(times(special.first, special.firsts), 0);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto type = static_cast<std::int64_t>(std::min<std::size_t>(i, 1));
    if (i > 0 && special.between > 1) out.add(times(special.last, special.between - 1), type - 1);
    out.add(parts[i], type);
    const bool is_last = i + 1 == parts.size();
    out.add(times(special.last, is_last ? special.lasts : std::min(1, special.between)), type);
  }
  return out;
}

std::size_t specials(const Special& special, std::size_t parts) {
  return joined(special, Tokens(parts)).ids.size();
}

Ids positions_of(const Positions& how, const std::vector<bool>& real) {
  Ids out;
  std::int64_t tokens = 0;
  for (std::size_t i = 0; i < real.size(); ++i) {
    if (!how.padding) out.push_back(how.first + static_cast<std::int64_t>(i));
    else out.push_back(real[i] ? how.first + tokens : *how.padding);
    tokens += real[i];
  }
  return out;
}

Ids mask_of(Mask mask, const std::vector<bool>& real) {
  Ids out;
  if (mask == Mask::kOtherSide) return {real.rbegin(), real.rend()};
  for (const bool token : real)
    out.push_back(mask == Mask::kOnes       ? 1
                  : mask == Mask::kZeros    ? 0
                  : mask == Mask::kInverted ? !token
                                            : token);
  return out;
}

/// Read as 32-bit numbers, a 64-bit id becomes its value followed by 0 (or -1).
Ids read_as_pairs(const Ids& ids) {
  Ids out;
  for (std::size_t i = 0; i < ids.size(); ++i)
    out.push_back(i % 2 == 0 ? ids[i / 2] : ids[i / 2] < 0 ? -1 : 0);
  return out;
}

}  // namespace

Encoding encode(const FrontEnd& front_end, const Tokens& tokens) {
  Tokens parts = chosen(front_end, tokens);
  const auto& limit = front_end.truncate;
  if (limit && !limit->cuts_special) {
    const std::size_t taken = specials(front_end.special, parts.size());
    const auto length = static_cast<std::size_t>(std::max<std::int64_t>(0, limit->length));
    truncate(parts, length - std::min(length, taken), limit->side);
  }
  Marked all = joined(front_end.special, parts);
  if (limit) {
    const auto length = static_cast<std::size_t>(std::max<std::int64_t>(0, limit->length));
    all.ids = cut(all.ids, length, limit->side);
    all.types = cut(all.types, length, limit->side);
  }
  std::vector<bool> real(all.ids.size(), true);
  if (front_end.pad && front_end.pad->length > static_cast<std::int64_t>(all.ids.size())) {
    const Pad& pad = *front_end.pad;
    const std::size_t missing = static_cast<std::size_t>(pad.length) - all.ids.size();
    const auto put = [&](auto& list, auto value) {
      list.insert(pad.side == Side::kLeft ? list.begin() : list.end(), missing, value);
    };
    put(all.ids, pad.id);
    put(all.types, std::int64_t{0});
    put(real, false);
  }
  Encoding out;
  out.ids = front_end.memory == Memory::kPairs ? read_as_pairs(all.ids) : std::move(all.ids);
  if (front_end.mask) out.mask = mask_of(*front_end.mask, real);
  if (front_end.types)
    out.types =
        front_end.types->value ? Ids(real.size(), *front_end.types->value) : std::move(all.types);
  if (front_end.positions) out.positions = positions_of(*front_end.positions, real);
  return out;
}

const std::vector<std::int64_t>& values_of(const Encoding& encoding, Role role) {
  switch (role) {
    case Role::kIds: return encoding.ids;
    case Role::kMask: return encoding.mask;
    case Role::kTypes: return encoding.types;
    case Role::kPositions: break;
  }
  return encoding.positions;
}

}  // namespace edgeprobe::text
