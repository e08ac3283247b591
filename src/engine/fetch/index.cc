// SPDX-License-Identifier: Apache-2.0
#include "engine/fetch/index.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "core/file.h"

namespace edgeprobe::engine {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t kMostConfiguration = std::size_t{1} << 20;

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

std::string_view trimmed(std::string_view text) {
  const auto start = text.find_first_not_of(" \t\r");
  if (start == std::string_view::npos) return {};
  return text.substr(start, text.find_last_not_of(" \t\r") - start + 1);
}

/// Most specific file first.
std::vector<fs::path> configuration_files() {
  const std::string own = variable("PIP_CONFIG_FILE"), home = variable("HOME"),
                    venv = variable("VIRTUAL_ENV");
  if (own == "/dev/null") return {};
  std::vector<fs::path> files;
  if (!own.empty()) files.emplace_back(own);
  if (!venv.empty()) files.push_back(fs::path(venv) / "pip.conf");
  std::string config = variable("XDG_CONFIG_HOME");
  if (config.empty() && !home.empty()) config = home + "/.config";
  if (!config.empty()) files.push_back(fs::path(config) / "pip" / "pip.conf");
  if (!home.empty()) files.push_back(fs::path(home) / ".pip" / "pip.conf");
  files.emplace_back("/etc/pip.conf");
  return files;
}

std::string setting(const char* name, std::string_view key) {
  if (std::string value = variable(name); !value.empty()) return value;
  for (const fs::path& path : configuration_files()) {
    const auto file = read_file(path, kMostConfiguration);
    if (!file) continue;
    if (auto value = pip_setting(ByteView(*file).text(), key)) return *value;
  }
  return "";
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

/// Resolves `link` relative to `page`, like a browser.
std::string absolute(const std::string& link, std::string_view page) {
  if (link.find("://") != std::string::npos) return link;
  const auto scheme = page.find("://");
  if (scheme == std::string_view::npos) return link;
  if (link.starts_with("//")) return std::string(page.substr(0, scheme + 1)) + link;
  const auto root = page.find('/', scheme + 3);
  const std::string host(page.substr(0, root));
  if (link.starts_with("/")) return host + link;
  const std::string path(root == std::string_view::npos ? "/" : page.substr(root));
  const fs::path joined = fs::path(path.substr(0, path.rfind('/') + 1)) / link;
  return host + joined.lexically_normal().string();
}

}  // namespace

std::optional<std::string> pip_setting(std::string_view file, std::string_view key) {
  std::optional<std::string> found;
  bool counts = false;
  while (!file.empty()) {
    const auto end = std::min(file.find('\n'), file.size() - 1);
    const std::string_view line = trimmed(file.substr(0, end + (file[end] != '\n')));
    file.remove_prefix(end + 1);
    if (line.starts_with("[")) counts = line == "[global]" || line == "[download]";
    const auto equals = line.find_first_of("=:");
    if (!counts || equals == std::string_view::npos || line[0] == '#' || line[0] == ';') continue;
    std::string name(trimmed(line.substr(0, equals)));
    std::replace(name.begin(), name.end(), '_', '-');
    if (name == key) found = std::string(trimmed(line.substr(equals + 1)));
  }
  return found;
}

PackageIndex package_index() {
  PackageIndex index{setting("PIP_INDEX_URL", "index-url"), setting("PIP_CERT", "cert")};
  while (index.url.ends_with("/")) index.url.pop_back();
  if (index.url.empty()) index.url = "https://pypi.org/simple";
  return index;
}

std::optional<std::string> link_with(std::string_view page, std::string_view page_url,
                                     std::string_view sha256) {
  const auto at = page.find("#sha256=" + std::string(sha256));
  if (at == std::string_view::npos) return std::nullopt;
  const auto quote = page.find_last_of("\"'", at);
  if (quote == std::string_view::npos) return std::nullopt;
  std::string link(page.substr(quote + 1, at - quote - 1));
  replace_all(link, "&amp;", "&");
  const bool plain = std::all_of(link.begin(), link.end(), [](char c) {
    return c > ' ' && c != '"' && c != '\\' && c != '<' && c != '>' && c != 127;
  });
  if (link.empty() || !plain) return std::nullopt;
  return absolute(link, page_url);
}

std::string maven_url(std::string_view artifact, std::string_view version) {
  const auto first = artifact.find(':'), last = artifact.rfind(':');
  std::string group(artifact.substr(0, first));
  std::replace(group.begin(), group.end(), '.', '/');
  const std::string name(artifact.substr(first + 1, last - first - 1)), release(version);
  std::string root = variable("EDGEPROBE_MAVEN_URL");
  while (root.ends_with("/")) root.pop_back();
  if (root.empty()) root = "https://repo1.maven.org/maven2";
  return root + "/" + group + "/" + name + "/" + release + "/" + name + "-" + release + "-" +
         std::string(artifact.substr(last + 1)) + ".jar";
}

std::string without_credentials(std::string_view url) {
  const auto scheme = url.find("://");
  if (scheme == std::string_view::npos) return std::string(url);
  const auto host = scheme + 3;
  const auto end = std::min(url.find('/', host), url.size());
  const auto at = url.substr(0, end).rfind('@');
  if (at == std::string_view::npos || at < host) return std::string(url);
  return std::string(url.substr(0, host)) + std::string(url.substr(at + 1));
}

}  // namespace edgeprobe::engine
