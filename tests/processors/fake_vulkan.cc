// SPDX-License-Identifier: Apache-2.0
// A stand-in for Vulkan's loader: one device, and what FAKE_VULKAN says of it. Structures as
// Vulkan's specification lays them out on 64-bit systems, by their offsets.
#include <signal.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

bool is(const char* mode) {
  const char* const chosen = std::getenv("FAKE_VULKAN");
  return chosen && std::strcmp(chosen, mode) == 0;
}

constexpr std::uint32_t version(std::uint32_t major, std::uint32_t minor, std::uint32_t patch) {
  return major << 22 | minor << 12 | patch;
}

void put(void* structure, std::size_t offset, const void* value, std::size_t size) {
  std::memcpy(static_cast<char*>(structure) + offset, value, size);
}

std::int32_t enumerate_version(std::uint32_t* api) {
  *api = is("vulkan10") ? version(1, 0, 0) : version(1, 3, 0);
  return 0;
}

std::int32_t create(const void* info, const void*, void** instance) {
  if (is("crash")) ::raise(SIGSEGV);
  if (is("hang"))
    for (;;) ::pause();
  if (is("refuse")) return -7;
  if (is("print")) std::puts("a driver greets");
  // The application's description is at offset 24 of the instance's; its Vulkan version is at 44.
  const char* application = nullptr;
  std::uint32_t asked = 0;
  std::memcpy(&application, static_cast<const char*>(info) + 24, sizeof application);
  std::memcpy(&asked, application + 44, sizeof asked);
  // The specification allows a loader of version 1.0 to do this.
  if (is("vulkan10") && asked > version(1, 0, 0)) return -9;
  *instance = reinterpret_cast<void*>(1);
  return 0;
}

std::int32_t enumerate(void*, std::uint32_t* count, void** devices) {
  *count = is("none") ? 0 : 1;
  devices[0] = reinterpret_cast<void*>(2);
  return 0;
}

void properties(void*, void* found) {
  const std::uint32_t words[5] = {is("vulkan10") ? version(1, 0, 65) : version(1, 3, 230), 1,
                                  0x10005, 0, 4};
  put(found, 0, words, sizeof words);
  put(found, sizeof words, "llvmpipe (a stand-in)", 22);
}

void properties2(void* device, void* found) {
  properties(device, static_cast<char*>(found) + 16);
  void* next = nullptr;
  std::memcpy(&next, static_cast<char*>(found) + 8, sizeof next);
  std::uint32_t type = 0;
  std::memcpy(&type, next, sizeof type);
  if (type != 1000196000) std::abort();
  put(next, 20, "llvmpipe", 9);
  // Without a terminating zero, which no driver should do: 256 bytes.
  if (is("endless")) std::memset(static_cast<char*>(next) + 276, 'M', 256);
  else put(next, 276, "Mesa 22.3.6 (LLVM 15.0.6)", 26);
}

}  // namespace

extern "C"
    __attribute__((visibility("default"))) void (*vkGetInstanceProcAddr(void*,
                                                                        const char* name))() {
  const auto is_name = [&](const char* other) { return std::strcmp(name, other) == 0; };
  if (is_name("vkEnumerateInstanceVersion")) return reinterpret_cast<void (*)()>(enumerate_version);
  if (is_name("vkCreateInstance")) return reinterpret_cast<void (*)()>(create);
  if (is_name("vkEnumeratePhysicalDevices")) return reinterpret_cast<void (*)()>(enumerate);
  if (is_name("vkGetPhysicalDeviceProperties")) return reinterpret_cast<void (*)()>(properties);
  if (is_name("vkGetPhysicalDeviceProperties2") && !is("vulkan10"))
    return reinterpret_cast<void (*)()>(properties2);
  return nullptr;
}
