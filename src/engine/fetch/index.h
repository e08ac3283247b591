// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace edgeprobe::engine {

/// Where Python packages come from, as pip would have it.
struct PackageIndex {
  std::string url;           ///< Of the simple index, without a slash at its end.
  std::string certificates;  ///< A file of authorities; empty: the system's.
};

/// $PIP_INDEX_URL and $PIP_CERT, else `index-url` and `cert` of pip's configuration files, else
/// PyPI.
PackageIndex package_index();

/// A value of section [global] or [download] in a file as pip's configuration.
std::optional<std::string> pip_setting(std::string_view file, std::string_view key);

/// The address on a page of the simple index whose file has this hash, made absolute.
std::optional<std::string> link_with(std::string_view page, std::string_view page_url,
                                     std::string_view sha256);

/// Where the file of a Maven artifact "GROUP:ARTIFACT:CLASSIFIER" lies: below $EDGEPROBE_MAVEN_URL,
/// else in Maven Central.
std::string maven_url(std::string_view artifact, std::string_view version);

/// The address without a user's name and password.
std::string without_credentials(std::string_view url);

}  // namespace edgeprobe::engine
