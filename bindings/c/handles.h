#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/latch.h"
#include "edgeprobe.h"
#include "probe/fork.h"
#include "probe/probe.h"

/// The opaque pointers of edgeprobe.h. Each names a place that is never freed and the how manieth use of it, so that a handle
/// which was ended or closed is told from one in use, whatever the application does with it.
namespace edgeprobe::c {

inline constexpr std::uintptr_t kUses = 256;  // what the alignment leaves free

struct FrameSlot;

struct alignas(kUses) ProbeSlot {
  Latch latch;
  std::atomic<std::uint32_t> depth{0};  ///< Of the process that uses it (probe/fork.h).
  std::uint32_t uses = 0;
  std::shared_ptr<probe::Probe> probe;  ///< Null: not in use.
  std::vector<FrameSlot*> frames, idle_frames;  ///< Of this probe: all, and those without a frame.
};

struct alignas(kUses) FrameSlot {
  Latch latch;
  std::atomic<std::uint32_t> depth{0};
  std::uint32_t uses = 0, orphaned_use = ~0u;
  bool is_used = false;           ///< A frame is begun and not ended.
  probe::Frame* frame = nullptr;  ///< Of `probe`.

  // Where it belongs, from the first frame of a probe to the end of the probe.
  ProbeSlot* home = nullptr;
  std::uint32_t use_of_home = 0, moves = 0;
  std::shared_ptr<probe::Probe> probe;
};

template <class Slot, class Handle>
Slot* slot_of(const Handle* handle) {
  return reinterpret_cast<Slot*>(reinterpret_cast<std::uintptr_t>(handle) & ~(kUses - 1));
}
template <class Slot, class Handle>
bool is_this_use(const Slot& slot, const Handle* handle) {
  return slot.uses % kUses == reinterpret_cast<std::uintptr_t>(handle) % kUses;
}

/// The probe of a handle; null when it is closed, or in a child process.
std::shared_ptr<probe::Probe> find(edgeprobe_probe* handle);
/// Null when there is no room for one more.
edgeprobe_probe* keep(std::shared_ptr<probe::Probe> probe);
/// The probe, now without its handle; its frames have none any more either, and no call on one of them is under way.
std::shared_ptr<probe::Probe> give_up(edgeprobe_probe* handle);

/// Begins a frame; null when the probe is closed or has no more numbers.
edgeprobe_frame* begin(edgeprobe_probe* handle);

/// A frame while a call uses it. Without one, `status` says why.
class UsedFrame {
 public:
  explicit UsedFrame(const edgeprobe_frame* handle) {
    FrameSlot* const slot = slot_of<FrameSlot>(handle);
    if (!slot || slot->depth.load(std::memory_order_relaxed) != probe::fork_depth()) return;
    slot->latch.lock();
    if (is_this_use(*slot, handle) && slot->is_used) slot_ = slot;
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
  /// Ends the frame; its handle is void once this is gone.
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
