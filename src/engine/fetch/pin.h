// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "engine/kinds.h"

namespace edgeprobe::engine {

/// A library as an archive of a public index has it. script/setup names the same version and hashes
/// (tests/engine/pins_test.py).
struct Pin {
  enum class Source {
    kPyPi,  ///< A wheel of `package`.
    kMaven  ///< A jar; `package` is "GROUP:ARTIFACT:CLASSIFIER".
  };
  EngineId engine{};
  const char* machine = "";  ///< As uname says it.
  Source source{};
  const char* package = "";
  const char* version = "";
  const char* sha256 = "";  ///< Of the archive.
  const char* member = "";  ///< Of the archive: the library.
  const char* library_sha256 = "";
  std::uint64_t bytes = 0;  ///< Of the archive.
};

std::span<const Pin> pins();
/// Those of an engine for the machine that this program is built for: the library of the engine
/// first, then the libraries that it needs beside itself. Empty when there is none.
std::vector<const Pin*> pins_of(EngineId engine);

/// "ai-edge-litert 2.3.0", for people.
std::string title_of(const Pin& pin);

/// "engines/litert-2.3.0-x86_64" below the user's cache, for the first of the engine's pins.
std::filesystem::path folder_below(const std::filesystem::path& cache, const Pin& first);
/// The library of a pin in that folder.
std::filesystem::path library_in(const std::filesystem::path& folder, const Pin& pin);

}  // namespace edgeprobe::engine
