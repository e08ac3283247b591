// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "edgeprobe.h"

namespace edgeprobe::python {

/// Throws the exception of `edgeprobe.errors` for a status code.
[[noreturn]] void fail(edgeprobe_status status, const char* sentence);

/// Throws if a call failed. EDGEPROBE_OFF is not a failure: in a forked child every call does
/// nothing.
void check(edgeprobe_status status);

}  // namespace edgeprobe::python
