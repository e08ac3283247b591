// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/text.h"
#include "engine/engine.h"

namespace edgeprobe::engine {

/// Advice if XNNPACK fails: the built-in kernels run what it cannot. "" for other failures.
inline std::string kernels_advice(const std::string& failure, std::optional<Kernels> kernels) {
  const bool xnnpack = kernels.value_or(Kernels::kXnnpack) == Kernels::kXnnpack;
  const bool named =
      failure.find("XNN") != std::string::npos || failure.find("xnn") != std::string::npos;
  return xnnpack && named ? "; --kernels builtin does without XNNPACK" : "";
}

/// kernels_advice() for a failed load, for engines with TfliteOptions.
inline std::string load_advice(const std::string& failure, const SessionOptions& options) {
  return kernels_advice(failure, own<TfliteOptions>(options).kernels);
}

/// An engine that consists of an opened library and one way to load a model into it. Load errors
/// name engine and model.
class RuntimeEngine final : public Engine {
 public:
  using Load = std::function<Result<std::unique_ptr<Session>>(
      ByteView model, std::string_view label, const SessionOptions& options)>;

  /// Returns the end of an error message: "", or "; " and advice.
  using Advice = std::string (*)(const std::string& failure, const SessionOptions& options);

  /// `load` keeps the library alive.
  RuntimeEngine(EngineIdentity identity, Load load, Advice advice = nullptr)
      : identity_(std::move(identity)), load_(std::move(load)), advice_(advice) {}

  const EngineIdentity& identity() const override { return identity_; }

  Result<std::unique_ptr<Session>> load(ByteView model, std::string_view label,
                                        const SessionOptions& options) override {
    auto session = load_(model, label, options);
    if (!session && advice_) session.error().what += advice_(session.error().what, options);
    if (!session)
      return std::move(session).error().during(identity_.kind + " " + identity_.version +
                                               " cannot load '" + sanitized(label) + "'");
    return session;
  }

 private:
  EngineIdentity identity_;
  Load load_;
  Advice advice_;
};

}  // namespace edgeprobe::engine
