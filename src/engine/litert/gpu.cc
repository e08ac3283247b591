// SPDX-License-Identifier: Apache-2.0
#include "engine/litert/session.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <vector>

#include "core/text.h"
#include "engine/vulkan_driver.h"

namespace edgeprobe::engine::litert {
namespace {

namespace fs = std::filesystem;

/// Files that LiteRT searches for in a folder, in this order.
constexpr std::array kFiles{"libLiteRtGpuAccelerator.so", "libLiteRtVulkanAccelerator.so",
                            "libLiteRtOpenClAccelerator.so", "libLiteRtWebGpuAccelerator.so"};
constexpr const char* kPinned = kFiles.back();

bool holds_accelerator(const fs::path& folder) {
  std::error_code ignored;
  return std::any_of(kFiles.begin(), kFiles.end(),
                     [&](const char* file) { return fs::is_regular_file(folder / file, ignored); });
}

/// The folder of the library that the user names: LiteRT takes a folder and searches it for files
/// by name.
Result<fs::path> named_folder(const fs::path& library) {
  const std::string shown = "'" + sanitized(library.string(), 300) + "'";
  if (std::find(kFiles.begin(), kFiles.end(), library.filename().string()) == kFiles.end())
    return Error{ErrorKind::kUsage, "delegate 'gpu': " + shown +
                                        " is not called as LiteRT's GPU "
                                        "accelerators are, such as " +
                                        kPinned};
  std::error_code failed;
  if (!fs::is_regular_file(library, failed))
    return Error{ErrorKind::kNotFound, "delegate 'gpu': " + shown + " does not exist"};
  return fs::absolute(library, failed).parent_path();
}

Result<fs::path> default_folder(const fs::path& engine_library) {
  std::vector<fs::path> folders{engine_library.parent_path()};
#ifdef EDGEPROBE_CHECKOUT
  folders.emplace_back(EDGEPROBE_CHECKOUT "/.deps/gpu");
#endif
  std::string looked;
  for (const fs::path& folder : folders) {
    if (holds_accelerator(folder)) return folder;
    looked += (looked.empty() ? "'" : ", '") + sanitized(folder.string(), 300) + "'";
  }
  return Error{ErrorKind::kNotFound,
               std::string("delegate 'gpu': LiteRT's GPU accelerator ") + kPinned +
                   " was not found in " + looked +
                   "; script/setup --gpu brings it, or name the one of the PyPI wheel "
                   "ai-edge-litert==2.3.0 as gpu:/path/" +
                   kPinned};
}

}  // namespace

Result<CEnvironment*> environment_with(Runtime& runtime, const Delegate& wanted) {
  if (wanted.kind != Delegate::Kind::kGpu)
    return Error{ErrorKind::kUnsupported, "LiteRT takes the delegate gpu and no other, '" +
                                              sanitized(name_of(wanted), 300) +
                                              "' was given; use engine tflite"};
  if (!wanted.options.empty())
    return Error{ErrorKind::kUsage,
                 "delegate 'gpu' takes no options, '" + sanitized(wanted.options.front().first) +
                     "' was given; the setting 'precision' decides about 16-bit floats"};
  EP_TRY(const auto folder,
         wanted.library.empty() ? default_folder(runtime.path()) : named_folder(wanted.library));
  return runtime.gpu_environment(folder);
}

std::string gpu_name() { return labelled_delegate("gpu"); }

Error gpu_failure(int status) {
  return {ErrorKind::kUnsupported,
          "delegate 'gpu' does not take the model: " + status_text(status) +
              "; where no Vulkan driver is found, install the GPU's, name it by VK_DRIVER_FILES, "
              "or take the one of script/setup --gpu, which needs no GPU; edgeprobe doctor "
              "--processors "
              "lists what is available"};
}

}  // namespace edgeprobe::engine::litert
