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

/// What a run of the whole pipeline is of. Nothing of it is a path.
struct Recorded {
  Bytes model;
  std::string name;  ///< Of the model.
  engine::EngineChoice engine;
  engine::SessionOptions session;
  std::string plan;  ///< As JSON. It counts the bytes of pictures that lie one behind the other.
};

/// A run that is under way, until the object goes.
class Recording {
 public:
  virtual ~Recording() = default;

  struct Part {
    Bytes trace;
    std::uint64_t done = 0, all = 0;  ///< Of the pass that is under way.
    std::string pass;
    /// Once there is nothing more: the summary as JSON.
    std::optional<Result<std::string>> end;
  };
  /// What came since, or comes within `patience`.
  virtual Part next(std::chrono::milliseconds patience) = 0;
  /// Ends it after the frame that is under way; what is done stays.
  virtual void stop() = 0;
};

/// Begins a run. `pictures` are asked for, and so leave the uploads, once the plan is known to be
/// good; it is kUsage or kCorrupt when it cannot be read.
using Recorder = Result<std::unique_ptr<Recording>> (*)(
    Recorded what, const std::function<Result<Bytes>()>& pictures);

}  // namespace edgeprobe::serve
