// SPDX-License-Identifier: Apache-2.0
#include "engine/shared_library.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <cstring>
#include <fstream>

#include "core/text.h"

namespace edgeprobe::engine {
namespace {

#if defined(__x86_64__)
constexpr std::uint16_t kOurMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr std::uint16_t kOurMachine = EM_AARCH64;
#elif defined(__arm__)
constexpr std::uint16_t kOurMachine = EM_ARM;
#elif defined(__riscv)
constexpr std::uint16_t kOurMachine = EM_RISCV;
#else
constexpr std::uint16_t kOurMachine = EM_386;
#endif

std::string machine_name(std::uint16_t machine) {
  switch (machine) {
    case EM_X86_64: return "x86-64";
    case EM_386: return "32-bit x86";
    case EM_AARCH64: return "64-bit ARM";
    case EM_ARM: return "32-bit ARM";
    case EM_RISCV: return "RISC-V";
  }
  return "machine number " + std::to_string(machine);
}

/// The loader's own message for a wrong file is terse ("invalid ELF header", "wrong ELF class"), so
/// the header is checked first.
Status check_header(const std::filesystem::path& path, const std::string& shown) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored))
    return Error{ErrorKind::kNotFound, "library " + shown + " does not exist"};
  if (!std::filesystem::is_regular_file(path, ignored))
    return Error{ErrorKind::kUsage, "library " + shown + " is not a regular file"};
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return Error{ErrorKind::kUsage, "library " + shown + " cannot be read; check its permissions"};
  ElfW(Ehdr) header{};
  file.read(reinterpret_cast<char*>(&header), sizeof header);
  if (file.gcount() < static_cast<std::streamsize>(sizeof header) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return Error{ErrorKind::kCorrupt,
                 "library " + shown + " is not a shared library (it has no ELF header)"};
  // e_machine is at the same offset in 32-bit and 64-bit headers; later fields are not.
  if (header.e_machine != kOurMachine)
    return Error{ErrorKind::kUnsupported,
                 "library " + shown + " is built for " + machine_name(header.e_machine) +
                     ", this program runs on " + machine_name(kOurMachine) +
                     "; give a library for this machine"};
  // The loader maps segments without checking the size of the file, and then crashes with SIGBUS.
  const auto size = std::filesystem::file_size(path, ignored);
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    ElfW(Phdr) segment{};
    file.seekg(static_cast<std::streamoff>(header.e_phoff + i * sizeof segment));
    file.read(reinterpret_cast<char*>(&segment), sizeof segment);
    const bool whole =
        file.good() && segment.p_filesz <= size && segment.p_offset <= size - segment.p_filesz;
    if (!whole)
      return Error{ErrorKind::kCorrupt, "library " + shown + " is cut short: it has " +
                                            std::to_string(size) +
                                            " bytes and its header promises more"};
  }
  return {};
}

}  // namespace

Result<SharedLibrary> SharedLibrary::open(const std::filesystem::path& path) {
  const std::string shown = "'" + sanitized(path.string(), 300) + "'";
  EP_CHECK(check_header(path, shown));
  std::error_code ignored;
  // Without a slash the loader would search its own folders instead.
  const auto absolute = std::filesystem::absolute(path, ignored);
  void* const handle = ::dlopen(absolute.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char* const reason = ::dlerror();
    return Error{ErrorKind::kUnsupported,
                 "library " + shown + " cannot be loaded: " +
                     sanitized(reason ? reason : "the loader gives no reason", 300)};
  }
  return SharedLibrary(handle, absolute);
}

void* SharedLibrary::symbol(const char* name) const { return ::dlsym(handle_, name); }

Status SymbolReader::complete(const std::string& what) const {
  if (missing_.empty()) return {};
  std::string names;
  constexpr std::size_t kShown = 4;
  for (std::size_t i = 0; i < missing_.size() && i < kShown; ++i)
    names += (i ? ", " : "") + missing_[i];
  if (missing_.size() > kShown)
    names += " and " + std::to_string(missing_.size() - kShown) + " more";
  return Error{ErrorKind::kUnsupported, "library '" + sanitized(library_.path().string(), 300) +
                                            "' is not " + what + ": it lacks " + names};
}

}  // namespace edgeprobe::engine
