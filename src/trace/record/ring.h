// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/bytes.h"
#include "core/result.h"
#include "trace/channel.h"

namespace edgeprobe::trace {

/// A bounded queue of finished records; a slice of it is the body of a chunk. Its memory consists
/// of blocks used in a circle, so it can grow at any time. Producers reserve under a shared lock,
/// fill without it, and commit; one consumer takes the longest committed run from the front.
class Ring {
 public:
  struct alignas(32) Slot {
    std::uint64_t length = 0, time_ns = 0;
    std::uint32_t frame = 0;
    ChannelId channel = 0;
    /// How many records have been committed in this slot, so it never needs clearing.
    std::atomic<std::uint32_t> lap{0};
  };
  /// Space reserved for a record.
  struct Reserved {
    Slot* slot = nullptr;
    std::uint64_t offset = 0;
    std::size_t length = 0;
    std::uint32_t lap = 0;
    std::uint64_t end() const { return offset + length; }
  };

  struct Sizes {
    /// Rounded up to 64 KiB; smaller sizes to a power of two, at least 4 KiB.
    std::size_t bytes = 0;
    std::size_t most = 0;  ///< Limit for grow(); if less than `bytes`, the ring never grows.
    /// Most records waiting at a time, rounded up to a power of two; 0: one per 512 bytes.
    std::size_t slots = 0;
  };
  /// Fails with kLimit if memory is insufficient. A child of fork() does not inherit the memory.
  static Result<std::unique_ptr<Ring>> create(const Sizes& sizes);
  ~Ring();
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  // For producers. All but put() and commit() require the lock that all producers share.
  std::size_t capacity() const { return capacity_; }
  std::size_t slots() const { return std::size_t{slot_mask_} + 1; }
  bool fits(std::size_t length) const {
    return head_ + length - tail_.load(std::memory_order_acquire) <= capacity_ &&
           slot_head_ - slot_tail_.load(std::memory_order_acquire) <= slot_mask_;
  }
  /// Adds memory until a record of `length` fits after the queued ones; false if that would exceed
  /// `limit` bytes or the available memory, or if all slots are taken.
  bool grow(std::size_t length, std::size_t limit);
  Reserved reserve(std::size_t length, ChannelId channel, std::uint32_t frame,
                   std::uint64_t time_ns) {
    const Reserved made{&slots_[slot_head_ & slot_mask_], head_, length,
                        static_cast<std::uint32_t>(slot_head_ >> slot_shift_) + 1};
    ++slot_head_;
    made.slot->length = length;
    made.slot->time_ns = time_ns;
    made.slot->frame = frame;
    made.slot->channel = channel;
    head_ += length;
    if (assigned_ << block_shift_ < head_) assign_blocks();
    return made;
  }
  /// Address of the record if it is contiguous in memory; else null, and put() splits it.
  std::byte* place(const Reserved& record) const {
    const std::uint64_t at = record.offset & block_mask_;
    return at + record.length <= block_mask_ + 1 ? table()[record.offset >> block_shift_] + at
                                                 : nullptr;
  }
  void put(std::uint64_t offset, const std::byte* data, std::size_t size);
  void commit(const Reserved& record) {
    record.slot->lap.store(record.lap, std::memory_order_release);
  }
  /// Bytes reserved and not yet released; exact under the producers' lock, else approximate.
  std::uint64_t pending_bytes(std::uint64_t end) const {
    return end - tail_.load(std::memory_order_relaxed);
  }
  /// How much was reserved so far, and how much of it the consumer has released.
  std::uint64_t reserved_until() const { return head_; }
  std::uint64_t reserved_slots() const { return slot_head_; }
  std::uint64_t released_until() const { return tail_.load(std::memory_order_acquire); }
  bool is_empty() const { return tail_.load(std::memory_order_acquire) == head_; }
  std::uint64_t pending_slots() const {
    return slot_head_ - slot_tail_.load(std::memory_order_relaxed);
  }

  // For the consumer.
  struct Run {
    std::size_t slots = 0;
    std::uint64_t bytes = 0;
    std::vector<ByteView> parts;
  };
  /// The longest committed run, up to the record that reaches `enough` bytes or is the `most`-th.
  void ready_run(std::uint64_t enough, std::size_t most, Run& run) const;
  const Slot& slot(std::size_t index_in_run) const {
    return slots_[(slot_tail_.load(std::memory_order_relaxed) + index_in_run) & slot_mask_];
  }
  /// Returns the slots and memory of a processed run; under the producers' lock.
  void release(const Run& run);

 private:
  /// The memory of each block in use, by its number.
  struct Table {
    std::uint64_t mask;
    std::unique_ptr<std::byte*[]> memory;
    std::byte*& operator[](std::uint64_t block) const { return memory[block & mask]; }
  };
  Ring(std::size_t block, std::size_t slots);
  bool add_memory(std::size_t blocks);
  void push_free(std::byte* memory) {
    free_[(free_first_ + free_count_++) % free_.size()] = memory;
  }
  std::byte* pop_free();
  void make_table(std::size_t blocks);
  const Table& table() const { return *table_.load(std::memory_order_acquire); }
  std::size_t straight(const Table& table, std::uint64_t offset, std::size_t size) const;
  void assign_blocks();

  // Fields used for each record, next to each other.
  std::unique_ptr<Slot[]> slots_;
  std::uint64_t head_ = 0, slot_head_ = 0;  ///< The producers' end, under their lock.
  std::uint64_t assigned_ = 0;              ///< Blocks that have received memory so far.
  std::size_t capacity_ = 0;
  std::uint64_t block_mask_ = 0;
  // An outgrown table is kept: another thread may be reading it.
  std::atomic<const Table*> table_{nullptr};
  std::uint32_t slot_mask_;
  std::uint8_t block_shift_ = 0, slot_shift_ = 0;

  std::size_t most_ = 0;
  std::vector<std::unique_ptr<Table>> tables_;
  /// Memory without a block; a queue, so that neighbours stay neighbours.
  std::vector<std::byte*> free_;
  std::size_t free_first_ = 0, free_count_ = 0;
  std::size_t blocks_ = 0;  ///< Blocks with memory.
  std::uint64_t recycled_ = 0;
  std::vector<std::pair<void*, std::size_t>> regions_;

  // Consumer's end, on a cache line of its own.
  alignas(64) std::atomic<std::uint64_t> tail_{0};
  std::atomic<std::uint64_t> slot_tail_{0};
};

}  // namespace edgeprobe::trace
