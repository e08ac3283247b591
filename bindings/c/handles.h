// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/latch.h"
#include "edgeprobe.h"
#include "probe/fork.h"
#include "probe/probe.h"

/// The opaque pointers of edgeprobe.h. Each combines the number of a slot that is never freed with
/// its use count, so that an ended or closed handle is distinguished from one in use: until the
/// same slot was used 2^48 times, or 2^20 times on 32 bits.
namespace edgeprobe::c {

inline constexpr int kPlaceBits = sizeof(std::uintptr_t) >= 8 ? 16 : 12;
/// Maximum simultaneous frames, in a process and those it was forked from.
inline constexpr std::size_t kMostPlaces = std::size_t{1} << kPlaceBits;
inline constexpr std::size_t kMostProbes = 1024;

struct FrameSlot;

struct alignas(64) ProbeSlot {
  Latch latch;
  std::atomic<std::uint32_t> depth{
      0};  ///< Fork depth of the process that uses the slot (probe/fork.h).
  std::uintptr_t place = 0, uses = 1;
  std::shared_ptr<probe::Probe> probe;  ///< Null: not in use.
  /// All frame slots of this probe, and the ones that no frame uses.
  std::vector<FrameSlot*> frames, idle_frames;
};

struct alignas(64) FrameSlot {
  Latch latch;
  std::atomic<std::uint32_t> depth{0};
  std::uintptr_t place = 0, uses = 1, orphaned_use = 0;
  bool is_used = false;           ///< A frame has begun and not ended.
  probe::Frame* frame = nullptr;  ///< Owned by `probe`.

  // Its probe's slot, from a probe's first frame to the end of the probe.
  ProbeSlot* home = nullptr;
  std::uintptr_t use_of_home = 0;
  std::uint32_t moves = 0;
  std::shared_ptr<probe::Probe> probe;
};

/// All slots of a kind; null if not created yet. In a child process, those of its parent stay.
extern std::atomic<ProbeSlot*> probe_places[kMostProbes];
extern std::atomic<FrameSlot*> frame_places[kMostPlaces];

/// The use count in a handle or a slot; limited to the bits that fit into a handle.
template <class Handle>
std::uintptr_t use_of(const Handle* handle) {
  return reinterpret_cast<std::uintptr_t>(handle) >> kPlaceBits;
}
inline std::uintptr_t use_of(std::uintptr_t uses) {
  return uses & (~std::uintptr_t{0} >> kPlaceBits);
}
/// Advances to the next use count, skipping 0, so that no handle is NULL.
inline void advance(std::uintptr_t& uses) {
  if (use_of(++uses) == 0) ++uses;
}
template <class Slot, class Handle, std::size_t kCount>
Slot* slot_of(std::atomic<Slot*> (&places)[kCount], const Handle* handle) {
  const std::uintptr_t place = reinterpret_cast<std::uintptr_t>(handle) & (kMostPlaces - 1);
  return handle && place < kCount ? places[place].load(std::memory_order_acquire) : nullptr;
}

/// The probe of a handle; null if it is closed, or in a child process.
std::shared_ptr<probe::Probe> find(edgeprobe_probe* handle);
/// Null if there is no room.
edgeprobe_probe* keep(std::shared_ptr<probe::Probe> probe);
/// Detaches the probe from its handle; ends open frames, and waits for running calls on them.
std::shared_ptr<probe::Probe> give_up(edgeprobe_probe* handle);

/// Begins a frame; null if the probe is closed, has no more numbers, or has too many open frames.
edgeprobe_frame* begin(edgeprobe_probe* handle);

/// A frame during a call. If empty, `status` states why.
class UsedFrame {
 public:
  explicit UsedFrame(const edgeprobe_frame* handle) {
    FrameSlot* const slot = slot_of(frame_places, handle);
    if (!slot || slot->depth.load(std::memory_order_relaxed) != probe::fork_depth()) return;
    slot->latch.lock();
    if (use_of(slot->uses) == use_of(handle) && slot->is_used) slot_ = slot;
    else refuse(*slot, handle);
  }
  ~UsedFrame() {
    if (!slot_) return;
    if (is_ended_) give_back();
    else slot_->latch.unlock();
  }
  UsedFrame(const UsedFrame&) = delete;
  UsedFrame& operator=(const UsedFrame&) = delete;

  explicit operator bool() const { return slot_; }
  edgeprobe_status status() const { return status_; }
  probe::Frame* operator->() const { return slot_->frame; }
  probe::Probe& probe() const { return *slot_->probe; }
  std::shared_ptr<probe::Probe> owner() const { return slot_->probe; }
  /// Ends the frame; its handle becomes invalid once this object is gone.
  bool end() {
    is_ended_ = true;
    return slot_->frame->end();
  }

 private:
  void refuse(FrameSlot& slot, const edgeprobe_frame* handle);
  void give_back();

  FrameSlot* slot_ = nullptr;
  edgeprobe_status status_ = EDGEPROBE_OFF;
  bool is_ended_ = false;
};

}  // namespace edgeprobe::c
