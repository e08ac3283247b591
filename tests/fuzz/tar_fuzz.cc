// SPDX-License-Identifier: Apache-2.0
// Bytes as a .tar or .tar.gz: no crash; each member ends after as many bytes as it states; a path
// that is taken for safe stays below its folder.
#include <cstdint>
#include <cstdlib>
#include <filesystem>

#include "archive/tar.h"
#include "archive/unpack_archive.h"

using namespace edgeprobe;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::uint64_t left = 0, received = 0;
  constexpr std::uint64_t kMost = std::uint64_t{1} << 24;
  const auto read = archive::read_tar(
      {reinterpret_cast<const std::byte*>(data), size},
      {[&](const archive::TarMember& member) -> Status {
         left = member.size;
         if (const auto path = archive::safe_path(member.name)) {
           const std::string joined = (std::filesystem::path("/a/b") / *path).lexically_normal();
           if (!joined.starts_with("/a/b")) std::abort();
         }
         return {};
       },
       [&](ByteView part) -> Status {
         if (part.size > left || part.empty()) std::abort();
         left -= part.size;
         received += part.size;
         if (received > kMost) return Error{ErrorKind::kLimit, "enough"};
         return {};
       },
       [&]() -> Status {
         if (left != 0) std::abort();
         return {};
       }},
      {});
  if (!read && read.error().what.empty()) std::abort();
  return 0;
}
