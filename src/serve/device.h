// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "core/result.h"
#include "engine/engine.h"
#include "engine/options.h"
#include "serve/options.h"

namespace edgeprobe::serve {

/// The engines of this machine, opened on demand. Not thread-safe.
class Device {
 public:
  /// Opens an engine in a separate process. Benchmarks replace it.
  using Opener = Result<std::unique_ptr<engine::Engine>> (*)(const engine::EngineChoice&);

  explicit Device(const Options& options, Opener opener = engine::open_supervised)
      : options_(options), opener_(opener) {}

  /// The operator's engine, or else the default for a model of this format. kCorrupt for bytes that
  /// are not a model, kUnsupported for external data, for an engine that does not run the format,
  /// and for compiled models unless allowed.
  Result<engine::EngineChoice> choice_for(ByteView model, std::string_view label) const;
  /// The engine of choice_for(), opened once.
  Result<engine::Engine*> engine_for(ByteView model, std::string_view label);
  /// The operator's engine, or else the default of the format ("tflite"), or else the first engine.
  /// For a client that has not sent a model yet.
  Result<engine::Engine*> engine_of_format(std::string_view format);
  /// A separate session. kCorrupt for bytes that are not a model, kUnsupported for external data
  /// and for compiled models unless allowed.
  Result<std::unique_ptr<engine::Session>> load(ByteView model, std::string_view label,
                                                const engine::SessionOptions& options);
  const Options& options() const { return options_; }

 private:
  engine::EngineChoice choice_of_format(std::string_view format) const;
  Result<engine::Engine*> open(const engine::EngineChoice& choice);

  const Options& options_;
  Opener opener_;
  std::map<std::string, std::unique_ptr<engine::Engine>> engines_;  ///< Keyed by engine kind.
};

/// Session options for a client: its own, as JSON, where it may choose; if not, the operator's.
/// kUsage for options that it may not choose.
Result<engine::SessionOptions> client_options(std::string_view json,
                                              const engine::SessionOptions& operators);

}  // namespace edgeprobe::serve
