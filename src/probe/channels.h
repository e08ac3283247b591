// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/result.h"
#include "probe/logged.h"
#include "trace/channel.h"

namespace edgeprobe::probe {

struct ChannelEntry;

/// A name of a stage, the how manieth time in one frame. Channels of one place have one name and
/// differ in shape, type or quantisation: a frame uses one of them.
struct Place {
  /// The channel it was made for, which has the stage and the name that was told.
  const ChannelEntry* first = nullptr;
  std::uint32_t index = 0;
  std::uint32_t ordinal = 1;
  std::uint32_t number = 1;  ///< Recorded as "name#number" when it is not 1.
  Place* again = nullptr;    ///< The next time.
};

/// A channel that was met before.
struct ChannelEntry {
  /// The description; what it points to lies in `memory`, the name with a NUL behind it.
  Logged logged;
  std::unique_ptr<std::int64_t[]> memory;

  /// A tensor of numbers that goes into the file as it is: see Frame::expected().
  bool is_plain = false;
  Level least = Level::kLayers;
  std::uint32_t index = 0;       ///< Of its place.
  std::uint32_t before = kNone;  ///< The place of the time before, which this frame must have used.
  trace::ChannelId id = 0;       ///< 0: left out by a pattern.
  bool has_size = false;         ///< Whether every message has `size` bytes.
  std::size_t size = 0;

  static constexpr std::uint32_t kNone = ~0u;
  mutable std::atomic<const ChannelEntry*> next{nullptr};  ///< What followed it in a frame.

  bool fits(const Logged& other) const {
    return logged.stage == other.stage && logged.dtype == other.dtype &&
           logged.position == other.position && logged.rank == other.rank &&
           logged.scale_count == other.scale_count && logged.is_embedding == other.is_embedding &&
           logged.name == other.name && same(logged.shape, other.shape, logged.rank) &&
           (logged.scale_count == 0 || has_quantization(other)) &&
           logged.layer_type == other.layer_type && logged.trait_count == other.trait_count &&
           same(logged.traits, other.traits, logged.trait_count) &&
           (logged.encoding == other.encoding || has_encoding(other));
  }

 private:
  // Shapes are short.
  static bool same(const std::int64_t* a, const std::int64_t* b, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i)
      if (a[i] != b[i]) return false;
    return true;
  }
  bool has_quantization(const Logged& other) const;
  bool has_encoding(const Logged& other) const;
};

/// Which places a frame has used.
class Marks {
 public:
  bool has(std::uint32_t index) const {
    return index < 64 ? first_ >> index & 1
                      : index / 64 < words_.size() && (words_[index / 64] >> (index % 64) & 1);
  }
  void add(std::uint32_t index) {
    if (index < 64) {
      first_ |= std::uint64_t{1} << index;
      return;
    }
    if (index / 64 >= words_.size()) words_.resize(index / 64 + std::size_t{1});
    words_[index / 64] |= std::uint64_t{1} << (index % 64);
  }
  void remove(std::uint32_t index) {
    (index < 64 ? first_ : words_[index / 64]) &= ~(std::uint64_t{1} << (index % 64));
  }
  void clear() {
    first_ = 0;
    for (std::uint64_t& word : words_) word = 0;
  }

 private:
  std::uint64_t first_ = 0;
  std::vector<std::uint64_t> words_;  ///< From the second on; the first is not used.
};

/// Finds the channel of a logged tensor. Frames log the same things in the same order, so each
/// channel remembers what followed it: nothing is hashed and nothing is locked then. Thread-safe.
class Channels {
 public:
  /// What a new channel becomes: its id, 0 when it is not recorded.
  using Add = std::function<Result<trace::ChannelId>(const trace::Channel&)>;

  /// The one that `last` was followed by in a frame before, if this frame may use it; else null.
  const ChannelEntry* after(const ChannelEntry* last, const Marks& used) const {
    const ChannelEntry* const known = (last ? last->next : first_).load(std::memory_order_acquire);
    return known && !used.has(known->index) &&
                   (known->before == ChannelEntry::kNone || used.has(known->before))
               ? known
               : nullptr;
  }
  /// `last` is the channel before in this frame (null: the first), `used` the places of this frame;
  /// the found one's is added to it. A name that comes twice in a stage and frame is recorded as
  /// "name#2", whatever its shape; where that is taken, as "name#3". Fails when the channel cannot
  /// be added.
  Result<const ChannelEntry*> find(const ChannelEntry* last, const Logged& logged, Marks& used,
                                   const Add& add);

 private:
  Result<const ChannelEntry*> look_up(const Logged& logged, const Marks& used, const Add& add);
  Result<const ChannelEntry*> insert(const Logged& logged, Place* place, Place* before,
                                     const Add& add);
  Place* first_place(const Logged& logged);
  bool is_taken(trace::Stage stage, std::string_view name) const;

  std::atomic<const ChannelEntry*> first_{nullptr};
  std::mutex mutex_;
  std::deque<ChannelEntry> known_;
  std::deque<Place> places_;
  std::unordered_multimap<std::size_t, ChannelEntry*> by_description_;
  /// By the name that is recorded; the first place also by the one that was told.
  std::unordered_multimap<std::size_t, Place*> by_name_;
};

}  // namespace edgeprobe::probe
