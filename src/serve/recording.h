// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>

#include "core/bytes.h"
#include "core/result.h"
#include "engine/engine.h"
#include "pipeline/there/plan.h"
#include "pipeline/there/trace_pipe.h"

namespace edgeprobe::serve {

/// What a recording is of. Nothing of it is a path.
struct Recorded {
  Bytes model;
  std::string name;  ///< Of the model.
  Bytes pictures;    ///< One behind the other, as the plan counts them.
  engine::EngineChoice engine;
  engine::SessionOptions session;
  pipeline::Plan plan;
};

/// A run of the whole pipeline for a client: decoding, recipe, engine, layers. It has an engine
/// process and a thread of its own. Its trace is fetched while it grows.
class Recording {
 public:
  explicit Recording(Recorded what);
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
  ~Recording();  ///< Gives up what is under way.

  struct Part {
    Bytes trace;
    std::uint64_t done = 0, all = 0;  ///< Of the pass that is under way.
    std::string pass;
    /// Once there is nothing more.
    std::optional<Result<pipeline::RunSummary>> end;
  };
  /// What came since, or comes within `patience`.
  Part next(std::chrono::milliseconds patience);
  /// Ends it after the frame that is under way; what is done stays.
  void stop() { stop_ = true; }

 private:
  Result<pipeline::RunSummary> run();

  Recorded what_;
  pipeline::TracePipe trace_;
  std::atomic<bool> stop_{false};
  std::mutex telling_;
  Part told_;                         ///< Progress alone.
  Result<pipeline::RunSummary> end_;  ///< Of the thread, until the pipe is finished.
  std::thread thread_;
};

}  // namespace edgeprobe::serve
