// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace edgeprobe::engine {

/// Where Python packages come from, according to pip's settings.
struct PackageIndex {
  std::string url;           ///< URL of the simple index, without a trailing slash.
  std::string certificates;  ///< A file of certificate authorities; empty: the system's.
};

/// $PIP_INDEX_URL and $PIP_CERT, else `index-url` and `cert` of pip's configuration files, else
/// PyPI.
PackageIndex package_index();

/// A value from section [global] or [download] of a pip configuration file.
std::optional<std::string> pip_setting(std::string_view file, std::string_view key);

/// The absolute address of the file with this hash on a page of the simple index.
std::optional<std::string> link_with(std::string_view page, std::string_view page_url,
                                     std::string_view sha256);

/// URL of the file of a Maven artifact "GROUP:ARTIFACT:CLASSIFIER": below $EDGEPROBE_MAVEN_URL,
/// else in Maven Central.
std::string maven_url(std::string_view artifact, std::string_view version);

/// The address without user name and password.
std::string without_credentials(std::string_view url);

}  // namespace edgeprobe::engine
