// SPDX-License-Identifier: Apache-2.0
#include "cli/train/torch_python.h"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <vector>

#include "cli/convert/tool_process.h"
#include "core/cache_folder.h"
#include "core/descriptor.h"
#include "core/file.h"
#include "core/text.h"
#include "process/python.h"

namespace edgeprobe::cli {
namespace {

namespace fs = std::filesystem;

/// Oldest Python whose -P keeps the files next to a program out of its imports.
constexpr int kLeastPython = 11;
constexpr const char* kCure =
    "install python3-torch (apt-get install --no-install-recommends python3-torch on Debian and "
    "Ubuntu, 151 MB), or 'edgeprobe fetch torch', which needs no root, or name a Python 3.11 or "
    "newer with PyTorch 1.13 or newer by --python";
constexpr const char* kFolder = "family-torch";
/// Prints the minor version of Python 3 and 1 if there is a PyTorch, without importing it.
constexpr const char* kQuestion =
    "import sys, importlib.util as u; print(sys.version_info[1] if sys.version_info[0] == 3 else 0,"
    " int(u.find_spec('torch') is not None))";

struct Found {
  int minor = 0;
  bool has_torch = false;
};

Result<Found> ask(const std::string& interpreter, Terminal& terminal) {
  auto run = run_tool({interpreter, "-c", kQuestion}, "", terminal.control());
  if (!run && run.error().kind == ErrorKind::kInterrupted) return run.error();
  if (!run) return process::python_cannot_be_started(interpreter, run.error().what);
  Found found;
  const std::string& text = run->output;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), found.minor);
  if (run->exit_code != 0 || failed != std::errc{})
    return Error{ErrorKind::kUsage, "'" + sanitized(interpreter, 200) + "' is no Python 3" +
                                        (run->last_words.empty() ? "" : ": " + run->last_words)};
  found.has_torch = text.substr(static_cast<std::size_t>(end - text.data())).starts_with(" 1");
  return found;
}

Status check(const std::string& interpreter, const Found& found) {
  const std::string title = "'" + sanitized(interpreter, 200) + "' ";
  if (found.minor < kLeastPython)
    return Error{ErrorKind::kUsage, title + "is Python 3." + std::to_string(found.minor) +
                                        "; expected 3.11 or newer: " + kCure};
  if (!found.has_torch) return Error{ErrorKind::kUsage, title + "has no PyTorch: " + kCure};
  return {};
}

/// The Python of an earlier fetch_torch(); empty without one.
std::string fetched_before() {
  const auto cache = cache_folder();
  std::error_code failed;
  if (!cache || !fs::exists(*cache / kFolder / "ready", failed)) return "";
  const bool is_private = check_private(*cache, "") && check_private(*cache / kFolder, "");
  return is_private ? (*cache / kFolder / "bin" / "python").string() : "";
}

Status unpack_torch(const fs::path& folder, Terminal& terminal) {
  EP_TRY(const auto package, process::python_package());
  terminal.err << "preparing Debian's PyTorch in " << sanitized(folder.string(), 300)
               << " (about 160 MB are fetched, 630 MB on the disk, once)\n";
  std::error_code failed;
  fs::remove_all(folder, failed);
  fs::create_directories(folder, failed);
  if (failed)
    return Error{ErrorKind::kLimit,
                 "'" + sanitized(folder.string(), 300) + "' cannot be made: " + failed.message()};
  const auto run =
      run_tool({"python3", (package / "family" / "fetch_torch.py").string(), folder.string()}, "",
               terminal.control(),
               [&](const std::string& line) { terminal.err << sanitized(line, 200) << "\n"; });
  if (run && run->exit_code == 0) return write_file(folder / "ready", view_of("ready\n"));
  fs::remove_all(folder, failed);
  if (!run) return run.error();
  return Error{ErrorKind::kTarget, "PyTorch was not fetched: " + run->last_words};
}

}  // namespace

Result<FetchedTorch> fetch_torch(Terminal& terminal) {
  constexpr const char* kElse = "name a Python with --python";
  EP_TRY(const auto cache, private_cache_folder(kElse));
  const fs::path folder = cache / kFolder;
  // Concurrent runs must not unpack into the same folder.
  const Descriptor lock(
      ::open((folder.string() + ".lock").c_str(), O_CREAT | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (lock.get() < 0 || ::flock(lock.get(), LOCK_EX) != 0)
    return Error{ErrorKind::kTarget, "'" + sanitized(folder.string(), 300) +
                                         ".lock' cannot be locked: another run may be preparing"};
  if (const std::string python = fetched_before(); !python.empty())
    return FetchedTorch{python, true};
  EP_CHECK(unpack_torch(folder, terminal));
  return FetchedTorch{(folder / "bin" / "python").string(), false};
}

Result<std::string> torch_python(const std::string& given, Terminal& terminal) {
  if (!given.empty()) {
    EP_TRY(const auto found, ask(given, terminal));
    EP_CHECK(check(given, found));
    return given;
  }
  std::vector<std::string> asked;
  for (const std::string& one : {process::python_interpreter(""), std::string("python3"),
                                 std::string("/usr/bin/python3"), fetched_before()}) {
    if (one.empty() || std::find(asked.begin(), asked.end(), one) != asked.end()) continue;
    asked.push_back(one);
    const auto found = ask(one, terminal);
    if (!found && found.error().kind == ErrorKind::kInterrupted) return found.error();
    if (found && check(one, *found)) return one;
  }
  return Error{ErrorKind::kUsage, "no Python with PyTorch was found (" +
                                      sanitized(joined(asked), 400) + "): " + kCure};
}

}  // namespace edgeprobe::cli
