// SPDX-License-Identifier: Apache-2.0
#include "trace/record/ring.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "trace/mcap/stream_copy.h"

namespace edgeprobe::trace {
namespace {

constexpr std::size_t kSmallest = 4096, kBlock = std::size_t{64} << 10;
constexpr std::size_t kLargest = std::size_t{1} << (sizeof(std::size_t) == 8 ? 40 : 30);

std::size_t power_of_two(std::size_t least, std::size_t from = 1) {
  std::size_t value = from;
  while (value < least) value *= 2;
  return value;
}

// Blocks needed for this many bytes, wherever in a block they begin.
std::size_t blocks_for(std::size_t bytes, std::size_t block) {
  return (bytes + block - 1) / block + 1;
}

}  // namespace

Result<std::unique_ptr<Ring>> Ring::create(const Sizes& sizes) {
  const Error no_memory{ErrorKind::kLimit,
                        "no memory for a ring of " + std::to_string(sizes.bytes) + " bytes"};
  if (sizes.bytes > kLargest) return no_memory;
  const std::size_t size = sizes.bytes > kBlock ? (sizes.bytes + kBlock - 1) / kBlock * kBlock
                                                : power_of_two(sizes.bytes, kSmallest),
                    most = std::clamp(sizes.most, size, kLargest);
  const std::size_t block = std::min(size, kBlock);
  const std::size_t slots =
      power_of_two(sizes.slots ? sizes.slots : std::clamp<std::size_t>(size / 512, 64, 65536));
  std::unique_ptr<Ring> ring(new Ring(block, slots));
  ring->most_ = most;
  if (!ring->add_memory(blocks_for(size, block))) return no_memory;
  ring->capacity_ = size;
  // Page faults (2.3 µs per 4 KiB page) must not slow the first frames.
  const auto [memory, length] = ring->regions_.front();
  for (std::size_t at = 0; at < length; at += 4096) static_cast<volatile char*>(memory)[at] = 0;
  return ring;
}

Ring::Ring(std::size_t block, std::size_t slots)
    : slots_(new Slot[slots]),
      block_mask_(block - 1),
      slot_mask_(static_cast<std::uint32_t>(slots - 1)) {
  while ((std::size_t{1} << block_shift_) < block) ++block_shift_;
  while ((std::size_t{1} << slot_shift_) < slots) ++slot_shift_;
}

Ring::~Ring() {
  for (const auto& [memory, size] : regions_) ::munmap(memory, size);
}

bool Ring::add_memory(std::size_t blocks) {
  const std::size_t block = std::size_t{1} << block_shift_, size = blocks * block;
  void* const memory =
      ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return false;
  ::madvise(memory, size, MADV_HUGEPAGE);
  // A forked child would only copy pages that this process keeps writing.
  ::madvise(memory, size, MADV_DONTFORK);
  regions_.emplace_back(memory, size);
  blocks_ += blocks;
  make_table(blocks_);
  std::rotate(free_.begin(), free_.begin() + static_cast<std::ptrdiff_t>(free_first_), free_.end());
  free_first_ = 0;
  free_.resize(blocks_);
  for (std::size_t i = 0; i < blocks; ++i) push_free(static_cast<std::byte*>(memory) + i * block);
  return true;
}

std::byte* Ring::pop_free() {
  std::byte* const memory = free_[free_first_];
  free_first_ = (free_first_ + 1) % free_.size();
  --free_count_;
  return memory;
}

void Ring::make_table(std::size_t blocks) {
  const Table* const old = table_.load(std::memory_order_relaxed);
  if (old && old->mask >= blocks) return;
  // Doubled, so that a frame that grows tensor by tensor needs few tables.
  const std::size_t size = power_of_two(old ? 2 * blocks : blocks);
  auto made = std::make_unique<Table>(
      Table{size - 1, std::unique_ptr<std::byte*[]>(new std::byte*[size]())});
  if (old)
    for (std::uint64_t block = recycled_; block < assigned_; ++block)
      (*made)[block] = (*old)[block];
  table_.store(made.get(), std::memory_order_release);
  tables_.push_back(std::move(made));
}

bool Ring::grow(std::size_t length, std::size_t limit) {
  if (slot_head_ - slot_tail_.load(std::memory_order_acquire) > slot_mask_) return false;
  const std::uint64_t needed = head_ + length - tail_.load(std::memory_order_acquire);
  if (needed <= capacity_) return true;
  const std::uint64_t rounded = (needed + block_mask_) & ~block_mask_;
  if (needed > std::min(limit, most_)) return false;
  const std::size_t wanted = std::min(static_cast<std::size_t>(rounded), most_),
                    block = std::size_t{1} << block_shift_;
  const std::size_t more = blocks_for(wanted, block) - blocks_for(capacity_, block);
  if (more && !add_memory(more)) return false;
  capacity_ = wanted;
  return true;
}

void Ring::assign_blocks() {
  for (; assigned_ << block_shift_ < head_; ++assigned_) table()[assigned_] = pop_free();
}

// How many of `size` bytes are contiguous in memory.
std::size_t Ring::straight(const Table& table, std::uint64_t offset, std::size_t size) const {
  std::uint64_t block = offset >> block_shift_;
  std::size_t length = static_cast<std::size_t>(block_mask_ + 1 - (offset & block_mask_));
  while (length < size && table[block + 1] == table[block] + block_mask_ + 1) {
    length += static_cast<std::size_t>(block_mask_ + 1);
    ++block;
  }
  return std::min(length, size);
}

void Ring::put(std::uint64_t offset, const std::byte* data, std::size_t size) {
  const Table& memory = table();
  while (size) {
    const std::size_t length = straight(memory, offset, size);
    stream_copy(memory[offset >> block_shift_] + (offset & block_mask_), data, length);
    offset += length;
    data += length;
    size -= length;
  }
}

void Ring::ready_run(std::uint64_t enough, std::size_t most, Run& run) const {
  run.slots = 0;
  run.bytes = 0;
  run.parts.clear();
  const std::uint64_t first = slot_tail_.load(std::memory_order_relaxed);
  while (run.bytes < enough && run.slots < most && run.slots <= slot_mask_) {
    const std::uint64_t index = first + run.slots;
    const Slot& next = slots_[index & slot_mask_];
    if (next.lap.load(std::memory_order_acquire) !=
        static_cast<std::uint32_t>(index >> slot_shift_) + 1)
      break;
    run.bytes += next.length;
    ++run.slots;
  }
  std::uint64_t at = tail_.load(std::memory_order_relaxed);
  const Table& memory = table();
  for (const std::uint64_t end = at + run.bytes; at < end;) {
    const std::size_t length = straight(memory, at, static_cast<std::size_t>(end - at));
    run.parts.emplace_back(memory[at >> block_shift_] + (at & block_mask_), length);
    at += length;
  }
}

void Ring::release(const Run& run) {
  const std::uint64_t tail = tail_.load(std::memory_order_relaxed) + run.bytes;
  for (; (recycled_ + 1) << block_shift_ <= tail; ++recycled_) push_free(table()[recycled_]);
  tail_.store(tail, std::memory_order_release);
  slot_tail_.store(slot_tail_.load(std::memory_order_relaxed) + run.slots,
                   std::memory_order_release);
}

}  // namespace edgeprobe::trace
