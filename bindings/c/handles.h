#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "edgeprobe.h"
#include "probe/probe.h"

/// The opaque pointers of edgeprobe.h. Each names a place that is never freed and the how manieth use of it, so that a handle
/// which was ended or closed is told from one in use, whatever the application does with it.
namespace edgeprobe::c {

/// A lock that is taken by one thread nearly always: a frame belongs to one.
class Latch {
 public:
  void lock();
  void unlock() { taken_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> taken_{false};
};

struct alignas(256) FrameSlot {
  Latch latch;
  std::atomic<std::uint32_t> depth{0};  ///< Of the process that uses it (probe/fork.h).
  std::uint32_t uses = 0, orphaned_use = ~0u;
  std::shared_ptr<probe::Probe> probe;  ///< Null: not in use.
  probe::Frame* frame = nullptr;
};

struct alignas(256) ProbeSlot {
  Latch latch;
  std::atomic<std::uint32_t> depth{0};
  std::uint32_t uses = 0;
  std::shared_ptr<probe::Probe> probe;
};

/// The probe of a handle; null when it is closed, or in a child process.
std::shared_ptr<probe::Probe> find(edgeprobe_probe* handle);
/// Null when there is no room for one more.
edgeprobe_probe* keep(std::shared_ptr<probe::Probe> probe);
/// The probe, now without its handle; its frames have none any more either, and no call on one of them is under way.
std::shared_ptr<probe::Probe> give_up(edgeprobe_probe* handle);

/// Begins a frame; null when the probe is closed by now or has no more numbers.
edgeprobe_frame* begin(edgeprobe_probe* handle, const std::shared_ptr<probe::Probe>& probe);

/// A frame while a call uses it. Without one, `status` says why.
class UsedFrame {
 public:
  explicit UsedFrame(const edgeprobe_frame* handle);
  ~UsedFrame();
  UsedFrame(const UsedFrame&) = delete;
  UsedFrame& operator=(const UsedFrame&) = delete;

  explicit operator bool() const { return slot_; }
  edgeprobe_status status() const { return status_; }
  probe::Frame* operator->() const { return slot_->frame; }
  probe::Probe& probe() const { return *slot_->probe; }
  std::shared_ptr<probe::Probe> owner() const { return slot_->probe; }
  /// Ends the frame; its handle is void from here on.
  Status end();

 private:
  FrameSlot* slot_ = nullptr;
  edgeprobe_status status_ = EDGEPROBE_OFF;
  bool is_ended_ = false;
};

}  // namespace edgeprobe::c
