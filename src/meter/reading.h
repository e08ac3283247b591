// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"

namespace edgeprobe::meter {

/// One measured value, or the reason why it is missing. An unknown value is never 0.
struct Reading {
  std::string name;             ///< "resident memory", "temperature x86_pkg_temp".
  std::string unit;             ///< "B", "s", "Hz", "degC", "W", "%"; "" for a plain number.
  std::optional<double> value;  ///< In `unit`.
  /// The file that was read, with its path on a real system: "/proc/7/status VmRSS".
  std::string source;
  /// Why the value is missing: "absent", "not permitted", …; "" if there is one.
  std::string reason;
};

/// Root of the kernel's files. Tests use a folder instead of "/".
struct Root {
  std::filesystem::path path = "/";
  std::filesystem::path operator/(const std::string& inside) const { return path / inside; }
};

/// The text of a small file (at most 64 KiB of it) without the final newline. The error's message
/// fits Reading::reason: "absent", "not permitted", "empty", or the system's message.
Result<std::string> read_text(const std::filesystem::path& path);

/// Parses an integer that fills `text` except for surrounding blanks; empty for anything else, or
/// if out of range.
std::optional<std::int64_t> whole_number(const std::string& text);

/// The integer in a file, times `factor`: {name, unit, number * factor, source}. Invalid content
/// becomes a reason.
Reading from_file(const Root& root, const std::string& inside, std::string name, std::string unit,
                  double factor);

Reading known(std::string name, std::string unit, double value, std::string source);
Reading unknown(std::string name, std::string unit, std::string source, std::string reason);

/// The names in a folder, with numbers in natural order (cpu2 before cpu10); errors as in
/// read_text().
Result<std::vector<std::string>> entries(const std::filesystem::path& folder);

}  // namespace edgeprobe::meter
