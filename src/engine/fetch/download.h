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
  std::string certificates;  ///< A file of certificate authorities; empty: the system's.
  std::uint64_t bytes = 0;   ///< Its size if known, for progress.
  std::string what;          ///< For progress messages: "ai-edge-litert 2.3.0".
  bool resumes = false;      ///< Keeps the bytes that the file has, and asks for the rest.
};

/// Words of a failure of download() if the server sends no rest of a file.
inline constexpr const char* kNoRest = "byte ranges";

/// Downloads the file to `to` with the user's curl, wget or python3, and returns the name of the
/// program used. A failure leaves a partial file at `to`. The program gets the address through its
/// standard input, so that a password in it is not visible in the process list. kNotFound if none
/// of the three exists, kTarget with the last output of each that failed, kInterrupted.
Result<std::string> download(const Address& address, const std::filesystem::path& to,
                             const Control& control);

}  // namespace edgeprobe::engine
