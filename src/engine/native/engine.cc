// SPDX-License-Identifier: Apache-2.0
#include "engine/native/engine.h"

#include "engine/library_hash.h"
#include "engine/native/library.h"
#include "engine/native/reason.h"
#include "engine/runtime_engine.h"

namespace edgeprobe::engine::native {

Result<std::unique_ptr<Engine>> start(Library library, std::string_view options,
                                      EngineIdentity identity) {
  EP_TRY(auto values, option_values(library.name(), library.options, options));
  EP_TRY(identity.sha256, library_sha256(identity.library));
  if (library.table.layer) identity.abilities.emplace_back("layers");
  if (library.table.times) identity.abilities.emplace_back("op times");
  Reason reason;
  if (library.table.open)
    EP_CHECK(reason.of(library.table.open(reason.buffer()),
                       identity.kind + " " + identity.version + " does not start: "));
  return std::unique_ptr<Engine>(std::make_unique<RuntimeEngine>(
      std::move(identity),
      [library = std::move(library), values = std::move(values)](
          ByteView model, std::string_view label, const SessionOptions& session) {
        return load_session(library, values, model, label, session);
      }));
}

Result<std::unique_ptr<Engine>> open(const std::filesystem::path& plugin) {
  const std::string& text = plugin.native();
  const Choice choice = split(text);
  EP_TRY(auto library, open_library(choice.library));
  EngineIdentity identity{library.name(), library.version(), library.file.path(), {}};
  return start(std::move(library), choice.options, std::move(identity));
}

}  // namespace edgeprobe::engine::native
