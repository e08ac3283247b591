// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnose/detectors/detector.h"

namespace edgeprobe::diagnose {

/// What the app makes of texts otherwise than the reference's recipe and tokenizer do. A change
/// that gives exactly the recorded ids is a cause; confirmed when more than luck speaks for it, a
/// note where the reference, fed with what the app fed, stays within the floor of its answers.
/// Nothing when no text feeds the reference.
Result<Findings> find_text(const Examination& examined, const Control& control);

}  // namespace edgeprobe::diagnose
