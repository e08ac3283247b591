#include "handles.h"

#include <pthread.h>
#include <sched.h>

#include <deque>
#include <vector>

#include "probe/fork.h"

namespace edgeprobe::c {
namespace {

constexpr std::uintptr_t kUses = 256;  // what the alignment leaves free
constexpr std::size_t kMostProbes = 1024;

// The places live as long as the process: a handle may be used at any time.
struct Places {
  Latch latch;
  std::deque<FrameSlot> frames;
  std::vector<FrameSlot*> idle_frames;
  std::deque<ProbeSlot> probes;
  std::vector<ProbeSlot*> idle_probes;
};

Places& places() {
  static Places& all = *new Places;
  return all;
}

// In a child, the threads that may have held the lock or been inside the lists are gone: it starts with lists of its own.
void forget_places() { new (&places()) Places; }

void watch() {
  static const bool watches = probe::watch_forks() && ::pthread_atfork(nullptr, nullptr, forget_places) == 0;
  (void)watches;
}

template <class Slot, class Handle>
Slot* slot_of(const Handle* handle) {
  return reinterpret_cast<Slot*>(reinterpret_cast<std::uintptr_t>(handle) & ~(kUses - 1));
}
template <class Handle, class Slot>
Handle* handle_of(Slot* slot) {
  return reinterpret_cast<Handle*>(reinterpret_cast<std::uintptr_t>(slot) | (slot->uses % kUses));
}
template <class Slot, class Handle>
bool is_this_use(const Slot& slot, const Handle* handle) {
  return slot.uses % kUses == reinterpret_cast<std::uintptr_t>(handle) % kUses;
}

// FIFO would tell old handles longer; LIFO keeps the memory of a frame in the cache.
template <class Slot>
Slot* take(std::deque<Slot>& all, std::vector<Slot*>& idle) {
  if (idle.empty()) {
    Slot* const slot = &all.emplace_back();
    idle.reserve(all.size());
    return slot;
  }
  Slot* const slot = idle.back();
  idle.pop_back();
  return slot;
}

}  // namespace

void Latch::lock() {
  for (int tries = 0; taken_.exchange(true, std::memory_order_acquire); ++tries)
    if (tries > 100) ::sched_yield();
}

std::shared_ptr<probe::Probe> find(edgeprobe_probe* handle) {
  if (!handle) return nullptr;
  ProbeSlot& slot = *slot_of<ProbeSlot>(handle);
  if (slot.depth != probe::fork_depth()) return nullptr;
  const std::lock_guard lock(slot.latch);
  return is_this_use(slot, handle) ? slot.probe : nullptr;
}

edgeprobe_probe* keep(std::shared_ptr<probe::Probe> probe) {
  watch();
  ProbeSlot* slot = nullptr;
  {
    Places& all = places();
    const std::lock_guard lock(all.latch);
    if (all.idle_probes.empty() && all.probes.size() >= kMostProbes) return nullptr;
    slot = take(all.probes, all.idle_probes);
  }
  const std::lock_guard lock(slot->latch);
  slot->depth = probe::fork_depth();
  slot->probe = std::move(probe);
  return handle_of<edgeprobe_probe>(slot);
}

std::shared_ptr<probe::Probe> give_up(edgeprobe_probe* handle) {
  if (!handle) return nullptr;
  ProbeSlot& slot = *slot_of<ProbeSlot>(handle);
  if (slot.depth != probe::fork_depth()) return nullptr;
  std::shared_ptr<probe::Probe> probe;
  {
    const std::lock_guard lock(slot.latch);
    if (!is_this_use(slot, handle) || !slot.probe) return nullptr;
    probe = std::move(slot.probe);
    slot.probe = nullptr;
    ++slot.uses;
  }
  Places& all = places();
  std::vector<FrameSlot*> frames;
  {
    const std::lock_guard lock(all.latch);
    all.idle_probes.push_back(&slot);
    for (FrameSlot& frame : all.frames) frames.push_back(&frame);
  }
  for (FrameSlot* frame : frames) {
    std::shared_ptr<probe::Probe> dropped;  // the last owner must not go while the latch is held
    {
      const std::lock_guard lock(frame->latch);
      if (frame->probe != probe) continue;
      dropped = std::move(frame->probe);
      frame->probe = nullptr;
      frame->orphaned_use = frame->uses++;
    }
    const std::lock_guard lock(all.latch);
    all.idle_frames.push_back(frame);
  }
  return probe;
}

edgeprobe_frame* begin(edgeprobe_probe* handle, const std::shared_ptr<probe::Probe>& probe) {
  Places& all = places();
  FrameSlot* slot = nullptr;
  {
    const std::lock_guard lock(all.latch);
    slot = take(all.frames, all.idle_frames);
  }
  edgeprobe_frame* frame = nullptr;
  {
    const std::lock_guard lock(slot->latch);
    slot->depth = probe::fork_depth();
    slot->frame = probe->begin();
    slot->probe = slot->frame ? probe : nullptr;
    frame = handle_of<edgeprobe_frame>(slot);
  }
  // A close() that came in between has not seen this frame.
  if (slot->frame && find(handle)) return frame;
  {
    const std::lock_guard lock(slot->latch);
    if (!is_this_use(*slot, frame)) return nullptr;
    slot->probe = nullptr;
    slot->orphaned_use = slot->uses++;
  }
  const std::lock_guard lock(all.latch);
  all.idle_frames.push_back(slot);
  return nullptr;
}

UsedFrame::UsedFrame(const edgeprobe_frame* handle) {
  if (!handle) return;
  FrameSlot& slot = *slot_of<FrameSlot>(handle);
  if (slot.depth != probe::fork_depth()) return;
  slot.latch.lock();
  if (is_this_use(slot, handle) && slot.probe) {
    slot_ = &slot;
    status_ = EDGEPROBE_OK;
    return;
  }
  const bool was_closed = slot.orphaned_use != ~0u && slot.orphaned_use % kUses == reinterpret_cast<std::uintptr_t>(handle) % kUses;
  status_ = was_closed ? EDGEPROBE_OFF : EDGEPROBE_USAGE;
  slot.latch.unlock();
}

Status UsedFrame::end() {
  is_ended_ = true;
  return slot_->probe->end(slot_->frame);
}

UsedFrame::~UsedFrame() {
  if (!slot_) return;
  std::shared_ptr<probe::Probe> dropped;
  if (is_ended_) {
    dropped = std::move(slot_->probe);
    slot_->probe = nullptr;
    ++slot_->uses;
  }
  slot_->latch.unlock();
  if (!is_ended_) return;
  Places& all = places();
  const std::lock_guard lock(all.latch);
  all.idle_frames.push_back(slot_);
}

}  // namespace edgeprobe::c
