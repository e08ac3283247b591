// SPDX-License-Identifier: Apache-2.0
#include "process/pipe.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

namespace edgeprobe::process {
namespace {

Error failed(const char* step) {
  return {ErrorKind::kTarget, std::string(step) + ": " + std::strerror(errno)};
}

Result<Ends> lifted(const int (&ends)[2]) {
  const Descriptor first(ends[0]), second(ends[1]);
  constexpr int kAboveStandard = 10;
  Ends both{Descriptor(::fcntl(first.get(), F_DUPFD_CLOEXEC, kAboveStandard)),
            Descriptor(::fcntl(second.get(), F_DUPFD_CLOEXEC, kAboveStandard))};
  if (both.ours.get() < 0 || both.theirs.get() < 0) return failed("descriptors");
  return both;
}

}  // namespace

Result<Ends> socket_pair() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return failed("socketpair");
  return lifted(ends);
}

Result<Ends> pipe_to_child() {
  EP_TRY(auto ends, pipe_from_child());
  std::swap(ends.ours, ends.theirs);
  return ends;
}

Result<Ends> pipe_from_child() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return failed("pipe");
  return lifted(ends);
}

}  // namespace edgeprobe::process
