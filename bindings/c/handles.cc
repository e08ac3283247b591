// SPDX-License-Identifier: Apache-2.0
#include "handles.h"

#include <pthread.h>

#include <deque>
#include <mutex>
#include <new>

namespace edgeprobe::c {

std::atomic<ProbeSlot*> probe_places[kMostProbes];
std::atomic<FrameSlot*> frame_places[kMostPlaces];

namespace {

// The slots live as long as the process: a handle may be used at any time.
struct Places {
  Latch latch;
  std::deque<FrameSlot> frames;
  std::vector<FrameSlot*> idle_frames;  ///< Not assigned to a probe.
  std::deque<ProbeSlot> probes;
  std::vector<ProbeSlot*> idle_probes;
  /// Smaller numbers belong to the process from which this one was forked.
  std::size_t first_frame = 0, first_probe = 0;
};

Places& places() {
  static Places& all = *new Places;
  return all;
}

// In a forked child, threads that held the lock or were changing the lists are gone: it starts with
// its own lists, and with numbers that its parent's handles do not have.
template <class Slot, std::size_t kCount>
std::size_t first_free(const std::atomic<Slot*> (&all)[kCount], std::size_t number) {
  while (number < kCount && all[number].load(std::memory_order_relaxed)) ++number;
  return number;
}
void forget_places() {
  Places& all = places();
  const std::size_t frame = first_free(frame_places, all.first_frame),
                    probe = first_free(probe_places, all.first_probe);
  new (&all) Places;
  all.first_frame = frame;
  all.first_probe = probe;
}

void watch() {
  static const bool watches =
      probe::watch_forks() && ::pthread_atfork(nullptr, nullptr, forget_places) == 0;
  (void)watches;
}

template <class Handle, class Slot>
Handle* handle_of(Slot* slot) {
  return reinterpret_cast<Handle*>(slot->uses << kPlaceBits | slot->place);
}

// The most recently used slot: its memory is in the cache. Null if no number is left.
template <class Slot, std::size_t kCount>
Slot* take(std::deque<Slot>& all, std::vector<Slot*>& idle, std::atomic<Slot*> (&places)[kCount],
           std::size_t first) {
  if (idle.empty()) {
    const std::size_t place = first + all.size();
    if (place >= kCount) return nullptr;
    idle.reserve(all.size() + 1);
    Slot* const slot = &all.emplace_back();
    slot->place = place;
    places[place].store(slot, std::memory_order_release);
    return slot;
  }
  Slot* const slot = idle.back();
  idle.pop_back();
  return slot;
}

ProbeSlot* own_slot_of(const edgeprobe_probe* handle) {
  ProbeSlot* const slot = slot_of(probe_places, handle);
  return slot && slot->depth.load(std::memory_order_relaxed) == probe::fork_depth() ? slot
                                                                                    : nullptr;
}

// Adds a slot for frames of the probe in `home`, whose latch is held.
FrameSlot* move_in(ProbeSlot& home) {
  if (home.frames.size() == home.frames.capacity()) home.frames.reserve(2 * home.frames.size() + 4);
  home.idle_frames.reserve(home.frames.capacity());
  Places& all = places();
  FrameSlot* slot = nullptr;
  {
    const std::lock_guard lock(all.latch);
    slot = take(all.frames, all.idle_frames, frame_places, all.first_frame);
  }
  if (!slot) return nullptr;
  probe::Frame* frame = nullptr;
  try {
    frame = &home.probe->add_frame();
  } catch (...) {
    const std::lock_guard lock(all.latch);
    all.idle_frames.push_back(slot);
    throw;
  }
  const std::lock_guard lock(slot->latch);
  slot->depth = probe::fork_depth();
  slot->frame = frame;
  slot->home = &home;
  slot->use_of_home = home.uses;
  ++slot->moves;
  slot->probe = home.probe;
  home.frames.push_back(slot);
  return slot;
}

// Detaches the slot from its probe; an open frame is ended. Nothing is freed: the caller also holds
// the probe.
void move_out(FrameSlot& slot) {
  const std::lock_guard lock(slot.latch);
  if (slot.is_used) {
    try {
      (void)slot.frame->end();  // closing the file reports the same failure
    } catch (const std::bad_alloc&) {
    }
    slot.orphaned_use = use_of(slot.uses);
    advance(slot.uses);
  }
  slot.is_used = false;
  slot.frame = nullptr;
  slot.home = nullptr;
  ++slot.moves;
  slot.probe = nullptr;
}

void rest(FrameSlot& slot, ProbeSlot& home, std::uintptr_t use_of_home) {
  const std::lock_guard lock(home.latch);
  // An earlier close() has already taken the slot.
  if (home.uses == use_of_home) home.idle_frames.push_back(&slot);
}

}  // namespace

std::shared_ptr<probe::Probe> find(edgeprobe_probe* handle) {
  ProbeSlot* const slot = own_slot_of(handle);
  if (!slot) return nullptr;
  const std::lock_guard lock(slot->latch);
  return use_of(slot->uses) == use_of(handle) ? slot->probe : nullptr;
}

edgeprobe_probe* keep(std::shared_ptr<probe::Probe> probe) {
  watch();
  ProbeSlot* slot = nullptr;
  {
    Places& all = places();
    const std::lock_guard lock(all.latch);
    slot = take(all.probes, all.idle_probes, probe_places, all.first_probe);
  }
  if (!slot) return nullptr;
  const std::lock_guard lock(slot->latch);
  slot->depth = probe::fork_depth();
  slot->probe = std::move(probe);
  return handle_of<edgeprobe_probe>(slot);
}

std::shared_ptr<probe::Probe> give_up(edgeprobe_probe* handle) {
  ProbeSlot* const slot = own_slot_of(handle);
  if (!slot) return nullptr;
  std::shared_ptr<probe::Probe> probe;
  std::vector<FrameSlot*> frames;
  {
    const std::lock_guard lock(slot->latch);
    if (use_of(slot->uses) != use_of(handle) || !slot->probe) return nullptr;
    probe.swap(slot->probe);
    frames.swap(slot->frames);
    slot->idle_frames.clear();
    advance(slot->uses);
  }
  for (FrameSlot* const frame : frames) move_out(*frame);
  Places& all = places();
  const std::lock_guard lock(all.latch);
  all.idle_frames.insert(all.idle_frames.end(), frames.begin(), frames.end());
  all.idle_probes.push_back(slot);
  return probe;
}

edgeprobe_frame* begin(edgeprobe_probe* handle) {
  ProbeSlot* const home = own_slot_of(handle);
  if (!home) return nullptr;
  FrameSlot* slot = nullptr;
  std::uint32_t moves = 0;
  {
    const std::lock_guard lock(home->latch);
    if (use_of(home->uses) != use_of(handle) || !home->probe) return nullptr;
    if (home->idle_frames.empty()) {
      slot = move_in(*home);
      if (!slot) return nullptr;
    } else {
      slot = home->idle_frames.back();
      home->idle_frames.pop_back();
    }
    moves = slot->moves;  // it belongs to this probe, and is not moved while the latch is held
  }
  std::uintptr_t use_of_home = 0;
  {
    const std::lock_guard lock(slot->latch);
    if (slot->moves != moves) return nullptr;  // a close() happened in between
    if (slot->probe->begin(*slot->frame)) {
      slot->is_used = true;
      return handle_of<edgeprobe_frame>(slot);
    }
    use_of_home = slot->use_of_home;
  }
  rest(*slot, *home, use_of_home);
  return nullptr;
}

void UsedFrame::refuse(FrameSlot& slot, const edgeprobe_frame* handle) {
  const bool was_closed = slot.orphaned_use != 0 && slot.orphaned_use == use_of(handle);
  status_ = was_closed ? EDGEPROBE_OFF : EDGEPROBE_USAGE;
  slot.latch.unlock();
}

void UsedFrame::give_back() {
  ProbeSlot& home = *slot_->home;
  const std::uintptr_t use_of_home = slot_->use_of_home;
  slot_->is_used = false;
  advance(slot_->uses);
  slot_->latch.unlock();
  rest(*slot_, home, use_of_home);
}

}  // namespace edgeprobe::c
