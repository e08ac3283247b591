// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "precision/study.h"

namespace edgeprobe::precision {

/// What the scheme of `prediction` does to the model, and, where that breaks it, which layers to
/// keep in float32. Needs what Study::measure() has put into it.
Status search(Study& study, Prediction& prediction);

}  // namespace edgeprobe::precision
