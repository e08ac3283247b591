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
#include "probe/level.h"
#include "probe/logged.h"
#include "trace/channel.h"

namespace edgeprobe::probe {

/// A channel that was met before.
struct Known {
  /// The description; what it points to lies in `memory`, the name with a NUL behind it.
  Logged logged;
  std::unique_ptr<std::int64_t[]> memory;

  bool is_plain = false;  ///< A tensor of numbers that goes into the file as it is: see Frame::expected().
  Level least = Level::kLayers;
  std::uint32_t index = 0;
  trace::ChannelId id = 0;  ///< 0: left out by a pattern.
  bool has_size = false;    ///< Whether every message has `size` bytes.
  std::size_t size = 0;

  std::uint32_t ordinal = 1;                        ///< The how manieth tensor of this description in one frame.
  const Known* before = nullptr;                    ///< The same with one ordinal less.
  std::atomic<Known*> again{nullptr};               ///< The same with one more.
  mutable std::atomic<const Known*> next{nullptr};  ///< What followed it in a frame.

  bool fits(const Logged& other) const {
    return logged.stage == other.stage && logged.dtype == other.dtype && logged.position == other.position && logged.rank == other.rank &&
           logged.scale_count == other.scale_count && logged.is_embedding == other.is_embedding && logged.name == other.name &&
           same(logged.shape, other.shape, logged.rank) && (logged.scale_count == 0 || has_quantization(other)) &&
           logged.layer_type == other.layer_type && logged.trait_count == other.trait_count && same(logged.traits, other.traits, logged.trait_count) &&
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

/// Which channels a frame has used.
class Marks {
 public:
  bool has(std::uint32_t index) const { return index < 64 ? first_ >> index & 1 : index / 64 < words_.size() && (words_[index / 64] >> (index % 64) & 1); }
  void add(std::uint32_t index) {
    if (index < 64) {
      first_ |= std::uint64_t{1} << index;
      return;
    }
    if (index / 64 >= words_.size()) words_.resize(index / 64 + std::size_t{1});
    words_[index / 64] |= std::uint64_t{1} << (index % 64);
  }
  void remove(std::uint32_t index) { (index < 64 ? first_ : words_[index / 64]) &= ~(std::uint64_t{1} << (index % 64)); }
  void clear() {
    first_ = 0;
    for (std::uint64_t& word : words_) word = 0;
  }

 private:
  std::uint64_t first_ = 0;
  std::vector<std::uint64_t> words_;  ///< From the second on; the first is not used.
};

/// Finds the channel of a logged tensor. Frames log the same things in the same order, so each channel remembers
/// what followed it: nothing is hashed and nothing is locked then. Thread-safe.
class Channels {
 public:
  /// What a new channel becomes: its id, 0 when it is not recorded.
  using Add = std::function<Result<trace::ChannelId>(const trace::Channel&)>;

  /// The one that `last` was followed by in a frame before, if this frame may use it; else null.
  const Known* after(const Known* last, const Marks& used) const {
    const Known* const known = (last ? last->next : first_).load(std::memory_order_acquire);
    return known && !used.has(known->index) && (!known->before || used.has(known->before->index)) ? known : nullptr;
  }
  /// `last` is the channel before in this frame (null: the first), `used` those of this frame; the found one is added to it.
  /// A description that comes twice in a frame is a channel of its own, "name#2". Fails when it cannot be added.
  Result<const Known*> find(const Known* last, const Logged& logged, Marks& used, const Add& add);

 private:
  Result<const Known*> look_up(const Logged& logged, const Marks& used, const Add& add);
  Result<Known*> insert(const Logged& logged, Known* before, const Add& add);

  std::atomic<const Known*> first_{nullptr};
  std::mutex mutex_;
  std::deque<Known> known_;
  std::unordered_multimap<std::size_t, Known*> by_hash_;
};

}  // namespace edgeprobe::probe
