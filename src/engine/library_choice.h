// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/result.h"
#include "engine/engine.h"
#include "engine/kinds.h"

namespace edgeprobe::engine {

/// A library file, and the rule by which it was found.
struct LibraryPlace {
  std::filesystem::path path;
  std::string rule;  ///< "next to the program", "EDGEPROBE_LITERT_LIB"; for users.
};

/// Search places for an engine's default library, in order: its variable (if set, nothing else is
/// searched); ../lib/edgeprobe/ next to the program, and its own folder; .deps/ of the checkout;
/// the user's cache, where `edgeprobe fetch` puts it. Folders that other users can write to are
/// left out, except the checkout.
std::vector<LibraryPlace> default_libraries(const EngineKind& kind);

/// The library file for a choice: the one it names, or the first found with a tested version, else
/// the first found. Searches the Python package of $EDGEPROBE_SITE_PACKAGES and the defaults; only
/// if they have none, the package in `$EDGEPROBE_PYTHON`, else `python3`. kNotFound says what to
/// do.
Result<LibraryPlace> find_library(const EngineChoice& choice);

/// The path from find_library().
Result<std::filesystem::path> library_of(const EngineChoice& choice);

}  // namespace edgeprobe::engine
