// SPDX-License-Identifier: Apache-2.0
#include "process/python.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "core/file.h"
#include "core/text.h"
#include "process/pipe.h"

namespace edgeprobe::process {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> package_places() {
  std::vector<fs::path> places;
  std::error_code failed;
  const auto executable = fs::read_symlink("/proc/self/exe", failed);
  if (!failed) {
    const auto above = executable.parent_path().parent_path();
    places.push_back(above / "share/edgeprobe/python/edgeprobe");
    // In the Python package, the executable is edgeprobe/bin/edgeprobe.
    places.push_back(above);
  }
#ifdef EDGEPROBE_CHECKOUT
  places.emplace_back(EDGEPROBE_CHECKOUT "/python/edgeprobe");
#endif
  return places;
}

bool is_package(const fs::path& folder) {
  std::error_code failure;
  return fs::is_regular_file(folder / "plugins" / "serve.py", failure);
}

}  // namespace

Result<fs::path> python_package() {
  const auto places = package_places();
  const auto found = std::find_if(places.begin(), places.end(), is_package);
  if (found != places.end()) return *found;
  return Error{ErrorKind::kNotFound,
               "'" + sanitized(places.front().string(), 300) +
                   "' is missing: the Python part of edgeprobe is not installed"};
}

std::string python_interpreter(const std::string& given) {
  if (!given.empty()) return given;
  const char* const named = std::getenv("EDGEPROBE_PYTHON");
  return named && *named ? named : "python3";
}

Result<fs::path> pinned_environment(const std::string& folder, const std::string& name,
                                    const fs::path& cache) {
  EP_TRY(const auto package, python_package());
  EP_TRY(const auto pins,
         read_file(package / folder / ("requirements-" + name + ".txt"), std::size_t{1} << 20));
  return cache / (folder + "-" + name + "-" + sha256(pins).substr(0, 12));
}

Result<PluginCommand> plugin_command(const std::string& kind, const std::string& interpreter) {
  EP_TRY(const auto package, python_package());
  EP_TRY(auto lifeline, pipe_to_child());
  PluginCommand made;
  made.command.program = python_interpreter(interpreter);
  made.command.arguments = {made.command.program, (package / "plugins" / "serve.py").string(),
                            kind};
  made.command.descriptors = {{lifeline.theirs.get(), kPluginLifeline}};
  made.lifeline = std::move(lifeline.ours);
  made.theirs = std::move(lifeline.theirs);
  return made;
}

Error python_cannot_be_started(const std::string& interpreter, const std::string& why) {
  return {ErrorKind::kNotFound, "the Python interpreter '" + sanitized(interpreter) +
                                    "' cannot be started: " + why +
                                    "; name one with --python or EDGEPROBE_PYTHON"};
}

std::string python_place(const std::string& printed) {
  // A fatal error lists the innermost frame first: `  File "/x/my.py", line 12 in load`.
  const auto list = printed.find("(most recent call first):");
  if (list == std::string::npos) return "";
  const auto start = printed.find("  File \"", list);
  const auto end = printed.find('\n', start == std::string::npos ? list : start);
  if (start == std::string::npos) return "";
  const std::string line = printed.substr(start + 8, end - start - 8);
  const auto quote = line.find("\", line "), in = line.find(" in ", quote + 1);
  if (quote == std::string::npos || in == std::string::npos) return "";
  return "in " + sanitized(line.substr(in + 4), 100) + ", " +
         sanitized(fs::path(line.substr(0, quote)).filename().string(), 100) + " line " +
         sanitized(line.substr(quote + 8, in - quote - 8), 20);
}

}  // namespace edgeprobe::process
