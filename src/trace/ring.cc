#include "trace/ring.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "trace/stream_copy.h"

namespace edgeprobe::trace {
namespace {

constexpr std::size_t kSmallest = 4096;
constexpr std::size_t kLargest = std::size_t{1} << (sizeof(std::size_t) == 8 ? 40 : 30);

std::size_t power_of_two(std::size_t least) {
  std::size_t value = kSmallest;
  while (value < least) value *= 2;
  return value;
}

}  // namespace

Result<std::unique_ptr<Ring>> Ring::create(std::size_t bytes) {
  const Error no_memory{Fault::kLimit, "no memory for a ring of " + std::to_string(bytes) + " bytes"};
  if (bytes > kLargest) return no_memory;
  const std::size_t size = power_of_two(bytes);
  void* const memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return no_memory;
  // The first frames must not pay for page faults (2.3 µs each in 4 KiB pages).
  ::madvise(memory, size, MADV_HUGEPAGE);
  for (std::size_t at = 0; at < size; at += 4096) static_cast<volatile char*>(memory)[at] = 0;
  const std::size_t slots = std::clamp<std::size_t>(size / 512, 64, 65536);
  return std::unique_ptr<Ring>(new Ring(static_cast<std::byte*>(memory), size, slots));
}

Ring::Ring(std::byte* memory, std::size_t bytes, std::size_t slots)
    : memory_(memory), mask_(bytes - 1), slots_(new Slot[slots]), slot_mask_(slots - 1) {}

Ring::~Ring() { ::munmap(memory_, capacity()); }

bool Ring::fits(std::size_t length) const {
  return head_ + length - tail_.load(std::memory_order_acquire) <= capacity() &&
         slot_head_ - slot_tail_.load(std::memory_order_acquire) <= slot_mask_;
}

Ring::Slot* Ring::reserve(std::size_t length, ChannelId channel, std::uint32_t frame, std::uint64_t time_ns) {
  Slot& slot = slots_[slot_head_++ & slot_mask_];
  slot.offset = head_;
  slot.length = length;
  slot.frame = frame;
  slot.channel = channel;
  slot.time_ns = time_ns;
  head_ += length;
  return &slot;
}

void Ring::put(std::uint64_t offset, const std::byte* data, std::size_t size) {
  const std::size_t at = offset & mask_;
  const std::size_t first = std::min<std::size_t>(size, capacity() - at);
  stream_copy(memory_ + at, data, first);
  stream_copy(memory_, data + first, size - first);
}

bool Ring::slots_half_full() const {
  return (slot_head_ - slot_tail_.load(std::memory_order_relaxed)) * 2 > slot_mask_;
}

Ring::Run Ring::ready_run(std::uint64_t enough) const {
  Run run;
  const std::uint64_t first = slot_tail_.load(std::memory_order_relaxed);
  while (run.bytes < enough && run.slots <= slot_mask_) {
    const Slot& next = slots_[(first + run.slots) & slot_mask_];
    if (!next.ready.load(std::memory_order_acquire)) break;
    run.bytes += next.length;
    ++run.slots;
  }
  const std::size_t at = tail_.load(std::memory_order_relaxed) & mask_;
  const std::size_t straight = std::min(static_cast<std::size_t>(run.bytes), capacity() - at);
  run.parts[0] = {memory_ + at, straight};
  run.parts[1] = {memory_, static_cast<std::size_t>(run.bytes) - straight};
  return run;
}

const Ring::Slot& Ring::slot(std::size_t index_in_run) const {
  return slots_[(slot_tail_.load(std::memory_order_relaxed) + index_in_run) & slot_mask_];
}

void Ring::release(const Run& run) {
  const std::uint64_t first = slot_tail_.load(std::memory_order_relaxed);
  for (std::size_t i = 0; i < run.slots; ++i)
    slots_[(first + i) & slot_mask_].ready.store(false, std::memory_order_relaxed);
  tail_.store(tail_.load(std::memory_order_relaxed) + run.bytes, std::memory_order_release);
  slot_tail_.store(first + run.slots, std::memory_order_release);
}

}  // namespace edgeprobe::trace
