// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <optional>
#include <shared_mutex>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>

#include "edgeprobe.h"

namespace edgeprobe::python {

/// One edgeprobe_probe. Calls hold `guard_` shared, close() exclusively: a handle is never freed
/// during a call.
class Probe {
 public:
  /// `redact`: callable(name, memory as bytearray), or None. Throws if the file cannot be opened.
  Probe(nanobind::object path, const edgeprobe_options& options, nanobind::object redact);
  Probe(const Probe&) = delete;
  Probe& operator=(const Probe&) = delete;
  ~Probe();

  void describe(nanobind::str key, nanobind::str value);
  void mark(nanobind::str name, std::optional<nanobind::str> text);
  /// `wrong`: empty if it holds.
  void assert_that(nanobind::str name, nanobind::str wrong);
  void sensor(nanobind::str name, const std::vector<double>& values, nanobind::str unit);
  void sensor_absent(nanobind::str name, nanobind::str unit, nanobind::str reason);
  void flush();
  edgeprobe_statistics statistics();
  /// Returns the final statistics. Safe while other threads log; a second call does nothing.
  edgeprobe_statistics close();

  /// True if a call may wait for the disk.
  bool waits() const { return waits_; }

  /// Runs `call` with the open handle. Throws UsageError if the probe is closed.
  template <class Call>
  auto with_handle(Call&& call) {
    // Without this, a steady stream of calls could block close() forever.
    if (closing_.load(std::memory_order_acquire)) fail_closed();
    const std::shared_lock lock(guard_, std::try_to_lock);
    if (!lock || handle_ == nullptr) fail_closed();
    return call(handle_);
  }

 private:
  [[noreturn]] void fail_closed() const;
  edgeprobe_status finish();

  std::shared_mutex guard_;
  std::atomic<bool> closing_{false};
  edgeprobe_probe* handle_ = nullptr;
  const bool waits_;
  nanobind::object redact_;
  edgeprobe_statistics last_{};
};

/// Rethrows an exception of the redaction hook from this thread's last call, if there was one.
void raise_redaction_failure();

}  // namespace edgeprobe::python
