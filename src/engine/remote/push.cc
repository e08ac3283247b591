// SPDX-License-Identifier: Apache-2.0
#include "engine/remote/push.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "core/text.h"
#include "engine/kinds.h"
#include "engine/library_choice.h"
#include "engine/remote/shell.h"

namespace edgeprobe::engine {
namespace {

using namespace std::chrono_literals;
using transport::Transfer;

/// To reach the machine, log in and start a program.
constexpr auto kLoginLimit = 60s;
/// Limit for a piece of a file, and for flushing the last pieces to the disk.
constexpr auto kPieceLimit = 120s;
constexpr std::size_t kPiece = std::size_t{1} << 20;
/// On Android, HOME does not belong to this user.
constexpr const char* kCacheOfSsh = "${XDG_CACHE_HOME:-$HOME/.cache}/edgeprobe/target";
constexpr const char* kCacheOfAdb = "${XDG_CACHE_HOME:-/data/local/tmp}/edgeprobe/target";

/// Machine type as from 'uname -m'; "" if it is not an ELF file.
std::string machine_of(ByteView file) {
  Elf32_Ehdr header{};  // The machine type is at the same offset in 64-bit headers.
  if (file.size < sizeof header) return "";
  std::memcpy(&header, file.data, sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return "";
  switch (header.e_machine) {
    case EM_X86_64: return "x86_64";
    case EM_386: return "i686";
    case EM_AARCH64: return "aarch64";
    case EM_ARM: return "arm";
    case EM_RISCV: return "riscv64";
  }
  return "machine number " + std::to_string(header.e_machine);
}

bool runs_on(const std::string& file, const std::string& machine) {
  if (file == "aarch64") return machine == file || machine == "arm64";
  // A 32-bit system may have a 64-bit kernel.
  if (file == "arm") return machine.starts_with("arm") || machine == "aarch64";
  if (file == "i686")
    return (machine.size() == 4 && machine.ends_with("86")) || machine == "x86_64";
  return file == machine;
}

Result<Parcel> parcel_from(const std::filesystem::path& path, const char* what, std::string flag) {
  const std::string label = std::string(what) + " '" + sanitized(path.string(), 300) + "'";
  auto file = MappedFile::open(path);
  if (!file) return std::move(file).error().during(label);
  if (machine_of(file->bytes()).empty())
    return Error{ErrorKind::kUsage,
                 label + " is not an executable or library (it has no ELF header)"};
  std::string hash = sha256(*file);
  return Parcel{path.filename().string(), label, std::move(flag), std::move(hash),
                *std::move(file)};
}

/// A path in the cache, $d.
std::string place_of(const Parcel& parcel) {
  return "\"$d\"/" + parcel.sha256 + "/" + shell_word(parcel.name);
}

/// The common beginning of both scripts. Our lines start on a new line, whatever the login shell
/// has printed.
std::string script_start(const TargetUri& target) {
  return std::string("set -f; umask 077; d=") +
         (target.transport == Transport::kAdb ? kCacheOfAdb : kCacheOfSsh) +
         "; say() { printf '\\n" + ShellProgram::kMark + "%s\\n' \"$*\"; }; ";
}

/// Reports missing files, else starts the server.
std::string start_script(const TargetUri& target, const EngineChoice& engine, const Parcel& program,
                         const Parcel& library) {
  std::string script = script_start(target) + "n=; ";
  // A file gets its name once it is complete and on the disk, so its length proves that it is
  // complete.
  script += "has() { [ -f \"$1\" ] && [ $(wc -c <\"$1\") -eq $2 ]; }; ";
  for (const Parcel* const parcel : {&program, &library})
    script += "has " + place_of(*parcel) + " " + std::to_string(parcel->file.bytes().size) +
              " || n=\"$n " + parcel->sha256 + "\"; ";
  script += "[ -z \"$n\" ] || { say lacks $(uname -m) $n; exit 0; }; ";
  const std::string run = place_of(program);
  script += "v=$(" + run + " --version 2>&1 </dev/null) || { say broken $v; exit 0; }; say runs; ";
  script +=
      "exec " + run + " serve --stdio --quiet --engine " + engine.kind + ":" + place_of(library);
  return script;
}

/// Reads the file from standard input. Removes a partial file if the input ends early.
std::string push_script(const TargetUri& target, const Parcel& parcel) {
  return script_start(target) + "f=\"$d\"/" + parcel.sha256 +
         "; mkdir -p \"$f\" || exit 1; t=\"$f\"/.part.$$; "
         "trap 'rm -f \"$t\"; rmdir \"$f\" 2>/dev/null' EXIT; trap 'exit 1' HUP INT TERM; "
         "cat >\"$t\" && h=$(sha256sum <\"$t\") || exit 1; "
         "[ \"${h%% *}\" = " +
         parcel.sha256 +
         " ] || { echo 'what came has another SHA-256' >&2; "
         "exit 1; }; chmod 700 \"$t\" && sync && mv \"$t\" " +
         place_of(parcel) + " && say has";
}

Status push(const TargetUri& target, const Parcel& parcel) {
  EP_TRY(auto there, ShellProgram::start(target, push_script(target, parcel)));
  const ByteView all = parcel.file.bytes();
  for (std::size_t at = 0; at < all.size; at += kPiece) {
    const std::array piece{all.sub(at, std::min(kPiece, all.size - at))};
    if (there->write(piece, {process::deadline_after(kPieceLimit), process::program_stop}) !=
        Transfer::kDone)
      break;
  }
  (there)->end_input();
  if (there->said({process::deadline_after(kPieceLimit), process::program_stop}) == "has")
    return {};
  return there->failure("cannot put " + parcel.label + " (" +
                        bytes_text(static_cast<double>(all.size)) + ") there");
}

Status check_machine(const TargetUri& target, const Parcel& parcel, const std::string& machine) {
  const std::string built_for = machine_of(parcel.file.bytes());
  if (runs_on(built_for, machine)) return {};
  return Error{ErrorKind::kUnsupported, parcel.label + " is built for " + built_for + ", and " +
                                            shown(target) + " is " + sanitized(machine, 40) +
                                            "; name the one for it by " + parcel.flag};
}

}  // namespace

Result<PushedServer> PushedServer::prepare(const TargetUri& target, const EngineChoice& engine) {
  const EngineKind* const kind = find_kind(engine.kind);
  if (kind && (kind->id == EngineId::kTvm || kind->id == EngineId::kOpenVino))
    return Error{ErrorKind::kUnsupported,
                 "engine " + engine.kind + " is more than one file, and " + name(target.transport) +
                     " puts one there; start 'edgeprobe serve' on that machine, and reach it by "
                     "tcp://HOST:PORT"};
  EP_TRY(const auto library, library_of(engine));
  std::error_code unknown;
  const std::filesystem::path named = value_of(target.parameters, "program");
  EP_TRY(
      auto program,
      parcel_from(named.empty() ? std::filesystem::read_symlink("/proc/self/exe", unknown) : named,
                  "program", "--target-program FILE"));
  program.name = "edgeprobe";
  EP_TRY(auto parcel, parcel_from(library, "library", "--engine " + engine.kind + ":FILE"));
  return PushedServer(target, engine, std::move(program), std::move(parcel));
}

Result<std::unique_ptr<transport::Connection>> PushedServer::start() const {
  const std::string script = start_script(target_, engine_, program_, library_);
  for (bool again = false;; again = true) {
    EP_TRY(auto there, ShellProgram::start(target_, script));
    const auto limit = std::min<std::chrono::milliseconds>(kLoginLimit, engine_.open_limit);
    const auto said = there->said({process::deadline_after(limit), process::program_stop});
    if (process::is_program_stopped())
      return Error{ErrorKind::kInterrupted, "stopped while " + shown(target_) + " was reached"};
    if (!said) return there->failure("cannot start edgeprobe there");
    if (*said == "runs") return std::unique_ptr<transport::Connection>(std::move(there));
    std::istringstream words(*said);
    std::string what, machine;
    words >> what >> machine;
    if (what != "lacks" || again)
      return Error{ErrorKind::kTarget,
                   shown(target_) + ": " + program_.label +
                       " does not run there: " + sanitized(said->substr(what.size()), 500)};
    std::vector<const Parcel*> missing;
    for (std::string hash; words >> hash;) {
      missing.push_back(hash == program_.sha256 ? &program_ : &library_);
      EP_CHECK(check_machine(target_, *missing.back(), machine));
    }
    for (const Parcel* const parcel : missing) EP_CHECK(push(target_, *parcel));
  }
}

}  // namespace edgeprobe::engine
