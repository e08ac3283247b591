// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "answers.h"

// Assertions of an application about itself.

using namespace edgeprobe::c;

namespace {

bool holds(const char* wrong) { return !wrong || !*wrong; }
std::string recorded_name(const char* name) { return std::string("assertion.") + name; }

}  // namespace

extern "C" {

edgeprobe_status edgeprobe_assert_that(edgeprobe_probe* probe, const char* name,
                                       const char* wrong) {
  if (!name || !*name) return usage("the name of the assertion is NULL or empty");
  return guarded([&] {
    return edgeprobe_mark(probe, recorded_name(name).c_str(), holds(wrong) ? "holds" : wrong);
  });
}

edgeprobe_status edgeprobe_frame_assert_that(edgeprobe_frame* frame, const char* name,
                                             const char* wrong) {
  if (!name || !*name) return usage("the name of the assertion is NULL or empty");
  return guarded([&] {
    const std::string recorded = recorded_name(name);
    const edgeprobe_status done =
        edgeprobe_log_scalar(frame, recorded.c_str(), holds(wrong) ? 1 : 0);
    if (done != EDGEPROBE_OK || holds(wrong)) return done;
    return edgeprobe_log_text(frame, (recorded + ".why").c_str(), wrong);
  });
}

}  // extern "C"
