// SPDX-License-Identifier: Apache-2.0
#include "answers.h"

#include <cstdio>

#include "probe/probe.h"

namespace edgeprobe::c {
namespace {

// Text of the thread's last failure. Plain bytes: failing needs no memory, and exiting the thread
// needs no cleanup.
thread_local char error_text[512];

edgeprobe_status code_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kUsage: return EDGEPROBE_USAGE;
    case ErrorKind::kNotFound: return EDGEPROBE_NOT_FOUND;
    case ErrorKind::kCorrupt: return EDGEPROBE_CORRUPT;
    case ErrorKind::kUnsupported: return EDGEPROBE_UNSUPPORTED;
    case ErrorKind::kLimit: return EDGEPROBE_LIMIT;
    case ErrorKind::kTarget:
    case ErrorKind::kInterrupted: break;
  }
  return EDGEPROBE_FAILED;
}

}  // namespace

thread_local bool redacting = false;

const char* last_error() { return error_text; }

edgeprobe_status fail(edgeprobe_status status, const char* what) {
  std::snprintf(error_text, sizeof error_text, "%s", what);
  return status;
}

edgeprobe_status told(const Status& status) {
  return status ? EDGEPROBE_OK : fail(code_of(status.error().kind), status.error().what.c_str());
}

edgeprobe_status failed(const UsedFrame& frame) {
  return fail(code_of(frame->error().kind), frame->error().what.c_str());
}

edgeprobe_status off() {
  return fail(EDGEPROBE_OFF,
              "there is no probe: it was not opened, is closed, or this is a forked child");
}

edgeprobe_status refused(const UsedFrame& frame) {
  return frame.status() == EDGEPROBE_OFF ? off() : usage("the frame has ended already");
}

}  // namespace edgeprobe::c
