// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "core/control.h"
#include "core/result.h"

namespace edgeprobe::engine {

/// A file on another machine.
struct Address {
  std::string url;           ///< http:// or https://
  std::string certificates;  ///< A file of authorities; empty: the system's.
  std::uint64_t bytes = 0;   ///< Its size as far as known, for progress.
  std::string what;          ///< For progress: "ai-edge-litert 2.3.0".
};

/// Writes the file to `to` by the user's curl, wget or python3, and gives the name of the program
/// that did. What was begun is left at `to` when it fails. The address reaches the program through
/// its standard input, so that a password in it stands in no list of processes. kNotFound when
/// there is none of the three, kTarget with the last words of each that failed, kInterrupted.
Result<std::string> download(const Address& address, const std::filesystem::path& to,
                             const Control& control);

}  // namespace edgeprobe::engine
