#include "handles.h"

#include <pthread.h>

#include <deque>
#include <mutex>

namespace edgeprobe::c {
namespace {

constexpr std::size_t kMostProbes = 1024;

// The places live as long as the process: a handle may be used at any time.
struct Places {
  Latch latch;
  std::deque<FrameSlot> frames;
  std::vector<FrameSlot*> idle_frames;  ///< Of no probe.
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

template <class Handle, class Slot>
Handle* handle_of(Slot* slot) {
  return reinterpret_cast<Handle*>(reinterpret_cast<std::uintptr_t>(slot) | (slot->uses % kUses));
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

ProbeSlot* own_slot_of(const edgeprobe_probe* handle) {
  ProbeSlot* const slot = slot_of<ProbeSlot>(handle);
  return slot && slot->depth.load(std::memory_order_relaxed) == probe::fork_depth() ? slot : nullptr;
}

// One more place for frames of the probe in `home`, whose latch is held.
FrameSlot* move_in(ProbeSlot& home) {
  if (home.frames.size() == home.frames.capacity()) home.frames.reserve(2 * home.frames.size() + 4);
  home.idle_frames.reserve(home.frames.capacity());
  probe::Frame& frame = home.probe->add_frame();
  FrameSlot* slot = nullptr;
  {
    Places& all = places();
    const std::lock_guard lock(all.latch);
    slot = take(all.frames, all.idle_frames);
  }
  const std::lock_guard lock(slot->latch);
  slot->depth = probe::fork_depth();
  slot->frame = &frame;
  slot->home = &home;
  slot->use_of_home = home.uses;
  ++slot->moves;
  slot->probe = home.probe;
  home.frames.push_back(slot);
  return slot;
}

// Its probe goes. Nothing is freed: the caller holds the probe too.
void move_out(FrameSlot& slot) {
  const std::lock_guard lock(slot.latch);
  if (slot.is_used) slot.orphaned_use = slot.uses++;
  slot.is_used = false;
  slot.frame = nullptr;
  slot.home = nullptr;
  ++slot.moves;
  slot.probe = nullptr;
}

void rest(FrameSlot& slot, ProbeSlot& home, std::uint32_t use_of_home) {
  const std::lock_guard lock(home.latch);
  // A close() that came before has taken the place already.
  if (home.uses == use_of_home) home.idle_frames.push_back(&slot);
}

}  // namespace

std::shared_ptr<probe::Probe> find(edgeprobe_probe* handle) {
  ProbeSlot* const slot = own_slot_of(handle);
  if (!slot) return nullptr;
  const std::lock_guard lock(slot->latch);
  return is_this_use(*slot, handle) ? slot->probe : nullptr;
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
  ProbeSlot* const slot = own_slot_of(handle);
  if (!slot) return nullptr;
  std::shared_ptr<probe::Probe> probe;
  std::vector<FrameSlot*> frames;
  {
    const std::lock_guard lock(slot->latch);
    if (!is_this_use(*slot, handle) || !slot->probe) return nullptr;
    probe.swap(slot->probe);
    frames.swap(slot->frames);
    slot->idle_frames.clear();
    ++slot->uses;
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
    if (!is_this_use(*home, handle) || !home->probe) return nullptr;
    if (home->idle_frames.empty()) {
      slot = move_in(*home);
    } else {
      slot = home->idle_frames.back();
      home->idle_frames.pop_back();
    }
    moves = slot->moves;  // it is this probe's, and nobody moves it while the latch is held
  }
  std::uint32_t use_of_home = 0;
  {
    const std::lock_guard lock(slot->latch);
    if (slot->moves != moves) return nullptr;  // a close() came in between
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
  const bool was_closed = slot.orphaned_use != ~0u && slot.orphaned_use % kUses == reinterpret_cast<std::uintptr_t>(handle) % kUses;
  status_ = was_closed ? EDGEPROBE_OFF : EDGEPROBE_USAGE;
  slot.latch.unlock();
}

void UsedFrame::give_back() {
  ProbeSlot& home = *slot_->home;
  const std::uint32_t use_of_home = slot_->use_of_home;
  slot_->is_used = false;
  ++slot_->uses;
  slot_->latch.unlock();
  rest(*slot_, home, use_of_home);
}

}  // namespace edgeprobe::c
