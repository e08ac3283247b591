// SPDX-License-Identifier: Apache-2.0
#include "cli/demo/demo_files.h"

#include "archive/zip.h"
#include "core/file.h"
#include "core/text.h"

// EDGEPROBE_DEMO_ARCHIVE is the archive that the build made from models/.
__asm__(
    ".section .rodata\n"
    ".balign 16\n"
    "edgeprobe_demo_begin:\n"
    ".incbin \"" EDGEPROBE_DEMO_ARCHIVE
    "\"\n"
    "edgeprobe_demo_end:\n"
    ".byte 0\n"
    ".previous\n");

extern "C" {
extern const std::byte edgeprobe_demo_begin[] __attribute__((visibility("hidden")));
extern const std::byte edgeprobe_demo_end[] __attribute__((visibility("hidden")));
}

namespace edgeprobe::cli {
namespace {

namespace fs = std::filesystem;
constexpr archive::ZipKind kDemo{"archive of the demo", "of files", std::uint64_t{1} << 26, 1000};

}  // namespace

ByteView demo_archive() {
  return {edgeprobe_demo_begin,
          static_cast<std::size_t>(edgeprobe_demo_end - edgeprobe_demo_begin)};
}

Status unpack_demo(const fs::path& folder) {
  const std::string shown = "'" + sanitized(folder.string(), 300) + "'";
  std::error_code failed;
  if (fs::exists(folder, failed) && !(fs::is_directory(folder, failed) && fs::is_empty(folder)))
    return Error{ErrorKind::kUsage,
                 "--out " + shown + " is there and not an empty folder; name a new one"};
  EP_TRY(const auto members, archive::read_zip(demo_archive(), kDemo));
  for (const archive::ZipMember& member : members) {
    if (member.name.ends_with("/")) continue;
    EP_TRY(const auto bytes, archive::unpack(demo_archive(), member, kDemo));
    const fs::path target = folder / member.name;
    fs::create_directories(target.parent_path(), failed);
    if (failed)
      return Error{ErrorKind::kTarget, "folder '" + sanitized(target.parent_path().string(), 300) +
                                           "' cannot be made: " + failed.message()};
    EP_CHECK(write_file(target, bytes));
  }
  return {};
}

}  // namespace edgeprobe::cli
