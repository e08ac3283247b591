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

/// One edgeprobe_probe. Calls hold `guard_` shared, close() alone: a handle is never freed below a
/// running call.
class Probe {
 public:
  /// `redact`: callable(name, memory as bytearray), or None. Throws when the file cannot be opened.
  Probe(nanobind::object path, const edgeprobe_options& options, nanobind::object redact);
  Probe(const Probe&) = delete;
  Probe& operator=(const Probe&) = delete;
  ~Probe();

  void describe(nanobind::str key, nanobind::str value);
  void mark(nanobind::str name, std::optional<nanobind::str> text);
  /// `wrong`: empty where it holds.
  void assert_that(nanobind::str name, nanobind::str wrong);
  void sensor(nanobind::str name, const std::vector<double>& values, nanobind::str unit);
  void sensor_absent(nanobind::str name, nanobind::str unit, nanobind::str reason);
  void flush();
  edgeprobe_statistics statistics();
  /// The last statistics. Safe while other threads log; a second call does nothing.
  edgeprobe_statistics close();

  /// Whether a call may wait for the disk.
  bool waits() const { return waits_; }

  /// Runs `call` with the open handle. Throws UsageError when the probe is closed.
  template <class Call>
  auto with_handle(Call&& call) {
    // Else a stream of calls could keep close() waiting for ever.
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

/// Throws what the redaction hook threw within the last call of this thread, if it did.
void raise_redaction_failure();

}  // namespace edgeprobe::python
