// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "diagnose/verdict/verdict.h"

namespace edgeprobe::diagnose {

/// Doubts a confirmed channel order if the app's own answers are right far more often than those
/// after the fix: then the app's log of its pictures is wrong rather than the app. Returns the
/// reason; empty if there is no doubt. Needs labels.
std::string doubt_logged_order(Verdict& verdict);

}  // namespace edgeprobe::diagnose
