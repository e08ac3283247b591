// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/bytes.h"
#include "core/result.h"
#include "engine/engine.h"

namespace edgeprobe::serve {

/// Inputs of a run of the whole pipeline. None of them is a path.
struct Recorded {
  Bytes model;
  std::string name;  ///< Name of the model.
  engine::EngineChoice engine;
  engine::SessionOptions session;
  std::string plan;  ///< As JSON. Contains the sizes of the concatenated pictures.
};

/// A running run; destruction aborts it.
class Recording {
 public:
  virtual ~Recording() = default;

  struct Part {
    Bytes trace;
    std::uint64_t done = 0, all = 0;  ///< For the current pass.
    std::string pass;
    /// At the end: the summary as JSON.
    std::optional<Result<std::string>> end;
  };
  /// The data since the last call, or arriving within `patience`.
  virtual Part next(std::chrono::milliseconds patience) = 0;
  /// Stops after the current frame; finished frames are kept.
  virtual void stop() = 0;
};

/// Begins a run. Calls `pictures`, which removes them from the uploads, only for a valid plan; an
/// unreadable plan is kUsage or kCorrupt.
using Recorder = Result<std::unique_ptr<Recording>> (*)(
    Recorded what, const std::function<Result<Bytes>()>& pictures);

}  // namespace edgeprobe::serve
