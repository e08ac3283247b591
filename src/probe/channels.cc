// SPDX-License-Identifier: Apache-2.0
#include "probe/channels.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "trace/channel_text.h"

namespace edgeprobe::probe {
namespace {

// A file cannot contain more channels. Those excluded by patterns count too, which bounds memory.
constexpr std::size_t kMostKnown = 100'000;

std::size_t mixed(std::size_t hash, std::uint64_t value) {
  return (hash ^ static_cast<std::size_t>(value)) * 0x9e3779b97f4a7c15u;
}

std::size_t hash_of(trace::Stage stage, std::string_view name) {
  return mixed(std::hash<std::string_view>()(name), static_cast<std::uint64_t>(stage));
}

std::size_t hash_of(const Logged& logged, std::uint32_t place) {
  std::size_t hash = mixed(place, static_cast<std::uint64_t>(logged.dtype));
  for (std::uint32_t i = 0; i < logged.rank; ++i)
    hash = mixed(hash, static_cast<std::uint64_t>(logged.shape[i]));
  for (std::uint32_t i = 0; i < logged.trait_count; ++i)
    hash = mixed(hash, static_cast<std::uint64_t>(logged.traits[i]));
  return hash;
}

std::string numbered(std::string_view name, std::uint32_t number) {
  std::string text(name);
  if (number > 1) text += "#" + std::to_string(number);
  return text;
}

trace::Channel channel_of(const Logged& logged, std::string name) {
  trace::Channel channel;
  channel.stage = logged.stage;
  channel.spec.name = std::move(name);
  channel.spec.dtype = logged.dtype;
  channel.spec.shape.assign(logged.shape, logged.shape + logged.rank);
  Quantization& q = channel.spec.quantization;
  q.scale.assign(logged.scale, logged.scale + logged.scale_count);
  if (logged.zero_point)
    q.zero_point.assign(logged.zero_point, logged.zero_point + logged.scale_count);
  q.axis = logged.scale_count > 1 ? logged.axis : 0;
  channel.position = logged.position;
  channel.layer_type = logged.layer_type;
  if (logged.encoding) channel.encoding = logged.encoding;
  if (logged.is_embedding) channel.extra["embedding"] = "true";
  if (logged.describe) logged.describe(logged.traits, channel);
  return channel;
}

// Copies the description into one block of memory, so that comparing it reads few cache lines.
void own(const Logged& logged, ChannelEntry& known) {
  const std::size_t numbers =
      logged.rank + logged.trait_count + (logged.zero_point ? logged.scale_count : 0);
  const std::size_t scale_bytes = logged.scale_count * sizeof(float);
  const std::size_t bytes = scale_bytes + logged.name.size() + 1 + logged.layer_type.size();
  known.memory.reset(new std::int64_t[numbers + (bytes + 7) / 8]);
  known.logged = logged;
  std::int64_t* number = known.memory.get();
  const auto keep = [&](const std::int64_t*& list, std::size_t count) {
    const std::int64_t* const from = std::exchange(list, number);
    number = std::copy(from, from + count, number);
  };
  keep(known.logged.shape, logged.rank);
  keep(known.logged.traits, logged.trait_count);
  if (logged.zero_point) keep(known.logged.zero_point, logged.scale_count);
  float* const scale = reinterpret_cast<float*>(number);
  std::copy(logged.scale, logged.scale + logged.scale_count, scale);
  known.logged.scale = scale;
  char* text = reinterpret_cast<char*>(number) + scale_bytes;
  known.logged.name = {text, logged.name.size()};
  text = std::copy(logged.name.begin(), logged.name.end(), text);
  *text++ = '\0';
  known.logged.layer_type = {text, logged.layer_type.size()};
  std::copy(logged.layer_type.begin(), logged.layer_type.end(), text);
}

}  // namespace

bool ChannelEntry::has_quantization(const Logged& other) const {
  const std::uint32_t count = logged.scale_count;
  // Compares bits, not numbers: a NaN scale equals itself.
  if ((count > 1 && logged.axis != other.axis) ||
      std::memcmp(logged.scale, other.scale, count * sizeof(float)) != 0)
    return false;
  if (!logged.zero_point || !other.zero_point) return logged.zero_point == other.zero_point;
  return same(logged.zero_point, other.zero_point, count);
}

bool ChannelEntry::has_encoding(const Logged& other) const {
  return logged.encoding && other.encoding && std::strcmp(logged.encoding, other.encoding) == 0;
}

Result<const ChannelEntry*> Channels::find(const ChannelEntry* last, const Logged& logged,
                                           Marks& used, const Add& add) {
  const auto found = look_up(logged, used, add);
  if (!found) return found;
  (last ? last->next : first_).store(*found, std::memory_order_release);
  used.add((*found)->index);
  return found;
}

Result<const ChannelEntry*> Channels::look_up(const Logged& logged, const Marks& used,
                                              const Add& add) {
  const std::lock_guard lock(mutex_);
  Place *place = first_place(logged), *before = nullptr;
  for (; place && used.has(place->index); place = place->again) before = place;
  if (place) {
    const auto [begin, end] = by_description_.equal_range(hash_of(logged, place->index));
    for (auto at = begin; at != end; ++at)
      if (at->second->index == place->index && at->second->fits(logged)) return at->second;
  }
  return insert(logged, place, before, add);
}

Place* Channels::first_place(const Logged& logged) {
  const auto [begin, end] = by_name_.equal_range(hash_of(logged.stage, logged.name));
  for (auto at = begin; at != end; ++at) {
    const Place& place = *at->second;
    if (place.ordinal == 1 && place.first->logged.stage == logged.stage &&
        place.first->logged.name == logged.name)
      return at->second;
  }
  return nullptr;
}

bool Channels::is_taken(trace::Stage stage, std::string_view name) const {
  const auto [begin, end] = by_name_.equal_range(hash_of(stage, name));
  return std::any_of(begin, end, [&](const auto& entry) {
    const Logged& logged = entry.second->first->logged;
    return logged.stage == stage && numbered(logged.name, entry.second->number) == name;
  });
}

// Adds a channel to `place`, or to a new place that follows `before`.
Result<const ChannelEntry*> Channels::insert(const Logged& logged, Place* place, Place* before,
                                             const Add& add) {
  if (known_.size() >= kMostKnown)
    return Error{ErrorKind::kLimit,
                 "over " + std::to_string(kMostKnown) +
                     " tensors of different name, shape or quantisation were logged"};
  std::uint32_t number = place ? place->number : before ? before->number + 1 : 1;
  if (!place)
    while (is_taken(logged.stage, numbered(logged.name, number))) ++number;
  const std::string name = numbered(logged.name, number);
  const trace::Channel channel = channel_of(logged, name);
  EP_TRY(const auto id, add(channel));
  ChannelEntry& known = known_.emplace_back();
  const auto size = trace::message_size(channel);
  known.has_size = size.has_value();
  known.size = size.value_or(0);
  own(logged, known);
  known.is_plain = id && size && logged.told_stage >= 0;
  known.least = least_level(logged.stage, logged.is_embedding);
  known.id = id;
  if (!place) {
    place = &places_.emplace_back();
    *place = {&known, static_cast<std::uint32_t>(places_.size() - 1),
              before ? before->ordinal + 1 : 1, number, nullptr};
    if (before) before->again = place;
    by_name_.emplace(hash_of(logged.stage, name), place);
    if (!before && number > 1) by_name_.emplace(hash_of(logged.stage, logged.name), place);
  }
  known.index = place->index;
  if (before) known.before = before->index;
  by_description_.emplace(hash_of(logged, place->index), &known);
  return &known;
}

}  // namespace edgeprobe::probe
