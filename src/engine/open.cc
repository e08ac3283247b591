// SPDX-License-Identifier: Apache-2.0
#include "core/text.h"
#include "engine/cpu_affinity.h"
#include "engine/engine.h"
#include "engine/kinds.h"
#include "engine/library_choice.h"
#include "engine/target.h"

namespace edgeprobe::engine {
namespace {

/// An engine that checks the options for its kind first.
class CheckedEngine final : public Engine {
 public:
  CheckedEngine(const EngineKind& kind, std::unique_ptr<Engine> engine)
      : kind_(kind), engine_(std::move(engine)) {}

  const EngineIdentity& identity() const override { return engine_->identity(); }
  Result<std::unique_ptr<Session>> load(ByteView model, std::string_view label,
                                        const SessionOptions& options) override {
    EP_CHECK(check_options(kind_, options));
    return engine_->load(model, label, options);
  }

 private:
  const EngineKind& kind_;
  std::unique_ptr<Engine> engine_;
};

Error unknown(const EngineChoice& choice) {
  return {ErrorKind::kUsage, "engine '" + sanitized(choice.kind) + "' is unknown"};
}

}  // namespace

Result<std::unique_ptr<Engine>> open_in_process(const EngineChoice& choice) {
  const EngineKind* const kind = find_kind(choice.kind);
  if (!kind) return unknown(choice);
  EP_TRY(const auto library, library_of(choice));
  auto engine = kind->open(library);
  if (!engine) return engine;
  return std::unique_ptr<Engine>(
      std::make_unique<CheckedEngine>(*kind, with_cpu_affinity(*std::move(engine))));
}

Result<std::unique_ptr<Engine>> open_processor(std::string_view engine, std::string_view format) {
  EP_TRY(auto choice, engine_choice_from_text(engine));
  const EngineKind& kind = *find_kind(choice.kind);
  if (kind.planned)
    return Error{ErrorKind::kUsage, "a processor cannot be another plan; name an engine"};
  if (!kind.opens(format))
    return Error{ErrorKind::kUsage, std::string("engine ") + kind.name + " loads " +
                                        listed(format_names(kind)) + ", the plan is of a model " +
                                        "in the format '" + sanitized(format, 60) +
                                        "'; name another engine"};
  return open_in_process(choice);
}

}  // namespace edgeprobe::engine
