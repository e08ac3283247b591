// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"

namespace edgeprobe::meter {

/// One measured value, or the reason why there is none. What is not known is never 0.
struct Reading {
  std::string name;             ///< "resident memory", "temperature x86_pkg_temp".
  std::string unit;             ///< "B", "s", "Hz", "degC", "W", "%"; "" for a plain number.
  std::optional<double> value;  ///< In `unit`.
  /// The file that was read, as it is called on a real system: "/proc/7/status VmRSS".
  std::string source;
  /// Why there is no value: "absent", "not permitted", …; "" when there is one.
  std::string reason;
};

/// Where the kernel shows itself. Tests put a folder of their own in the place of "/".
struct Root {
  std::filesystem::path path = "/";
  std::filesystem::path operator/(const std::string& inside) const { return path / inside; }
};

/// The text of a small file (at most 64 KiB of it) without the line end behind it. The error's
/// sentence is what Reading::reason wants: "absent", "not permitted", "empty", or what the system
/// says.
Result<std::string> read_text(const std::filesystem::path& path);

/// A whole number that fills `text` but for blanks around it; nothing for anything else, also out
/// of range.
std::optional<std::int64_t> whole_number(const std::string& text);

/// The whole number in a file, times `factor`: {name, unit, number * factor, source}. Garbage is a
/// reason.
Reading from_file(const Root& root, const std::string& inside, std::string name, std::string unit,
                  double factor);

Reading known(std::string name, std::string unit, double value, std::string source);
Reading unknown(std::string name, std::string unit, std::string source, std::string reason);

/// The names in a folder, those with numbers in natural order (cpu2 before cpu10); the error as
/// read_text().
Result<std::vector<std::string>> entries(const std::filesystem::path& folder);

}  // namespace edgeprobe::meter
