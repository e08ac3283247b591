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

/// What to try when XNNPACK is what fails: the built-in kernels take what it cannot. "" for other
/// failures.
inline std::string kernels_advice(const std::string& failure, std::optional<Kernels> kernels) {
  const bool xnnpack = kernels.value_or(Kernels::kXnnpack) == Kernels::kXnnpack;
  const bool named =
      failure.find("XNN") != std::string::npos || failure.find("xnn") != std::string::npos;
  return xnnpack && named ? "; --kernels builtin does without XNNPACK" : "";
}

/// An engine that is an opened library and one way to load a model into it. What fails to load
/// names engine and model.
class RuntimeEngine final : public Engine {
 public:
  using Load = std::function<Result<std::unique_ptr<Session>>(
      ByteView model, std::string_view label, const SessionOptions& options)>;

  /// `load` keeps the library alive.
  RuntimeEngine(EngineIdentity identity, Load load)
      : identity_(std::move(identity)), load_(std::move(load)) {}

  const EngineIdentity& identity() const override { return identity_; }

  Result<std::unique_ptr<Session>> load(ByteView model, std::string_view label,
                                        const SessionOptions& options) override {
    auto session = load_(model, label, options);
    if (!session && (identity_.kind == "litert" || identity_.kind == "tflite"))
      session.error().what += kernels_advice(session.error().what, options.kernels);
    if (!session)
      return std::move(session).error().during(identity_.kind + " " + identity_.version +
                                               " cannot load '" + printable(label) + "'");
    return session;
  }

 private:
  EngineIdentity identity_;
  Load load_;
};

}  // namespace edgeprobe::engine
