// SPDX-License-Identifier: Apache-2.0
#include "engine/openvino/library.h"

#include <cstdlib>
#include <memory>
#include <regex>
#include <vector>

#include "core/text.h"
#include "engine/inputs.h"

namespace edgeprobe::engine::openvino {
namespace {

namespace fs = std::filesystem;

/// Return value of ov::get_openvino_version().
struct Version {
  const char* build;
  const char* description;
};
using GetVersion = Version();
constexpr const char* kVersionSymbol = "get_openvino_version";

/// "2026.4.1-22982-e213a147257-releases/2026/4" -> "2026.4.1-22982".
std::string short_version(const char* build) {
  std::string text = sanitized(build ? build : "");
  const auto first = text.find('-');
  return first == std::string::npos ? text : text.substr(0, text.find('-', first + 1));
}

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

Result<SharedLibrary> open_plugin(const SharedLibrary& library) {
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

Runtime::Runtime(SharedLibrary opened, SharedLibrary own, const EpOvTable* bound, EpOvCore* started,
                 std::string says)
    : library(std::move(opened)),
      plugin(std::move(own)),
      table(bound),
      core(started),
      version(std::move(says)) {}

std::string reason(const char* message) {
  static const std::regex place(
      R"((Exception from \S+:\d+:)|(Check '.*?' failed at \S+:\d+:)|(FrontEnd API failed with \w+:))");
  std::string text = one_sentence(std::regex_replace(message, place, " "));
  const auto start = text.find_first_not_of(' ');
  return start == std::string::npos ? "OpenVINO gives no reason" : text.substr(start);
}

Result<std::shared_ptr<Runtime>> open_runtime(const fs::path& path) {
  EP_TRY(auto library, SharedLibrary::open(path));
  GetVersion* get_version = nullptr;
  SymbolReader symbols(library);
  symbols.required(get_version, kVersionSymbol);
  EP_CHECK(symbols.complete("an OpenVINO library"));
  const std::string version = short_version(get_version().build);
  EP_TRY(auto plugin, open_plugin(library));
  if (plugin.symbol(kVersionSymbol) != library.symbol(kVersionSymbol))
    return Error{ErrorKind::kUnsupported,
                 "the plug-in of edgeprobe was built for another OpenVINO than '" +
                     sanitized(path.string(), 300) +
                     "' and found that one elsewhere; build it with -DOpenVINO_DIR=<cmake folder "
                     "of the one you want>"};
  auto* const entry = reinterpret_cast<EpOvEntry*>(plugin.symbol(kEntry));
  const EpOvTable* const table = entry ? entry(kBorderVersion) : nullptr;
  if (!table)
    return Error{ErrorKind::kUnsupported,
                 "'" + sanitized(plugin.path().string(), 300) +
                     "' is not the OpenVINO plug-in of this edgeprobe; build both together"};
  char text[2048] = "";
  EpOvMessage message{text, sizeof text};
  EpOvCore* const core = table->open(&message);
  if (!core)
    return Error{ErrorKind::kTarget, "OpenVINO " + version + " does not start: " + reason(text)};
  return std::make_shared<Runtime>(std::move(library), std::move(plugin), table, core, version);
}

}  // namespace edgeprobe::engine::openvino
