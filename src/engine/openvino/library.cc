// SPDX-License-Identifier: Apache-2.0
#include "engine/openvino/library.h"

#include <cstdlib>
#include <vector>

#include "core/text.h"

namespace edgeprobe::engine::openvino {
namespace {

namespace fs = std::filesystem;

constexpr const char* kVersionSymbol = "get_openvino_version";

/// Next to the installed program, else where it was built.
std::vector<fs::path> plugin_places() {
  constexpr const char* kFile = "libedgeprobe_openvino.so";
  std::vector<fs::path> places;
  if (const char* given = std::getenv("EDGEPROBE_OPENVINO_PLUGIN"); given && *given)
    return {fs::path(given)};
  std::error_code failed;
  const auto executable = fs::read_symlink("/proc/self/exe", failed);
  if (!failed)
    places.push_back(executable.parent_path().parent_path() / "lib" / "edgeprobe" / kFile);
#ifdef EDGEPROBE_PLUGINS
  places.push_back(fs::path(EDGEPROBE_PLUGINS) / kFile);
#endif
  return places;
}

Result<SharedLibrary> plugin_for(const SharedLibrary& library) {
  const auto places = plugin_places();
  std::error_code ignored;
  for (const fs::path& place : places) {
    if (!fs::exists(place, ignored)) continue;
    auto plugin = SharedLibrary::open(place);
    if (plugin) return plugin;
    // Every release has its own library name ("libopenvino.so.2641"), and the plug-in needs the one
    // it was built with.
    return std::move(plugin).error().during(
        "the plug-in of edgeprobe was built for another OpenVINO than '" +
        sanitized(library.path().string(), 300) +
        "'; build it with -DOpenVINO_DIR=<cmake folder of that one>");
  }
  return Error{ErrorKind::kNotFound,
               "this build of edgeprobe has no plug-in for OpenVINO (looked for '" +
                   sanitized(places.front().string(), 300) +
                   "'); run script/setup --openvino and build again, or build with "
                   "-DOpenVINO_DIR=<cmake folder>"};
}

}  // namespace

Result<fs::path> find_library(const fs::path& given) {
  std::error_code failed;
  if (!fs::is_directory(given, failed)) return given;
  for (const char* const inside :
       {"", "libs", "openvino/libs", "runtime/lib/intel64", "runtime/lib/aarch64", "lib"})
    for (fs::directory_iterator entry(given / inside, failed), end; !failed && entry != end;
         entry.increment(failed))
      if (entry->path().filename().string().starts_with("libopenvino.so")) return entry->path();
  return Error{
      ErrorKind::kNotFound,
      "folder '" + sanitized(given.string(), 300) +
          "' has no libopenvino.so, nor have its libs, openvino/libs, runtime/lib/intel64 and lib"};
}

Result<native::Library> open_plugin(const fs::path& path) {
  EP_TRY(const auto library, SharedLibrary::open(path));
  void (*version)() = nullptr;
  SymbolReader symbols(library);
  symbols.required(version, kVersionSymbol);
  EP_CHECK(symbols.complete("an OpenVINO library"));
  EP_TRY(const auto plugin, plugin_for(library));
  if (plugin.symbol(kVersionSymbol) != library.symbol(kVersionSymbol))
    return Error{ErrorKind::kUnsupported,
                 "the plug-in of edgeprobe was built for another OpenVINO than '" +
                     sanitized(path.string(), 300) +
                     "' and found that one elsewhere; build it with -DOpenVINO_DIR=<cmake folder "
                     "of the one you want>"};
  auto opened = native::open_library(plugin.path());
  if (opened && opened->name() == "openvino") return opened;
  const std::string is_not = "'" + sanitized(plugin.path().string(), 300) +
                             "' is not the OpenVINO plug-in of this edgeprobe; build both together";
  return Error{ErrorKind::kUnsupported, opened ? is_not : is_not + ": " + opened.error().what};
}

}  // namespace edgeprobe::engine::openvino
