// SPDX-License-Identifier: Apache-2.0
#include "engine/fetch/download.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "core/descriptor.h"
#include "core/file.h"
#include "core/text.h"
#include "engine/fetch/index.h"
#include "process/child.h"
#include "process/pipe.h"
#include "process/shared_memory.h"
#include "process/wait.h"

namespace edgeprobe::engine {
namespace {

constexpr std::size_t kMostErrors = std::size_t{16} << 10;

// Writes the file at the address read from standard input to standard output; argv[1] is a file of
// certificate authorities or "", argv[2] the number of bytes to leave out.
constexpr const char* kPython = R"(import sys
sys.path = [entry for entry in sys.path if entry]
import shutil, ssl, urllib.error, urllib.request
context = ssl.create_default_context(cafile=sys.argv[1] or None)
try:
    request = urllib.request.Request(sys.stdin.readline().strip())
    if sys.argv[2] != "0":
        request.add_header("Range", f"bytes={sys.argv[2]}-")
    with urllib.request.urlopen(request, timeout=60, context=context) as source:
        if sys.argv[2] != "0" and source.status != 206:
            sys.exit("the server does not support byte ranges")
        shutil.copyfileobj(source, sys.stdout.buffer)
        left = getattr(source, "length", None)
except (OSError, ValueError) as failure:
    sys.exit(f"{failure}")
if left:
    sys.exit(f"the connection closed with {left} bytes missing")
)";

struct Program {
  std::vector<std::string> words;
  std::string input;
};

/// `begin`: how many bytes are there already.
std::vector<Program> programs(const Address& address, std::uint64_t begin) {
  Program curl{
      {"curl", "--silent", "--show-error", "--fail", "--location", "--proto", "=http,https",
       "--connect-timeout", "30", "--speed-limit", "1000", "--speed-time", "60", "--config", "-"},
      "url = \"" + address.url + "\"\n"};
  // A second try of wget does not continue what it has sent to its standard output.
  Program wget{{"wget", "--no-verbose", "--timeout=60", address.resumes ? "--tries=1" : "--tries=2",
                "--output-document=-", "--input-file=-"},
               address.url + "\n"};
  if (!address.certificates.empty()) {
    curl.words.insert(curl.words.end(), {"--cacert", address.certificates});
    wget.words.push_back("--ca-certificate=" + address.certificates);
  }
  const std::string first = std::to_string(begin);
  if (begin > 0) {
    curl.words.insert(curl.words.end(), {"--continue-at", first});
    wget.words.push_back("--start-pos=" + first);
  }
  return {
      curl, wget, {{"python3", "-c", kPython, address.certificates, first}, address.url + "\n"}};
}

/// Returns "" on success, else its last words.
Result<std::string> run_program(const Program& program, const Address& address, int file,
                                const Control& control) {
  EP_TRY(auto given, process::SharedMemory::create(program.input.size(), "edgeprobe address"));
  std::memcpy(given.data(), program.input.data(), program.input.size());
  EP_TRY(auto pipe, process::pipe_from_child());
  process::Command command;
  command.program = program.words.front();
  command.arguments = program.words;
  command.descriptors = {{given.descriptor(), 0}, {file, 1}, {pipe.theirs.get(), 2}};
  EP_TRY(auto child, process::Child::start(command));
  pipe.theirs.close();
  process::Output said(std::move(pipe.ours), kMostErrors);
  const auto tell = [&] {
    struct stat now {};
    if (control.progress && ::fstat(file, &now) == 0)
      control.progress(static_cast<std::size_t>(now.st_size), address.bytes, address.what);
  };
  const auto read = process::read_to_end({&said}, {process::kForever, control.stop, nullptr}, tell);
  const auto exit = read == process::Transfer::kStopped ? std::nullopt : child.wait(control.stop);
  if (!exit) return interrupted();
  if (exit->signal == 0 && exit->code == 0) return std::string();
  const std::string words = last_line(said.text(), 300);
  return words.empty() ? exit->name() : words;
}

}  // namespace

Result<std::string> download(const Address& address, const std::filesystem::path& to,
                             const Control& control) {
  if (!address.url.starts_with("https://") && !address.url.starts_with("http://"))
    return Error{ErrorKind::kUsage, "'" + sanitized(without_credentials(address.url), 300) +
                                        "' is not an address that begins with https:// or http://"};
  if (address.url.find_first_of("\"\\\r\n\t ") != std::string::npos)
    return Error{ErrorKind::kUsage, "an address with blanks, quotes or backslashes is not fetched"};
  std::string failures;
  for (std::size_t i = 0; i < programs(address, 0).size(); ++i) {
    const Descriptor file(
        ::open(to.c_str(),
               O_CREAT | (address.resumes ? O_APPEND : O_TRUNC) | O_WRONLY | O_NOFOLLOW | O_CLOEXEC,
               0600));
    if (const int code = errno; file.get() < 0)
      return Error{
          disk_error_kind(code, ErrorKind::kTarget),
          "'" + sanitized(to.string(), 300) + "' cannot be written: " + disk_problem(to, code)};
    struct stat now {};
    const bool has_some = address.resumes && ::fstat(file.get(), &now) == 0 && now.st_size > 0;
    const Program program =
        programs(address, has_some ? static_cast<std::uint64_t>(now.st_size) : 0)[i];
    const auto words = run_program(program, address, file.get(), control);
    if (words && words->empty()) return program.words.front();
    if (!words && words.error().kind == ErrorKind::kNotFound) continue;  // program not installed
    if (!words) return words.error();
    failures += (failures.empty() ? "" : "; ") + program.words.front() + " says: " + *words;
  }
  const std::string shown = sanitized(without_credentials(address.url), 300);
  if (failures.empty())
    return Error{ErrorKind::kNotFound,
                 "'" + shown +
                     "' cannot be fetched: there is no curl, wget or python3 on the PATH; install "
                     "one of them (with ca-certificates)"};
  return Error{ErrorKind::kTarget, "'" + shown + "' cannot be fetched: " + failures};
}

}  // namespace edgeprobe::engine
