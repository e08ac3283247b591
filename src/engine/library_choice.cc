// SPDX-License-Identifier: Apache-2.0
#include "engine/library_choice.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <sstream>

#include "core/cache_folder.h"
#include "core/text.h"
#include "engine/fetch/pin.h"
#include "process/child.h"
#include "process/pipe.h"
#include "process/python.h"
#include "process/wait.h"

namespace edgeprobe::engine {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

/// True if only the caller and root can replace the files in a folder.
bool is_private(const fs::path& folder) {
  struct stat info {};
  return ::stat(folder.c_str(), &info) == 0 && (info.st_uid == 0 || info.st_uid == ::geteuid()) &&
         (info.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

// Removes the current folder from the path first, so that no module is loaded from it.
constexpr const char* kWhere = R"(import sys
sys.path = [entry for entry in sys.path if entry]
import importlib.util
found = importlib.util.find_spec(sys.argv[1])
print(next(iter(found.submodule_search_locations or []), "") if found else "")
)";

/// The folder of a Python package; empty if Python or the package is missing.
fs::path python_package(const std::string& python, const std::string& package) {
  auto out = process::pipe_from_child();
  if (!out) return {};
  process::Command command;
  command.program = python;
  command.arguments = {python, "-c", kWhere, package};
  command.descriptors = {{out->theirs.get(), 1}};
  auto child = process::Child::start(command);
  if (!child) return {};
  out->theirs.close();
  process::Output said(std::move(out->ours), 16384);
  const auto read = process::read_to_end({&said}, {process::deadline_after(20s)});
  if (read != process::Transfer::kDone && read != process::Transfer::kClosed) return {};
  if (const auto exit = child->end(1s); exit.signal != 0 || exit.code != 0) return {};
  const std::string lines = said.take();
  return std::string(lines.begin(), std::find(lines.begin(), lines.end(), '\n'));
}

/// An engine's library in the folder of its Python package.
std::optional<fs::path> library_of_package(const EngineKind& kind, const fs::path& folder) {
  const fs::path named = folder / kind.packaged;
  std::error_code failed;
  if (fs::exists(named, failed)) return named;
  const std::string start = named.filename().string() + ".";
  std::optional<fs::path> found;
  Version newest;
  for (fs::directory_iterator entry(named.parent_path(), failed), end; !failed && entry != end;
       entry.increment(failed)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with(start)) continue;
    const Version version = version_of(name.substr(start.size()));
    if (found && version <= newest) continue;
    found = entry->path();
    newest = version;
  }
  return found;
}

/// The package in one of the folders of $EDGEPROBE_SITE_PACKAGES, which edgeprobe's Python package
/// sets to those of its interpreter.
std::optional<LibraryPlace> beside_this_package(const EngineKind& kind) {
  const char* const given = std::getenv("EDGEPROBE_SITE_PACKAGES");
  std::istringstream folders(given && *kind.package ? given : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (!folder.empty())
      if (const auto library = library_of_package(kind, fs::path(folder) / kind.package))
        return LibraryPlace{*library, std::string("package ") + kind.package + " in " + folder};
  return std::nullopt;
}

std::optional<LibraryPlace> in_python(const EngineKind& kind) {
  if (!*kind.package) return std::nullopt;
  const std::string python = process::python_interpreter("");
  const fs::path folder = python_package(python, kind.package);
  if (folder.empty()) return std::nullopt;
  const auto library = library_of_package(kind, folder);
  if (!library) return std::nullopt;
  return LibraryPlace{*library, std::string("package ") + kind.package + " of " + python};
}

/// The version in the name of the file or its package; "" if neither has one.
std::string told_version(const EngineKind& kind, const fs::path& library) {
  const std::string name = library.filename().string();
  const auto end = name.find(".so.");
  if (end != std::string::npos && version_of(name.substr(end + 4)) != Version{})
    return name.substr(end + 4);
  return *kind.package ? packaged_version(library, kind.package, kind.distribution) : "";
}

/// The first one with a tested version, else the first; its rule mentions the one skipped.
LibraryPlace preferred(const EngineKind& kind, const std::vector<LibraryPlace>& found) {
  for (const LibraryPlace& place : found) {
    const std::string version = told_version(kind, place.path);
    if (!version.empty() && !kind.tried.has(version_of(version))) continue;
    if (&place == &found.front()) return place;
    return {place.path, place.rule + "; passed over: " + found.front().rule + ", whose version " +
                            told_version(kind, found.front().path) + " was never tried"};
  }
  return found.front();
}

Error nothing_found(const EngineKind& kind, const std::vector<LibraryPlace>& places) {
  std::string looked;
  for (const LibraryPlace& place : places) {
    const std::string folder = "'" + sanitized(place.path.parent_path().string(), 300) + "'";
    if (looked.find(folder) == std::string::npos) looked += (looked.empty() ? "" : ", ") + folder;
  }
  if (looked.empty()) looked = "no folder that only you can change";
  const std::string setup =
      std::string("script/setup") + (*kind.setup ? std::string(" ") + kind.setup : "");
  const std::string name = kind.name;
  const fs::path file = places.empty() ? fs::path(kind.libraries.front()) : places.front().path;
  return {ErrorKind::kNotFound,
          "no library for engine '" + name + "' was found; run " +
              (!pins_of(kind.id).empty()
                   ? "'edgeprobe fetch " + name + "' (in a checkout: " + setup + ")"
                   : setup) +
              ", or name one as '" + name + ":/path/to/library.so' (looked for " +
              sanitized(file.filename().string(), 100) + " in " + looked + ")"};
}

}  // namespace

std::vector<LibraryPlace> default_libraries(const EngineKind& kind) {
  if (kind.planned || kind.plugged) return {};
  if (const char* given = std::getenv(kind.variable); given && *given)
    // If the user names a library, use it or fail; never silently use another.
    return {{given, kind.variable}};
  std::vector<LibraryPlace> folders;
  std::error_code failed;
  const auto executable = fs::read_symlink("/proc/self/exe", failed);
  if (!failed) {
    const fs::path own = executable.parent_path();
    folders.push_back({own.parent_path() / "lib" / "edgeprobe", "installed with the program"});
    if (is_private(own)) folders.push_back({own, "next to the program"});
  }
#ifdef EDGEPROBE_CHECKOUT
  folders.push_back({EDGEPROBE_CHECKOUT "/.deps/engines", "fetched by script/setup"});
  folders.push_back({EDGEPROBE_CHECKOUT "/.deps", "fetched by script/setup"});
#endif
  std::vector<LibraryPlace> places;
  for (const LibraryPlace& folder : folders)
    for (const char* const file : kind.libraries)
      if (file) places.push_back({folder.path / file, folder.rule});
  const auto cache = cache_folder();
  if (const auto pins = pins_of(kind.id); !pins.empty() && cache) {
    struct stat ignored {};
    const fs::path folder = folder_below(*cache, *pins.front());
    if (::stat(folder.c_str(), &ignored) != 0 ||
        (is_private(*cache) && is_private(folder.parent_path()) && is_private(folder)))
      places.push_back({library_in(folder, *pins.front()), "fetched by edgeprobe fetch"});
  }
  return places;
}

Result<LibraryPlace> find_library(const EngineChoice& choice) {
  if (!choice.library.empty()) return LibraryPlace{choice.library, "named"};
  const EngineKind* const kind = find_kind(choice.kind);
  if (!kind) return Error{ErrorKind::kUsage, "engine '" + sanitized(choice.kind) + "' is unknown"};
  if (kind->planned)
    return Error{ErrorKind::kUsage, std::string("engine ") + kind->name + " needs a plan, as " +
                                        kind->name +
                                        ":PLAN.json; 'edgeprobe stretch plan MODEL' makes one"};
  if (kind->plugged)
    return Error{ErrorKind::kUsage, choice.kind + " needs a plug-in: FILE.py:CLASS, or " +
                                        choice.kind + ":NAME of one that is installed"};
  const auto places = default_libraries(*kind);
  const char* const given = std::getenv(kind->variable);
  const bool is_named = given && *given;
  std::vector<LibraryPlace> found;
  if (!is_named)
    if (auto place = beside_this_package(*kind)) found.push_back(*std::move(place));
  std::error_code ignored;
  for (const LibraryPlace& place : places)
    if (fs::exists(place.path, ignored)) found.push_back(place);
  // Last, because it starts a process.
  if (found.empty() && !is_named)
    if (auto place = in_python(*kind)) found.push_back(*std::move(place));
  if (!found.empty()) return preferred(*kind, found);
  return nothing_found(*kind, places);
}

Result<fs::path> library_of(const EngineChoice& choice) {
  EP_TRY(auto place, find_library(choice));
  return std::move(place.path);
}

}  // namespace edgeprobe::engine
