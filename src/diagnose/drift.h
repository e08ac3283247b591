#pragma once

#include "diagnose/diagnose.h"

namespace edgeprobe::diagnose {

/// Layer drift and coverage of the two traces of a case, into the verdict.
edgeprobe::Status add_drift(const Case& known, Verdict& verdict);

}  // namespace edgeprobe::diagnose
