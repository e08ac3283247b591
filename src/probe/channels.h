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

/// The n-th use of a name of a stage in one frame. Channels of one place share the name and differ
/// in shape, type or quantisation: a frame uses one of them.
struct Place {
  /// The channel it was created for, with the stage and the name that the app gave.
  const ChannelEntry* first = nullptr;
  std::uint32_t index = 0;
  std::uint32_t ordinal = 1;
  std::uint32_t number = 1;  ///< Recorded as "name#number" when it is not 1.
  Place* again = nullptr;    ///< The next use of the name in one frame.
};

/// A known channel.
struct ChannelEntry {
  /// The description; its pointers point into `memory`, the name ends with a NUL.
  Logged logged;
  std::unique_ptr<std::int64_t[]> memory;

  /// A numeric tensor that is written to the file unchanged; see Frame::expected().
  bool is_plain = false;
  Level least = Level::kLayers;
  std::uint32_t index = 0;  ///< Index of its place.
  /// The place of the previous use, which this frame must have used.
  std::uint32_t before = kNone;
  trace::ChannelId id = 0;  ///< 0: excluded by a pattern.
  bool has_size = false;    ///< True if every message has `size` bytes.
  std::size_t size = 0;

  static constexpr std::uint32_t kNone = ~0u;
  /// The channel that followed it in an earlier frame.
  mutable std::atomic<const ChannelEntry*> next{nullptr};

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
  // A loop is fast enough: shapes are short.
  static bool same(const std::int64_t* a, const std::int64_t* b, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i)
      if (a[i] != b[i]) return false;
    return true;
  }
  bool has_quantization(const Logged& other) const;
  bool has_encoding(const Logged& other) const;
};

/// The places that a frame has used.
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
  std::vector<std::uint64_t> words_;  ///< From the second word on; the first is unused.
};

/// Finds the channel of a logged tensor. Frames log the same tensors in the same order, so each
/// channel remembers its successor: that path neither hashes nor locks. Thread-safe.
class Channels {
 public:
  /// Registers a new channel; returns its id, 0 if it is not recorded.
  using Add = std::function<Result<trace::ChannelId>(const trace::Channel&)>;

  /// The channel that followed `last` in an earlier frame if this frame may use it; else null.
  const ChannelEntry* after(const ChannelEntry* last, const Marks& used) const {
    const ChannelEntry* const known = (last ? last->next : first_).load(std::memory_order_acquire);
    return known && !used.has(known->index) &&
                   (known->before == ChannelEntry::kNone || used.has(known->before))
               ? known
               : nullptr;
  }
  /// `last` is the previous channel of this frame (null: none yet), `used` the places of this
  /// frame; the result's place is added to it. A name that occurs twice in a stage and frame is
  /// recorded as "name#2", whatever its shape; if that is taken, as "name#3". Fails if the channel
  /// cannot be added.
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
  /// By recorded name; the first place also by the app's name.
  std::unordered_multimap<std::size_t, Place*> by_name_;
};

}  // namespace edgeprobe::probe
