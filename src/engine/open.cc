// SPDX-License-Identifier: Apache-2.0
#include "core/text.h"
#include "engine/engine.h"
#include "engine/kinds.h"
#include "engine/library_choice.h"
#include "engine/pinned.h"

namespace edgeprobe::engine {
namespace {

/// The engine, which gets the options of its kind alone.
class CheckedEngine final : public Engine {
 public:
  CheckedEngine(const EngineKind& kind, std::unique_ptr<Engine> engine)
      : kind_(kind), engine_(std::move(engine)) {}

  const EngineIdentity& identity() const override { return engine_->identity(); }
  Result<std::unique_ptr<Session>> load(ByteView model, std::string_view label,
                                        const SessionOptions& options) override {
    if (auto good = check_options(kind_, options); !good) return std::move(good).error();
    return engine_->load(model, label, options);
  }

 private:
  const EngineKind& kind_;
  std::unique_ptr<Engine> engine_;
};

Error unknown(const EngineChoice& choice) {
  return {Fault::kUsage, "engine '" + printable(choice.kind) + "' is unknown"};
}

}  // namespace

Result<std::filesystem::path> library_of(const EngineChoice& choice) {
  if (!choice.library.empty()) return choice.library;
  const EngineKind* const kind = find_kind(choice.kind);
  if (!kind) return unknown(choice);
  const auto places = default_libraries(*kind);
  std::error_code ignored;
  for (const auto& place : places)
    if (std::filesystem::exists(place, ignored)) return place;
  std::string looked;
  for (const auto& place : places)
    if (looked.find("'" + printable(place.parent_path().string(), 300) + "'") == std::string::npos)
      looked += (looked.empty() ? "'" : ", '") + printable(place.parent_path().string(), 300) + "'";
  return Error{Fault::kNotFound,
               "no library for engine '" + choice.kind + "' was found; run script/setup" +
                   (*kind->setup ? std::string(" ") + kind->setup : "") + ", or name one as '" +
                   choice.kind + ":/path/to/library.so' (looked for " +
                   printable(places.front().filename().string(), 100) + " in " + looked + ")"};
}

Result<std::unique_ptr<Engine>> open_in_process(const EngineChoice& choice) {
  const EngineKind* const kind = find_kind(choice.kind);
  if (!kind) return unknown(choice);
  const auto library = library_of(choice);
  if (!library) return library.error();
  auto engine = kind->open(*library, choice.force_version);
  if (!engine) return engine;
  return std::unique_ptr<Engine>(
      std::make_unique<CheckedEngine>(*kind, pinned(*std::move(engine))));
}

}  // namespace edgeprobe::engine
