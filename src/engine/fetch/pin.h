// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "engine/kinds.h"

namespace edgeprobe::engine {

/// A library in an archive of a public index. script/setup contains the same version and hashes
/// (tests/engine/pins_test.py).
struct Pin {
  enum class Source {
    kPyPi,  ///< A wheel of `package`.
    kMaven  ///< A jar; `package` is "GROUP:ARTIFACT:CLASSIFIER".
  };
  EngineId engine{};
  const char* machine = "";  ///< As printed by uname.
  Source source{};
  const char* package = "";
  const char* version = "";
  const char* sha256 = "";  ///< Hash of the archive, not of the library inside it.
  const char* member = "";  ///< The library's name in the archive.
  const char* library_sha256 = "";
  std::uint64_t bytes = 0;  ///< Size of the archive, not of the library inside it.
};

std::span<const Pin> pins();
/// An engine's pins for this program's machine type: the engine's library first, then the libraries
/// that it needs next to it. Empty if there are none.
std::vector<const Pin*> pins_of(EngineId engine);

/// Such as "ai-edge-litert 2.3.0", for users.
std::string title_of(const Pin& pin);

/// "engines/litert-2.3.0-x86_64" below the user's cache, for the first of the engine's pins.
std::filesystem::path folder_below(const std::filesystem::path& cache, const Pin& first);
/// The library of a pin in that folder.
std::filesystem::path library_in(const std::filesystem::path& folder, const Pin& pin);

}  // namespace edgeprobe::engine
