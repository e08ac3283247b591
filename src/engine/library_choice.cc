// SPDX-License-Identifier: Apache-2.0
#include "engine/library_choice.h"

#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>

#include "core/cache_folder.h"
#include "core/text.h"
#include "engine/fetch/pin.h"
#include "process/child.h"
#include "process/pipe.h"
#include "process/wait.h"

namespace edgeprobe::engine {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

/// Whether nobody but the caller and root can exchange the files in a folder.
bool is_private(const fs::path& folder) {
  struct stat info {};
  return ::stat(folder.c_str(), &info) == 0 && (info.st_uid == 0 || info.st_uid == ::geteuid()) &&
         (info.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

// Its own folder is no place for modules, so it is taken out of the path first.
constexpr const char* kWhere = R"(import sys
sys.path = [entry for entry in sys.path if entry]
import importlib.util
found = importlib.util.find_spec(sys.argv[1])
print(next(iter(found.submodule_search_locations or []), "") if found else "")
)";

/// The folder of a Python package; empty when there is no Python, or no such package in it.
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
  std::string folder = said.take();
  folder.erase(std::min(folder.find('\n'), folder.size()));
  return folder;
}

std::optional<LibraryPlace> in_python(const EngineKind& kind) {
  const Pin* const pin = pin_of(kind.id);
  if (!pin) return std::nullopt;
  const char* const named = std::getenv("EDGEPROBE_PYTHON");
  const std::string python = named && *named ? named : "python3";
  // The wheel's member is the package and the file in it.
  const fs::path member = pin->member;
  const std::string package = member.begin()->string();
  const fs::path folder = python_package(python, package);
  if (folder.empty()) return std::nullopt;
  const fs::path library = folder / member.lexically_relative(package);
  std::error_code ignored;
  if (!fs::exists(library, ignored)) return std::nullopt;
  return LibraryPlace{library, "package " + package + " of " + python};
}

Error nothing_found(const EngineKind& kind, const std::vector<LibraryPlace>& places) {
  std::string looked;
  for (const LibraryPlace& place : places) {
    const std::string folder = "'" + sanitized(place.path.parent_path().string(), 300) + "'";
    if (looked.find(folder) == std::string::npos) looked += (looked.empty() ? "" : ", ") + folder;
  }
  if (looked.empty()) looked = "no folder that is yours alone";
  const std::string setup =
      std::string("script/setup") + (*kind.setup ? std::string(" ") + kind.setup : "");
  const std::string name = kind.name;
  const fs::path file = places.empty() ? fs::path(kind.libraries.front()) : places.front().path;
  return {ErrorKind::kNotFound,
          "no library for engine '" + name + "' was found; run " +
              (pin_of(kind.id) ? "'edgeprobe fetch " + name + "' (in a checkout: " + setup + ")"
                               : setup) +
              ", or name one as '" + name + ":/path/to/library.so' (looked for " +
              sanitized(file.filename().string(), 100) + " in " + looked + ")"};
}

}  // namespace

std::vector<LibraryPlace> default_libraries(const EngineKind& kind) {
  if (kind.planned) return {};
  if (const char* given = std::getenv(kind.variable); given && *given)
    // Somebody who names a library wants that one or an error, never silently another.
    return {{given, kind.variable}};
  std::vector<LibraryPlace> folders;
  std::error_code failed;
  const auto executable = fs::read_symlink("/proc/self/exe", failed);
  if (!failed) {
    const fs::path own = executable.parent_path();
    folders.push_back({own.parent_path() / "lib" / "edgeprobe", "installed with the program"});
    if (is_private(own)) folders.push_back({own, "beside the program"});
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
  if (const Pin* const pin = pin_of(kind.id); pin && cache) {
    const fs::path library = library_below(*cache, *pin);
    struct stat ignored {};
    const fs::path folder = library.parent_path();
    if (::stat(folder.c_str(), &ignored) != 0 ||
        (is_private(*cache) && is_private(folder.parent_path()) && is_private(folder)))
      places.push_back({library, "fetched by edgeprobe fetch"});
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
  const auto places = default_libraries(*kind);
  std::error_code ignored;
  for (const LibraryPlace& place : places)
    if (fs::exists(place.path, ignored)) return place;
  const char* const given = std::getenv(kind->variable);
  if (!given || !*given)
    if (auto place = in_python(*kind)) return *std::move(place);
  return nothing_found(*kind, places);
}

Result<fs::path> library_of(const EngineChoice& choice) {
  EP_TRY(auto place, find_library(choice));
  return std::move(place.path);
}

}  // namespace edgeprobe::engine
