// SPDX-License-Identifier: Apache-2.0
#include "cli/convert/tool_environment.h"

#include <fcntl.h>
#include <sys/file.h>

#include "cli/convert/tool_process.h"
#include "core/cache_folder.h"
#include "core/descriptor.h"
#include "core/file.h"
#include "core/text.h"
#include "process/python.h"

namespace edgeprobe::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOtherwise = "name a Python with --python";

/// Runs a tool that must succeed; `doing` starts the error message.
Result<ToolRun> must(const std::vector<std::string>& words, const std::string& doing,
                     Terminal& terminal) {
  auto run = run_tool(words, "", terminal.control());
  if (!run) return std::move(run).error().during(doing);
  if (run->exit_code != 0)
    return Error{ErrorKind::kTarget,
                 doing + " failed" + (run->last_words.empty() ? "" : ": " + run->last_words)};
  return run;
}

}  // namespace

Result<fs::path> tool_script(const Tool& tool) {
  EP_TRY(const auto package, process::python_package());
  return package / tool.package / "main.py";
}

Result<std::string> environment(const Tool& tool, Terminal& terminal) {
  EP_TRY(const auto package, process::python_package());
  const fs::path wanted =
      package / tool.package / (std::string("requirements-") + tool.name + ".txt");
  EP_TRY(const auto cache, private_cache_folder(kOtherwise));
  EP_TRY(const auto folder, process::pinned_environment(tool.package, tool.name, cache));
  const std::string interpreter = (folder / "bin/python").string();
  std::error_code failed;
  // Concurrent runs must not build the same environment.
  const Descriptor lock(
      ::open((folder.string() + ".lock").c_str(), O_CREAT | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (lock.get() < 0 || ::flock(lock.get(), LOCK_EX) != 0)
    return Error{ErrorKind::kTarget, "'" + sanitized(folder.string(), 300) +
                                         ".lock' cannot be locked: another run may be preparing"};
  if (fs::exists(folder / "ready", failed)) {
    EP_CHECK(check_private(folder, kOtherwise));
    return interpreter;
  }
  terminal.err << "preparing " << tool.what << " in " << sanitized(folder.string(), 300)
               << " (about " << tool.size << " are fetched, once)\n";
  fs::remove_all(folder, failed);
  EP_TRY(auto version, must({"python3", "-c", "import sys; print('%d.%d' % sys.version_info[:2])"},
                            "asking python3 for its version", terminal));
  if (version.output != "3.11\n")
    return Error{ErrorKind::kUnsupported,
                 "the pinned packages of " + std::string(tool.what) +
                     " are made for Python 3.11, python3 is " +
                     sanitized(version.output.substr(0, version.output.find('\n'))) +
                     "; name a Python that has them with --python"};
  EP_CHECK(
      must({"python3", "-m", "venv", folder.string()}, "making a Python environment", terminal));
  auto fetched =
      must({interpreter, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
            "--no-input", "--only-binary=:all:", "--no-deps", "--require-hashes", "--retries", "2",
            "-r", wanted.string()},
           "fetching " + std::string(tool.what), terminal);
  if (!fetched) {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
    Error error = std::move(fetched).error();
    if (error.kind != ErrorKind::kInterrupted)
      error.what += " (is there no network? A Python that has the packages of '" +
                    sanitized(wanted.filename().string()) + "' can be named with --python)";
    return error;
  }
  EP_CHECK(write_file(folder / "ready", view_of("ready\n")));
  return interpreter;
}

}  // namespace edgeprobe::cli
