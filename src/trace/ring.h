#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "core/bytes.h"
#include "core/result.h"
#include "trace/channel.h"

namespace edgeprobe::trace {

/// A bounded queue of finished records, contiguous, so that a slice of it is the body of a chunk.
/// Producers reserve under one lock of theirs, fill without it, and commit; one consumer takes the
/// longest committed run from the front.
class Ring {
 public:
  struct Slot {
    std::uint64_t offset = 0, length = 0, time_ns = 0;
    std::uint32_t frame = 0;
    ChannelId channel = 0;
    std::atomic<bool> ready{false};
  };

  /// `bytes` is rounded up to a power of two, at least 4 KiB. Fails with kLimit when there is no memory.
  static Result<std::unique_ptr<Ring>> create(std::size_t bytes);
  ~Ring();
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  std::size_t capacity() const { return mask_ + 1; }

  // Producers. reserve() only under the lock that all producers share.
  bool fits(std::size_t length) const;
  Slot* reserve(std::size_t length, ChannelId channel, std::uint32_t frame, std::uint64_t time_ns);
  void put(std::uint64_t offset, const std::byte* data, std::size_t size);
  void commit(Slot* slot) { slot->ready.store(true, std::memory_order_release); }
  /// Reserved and not yet released; exact under the producers' lock, else a good guess.
  std::uint64_t pending_bytes(std::uint64_t end) const { return end - tail_.load(std::memory_order_relaxed); }
  /// How much was reserved so far, and how much of it the consumer has released.
  std::uint64_t reserved_until() const { return head_; }
  std::uint64_t released_until() const { return tail_.load(std::memory_order_acquire); }
  bool is_empty() const { return tail_.load(std::memory_order_acquire) == head_; }
  bool slots_half_full() const;

  // The consumer.
  struct Run {
    std::size_t slots = 0;
    std::uint64_t bytes = 0;
    ByteView parts[2];  ///< The second one holds what went round the end.
  };
  /// The longest committed run that ends with the record that reaches `enough` bytes.
  Run ready_run(std::uint64_t enough) const;
  const Slot& slot(std::size_t index_in_run) const;
  void release(const Run& run);

 private:
  Ring(std::byte* memory, std::size_t bytes, std::size_t slots);
  std::byte* memory_;
  std::uint64_t mask_;
  std::unique_ptr<Slot[]> slots_;
  std::uint64_t slot_mask_;
  // Producers' end, under their lock.
  std::uint64_t head_ = 0, slot_head_ = 0;
  // Consumer's end, on a cache line of its own.
  alignas(64) std::atomic<std::uint64_t> tail_{0};
  std::atomic<std::uint64_t> slot_tail_{0};
};

}  // namespace edgeprobe::trace
