// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "engine/kinds.h"

namespace edgeprobe::engine {

/// A library of an engine as a wheel on PyPI has it. script/setup names the same version and hashes
/// (tests/engine/pins_test.py).
struct Pin {
  EngineId engine{};
  const char* machine = "";  ///< As uname says it.
  const char* package = "";
  const char* version = "";
  const char* sha256 = "";  ///< Of the wheel.
  const char* member = "";  ///< Of the wheel: the library.
  const char* library_sha256 = "";
  std::uint64_t bytes = 0;  ///< Of the wheel.
};

std::span<const Pin> pins();
/// For the machine that this program is built for. Null when there is none.
const Pin* pin_of(EngineId engine);

/// "engines/litert-2.3.0-x86_64/libLiteRt.so" below the user's cache.
std::filesystem::path library_below(const std::filesystem::path& cache, const Pin& pin);

}  // namespace edgeprobe::engine
