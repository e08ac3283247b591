// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/bytes.h"
#include "core/control.h"
#include "core/result.h"
#include "engine/engine.h"
#include "placement/search/cache.h"
#include "placement/search/timing.h"
#include "stretch/plan.h"

namespace edgeprobe::placement::shape {

/// Quiet runs that a point of the model of latencies rests on. With fewer, all its runs count, and
/// it is measured again by the next search.
inline constexpr std::size_t kFewestOfPoint = 5;

/// Keeps other processors busy with a model each, until it ends.
class Partners {
 public:
  Partners() = default;
  Partners(const Partners&) = delete;
  Partners& operator=(const Partners&) = delete;
  ~Partners();
  /// Runs this model over and over on that processor, in a process of its own. Returns once its
  /// first run is done.
  Status start(ByteView model, const stretch::Processor& processor,
               const engine::SessionOptions& base);

 private:
  struct Worker;
  std::vector<std::unique_ptr<Worker>> workers_;
};

/// Times of small models on processors, measured once each and kept in the cache of searches.
class PartTimes {
 public:
  struct Settings {
    std::vector<stretch::Processor> processors;
    engine::SessionOptions options;  ///< Of every session.
    double seconds = 0.3;
    bool fresh = false;
  };
  /// `cache` may be null.
  PartTimes(Settings settings, const Cache* cache)
      : settings_(std::move(settings)), cache_(cache) {}

  /// The work of the other processors meanwhile: a model for each processor, by index; an empty
  /// one leaves it idle.
  using Company = std::vector<Bytes>;
  /// Median seconds of `model` on a processor. `company` may be null.
  Result<double> of(ByteView model, std::size_t processor, const Company* company,
                    const Control& control);

  /// Ends the work next to the measured models.
  void rest() { partners_.reset(); }

  std::size_t measured() const { return measured_; }
  std::size_t known() const { return known_; }
  std::size_t noisy() const { return noisy_; }  ///< Points with fewer quiet runs than needed.

 private:
  Result<engine::Engine*> engine_of(const std::string& text);
  Result<std::string> key_of(ByteView model, std::size_t processor, const Company* company);
  Result<Timing> measure(ByteView model, const stretch::Processor& processor,
                         const Control& control);

  Settings settings_;
  const Cache* cache_;
  std::map<std::string, std::unique_ptr<engine::Engine>> engines_;
  std::map<std::string, double> times_;
  std::unique_ptr<Partners> partners_;  ///< Those of the last measurement.
  std::string partners_key_;
  std::size_t measured_ = 0, known_ = 0, noisy_ = 0;
};

}  // namespace edgeprobe::placement::shape
