// SPDX-License-Identifier: Apache-2.0
#include "processors/host.h"

#include <fcntl.h>
#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "processors/vulkan_question.h"

namespace edgeprobe::processors {

std::string Host::variable(const std::string& name) const {
  const auto at = environment.find(name);
  return at == environment.end() ? "" : at->second;
}

bool Host::is_android() const {
  std::error_code unknown;
  return std::filesystem::exists(root / "system/build.prop", unknown);
}

Host this_host() {
  Host host;
  for (const char* const name :
       {"VK_DRIVER_FILES", "VK_ADD_DRIVER_FILES", "VK_ICD_FILENAMES", "LD_LIBRARY_PATH", "HOME",
        "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "XDG_DATA_HOME", "XDG_DATA_DIRS",
        "ORT_WEBGPU_EP_ALLOW_SOFTWARE_ADAPTER"})
    if (const char* const value = std::getenv(name); value && *value)
      host.environment[name] = value;
  host.is_root = ::geteuid() == 0;
  host.ask_vulkan = [] { return ask_vulkan(kVulkanLimit); };
  return host;
}

DeviceNode device_node(const Host& host, const std::string& inside) {
  DeviceNode node;
  node.path = "/" + inside;
  const std::filesystem::path file = host.root / inside;
  struct stat status {};
  if (::stat(file.c_str(), &status) == 0 && (status.st_mode & S_IRGRP) &&
      (status.st_mode & S_IWGRP))
    if (const group* const owner = ::getgrgid(status.st_gid)) node.group = owner->gr_name;
  // Checks the rights that open() would use; C libraries without AT_EACCESS have only one set of
  // rights.
  node.may_open = ::faccessat(AT_FDCWD, file.c_str(), R_OK | W_OK, AT_EACCESS) == 0 ||
                  (errno == EINVAL && ::access(file.c_str(), R_OK | W_OK) == 0);
  if (!node.may_open)
    node.reason = errno == EACCES || errno == EPERM ? "not permitted" : std::strerror(errno);
  return node;
}

}  // namespace edgeprobe::processors
