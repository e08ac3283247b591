// SPDX-License-Identifier: Apache-2.0
#include "engine/native/engine.h"

#include "core/file.h"
#include "engine/native/library.h"
#include "engine/runtime_engine.h"

namespace edgeprobe::engine::native {
Result<std::unique_ptr<Engine>> open(const std::filesystem::path& plugin) {
  const std::string& text = plugin.native();
  const Choice choice = split(text);
  EP_TRY(auto library, open_library(choice.library));
  EP_TRY(auto values, option_values(*library.table, choice.options));
  EngineIdentity identity{library.name(), library.version(), library.file.path(), {}};
  EP_TRY(const auto file, MappedFile::open(identity.library));
  identity.sha256 = sha256(file);
  if (library.table->layer) identity.abilities = {"layers"};
  return std::unique_ptr<Engine>(std::make_unique<RuntimeEngine>(
      std::move(identity),
      [library = std::move(library), values = std::move(values)](
          ByteView model, std::string_view label, const SessionOptions& options) {
        return load_session(library, values, model, label, options);
      }));
}

}  // namespace edgeprobe::engine::native
