// SPDX-License-Identifier: Apache-2.0
#include "cli/train/torch_python.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <vector>

#include "cli/convert/tool_process.h"
#include "core/text.h"
#include "process/python.h"

namespace edgeprobe::cli {
namespace {

/// Oldest Python whose -P keeps the files next to a program out of its imports.
constexpr int kLeastPython = 11;
constexpr const char* kCure =
    "install python3-torch (apt-get install --no-install-recommends python3-torch on Debian and "
    "Ubuntu, 151 MB), or name a Python 3.11 or newer with PyTorch 1.13 or newer by --python";
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

}  // namespace

Result<std::string> torch_python(const std::string& given, Terminal& terminal) {
  if (!given.empty()) {
    EP_TRY(const auto found, ask(given, terminal));
    EP_CHECK(check(given, found));
    return given;
  }
  std::vector<std::string> asked;
  for (const std::string& one :
       {process::python_interpreter(""), std::string("python3"), std::string("/usr/bin/python3")}) {
    if (std::find(asked.begin(), asked.end(), one) != asked.end()) continue;
    asked.push_back(one);
    const auto found = ask(one, terminal);
    if (!found && found.error().kind == ErrorKind::kInterrupted) return found.error();
    if (found && check(one, *found)) return one;
  }
  return Error{ErrorKind::kUsage, "no Python with PyTorch was found (" +
                                      sanitized(joined(asked), 400) + "): " + kCure};
}

}  // namespace edgeprobe::cli
