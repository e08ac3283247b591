// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/result.h"
#include "engine/engine.h"
#include "engine/kinds.h"

namespace edgeprobe::engine {

/// A file, and by which rule it is an engine's library.
struct LibraryPlace {
  std::filesystem::path path;
  std::string rule;  ///< "beside the program", "EDGEPROBE_LITERT_LIB"; for people.
};

/// Where the default library of an engine is looked for, in order: its variable (and then nowhere
/// else); ../lib/edgeprobe/ beside the program, and its own folder; .deps/ of the checkout; the
/// user's cache, where `edgeprobe fetch` puts it. Others can write to none of them but the
/// checkout, or they are left out.
std::vector<LibraryPlace> default_libraries(const EngineKind& kind);

/// The library file that a choice means: the one it names, or of these the first whose version
/// edgeprobe was tried with, else the first: that in the Python package of
/// $EDGEPROBE_SITE_PACKAGES, the defaults, or, where there is none, that of the package in
/// `$EDGEPROBE_PYTHON`, else `python3`. kNotFound says what to do.
Result<LibraryPlace> find_library(const EngineChoice& choice);

/// Its path alone.
Result<std::filesystem::path> library_of(const EngineChoice& choice);

}  // namespace edgeprobe::engine
