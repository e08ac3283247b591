// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <filesystem>
#include <string>
#include <string_view>

namespace edgeprobe::engine {

/// The first numbers of a library's version.
struct Version {
  int major = 0;
  int minor = 0;
  int patch = 0;
  auto operator<=>(const Version&) const = default;
};
/// Parses text such as "1.31.1" or "2.18.0-fake"; zeros if it is not a version.
Version version_of(std::string_view text);
/// "1.31", "2.1.6": without a trailing zero.
std::string version_text(const Version& version);

/// The version of the Python package that contains a library, "2.3.0": from the folder
/// `distribution`-VERSION.dist-info next to the package's own. "" if there is none, or more than
/// one.
std::string packaged_version(const std::filesystem::path& library, std::string_view package,
                             std::string_view distribution);

/// The versions of an engine's library with which edgeprobe was tested.
struct TriedVersions {
  Version oldest;
  Version newest;  ///< With any patch number.
  bool has(const Version& version) const {
    return oldest <= version && Version{version.major, version.minor} <= newest;
  }
};
/// "1.14 to 1.32", "2.3".
std::string version_text(const TriedVersions& tried);

}  // namespace edgeprobe::engine
