// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "core/result.h"
#include "engine/wire.h"
#include "serve/device.h"
#include "serve/recorder.h"
#include "serve/uploads.h"

namespace edgeprobe::serve {

/// The requests of a client for whole runs, one at a time.
class RecordingRequests {
 public:
  RecordingRequests(Device& device, Uploads& uploads) : device_(device), uploads_(uploads) {}

  /// Begins a run and aborts an earlier one. Takes its pictures out of the uploads.
  Status run(engine::wire::Reader& in, engine::wire::Writer& out);
  /// Reports its state and new trace data.
  Status trace(engine::wire::Reader& in, engine::wire::Writer& out);

 private:
  Device& device_;
  Uploads& uploads_;
  std::unique_ptr<Recording> recording_;
};

}  // namespace edgeprobe::serve
