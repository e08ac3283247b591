// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/bytes.h"
#include "core/control.h"
#include "core/result.h"

/// Reads .tar (POSIX ustar and pax, GNU's long names), also compressed by gzip, in one pass.
namespace edgeprobe::archive {

struct TarMember {
  std::string name;  ///< As stored: not safe as a path.
  std::uint64_t size = 0;
  bool is_folder = false;
};

/// Receives each member, then its bytes in order; an error ends the reading.
struct TarReceiver {
  std::function<Status(const TarMember& member)> begin;
  std::function<Status(ByteView part)> bytes;
  std::function<Status()> end;
};

/// Reads all members. kCorrupt for damaged bytes and for an archive that ends early, kUnsupported
/// for a member that is neither a file nor a folder: links may lead anywhere.
Status read_tar(ByteView file, const TarReceiver& receiver, const Control& control);

}  // namespace edgeprobe::archive
