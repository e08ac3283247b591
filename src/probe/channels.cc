#include "probe/channels.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "trace/channel_text.h"

namespace edgeprobe::probe {
namespace {

// More cannot be in one file; those left out by patterns count too, so that memory has an end.
constexpr std::size_t kMostKnown = 100'000;

std::size_t hash_of(const Logged& logged) {
  std::size_t hash = std::hash<std::string_view>()(logged.name);
  const auto mix = [&](std::uint64_t value) { hash = (hash ^ static_cast<std::size_t>(value)) * 0x9e3779b97f4a7c15u; };
  mix(static_cast<std::uint64_t>(logged.stage) << 8 | static_cast<std::uint64_t>(logged.dtype));
  for (std::uint32_t i = 0; i < logged.rank; ++i) mix(static_cast<std::uint64_t>(logged.shape[i]));
  for (std::uint32_t i = 0; i < logged.trait_count; ++i) mix(static_cast<std::uint64_t>(logged.traits[i]));
  return hash;
}

trace::Channel channel_of(const Logged& logged, std::uint32_t ordinal) {
  trace::Channel channel;
  channel.stage = logged.stage;
  channel.spec.name = logged.name;
  if (ordinal > 1) channel.spec.name += "#" + std::to_string(ordinal);
  channel.spec.dtype = logged.dtype;
  channel.spec.shape.assign(logged.shape, logged.shape + logged.rank);
  Quantization& q = channel.spec.quantization;
  q.scale.assign(logged.scale, logged.scale + logged.scale_count);
  if (logged.zero_point) q.zero_point.assign(logged.zero_point, logged.zero_point + logged.scale_count);
  q.axis = logged.scale_count > 1 ? logged.axis : 0;
  channel.position = logged.position;
  channel.layer_type = logged.layer_type;
  if (logged.encoding) channel.encoding = logged.encoding;
  if (logged.is_embedding) channel.extra["embedding"] = "true";
  if (logged.describe) logged.describe(logged.traits, channel);
  return channel;
}

// The same description in one piece of memory, so that few cache lines are read to know it again.
void own(const Logged& logged, Known& known) {
  const std::size_t numbers = logged.rank + logged.trait_count + (logged.zero_point ? logged.scale_count : 0);
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

bool Known::has_quantization(const Logged& other) const {
  const std::uint32_t count = logged.scale_count;
  // Bits, not numbers: a scale that is NaN is the same as itself.
  if ((count > 1 && logged.axis != other.axis) || std::memcmp(logged.scale, other.scale, count * sizeof(float)) != 0) return false;
  if (!logged.zero_point || !other.zero_point) return logged.zero_point == other.zero_point;
  return same(logged.zero_point, other.zero_point, count);
}

bool Known::has_encoding(const Logged& other) const {
  return logged.encoding && other.encoding && std::strcmp(logged.encoding, other.encoding) == 0;
}

Result<const Known*> Channels::find(const Known* last, const Logged& logged, Marks& used, const Add& add) {
  const auto found = look_up(logged, used, add);
  if (!found) return found;
  (last ? last->next : first_).store(*found, std::memory_order_release);
  used.add((*found)->index);
  return found;
}

Result<const Known*> Channels::look_up(const Logged& logged, const Marks& used, const Add& add) {
  const std::lock_guard lock(mutex_);
  const auto [begin, end] = by_hash_.equal_range(hash_of(logged));
  for (auto at = begin; at != end; ++at) {
    if (!at->second->fits(logged)) continue;
    Known* known = at->second;
    while (used.has(known->index)) {
      Known* const again = known->again.load(std::memory_order_relaxed);
      if (!again) {
        const auto made = insert(logged, known, add);
        if (!made) return made.error();
        return *made;
      }
      known = again;
    }
    return known;
  }
  const auto made = insert(logged, nullptr, add);
  if (!made) return made.error();
  return *made;
}

Result<Known*> Channels::insert(const Logged& logged, Known* before, const Add& add) {
  if (known_.size() >= kMostKnown)
    return Error{Fault::kLimit, "over " + std::to_string(kMostKnown) + " tensors of different name, shape or quantisation were logged"};
  const trace::Channel channel = channel_of(logged, before ? before->ordinal + 1 : 1);
  const auto id = add(channel);
  if (!id) return id.error();
  Known& known = known_.emplace_back();
  const auto size = trace::message_size(channel);
  known.has_size = size.has_value();
  known.size = size.value_or(0);
  own(logged, known);
  known.is_plain = *id && size && logged.told_stage >= 0;
  known.least = least_level(logged.stage, logged.is_embedding);
  known.index = static_cast<std::uint32_t>(known_.size() - 1);
  known.id = *id;
  if (before) {
    known.ordinal = before->ordinal + 1;
    known.before = before;
    before->again.store(&known, std::memory_order_relaxed);
  } else {
    by_hash_.emplace(hash_of(logged), &known);
  }
  return &known;
}

}  // namespace edgeprobe::probe
