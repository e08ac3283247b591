// SPDX-License-Identifier: Apache-2.0
#include "processors/vulkan_question.h"

#include <dlfcn.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "core/text.h"

namespace edgeprobe::processors {
namespace {

// The few structures of Vulkan's ABI needed to query devices, written from the specification, so
// that the build needs no headers.
constexpr std::uint32_t version(std::uint32_t major, std::uint32_t minor) {
  return major << 22 | minor << 12;
}
constexpr std::int32_t kSuccess = 0, kIncomplete = 5, kNoDriver = -9;
constexpr std::size_t kMostDevices = 16;

struct ApplicationInfo {
  std::int32_t type = 0;
  const void* next = nullptr;
  const char* application = "edgeprobe";
  std::uint32_t application_version = 0;
  const char* engine = nullptr;
  std::uint32_t engine_version = 0;
  std::uint32_t api = 0;
};

struct InstanceInfo {
  std::int32_t type = 1;
  const void* next = nullptr;
  std::uint32_t flags = 0;
  const ApplicationInfo* application = nullptr;
  std::uint32_t layers = 0;
  const char* const* layer_names = nullptr;
  std::uint32_t extensions = 0;
  const char* const* extension_names = nullptr;
};

struct DeviceProperties {
  std::uint32_t api, driver, vendor, device, kind;
  char name[256];
  /// Identifiers and limits, 532 bytes on 64-bit systems; with room for extensions.
  alignas(8) std::byte rest[2048];
};

struct DriverProperties {
  std::int32_t type = 1'000'196'000;
  void* next = nullptr;
  std::int32_t id = 0;
  char name[256] = {};
  char info[256] = {};
  std::uint8_t conformance[4] = {};
};

struct DeviceProperties2 {
  std::int32_t type = 1'000'059'001;
  void* next = nullptr;
  DeviceProperties properties{};
};

using Handle = void*;
using Function = void (*)();
using GetFunction = Function (*)(Handle, const char*);
using EnumerateVersion = std::int32_t (*)(std::uint32_t*);
using CreateInstance = std::int32_t (*)(const InstanceInfo*, const void*, Handle*);
using DestroyInstance = void (*)(Handle, const void*);
using EnumerateDevices = std::int32_t (*)(Handle, std::uint32_t*, Handle*);
using GetProperties = void (*)(Handle, DeviceProperties*);
using GetProperties2 = void (*)(Handle, DeviceProperties2*);

std::string text_of(const char (&text)[256]) {
  return sanitized(std::string_view(text, ::strnlen(text, sizeof text)), 200);
}

VulkanDevice::Kind kind_of(std::uint32_t kind) {
  using Kind = VulkanDevice::Kind;
  constexpr std::array kKinds{Kind::kOther, Kind::kIntegrated, Kind::kDiscrete, Kind::kVirtual,
                              Kind::kSoftware};
  return kind < kKinds.size() ? kKinds[kind] : Kind::kOther;
}

VulkanDevice device_of(const DeviceProperties& properties, const DriverProperties& driver) {
  return {text_of(properties.name), kind_of(properties.kind), text_of(driver.name),
          text_of(driver.info),
          std::to_string(properties.api >> 22 & 0x7f) + "." +
              std::to_string(properties.api >> 12 & 0x3ff) + "." +
              std::to_string(properties.api & 0xfff)};
}

/// Distinguishes a missing loader from one that is damaged, for another machine, or lacks a
/// library.
std::string not_opened(std::string_view why) {
  if (why.starts_with("libvulkan.so.1: cannot open") || why.find("not found") != why.npos)
    return "libvulkan.so.1 is not found by the dynamic loader";
  return "libvulkan.so.1 does not load: " + sanitized(why, 300);
}

Error failed(const char* call, std::int32_t code) {
  return {ErrorKind::kTarget, std::string(call) + " gives error " + std::to_string(code)};
}

}  // namespace

Result<std::vector<VulkanDevice>> vulkan_devices() {
  void* library = ::dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
  const std::string why = library ? "" : ::dlerror();
  if (!library) library = ::dlopen("libvulkan.so", RTLD_NOW | RTLD_LOCAL);  // Name on Android.
  if (!library) return Error{ErrorKind::kNotFound, not_opened(why)};
  const auto get = reinterpret_cast<GetFunction>(::dlsym(library, "vkGetInstanceProcAddr"));
  if (!get) return Error{ErrorKind::kTarget, "libvulkan.so.1 has no vkGetInstanceProcAddr"};
  Handle instance = nullptr;
  const auto function = [&](const char* name) { return get(instance, name); };

  // A loader of Vulkan 1.0 refuses an instance of 1.1.
  std::uint32_t api = version(1, 0);
  if (const auto ask = reinterpret_cast<EnumerateVersion>(function("vkEnumerateInstanceVersion")))
    if (ask(&api) != kSuccess) api = version(1, 0);
  ApplicationInfo application;
  application.api = api >= version(1, 1) ? version(1, 1) : version(1, 0);
  InstanceInfo info;
  info.application = &application;
  const auto create = reinterpret_cast<CreateInstance>(function("vkCreateInstance"));
  if (!create) return Error{ErrorKind::kTarget, "libvulkan.so.1 has no vkCreateInstance"};
  const std::int32_t created = create(&info, nullptr, &instance);
  if (created == kNoDriver) return std::vector<VulkanDevice>{};
  if (created != kSuccess) return failed("vkCreateInstance", created);

  std::vector<VulkanDevice> devices;
  const auto enumerate = reinterpret_cast<EnumerateDevices>(function("vkEnumeratePhysicalDevices"));
  const auto properties =
      reinterpret_cast<GetProperties>(function("vkGetPhysicalDeviceProperties"));
  const auto properties2 =
      reinterpret_cast<GetProperties2>(function("vkGetPhysicalDeviceProperties2"));
  if (!enumerate || !properties)
    return Error{ErrorKind::kTarget, "libvulkan.so.1 lacks functions of Vulkan 1.0"};
  std::array<Handle, kMostDevices> handles{};
  std::uint32_t count = kMostDevices;
  const std::int32_t listed = enumerate(instance, &count, handles.data());
  if (listed != kSuccess && listed != kIncomplete && listed != kNoDriver)
    return failed("vkEnumeratePhysicalDevices", listed);
  for (std::uint32_t i = 0; i < count && listed != kNoDriver && i < kMostDevices; ++i) {
    DriverProperties driver;
    DeviceProperties2 all;
    properties(handles[i], &all.properties);
    // A Vulkan 1.0 device must not be queried with 1.1's function.
    if (properties2 && all.properties.api >= version(1, 1)) {
      all.next = &driver;
      properties2(handles[i], &all);
    }
    devices.push_back(device_of(all.properties, driver));
  }
  if (const auto destroy = reinterpret_cast<DestroyInstance>(function("vkDestroyInstance")))
    destroy(instance, nullptr);
  return devices;
}

}  // namespace edgeprobe::processors
